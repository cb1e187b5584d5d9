"""sdpa: softmax(q k^T * scale + mask) v over [..., L, D].

The mask is added, -inf masks; causal lets query i see keys j <= i (top-left aligned). A row all masked gives zeros.
"""

from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs


def _sdpa(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    q, k, v = inputs[:3]
    if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2] or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(f"sdpa: shapes q {q.shape}, k {k.shape}, v {v.shape} do not fit together")
    scores = np.matmul(q.astype(np.float64), np.swapaxes(k, -1, -2).astype(np.float64)) * attrs["scale"]
    if len(inputs) > 3:
        if np.broadcast_shapes(inputs[3].shape, scores.shape) != scores.shape:
            raise ValueError(f"sdpa: mask {inputs[3].shape} does not broadcast to {scores.shape}")
        scores = scores + inputs[3]
    if attrs["causal"]:
        seen = np.tri(scores.shape[-2], scores.shape[-1], dtype=bool)
        scores = np.where(seen, scores, -np.inf)
    if scores.shape[-1] == 0:
        return (np.matmul(scores, v).astype(np.float32),)
    peak = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(peak == -np.inf, 0.0, peak))
    sums = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(peak == -np.inf, 1.0, sums)
    return (np.matmul(weights, v.astype(np.float64)).astype(np.float32),)


REFERENCE = {"sdpa": _sdpa}
