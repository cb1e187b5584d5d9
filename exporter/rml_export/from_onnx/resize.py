"""Resize and Upsample: resize2d where it computes the same of the last two axes of images; else axis by axis a gather
where each new place copies one, or a product with a matrix."""

from collections.abc import Sequence
from math import floor

import numpy as np

from rml_export.from_onnx.call import Call, Operand, Table
from rml_export.from_onnx.resize_weights import Axis, Sampling, is_outside, nearest, weights
from rml_export.graph import Attrs, Value
from rml_export.reference.resizing import COORDINATES, taps
from rml_export.xla_ops import transpose

_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}


def resize(c: Call, x: Operand, *given: Operand | None) -> Value:
    """Inputs after x: roi, scales, sizes; in opset 10 the scales alone."""
    value = c.value(x)
    roi, scales, sizes = (None, given[0], None) if c.version < 11 else (*given, None, None, None)[:3]
    axes = resized_axes(c, value, roi, scales, sizes)
    old = c.version < 11  # which had neither of these attributes
    sampling = Sampling(
        mode=mode(c),
        coordinates=c.attr("coordinate_transformation_mode", "asymmetric" if old else "half_pixel"),
        nearest_mode=c.attr("nearest_mode", "floor" if old else "round_prefer_floor"),
        cubic_a=c.attr("cubic_coeff_a", -0.75),
        exclude_outside=bool(c.attr("exclude_outside", 0)),
        antialias=bool(c.attr("antialias", 0)),
    )
    result = sampled(c, value, axes, sampling)
    number = c.attr("extrapolation_value", 0.0)
    if sampling.coordinates != "tf_crop_and_resize":
        return result
    outside = np.zeros((1,) * value.rank, bool)
    for number_of_axis, axis in axes.items():
        shape = [-1 if k == number_of_axis else 1 for k in range(value.rank)]
        outside = outside | is_outside(axis, sampling.coordinates).reshape(shape)
    return c("where", c.constant(outside), c.number(number), result) if outside.any() else result


def upsample(c: Call, x: Operand, scales: Operand | None = None) -> Value:
    value, factors = c.value(x), c.attr("scales")
    if scales is not None:
        factors = c.known(scales, "a scale").reshape(-1)
    axes = dict(enumerate(scaled(size, float(factor)) for size, factor in zip(value.shape, factors, strict=True)))
    return sampled(c, value, axes, Sampling(mode(c), "asymmetric", "floor", -0.75, False, False))


def mode(c: Call) -> str:
    name = c.attr("mode", "nearest")
    if name not in _MODES:
        raise c.refuse(f"mode {name}")
    return _MODES[name]


def resized_axes(
    c: Call, x: Value, roi: Operand | None, scales: Operand | None, sizes: Operand | None
) -> dict[int, Axis]:
    """By number the axes that are given."""
    numbers = [c.one_axis(int(axis), x.rank) for axis in c.attr("axes", range(x.rank))]
    policy = c.attr("keep_aspect_ratio_policy", "stretch")
    old = [x.shape[axis] for axis in numbers]
    parts = c.known(roi, "a region").reshape(-1) if roi is not None else np.zeros(0)
    rois = [(float(parts[k]), float(parts[k + len(numbers)])) for k in range(len(numbers))] if parts.size else None
    if sizes is not None and sizes.shape != (0,):
        wanted = [int(size) for size in c.known(sizes, "a size").reshape(-1)]
        found = [Axis(n, new, new / n) for n, new in zip(old, wanted, strict=True)]
        if policy != "stretch":
            factors = [axis.scale for axis in found]
            factor = min(factors) if policy == "not_larger" else max(factors)
            found = [Axis(n, floor(factor * n + 0.5), factor) for n in old]
    elif scales is not None:
        factors = [float(factor) for factor in c.known(scales, "a scale").reshape(-1)]
        found = [scaled(n, factor) for n, factor in zip(old, factors, strict=True)]
    else:
        raise c.refuse("neither scales nor sizes")
    if rois is not None:
        found = [Axis(a.size, a.new_size, a.scale, part) for a, part in zip(found, rois, strict=True)]
    return dict(zip(numbers, found, strict=True))


def scaled(size: int, factor: float) -> Axis:
    return Axis(size, floor(size * factor), factor)


