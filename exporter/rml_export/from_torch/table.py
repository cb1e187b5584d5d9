"""All lowerings of ATen ops, one function each, and the ops that are dropped."""

from rml_export.from_torch import (
    activations,
    attention,
    convolution,
    elementwise,
    indexing,
    linear,
    normalization,
    partial_views,
    pooling,
    reductions,
    resizing,
    scattering,
    shape_ops,
)
from rml_export.from_torch.call import Table
from rml_export.from_torch.trace import aten

LOWERINGS: Table = {
    **elementwise.TABLE,
    **activations.TABLE,
    **shape_ops.TABLE,
    **partial_views.TABLE,
    **linear.TABLE,
    **convolution.TABLE,
    **resizing.TABLE,
    **pooling.TABLE,
    **normalization.TABLE,
    **reductions.TABLE,
    **indexing.TABLE,
    **scattering.TABLE,
    **attention.TABLE,
}

# Checks that torch makes while it runs; they compute nothing.
DROPPED = frozenset(
    {
        aten._assert_async.msg,
        aten._assert_async.default,
        aten._assert_tensor_metadata.default,
        aten._assert_scalar.default,
        aten.sym_constrain_range_for_size.default,
    }
)

# Memory that is filled later, by ops of their own: zeros, so that exports are the same every time.
EMPTY = frozenset(
    {
        aten.empty.memory_format,
        aten.empty_like.default,
        aten.empty_permuted.default,
        aten.empty_strided.default,
        aten.new_empty.default,
        aten.new_empty_strided.default,
    }
)
