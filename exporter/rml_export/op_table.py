"""The operators of rml-graph as the exporter knows them: input counts, dtypes and attributes.

The engine's list is engine/ops/op_list.inc; a test holds the two together. What each op computes is in `reference/`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

REQUIRED = object()
OPTIONAL = object()


@dataclass(frozen=True)
class AttrSpec:
    """One attribute: its type ("int", "ints", "float", "bool", "string") and its default, or REQUIRED, or OPTIONAL."""

    type: str
    default: Any = REQUIRED


@dataclass(frozen=True)
class OpSpec:
    """What a node of this op may look like.

    dtypes   dtypes that the data inputs may have; all data inputs have the same one.
    free     positions of inputs with a dtype of their own, checked against the given one (where's condition, indices).
    """

    name: str
    min_inputs: int
    max_inputs: int
    dtypes: tuple[str, ...] = ("f32",)
    attrs: dict[str, AttrSpec] = field(default_factory=dict)
    outputs: int = 1
    free: dict[int, str] = field(default_factory=dict)
    broadcasts: bool = False


_BOTH = ("f32", "i32")
_AXIS = {"axis": AttrSpec("int")}
_AXES = {"axes": AttrSpec("ints")}
_REDUCE = {"axes": AttrSpec("ints"), "keep_dims": AttrSpec("bool", False)}
_PADS = AttrSpec("ints", (0, 0, 0, 0))
_ONES = AttrSpec("ints", (1, 1))
_POOL = {"kernel": AttrSpec("ints"), "strides": AttrSpec("ints"), "pads": _PADS}
MANY = 1 << 20


_MATH = ("exp", "log", "expm1", "log1p", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tanh", "sigmoid", "erf", "erfc")
_ROUNDING = ("floor", "ceil", "round_even")


def _specs() -> Iterable[OpSpec]:
    for name in ("neg", "abs", "relu", "sign"):
        yield OpSpec(name, 1, 1, _BOTH)
    for name in (*_ROUNDING, *_MATH):
        yield OpSpec(name, 1, 1)
    arithmetic = ("add", "sub", "mul", "div", "maximum", "minimum", "remainder", "floor_div")
    for name in (*arithmetic, "eq", "ne", "lt", "le", "gt", "ge"):
        yield OpSpec(name, 2, 2, _BOTH, broadcasts=True)
    yield OpSpec("pow", 2, 2, broadcasts=True)
    yield OpSpec("where", 3, 3, _BOTH, free={0: "f32"}, broadcasts=True)
    yield OpSpec("clamp", 1, 1, _BOTH, {"min": AttrSpec("float", OPTIONAL), "max": AttrSpec("float", OPTIONAL)})
    yield OpSpec("cast", 1, 1, _BOTH, {"to": AttrSpec("string")})
    yield OpSpec("gelu", 1, 1, attrs={"approximate": AttrSpec("string", "none")})
    yield OpSpec("softmax", 1, 1, attrs=_AXIS)
    yield OpSpec("log_softmax", 1, 1, attrs=_AXIS)
    yield OpSpec("layer_norm", 1, 3, attrs={**_AXES, "eps": AttrSpec("float")})
    for name in ("reduce_sum", "reduce_max", "reduce_min"):
        yield OpSpec(name, 1, 1, _BOTH, _REDUCE)
    for name in ("reduce_mean", "reduce_prod"):
        yield OpSpec(name, 1, 1, attrs=_REDUCE)
    for name in ("argmax", "argmin"):
        yield OpSpec(name, 1, 1, _BOTH, {**_AXIS, "keep_dims": AttrSpec("bool", False)})
    running = {"exclusive": AttrSpec("bool", False), "reverse": AttrSpec("bool", False)}
    yield OpSpec("cumsum", 1, 1, _BOTH, {**_AXIS, **running})
    yield OpSpec("matmul", 2, 2)
    conv = {"strides": _ONES, "pads": _PADS, "dilations": _ONES, "groups": AttrSpec("int", 1)}
    yield OpSpec("conv2d", 2, 3, attrs=conv)
    yield OpSpec("conv_transpose2d", 2, 3, attrs={**conv, "output_pads": AttrSpec("ints", (0, 0))})
    ceil_mode = AttrSpec("bool", False)
    yield OpSpec("max_pool2d", 1, 1, attrs={**_POOL, "dilations": _ONES, "ceil_mode": ceil_mode})
    count = AttrSpec("bool", True)
    yield OpSpec("avg_pool2d", 1, 1, attrs={**_POOL, "count_include_pad": count, "ceil_mode": ceil_mode})
    resize = {"mode": AttrSpec("string"), "size": AttrSpec("ints"), "coordinates": AttrSpec("string", "half_pixel")}
    resize["rounding"] = AttrSpec("string", OPTIONAL)
    resize.update({name: AttrSpec("float", OPTIONAL) for name in ("scale_h", "scale_w", "cubic_a")})
    yield OpSpec("resize2d", 1, 1, attrs={**resize, "exclude_outside": AttrSpec("bool", False)})
    yield OpSpec("sdpa", 3, 4, attrs={"scale": AttrSpec("float"), "causal": AttrSpec("bool", False)})
    gather = {**_AXIS, "mode": AttrSpec("string"), "wrap": AttrSpec("bool", False)}
    yield OpSpec("gather", 2, 2, _BOTH, gather, free={1: "i32"})
    yield OpSpec("gather_elements", 2, 2, _BOTH, gather, free={1: "i32"})
    yield OpSpec("scatter_add", 3, 3, _BOTH, gather, free={1: "i32"})
    top_k = {"k": AttrSpec("int"), **_AXIS, "largest": AttrSpec("bool", True)}
    yield OpSpec("top_k", 1, 1, attrs=top_k, outputs=2)
    yield OpSpec("reshape", 1, 1, _BOTH, {"shape": AttrSpec("ints")})
    yield OpSpec("transpose", 1, 1, _BOTH, {"perm": AttrSpec("ints")})
    yield OpSpec("squeeze", 1, 1, _BOTH, _AXES)
    yield OpSpec("unsqueeze", 1, 1, _BOTH, _AXES)
    yield OpSpec("broadcast_to", 1, 1, _BOTH, {"shape": AttrSpec("ints")})
    yield OpSpec("concat", 1, MANY, _BOTH, _AXIS)
    limits = {name: AttrSpec("ints") for name in ("axes", "starts", "ends", "steps")}
    yield OpSpec("slice", 1, 1, _BOTH, limits)
    pad = {"before": AttrSpec("ints"), "after": AttrSpec("ints"), "value": AttrSpec("float", 0.0)}
    yield OpSpec("pad", 1, 1, _BOTH, pad)


OPS: dict[str, OpSpec] = {spec.name: spec for spec in _specs()}
# Elementwise, of one input.
UNARY_OPS = frozenset({"neg", "abs", "relu", "sign", "gelu", "clamp", "cast", *_ROUNDING, *_MATH})
BROADCASTING_OPS = frozenset(name for name, spec in OPS.items() if spec.broadcasts)
