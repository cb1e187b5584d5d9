"""The two dtypes of a graph: every framework array becomes f32 or i32."""

from typing import Any

import numpy as np

from rml_export.errors import ExportError

NUMPY_DTYPES: dict[str, type] = {"f32": np.float32, "i32": np.int32}
_NOT_NUMPYS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # floats that NumPy takes for raw bytes
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def dtype_name(array: np.ndarray) -> str:
    """ "f32" or "i32" of a canonical array."""
    if array.dtype == np.float32:
        return "f32"
    if array.dtype == np.int32:
        return "i32"
    raise ValueError(f"expected a float32 or int32 array, got {array.dtype}")


def canonical(array: Any, what: str = "a constant") -> np.ndarray:
    """The array as C-contiguous float32 (floats, booleans) or int32 (integers).

    ExportError if an integer lies outside int32, or the dtype is neither (complex, objects); `what` names the array.
    """
    array = np.asarray(array)
    if array.dtype.name in _NOT_NUMPYS:
        array = array.astype(np.float32)
    if array.dtype == np.bool_ or np.issubdtype(array.dtype, np.floating):
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, dtype=np.float32).reshape(array.shape)
    if not np.issubdtype(array.dtype, np.integer):
        raise ExportError(f"{what} has dtype {array.dtype}; rml-graph holds float32 and int32")
    if array.size and (int(array.min()) < INT32_MIN or int(array.max()) > INT32_MAX):
        bad = int(array.min()) if int(array.min()) < INT32_MIN else int(array.max())
        raise ExportError(f"{what} holds {bad}, which does not fit into int32")
    return np.ascontiguousarray(array, dtype=np.int32).reshape(array.shape)
