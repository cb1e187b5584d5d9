"""Lowerings of the structured ops that JAX's primitives and StableHLO share: their dimension numbers are the same.

Each takes `emit`, which adds a node: emit("transpose", value, perm=(1, 0)). A use that rml-graph cannot express raises
UnsupportedError; the front end adds where it is.
"""

from rml_export.xla_ops.contraction import dot_general
from rml_export.xla_ops.convolution import Convolution, convolve
from rml_export.xla_ops.einsum import einsum
from rml_export.xla_ops.emit import Emit, UnsupportedError
from rml_export.xla_ops.gather import Gather, gather
from rml_export.xla_ops.scatter import Scatter, scatter_add
from rml_export.xla_ops.shapes import broadcast_in_dim, reshape, slice_axes, transpose
from rml_export.xla_ops.windows import Window, reduce_window

__all__ = [
    "Convolution",
    "Emit",
    "Gather",
    "Scatter",
    "UnsupportedError",
    "Window",
    "broadcast_in_dim",
    "convolve",
    "dot_general",
    "einsum",
    "gather",
    "reduce_window",
    "reshape",
    "scatter_add",
    "slice_axes",
    "transpose",
]
