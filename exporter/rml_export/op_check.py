"""What the Builder refuses: unknown ops and attributes, wrong dtypes, counts and axes; with expected and got."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rml_export.errors import ExportError
from rml_export.graph import Attrs, Value
from rml_export.op_table import OPS, OPTIONAL, REQUIRED, AttrSpec, OpSpec

_AXIS_ATTRS = {"axis", "axes"}


def find_spec(op: str, label: str) -> OpSpec:
    """The op's row. ExportError if rml-graph does not have it."""
    spec = OPS.get(op)
    if spec is None:
        raise ExportError(f"{label}: rml-graph has no op '{op}'")
    return spec


def check_inputs(spec: OpSpec, inputs: Sequence[Value], label: str) -> None:
    """Counts and dtypes of the inputs."""
    if not spec.min_inputs <= len(inputs) <= spec.max_inputs:
        expected = f"{spec.min_inputs} to {spec.max_inputs}" if spec.min_inputs != spec.max_inputs else spec.min_inputs
        raise ExportError(f"{label}: {len(inputs)} inputs, expected {expected}")
    data_dtype = None
    for index, value in enumerate(inputs):
        allowed = (spec.free[index],) if index in spec.free else spec.dtypes
        if value.dtype not in allowed:
            raise ExportError(f"{label}: input {index} is {value.describe()}, expected {' or '.join(allowed)}")
        if index in spec.free:
            continue
        if data_dtype is not None and value.dtype != data_dtype:
            raise ExportError(f"{label}: input {index} is {value.describe()}, expected {data_dtype} like the first")
        data_dtype = value.dtype


def complete_attrs(spec: OpSpec, attrs: Attrs, rank: int, label: str) -> Attrs:
    """The attributes in the op's order, typed, axes made non-negative, defaults filled in."""
    unknown = sorted(set(attrs) - set(spec.attrs))
    if unknown:
        known = ", ".join(spec.attrs) or "none"
        raise ExportError(f"{label}: unknown attribute '{unknown[0]}', it takes {known}")
    result: Attrs = {}
    for name, attr in spec.attrs.items():
        value = attrs.get(name)
        if value is None:
            if attr.default is REQUIRED:
                raise ExportError(f"{label}: attribute '{name}' is missing")
            if attr.default is OPTIONAL:
                continue
            value = attr.default
        result[name] = _typed(attr, value, f"{label}: attribute '{name}'")
        if name in _AXIS_ATTRS:
            result[name] = _non_negative(result[name], rank, f"{label}: attribute '{name}'")
    if spec.name == "clamp" and not result:
        raise ExportError(f"{label}: needs min or max")
    return result


def _typed(attr: AttrSpec, value: Any, label: str) -> Any:
    """The value as the attribute's type. ExportError if it has another one."""
    if attr.type == "bool" and isinstance(value, bool | np.bool_):
        return bool(value)
    if attr.type == "string" and isinstance(value, str):
        return value
    if attr.type == "int" and _is_int(value):
        return int(value)
    if attr.type == "ints" and isinstance(value, Sequence) and all(_is_int(item) for item in value):
        return tuple(int(item) for item in value)
    if attr.type == "float" and isinstance(value, int | float | np.floating | np.integer):
        if not np.isfinite(value):
            raise ExportError(f"{label} is {value}, expected a finite number")
        return float(np.float32(value)) if abs(value) < 2**24 else float(value)
    raise ExportError(f"{label} is {value!r}, expected {attr.type}")


def _is_int(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _non_negative(axes: int | tuple[int, ...], rank: int, label: str) -> int | tuple[int, ...]:
    many = axes if isinstance(axes, tuple) else (axes,)
    for axis in many:
        if not -rank <= axis < rank:
            raise ExportError(f"{label} is {axis}, expected an axis of rank {rank}")
    fixed = tuple(axis % rank for axis in many)
    return fixed if isinstance(axes, tuple) else fixed[0]
