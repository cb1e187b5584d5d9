"""What the lowerings of this folder are given, and the error that they raise."""

from typing import Any, Protocol

import numpy as np

from rml_export.errors import ExportError
from rml_export.graph import Value


class UnsupportedError(ExportError):
    """An op, or a use of an op, that rml-graph cannot express; a front end collects all of them."""


class Emit(Protocol):
    """Adds nodes and constants under the name of the framework's op."""

    def __call__(self, op: str, *inputs: Value, **attrs: Any) -> Value:
        """One node; a constant if all inputs are."""
        ...

    def constant(self, array: np.ndarray | float | int) -> Value:
        """An unnamed constant: floats and bools f32, integers i32."""
        ...