def sampled(c: Call, x: Value, axes: dict[int, Axis], sampling: Sampling) -> Value:
    attrs = resize2d_attrs(x, axes, sampling)
    if attrs is not None:
        shape = x.shape if x.rank == 4 else (*x.shape[:2], 1, x.shape[2])
        return c.reshape(c("resize2d", c.reshape(x, shape), **attrs), (*x.shape[:2], *attrs["size"][4 - x.rank :]))
    for number, axis in axes.items():
        try:
            if sampling.mode == "nearest":
                x = copied(c, x, number, nearest(axis, sampling))
            else:
                x = weighted(c, x, number, weights(axis, sampling))
        except KeyError as error:
            raise c.refuse(f"by {error.args[0]}") from error
    return x


def resize2d_attrs(x: Value, axes: dict[int, Axis], sampling: Sampling) -> Attrs | None:
    """None where an axis would be read otherwise, where other axes change, and where places only repeat."""
    changed = {k: axis for k, axis in axes.items() if axis.scale != 1 or sampling.coordinates == "tf_crop_and_resize"}
    if x.dtype != "f32" or x.rank not in (3, 4) or not changed or min(changed) < 2 or sampling.antialias:
        return None
    if sampling.coordinates not in COORDINATES:
        return None
    pair = [changed.get(k, Axis(n, n, 1.0)) for k, n in enumerate(x.shape)][2:]
    pair = [*[Axis(1, 1, 1.0)] * (4 - x.rank), *pair]
    attrs: Attrs = {
        "mode": sampling.mode,
        "coordinates": sampling.coordinates,
        "size": tuple(axis.new_size for axis in pair),
        "exclude_outside": sampling.exclude_outside and sampling.mode == "cubic",
    }
    if any(axis.scale != axis.new_size / axis.size for axis in pair):
        attrs |= {"scale_h": float(np.float32(pair[0].scale)), "scale_w": float(np.float32(pair[1].scale))}
    if sampling.mode == "nearest":
        attrs["rounding"] = sampling.nearest_mode
        places = [nearest(axis, sampling) for axis in pair]
        same = all(np.array_equal(taps(attrs, k, axis.size)[0][:, 0], places[k]) for k, axis in enumerate(pair))
        return attrs if same and not all(map(is_repeated, places, (axis.size for axis in pair))) else None
    if sampling.mode == "cubic":
        attrs["cubic_a"] = sampling.cubic_a
    same = all(
        np.allclose(matrix(attrs, k, a.size), weights(a, sampling), rtol=0, atol=1e-5) for k, a in enumerate(pair)
    )
    return attrs if same else None


def matrix(attrs: Attrs, axis: int, size: int) -> np.ndarray:
    """resize2d along one axis, [output, size]."""
    indices, numbers = taps(attrs, axis, size)
    result = np.zeros((len(indices), size))
    np.add.at(result, (np.arange(len(indices))[:, None], indices), numbers)
    return result


def copied(c: Call, x: Value, axis: int, places: np.ndarray) -> Value:
    """Each place once is x; each r times a broadcast."""
    size = x.shape[axis]
    if np.array_equal(places, np.arange(size)):
        return x
    times = len(places) // size
    if is_repeated(places, size):
        apart = c("unsqueeze", x, axes=(axis + 1,))
        spread = c("broadcast_to", apart, shape=(*x.shape[: axis + 1], times, *x.shape[axis + 1 :]))
        return c.reshape(spread, with_size(x.shape, axis, size * times))
    return c("gather", x, c.constant(places.astype(np.int32)), axis=axis, mode="error")


def weighted(c: Call, x: Value, axis: int, matrix: np.ndarray) -> Value:
    """The matrix applied along an axis."""
    value = c.floats(x, "interpolation")
    if matrix.shape[0] == matrix.shape[1] and np.allclose(matrix, np.eye(len(matrix)), rtol=0, atol=1e-12):
        return value
    if axis == x.rank - 2:
        return c("matmul", c.constant(matrix.astype(np.float32)), value)
    right = c.constant(np.ascontiguousarray(matrix.T.astype(np.float32)))
    order = [*(k for k in range(x.rank) if k != axis), axis]
    product = c("matmul", transpose(c, value, order), right)
    return transpose(c, product, [order.index(k) for k in range(x.rank)])


def is_repeated(places: np.ndarray, size: int) -> bool:
    return np.array_equal(places, np.repeat(np.arange(size), len(places) // size))


def with_size(shape: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])


TABLE: Table = {"Resize": resize, "Upsample": upsample}
