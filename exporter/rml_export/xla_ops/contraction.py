"""dot_general as one matmul, with as few shape ops around it as the dimension numbers allow."""

from collections.abc import Sequence
from math import prod

from rml_export.graph import Value
from rml_export.xla_ops.emit import Emit
from rml_export.xla_ops.shapes import reshape, transpose

Axes = Sequence[int]


def dot_general(emit: Emit, a: Value, b: Value, summed: tuple[Axes, Axes], batch: tuple[Axes, Axes]) -> Value:
    """Output axes: the batch axes, then a's others, then b's others."""
    (a_sum, b_sum), (a_batch, b_batch) = summed, batch
    a_free = [axis for axis in range(a.rank) if axis not in (*a_sum, *a_batch)]
    b_free = [axis for axis in range(b.rank) if axis not in (*b_sum, *b_batch)]
    shape = (*(a.shape[i] for i in a_batch), *(a.shape[i] for i in a_free), *(b.shape[i] for i in b_free))
    batches = tuple(a.shape[i] for i in a_batch)
    K = prod(a.shape[i] for i in a_sum)
    if not batches and len(b_free) > 1 and a.rank == 2 and list(a_sum) == [1] and list(b_sum) == [b.rank - 2]:
        product = emit("matmul", a, b)  # a matrix applied to each of b's: its rows come first in the result
        return transpose(emit, product, [b.rank - 2, *range(b.rank - 2), b.rank - 1])
    left = transpose(emit, a, [*a_batch, *a_free, *a_sum])
    right = transpose(emit, b, [*b_batch, *b_sum, *b_free])
    rows = tuple(a.shape[i] for i in a_free)
    columns = prod(b.shape[i] for i in b_free)
    if batches and len(rows) != 1:
        rows = (prod(rows),)  # a weight without batch leaves a's axes as they are; batches must line up
    left = reshape(emit, left, (*batches, *rows, K))
    right = reshape(emit, right, (*batches, K, columns) if b_free or batches else (K,))
    return reshape(emit, emit("matmul", left, right), shape)
