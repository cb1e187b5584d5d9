"""Recurrences, unrolled by a Python loop, and the mixture of experts: rnn, lstm, ssm, moe."""

import tensorflow as tf

from rml_export.zoo.configs import Config
from rml_export.zoo.tf_models.layers import Params, dense


def rnn(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    bias = p["rnn.bias_ih_l0"] + p["rnn.bias_hh_l0"]
    enter, again = tf.transpose(p["rnn.weight_ih_l0"]), tf.transpose(p["rnn.weight_hh_l0"])
    h = tf.zeros((x.shape[0], c["hidden"]))
    for t in range(c["seq"]):
        h = tf.tanh(tf.matmul(x[:, t], enter) + tf.matmul(h, again) + bias)
    return dense(p, "head", h)


def lstm(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    bias = p["lstm.bias_ih_l0"] + p["lstm.bias_hh_l0"]
    enter, again = tf.transpose(p["lstm.weight_ih_l0"]), tf.transpose(p["lstm.weight_hh_l0"])
    h = cell = tf.zeros((x.shape[0], c["hidden"]))
    for t in range(c["seq"]):
        gates = tf.matmul(x[:, t], enter) + tf.matmul(h, again) + bias
        entering, forget, new, leaving = tf.split(gates, 4, axis=-1)
        cell = tf.sigmoid(forget) * cell + tf.sigmoid(entering) * tf.tanh(new)
        h = tf.sigmoid(leaving) * tf.tanh(cell)
    return dense(p, "head", h)


def ssm(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    """A diagonal linear state space: h_t = a * h_(t-1) + B x_t, y_t = C h_t + D * x_t, with a = sigmoid(decay)."""
    a = tf.sigmoid(p["decay"])
    entered = dense(p, "enter", x)
    states = [entered[:, :1]]
    for t in range(1, c["seq"]):
        states.append(a * states[-1] + entered[:, t : t + 1])
    return dense(p, "leave", tf.concat(states, axis=1)) + p["skip"] * x


def moe(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    """Every expert runs on every token; the router's best ones count, weighted by their renormalised probabilities."""
    chances, chosen = tf.math.top_k(tf.nn.softmax(dense(p, "router", x)), c["top"])
    chances = chances / tf.reduce_sum(chances, axis=-1, keepdims=True)
    result = x
    for number in range(c["experts"]):
        share = tf.reduce_sum(tf.where(chosen == number, chances, 0.0), axis=-1, keepdims=True)
        hidden = tf.nn.gelu(dense(p, f"experts.{number}.fc1", x), approximate=False)
        result = result + share * dense(p, f"experts.{number}.fc2", hidden)
    return result
