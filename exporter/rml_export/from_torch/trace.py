"""torch.export with the decompositions that suit rml-graph, and where an fx node comes from in the user's code."""

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import torch
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from rml_export.errors import ExportError

aten = torch.ops.aten
_MAX_TEXT = 1000  # torch.export explains at length

# Ops that stay whole, because rml-graph has them: attention would become a masked softmax chain, a linear layer or a
# batched product views around a 2-D product, an interpolation gathers and sums.
INTERPOLATIONS = (
    aten.upsample_linear1d,
    aten.upsample_bilinear2d,
    aten.upsample_bicubic2d,
    aten.upsample_nearest1d,
    aten.upsample_nearest2d,
    aten._upsample_nearest_exact1d,
    aten._upsample_nearest_exact2d,
)
KEPT = (
    aten.scaled_dot_product_attention.default,
    aten.linear.default,
    aten.matmul.default,
    *(overload for packet in INTERPOLATIONS for overload in (packet.default, packet.vec)),
)


def trace(module: torch.nn.Module, inputs: Sequence[Any]) -> torch.export.ExportedProgram:
    """The graph for these inputs, decomposed to core ATen but for KEPT. ExportError if torch cannot trace it."""
    table = torch.export.default_decompositions()
    for op in KEPT:
        table.pop(op, None)
    with explained():
        return torch.export.export(module, tuple(inputs), strict=False).run_decompositions(table)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """torch.export's warnings are dropped, and whatever the model or its own passes raise becomes an ExportError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except GuardOnDataDependentSymNode as error:
            line = innermost_line(str(error))
            raise ExportError(
                f"the model's control flow or shapes depend on its inputs{f' at {line}' if line else ''}; compute both "
                "sides and choose with torch.where"
            ) from error
        except Exception as error:
            text = f"{type(error).__name__}: {str(error).strip()[:_MAX_TEXT]}"
            raise ExportError(f"torch.export cannot trace the model: {text}") from error


def module_path(node: Node) -> str:
    """The path of the module whose forward made this node: "encoder.layers.0.linear1"; empty for the model itself."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [entry[0] for entry in stack.values()]
    return re.sub(r"@\d+$", "", paths[-1]) if paths else ""


def source_line(node: Node) -> str:
    """ "model.py:12: y = torch.cumsum(x, 1)" of the innermost frame recorded; empty if there is none."""
    return innermost_line(node.meta.get("stack_trace") or "")


def innermost_line(stack: str) -> str:
    """The last frame of a stack trace in Python's form, as source_line gives it."""
    frames = re.findall(r'File "([^"]+)", line (\d+)[^\n]*\n\s*([^\n]*)', stack)
    if not frames:
        return ""
    file, line, code = frames[-1]
    return f"{PurePath(file).name}:{line}: {code.strip()}"
