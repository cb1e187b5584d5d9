"""Operations on constants, in NumPy and in the module's own dtypes.

What is not here and has a lowering folds in the builder. Some operations are here only: rml-graph does not have them.
"""

from typing import Any

import numpy as np

from rml_export.from_stablehlo.call import FoldFn
from rml_export.from_stablehlo.module import Operation

_BITS = 8


def plain(function: Any) -> FoldFn:
    """A NumPy function of the arguments alone."""
    return lambda _, *args: function(*args)


def divide(_: Operation, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Integers truncate; x / 0 is -1 and the smallest number / -1 itself, as XLA has it."""
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    safe = np.where(b == 0, 1, b)
    quotient = a // safe
    toward_zero = quotient + ((a % safe != 0) & ((a < 0) != (safe < 0)))
    return np.where(b == 0, np.array(-1).astype(a.dtype), toward_zero)


def remainder(_: Operation, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The sign of the dividend; integers: x % 0 is x."""
    if a.dtype.kind not in "iu":
        return np.fmod(a, b)
    return np.where(b == 0, a, np.fmod(a, np.where(b == 0, 1, b)))


def sign(_: Operation, x: np.ndarray) -> np.ndarray:
    return np.where(x == 0, x, np.sign(x))


def round_half_away(_: Operation, x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


def convert(op: Operation, x: np.ndarray) -> np.ndarray:
    """Floats to integers truncate and saturate, NaN gives 0; integers wrap; unequal 0 is true."""
    to = op.result_type().dtype
    if to == np.bool_:
        return x != 0
    if to.kind in "iu" and x.dtype.kind not in "iub":
        limits = np.iinfo(to)
        wide = np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
        inside = np.where((wide >= float(limits.max)) | (wide <= float(limits.min)), 0, np.trunc(wide)).astype(to)
        low = np.where(wide <= float(limits.min), limits.min, inside)
        return np.where(wide >= float(limits.max), limits.max, low).astype(to)
    return x.astype(to)


_COMPARISONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


def compare(op: Operation, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if "compare_type" in op and op.text("compare_type") == "TOTALORDER":
        a, b = total_order(a), total_order(b)
    return _COMPARISONS[op.text("comparison_direction")](a, b)


def total_order(x: np.ndarray) -> np.ndarray:
    """Integers in the order -NaN < -inf < ... < -0 < 0 < ... < inf < NaN."""
    bits = np.ascontiguousarray(x).view(f"int{x.dtype.itemsize * _BITS}").reshape(x.shape)
    return np.where(bits < 0, np.iinfo(bits.dtype).max ^ bits, bits)


def clamp(_: Operation, low: np.ndarray, x: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.minimum(np.maximum(x, low), high)


def invert(_: Operation, x: np.ndarray) -> np.ndarray:
    return np.logical_not(x) if x.dtype == np.bool_ else np.invert(x)


def shift(kind: str) -> FoldFn:
    """Shifts by the width of the dtype or more give 0, or the sign."""

    def fold(_: Operation, x: np.ndarray, by: np.ndarray) -> np.ndarray:
        width = x.dtype.itemsize * _BITS
        inside = (by >= 0) & (by < width)
        amount = np.where(inside, by, 0)
        if kind == "right_arithmetic":
            return np.right_shift(x, np.where(inside, by, width - 1))
        unsigned = x.view(f"uint{width}")
        shift_by = amount.astype(unsigned.dtype)
        moved = np.left_shift(unsigned, shift_by) if kind == "left" else np.right_shift(unsigned, shift_by)
        return np.where(inside, moved, 0).astype(unsigned.dtype).view(x.dtype)

    return fold


def multiply(_: Operation, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A factor that is 1 everywhere leaves the other one what and whose it is."""
    for factor, other in ((a, b), (b, a)):
        if factor.size and (factor == 1).all():
            return other
    return np.multiply(a, b)


def broadcast_in_dim(op: Operation, x: np.ndarray, *_: np.ndarray) -> np.ndarray:
    """A view: nothing is stored once per row."""
    shape, dims = op.result_type().shape, op.ints("broadcast_dimensions")
    order = sorted(range(x.ndim), key=dims.__getitem__)
    placed = [1] * len(shape)
    for axis in range(x.ndim):
        placed[dims[axis]] = x.shape[axis]
    return np.broadcast_to(x.transpose(order).reshape(placed), shape)


def cut(op: Operation, x: np.ndarray) -> np.ndarray:
    limits = zip(op.ints("start_indices"), op.ints("limit_indices"), op.ints("strides"), strict=True)
    return x[tuple(slice(*item) for item in limits)]


def dynamic_slice(op: Operation, x: np.ndarray, *starts: np.ndarray) -> np.ndarray:
    sizes = op.ints("slice_sizes")
    begins = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, sizes, strict=True)]
    return x[tuple(slice(begin, begin + size) for begin, size in zip(begins, sizes, strict=True))]


def dynamic_update_slice(_: Operation, x: np.ndarray, update: np.ndarray, *starts: np.ndarray) -> np.ndarray:
    begins = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, update.shape, strict=True)]
    result = np.array(x)
    result[tuple(slice(b, b + size) for b, size in zip(begins, update.shape, strict=True))] = update
    return result


def pad(op: Operation, x: np.ndarray, value: np.ndarray) -> np.ndarray:
    low, high, inner = op.ints("edge_padding_low"), op.ints("edge_padding_high"), op.ints("interior_padding")
    spread = [size + max(size - 1, 0) * gap for size, gap in zip(x.shape, inner, strict=True)]
    sizes = [max(a, 0) + size + max(b, 0) for a, size, b in zip(low, spread, high, strict=True)]
    result = np.full(sizes, value, x.dtype)
    steps = zip(low, spread, inner, strict=True)
    result[tuple(slice(max(a, 0), max(a, 0) + size, gap + 1) for a, size, gap in steps)] = x
    kept = zip(low, high, sizes, strict=True)
    return result[tuple(slice(max(-a, 0), size - max(-b, 0)) for a, b, size in kept)]


def iota(op: Operation, *_: np.ndarray) -> np.ndarray:
    kind, axis = op.result_type(), op.int("iota_dimension")
    shape = [1] * len(kind.shape)
    shape[axis] = kind.shape[axis]
    return np.broadcast_to(np.arange(kind.shape[axis]).astype(kind.dtype).reshape(shape), kind.shape)


def dimension_size(op: Operation, x: Any) -> np.ndarray:
    return np.array(x.shape[op.int("dimension")], op.result_type().dtype)


FOLDS: dict[str, FoldFn] = {
    "stablehlo.abs": plain(np.abs),
    "stablehlo.negate": plain(np.negative),
    "stablehlo.ceil": plain(np.ceil),
    "stablehlo.floor": plain(np.floor),
    "stablehlo.round_nearest_even": plain(np.rint),
    "stablehlo.round_nearest_afz": round_half_away,
    "stablehlo.sign": sign,
    "stablehlo.sqrt": plain(np.sqrt),
    "stablehlo.rsqrt": plain(lambda x: 1 / np.sqrt(x)),
    "stablehlo.exponential": plain(np.exp),
    "stablehlo.exponential_minus_one": plain(np.expm1),
    "stablehlo.log": plain(np.log),
    "stablehlo.log_plus_one": plain(np.log1p),
    "stablehlo.sine": plain(np.sin),
    "stablehlo.cosine": plain(np.cos),
    "stablehlo.is_finite": plain(np.isfinite),
    "stablehlo.not": invert,
    "stablehlo.add": plain(np.add),
    "stablehlo.subtract": plain(np.subtract),
    "stablehlo.multiply": multiply,
    "stablehlo.divide": divide,
    "stablehlo.remainder": remainder,
    "stablehlo.maximum": plain(np.maximum),
    "stablehlo.minimum": plain(np.minimum),
    "stablehlo.power": plain(np.power),
    "stablehlo.and": plain(np.bitwise_and),
    "stablehlo.or": plain(np.bitwise_or),
    "stablehlo.xor": plain(np.bitwise_xor),
    "stablehlo.shift_left": shift("left"),
    "stablehlo.shift_right_logical": shift("right_logical"),
    "stablehlo.shift_right_arithmetic": shift("right_arithmetic"),
    "stablehlo.compare": compare,
    "stablehlo.select": plain(np.where),
    "stablehlo.clamp": clamp,
    "stablehlo.convert": convert,
    "stablehlo.broadcast_in_dim": broadcast_in_dim,
    "stablehlo.dynamic_broadcast_in_dim": broadcast_in_dim,
    "stablehlo.reshape": lambda op, x: x.reshape(op.result_type().shape),
    "stablehlo.dynamic_reshape": lambda op, x, _: x.reshape(op.result_type().shape),
    "stablehlo.transpose": lambda op, x: x.transpose(op.ints("permutation")),
    "stablehlo.reverse": lambda op, x: np.flip(x, op.ints("dimensions")),
    "stablehlo.concatenate": lambda op, *parts: np.concatenate(parts, axis=op.int("dimension")),
    "stablehlo.slice": cut,
    "stablehlo.dynamic_slice": dynamic_slice,
    "stablehlo.dynamic_update_slice": dynamic_update_slice,
    "stablehlo.pad": pad,
    "stablehlo.iota": iota,
    "stablehlo.dynamic_iota": iota,
    "stablehlo.get_dimension_size": dimension_size,
}

# Results that hold the elements of their only argument: they keep its name.
SAME_ELEMENTS = frozenset({"stablehlo.reshape", "stablehlo.dynamic_reshape", "stablehlo.broadcast_in_dim"})
