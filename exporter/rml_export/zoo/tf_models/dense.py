"""Models of dense layers: mlp, autoencoder, vae, gan_generator, diffusion_mlp, gcn, two_tower."""

import tensorflow as tf

from rml_export.zoo.configs import Config
from rml_export.zoo.fixed import frequencies, normalised_adjacency
from rml_export.zoo.tf_models.layers import Params, dense


def mlp(c: Config, p: Params, x: tf.Tensor) -> tf.Tensor:
    return dense(p, "fc3", tf.nn.relu(dense(p, "fc2", tf.nn.relu(dense(p, "fc1", x)))))


def autoencoder(c: Config, p: Params, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    latent = dense(p, "encode2", tf.nn.relu(dense(p, "encode1", x)))
    return tf.sigmoid(dense(p, "decode2", tf.nn.relu(dense(p, "decode1", latent)))), latent


def vae(c: Config, p: Params, x: tf.Tensor, noise: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    hidden = tf.nn.relu(dense(p, "encode", x))
    mu, logvar = dense(p, "mu", hidden), dense(p, "logvar", hidden)
    latent = mu + tf.exp(0.5 * logvar) * noise
    return tf.sigmoid(dense(p, "decode2", tf.nn.relu(dense(p, "decode1", latent)))), mu, logvar


def gan_generator(c: Config, p: Params, z: tf.Tensor) -> tf.Tensor:
    return tf.tanh(dense(p, "fc3", tf.nn.relu(dense(p, "fc2", tf.nn.relu(dense(p, "fc1", z))))))


def diffusion_mlp(c: Config, p: Params, x: tf.Tensor, t: tf.Tensor) -> tf.Tensor:
    angles = t * frequencies(c["freqs"])
    hidden = tf.concat([x, tf.sin(angles), tf.cos(angles)], axis=1)
    return dense(p, "fc3", tf.nn.silu(dense(p, "fc2", tf.nn.silu(dense(p, "fc1", hidden)))))


def gcn(c: Config, p: Params, features: tf.Tensor) -> tf.Tensor:
    adjacency = normalised_adjacency(c["nodes"])
    hidden = tf.matmul(adjacency, tf.matmul(features, tf.transpose(p["fc1.weight"])))
    hidden = tf.nn.relu(tf.nn.bias_add(hidden, p["fc1.bias"]))
    return tf.nn.bias_add(tf.matmul(adjacency, tf.matmul(hidden, tf.transpose(p["fc2.weight"]))), p["fc2.bias"])


def two_tower(c: Config, p: Params, user: tf.Tensor, item: tf.Tensor) -> tf.Tensor:
    left = dense(p, "user2", tf.nn.relu(dense(p, "user1", user)))
    right = dense(p, "item2", tf.nn.relu(dense(p, "item1", item)))
    return tf.reduce_sum(left * right, axis=-1)
