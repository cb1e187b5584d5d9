"""Files of users, with models to export on the command line and functions that go wrong."""

import pytest

MODELS = """
import torch

def pair():
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(-1)), (torch.ones(2, 4),)

def alone():
    return torch.nn.Embedding(5, 2)

class Bad(torch.nn.Module):
    def forward(self, x):
        return torch.cummax(torch.lgamma(x), 0).values

def bad():
    return Bad(), (torch.ones(2),)

def text():
    return "a model"

def three():
    return 1, 2, 3

def nothing():
    pass

def raises():
    return torch.ones(2) @ torch.ones(3)

def größe():
    return pair()

number = 3

def exits():
    raise SystemExit(0)

def interrupted():
    raise KeyboardInterrupt
"""

JAX_MODELS = """
from __future__ import annotations
from dataclasses import dataclass
import jax.numpy as jnp
import numpy as np

def model(params, x):
    return jnp.maximum(x @ params["w"], 0)

def bad_model(params, x):
    return jnp.fft.fft(x).real + jnp.sort(x)

X = np.ones((2, 4), np.float32)

def made():
    return model, {"w": X.T}, (X,)

@dataclass
class Net:  # needs its module, as Flax's do
    width: int

    def apply(self, params, x):
        return x @ params["w"] * self.width

def of_a_class():
    return Net(3).apply, {"w": X.T}, (X,)

def alone():
    return model, {"w": X.T}

def bad():
    return bad_model, {}, (X,)

def pair():
    return "a model", {}

def one():
    return model
"""

TF_MODELS = """
import tensorflow as tf

def alone():
    w = tf.Variable(tf.ones((4, 3)))
    return lambda x: tf.nn.relu(tf.matmul(x, w))

def by_keyword():
    return lambda left, right: {"sum": left + right}, {"left": tf.ones((2, 4)), "right": tf.ones((2, 4))}

def bad():
    return lambda x: tf.math.lgamma(x) + tf.math.digamma(x), (tf.ones((2, 4)),)
"""


@pytest.fixture
def models(tmp_path):
    path = tmp_path / "nets.py"
    path.write_text(MODELS, encoding="utf-8")
    return path


@pytest.fixture
def jax_models(tmp_path):
    path = tmp_path / "jax_nets.py"
    path.write_text(JAX_MODELS, encoding="utf-8")
    return path


@pytest.fixture
def tf_models(tmp_path):
    path = tmp_path / "tf_nets.py"
    path.write_text(TF_MODELS, encoding="utf-8")
    return path
