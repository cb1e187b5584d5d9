"""x[2, 3, 8] -> pre-norm causal block of 2 heads -> y[2, 3, 8].

All of it rests on seven rows of signs that are orthogonal to each other and to the constant row:
- A token is a constant plus 1 or 2 times its own row: variance exactly 1 or 4, and the norm gives the row back.
- A matrix sum(t_j r_j^T) / 8 takes row r_j to t_j, whatever t_j is; the seventh row, which no token has, makes all
  weights non-zero without changing a result.
- Keys of the tokens of a sequence are orthogonal; a query is 32 times the key of the token to attend to, so that its
  score (scaled by 1/2) lies about 60 above the others and softmax has one 1. What else it has is lost beside it.
- The values attended to change a token into a constant plus 1 or 2 times another row, for the second norm.
- GELU sees nothing between -15 and 15, where it is neither x nor nothing.
"""

import numpy as np

from examples.exact_check.exact_check import dummy, exact

HEADS = 2
EPS = 2.0**-40  # is lost beside a variance of 1: the default would not be

BITS = [[bin(j & c).count("1") for c in range(8)] for j in range(8)]
SIGNS = np.array([[(-1.0) ** bits for bits in row] for row in BITS])
ROWS, SEVENTH = SIGNS[1:7], SIGNS[7]  # of tokens 0..2 of both sequences; of none
SCALES = np.array([[1, 1, 1], [1, 2, 1]])
ATTENDED = np.array([0, 0, 1, 3, 4, 3])  # by each of the six tokens


def inputs() -> np.ndarray:
    tokens = ROWS.reshape(2, 3, 8) * SCALES[:, :, None]
    return (tokens + dummy(2, 3, 1, seed=0)).astype(np.float32)


def taking(targets: np.ndarray, sources: np.ndarray = ROWS) -> np.ndarray:
    """The matrix [out, in] that takes sources[j] to targets[j]; no element is zero where targets are whole numbers."""
    return (targets.T @ sources + np.outer(np.full(targets.shape[1], 0.5), SEVENTH)) / 8


def after_norm(name: str, matrix: np.ndarray, bias: np.ndarray, norm: dict[str, np.ndarray], norm_name: str):
    """A dense layer that gives matrix @ row + bias for a token that the norm's weight and bias have changed."""
    changed = matrix / norm[f"{norm_name}.weight"]
    return {f"{name}.weight": changed, f"{name}.bias": bias - changed @ norm[f"{norm_name}.bias"]}


def attention_weights(norm: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    keys = np.concatenate([SIGNS[[1, 2, 3] * 2, :4], SIGNS[[3, 1, 2] * 2, :4]], axis=1)  # of both heads
    values = np.roll(ROWS, 1, axis=0)
    # Constants apart, tokens 0 and 1 become rows -1 and -0, 2 becomes -1, 3 and 5 become -5 and -3, and 4 becomes 4.
    targets = np.zeros((6, 8))
    targets[0], targets[1] = 1 - ROWS[0] - ROWS[1], 2 - ROWS[1] - ROWS[2]
    targets[3], targets[4] = -1 - ROWS[3] - ROWS[5], 3 - ROWS[4]
    targets[2], targets[5] = 2, -3  # attended to by none
    result = after_norm("q", taking(32 * keys[ATTENDED]), dummy(8, seed=1), norm, "norm1")
    result |= after_norm("k", taking(keys), dummy(8, seed=2), norm, "norm1")
    result |= after_norm("v", taking(values), dummy(8, seed=3), norm, "norm1")
    out = taking(targets, values)
    return result | {"out.weight": out, "out.bias": 1 - out @ dummy(8, seed=3)}


def weights() -> dict[str, np.ndarray]:
    norm = {}
    for number, name in enumerate(("norm1", "norm2")):
        norm |= {f"{name}.weight": 2.0 ** np.sign(dummy(8, seed=4 + number)), f"{name}.bias": dummy(8, seed=6 + number)}
    hidden = np.sign(dummy(6, 16, seed=8)) * (16 + np.arange(96).reshape(6, 16) % 7)
    result = norm | attention_weights(norm) | after_norm("fc1", taking(hidden), dummy(16, seed=9), norm, "norm2")
    result |= {"fc2.weight": dummy(8, 16, seed=10), "fc2.bias": dummy(8, seed=11)}
    assert all((array != 0).all() for array in result.values())
    return {name: exact(array) for name, array in result.items()}


def normalised(x: np.ndarray, w: dict[str, np.ndarray], name: str) -> np.ndarray:
    deviation = x.std(axis=-1, keepdims=True)
    assert np.isin(deviation, (1, 2)).all()
    return (x - x.mean(axis=-1, keepdims=True)) / deviation * w[f"{name}.weight"] + w[f"{name}.bias"]


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The value whose score lies 40 above those of the others that a token may see, per sequence and head."""
    result = np.zeros_like(v)
    for place in np.ndindex(v.shape[:-1]):
        sequence, head, token = place
        scores = k[sequence, head, : token + 1] @ q[place] / 2
        best = int(scores.argmax())
        assert (np.delete(scores, best) <= scores[best] - 40).all()
        result[place] = v[sequence, head, best]
    return result


def reference() -> np.ndarray:
    w = {name: array.astype(np.float64) for name, array in WEIGHTS.items()}

    def dense(name: str, x: np.ndarray) -> np.ndarray:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = X.astype(np.float64)
    entered = normalised(x, w, "norm1")
    q, k, v = (dense(name, entered).reshape(2, 3, HEADS, 4).transpose(0, 2, 1, 3) for name in "qkv")
    assert (v != 0).all()
    x = x + dense("out", attended(q, k, v).transpose(0, 2, 1, 3).reshape(2, 3, 8))
    hidden = dense("fc1", normalised(x, w, "norm2"))
    assert (abs(hidden) > 15).all()
    added = dense("fc2", np.maximum(hidden, 0))
    assert (x != 0).all() and (added != 0).all()
    return exact(x + added)


X = inputs()
WEIGHTS = weights()
