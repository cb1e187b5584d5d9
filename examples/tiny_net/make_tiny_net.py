#!/usr/bin/env python3
"""Writes tiny_net's exports: one dense net in each framework, and prints its exact output as C++ literals.

    python examples/tiny_net/make_tiny_net.py [FOLDER]      default: examples/tiny_net/exports

x[2, 4] -> dense 8 -> ReLU -> dense 3. Weights, biases and input are non-zero multiples of 1/8.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "exporter"), str(ROOT)]

from rml_export.front_end import FrontEnd  # noqa: E402

from examples.exact_check.exact_check import dummy, exact, literals, write_exports  # noqa: E402

X = dummy(2, 4, seed=0)
WEIGHTS = {
    "fc1.weight": dummy(8, 4, seed=1),
    "fc1.bias": dummy(8, seed=2),
    "fc2.weight": dummy(3, 8, seed=3),
    "fc2.bias": dummy(3, seed=4),
}


def reference() -> np.ndarray:
    w = {name: array.astype(np.float64) for name, array in WEIGHTS.items()}
    hidden = np.maximum(X @ w["fc1.weight"].T + w["fc1.bias"], 0)
    return exact(hidden @ w["fc2.weight"].T + w["fc2.bias"])


def torch_net() -> FrontEnd:
    import torch
    from rml_export.from_torch import TorchModel

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc1 = torch.nn.Linear(4, 8)
            self.fc2 = torch.nn.Linear(8, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fc2(torch.relu(self.fc1(x)))

    net = Net()
    net.load_state_dict({name: torch.from_numpy(array) for name, array in WEIGHTS.items()})
    return TorchModel(net.eval(), (torch.from_numpy(X),), ["x"], ["y"])


def jax_net() -> FrontEnd:
    import jax
    from rml_export.from_jax import JaxModel

    def net(p: dict[str, Any], x: Any) -> Any:
        hidden = jax.nn.relu(x @ p["fc1.weight"].T + p["fc1.bias"])
        return hidden @ p["fc2.weight"].T + p["fc2.bias"]

    return JaxModel(net, WEIGHTS, (X,), ["x"], ["y"])


def tf_net() -> FrontEnd:
    import tensorflow as tf
    from rml_export.from_tf import TfModel

    p = {name: tf.Variable(array, name=name) for name, array in WEIGHTS.items()}

    def net(x: tf.Tensor) -> tf.Tensor:
        hidden = tf.nn.relu(tf.matmul(x, p["fc1.weight"], transpose_b=True) + p["fc1.bias"])
        return tf.matmul(hidden, p["fc2.weight"], transpose_b=True) + p["fc2.bias"]

    return TfModel(net, (X,), ["x"], ["y"])


FRONT_ENDS = {"torch": torch_net, "jax": jax_net, "tf": tf_net}


def write(folder: Path, frameworks: Iterable[str] = tuple(FRONT_ENDS)) -> None:
    write_exports({name: FRONT_ENDS[name] for name in frameworks}, X, reference(), folder)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "exports")
    print(literals(reference()))
