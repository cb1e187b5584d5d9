"""One small classifier, written the ordinary way in PyTorch, JAX and TensorFlow on the same weights.

    x[B, 16] -> dense(32) -> layer norm -> gelu (tanh) -> dense(5) -> softmax

Each function returns the framework's own results for x, and writes the model to `path` as an rml graph. A framework is
imported by its function only.
"""

from pathlib import Path

import numpy as np

Weights = dict[str, np.ndarray]
EPSILON = 1e-5


def weights(seed: int = 0) -> Weights:
    """Dense kernels are [in, out]."""
    generator = np.random.default_rng(seed)
    shapes = {"w1": (16, 32), "b1": (32,), "scale": (32,), "shift": (32,), "w2": (32, 5), "b2": (5,)}
    return {name: generator.uniform(-0.5, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def in_torch(w: Weights, x: np.ndarray, path: Path) -> np.ndarray:
    import torch
    from rml_export import export_torch
    from torch import nn

    model = nn.Sequential(
        nn.Linear(16, 32), nn.LayerNorm(32, eps=EPSILON), nn.GELU(approximate="tanh"), nn.Linear(32, 5), nn.Softmax(-1)
    )
    state = {"0.weight": w["w1"].T, "0.bias": w["b1"], "1.weight": w["scale"], "1.bias": w["shift"]}
    state |= {"3.weight": w["w2"].T, "3.bias": w["b2"]}
    model.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
    export_torch(model, (torch.from_numpy(x),), path)
    with torch.no_grad():
        return model(torch.from_numpy(x)).numpy()


def in_jax(w: Weights, x: np.ndarray, path: Path) -> np.ndarray:
    import jax
    from jax import numpy as jnp
    from rml_export import export_jax

    def model(params: Weights, inputs: jax.Array) -> jax.Array:
        hidden = inputs @ params["w1"] + params["b1"]
        mean, variance = hidden.mean(-1, keepdims=True), hidden.var(-1, keepdims=True)
        hidden = (hidden - mean) * jax.lax.rsqrt(variance + EPSILON) * params["scale"] + params["shift"]
        return jax.nn.softmax(jax.nn.gelu(hidden, approximate=True) @ params["w2"] + params["b2"])

    export_jax(model, w, (x,), path)
    return np.asarray(jax.jit(model)(w, jnp.asarray(x)))


def in_tf(w: Weights, x: np.ndarray, path: Path) -> np.ndarray:
    import tensorflow as tf
    from rml_export import export_tf

    variables = {name: tf.Variable(array) for name, array in w.items()}

    @tf.function
    def model(inputs: tf.Tensor) -> tf.Tensor:
        hidden = tf.matmul(inputs, variables["w1"]) + variables["b1"]
        mean, variance = tf.nn.moments(hidden, axes=[-1], keepdims=True)
        hidden = tf.nn.batch_normalization(hidden, mean, variance, variables["shift"], variables["scale"], EPSILON)
        hidden = tf.nn.gelu(hidden, approximate=True)
        return tf.nn.softmax(tf.matmul(hidden, variables["w2"]) + variables["b2"])

    export_tf(model, (x,), path)
    return model(tf.constant(x)).numpy()


FRAMEWORKS = {"torch": in_torch, "jax": in_jax, "tf": in_tf}
