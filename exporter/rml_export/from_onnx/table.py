"""The lowerings by operator: one module per family, each with a table of its own."""

from rml_export.from_onnx import (
    attention,
    convolution,
    elementwise,
    indexing,
    linear,
    nonlinearities,
    normalization,
    pooling,
    recurrence,
    reductions,
    resize,
    running_sums,
    shape_ops,
    slicing,
    triangles,
)
from rml_export.from_onnx.call import Table

LOWERINGS: Table = {
    **elementwise.TABLE,
    **nonlinearities.TABLE,
    **shape_ops.TABLE,
    **slicing.TABLE,
    **indexing.TABLE,
    **linear.TABLE,
    **convolution.TABLE,
    **reductions.TABLE,
    **normalization.TABLE,
    **pooling.TABLE,
    **triangles.TABLE,
    **attention.TABLE,
    **resize.TABLE,
    **running_sums.TABLE,
    **recurrence.TABLE,
}
