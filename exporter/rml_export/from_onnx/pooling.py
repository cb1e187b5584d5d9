"""Pools over any number of spatial axes, by windows over two of them at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from rml_export.array_ops import padded
from rml_export.from_onnx.call import Call, LoweringFn, Operand, Table
from rml_export.from_onnx.windows import spatial
from rml_export.graph import Value
from rml_export.xla_ops import slice_axes


@dataclass(frozen=True)
class Pool:
    """One number per spatial axis. counts: windows; ends: padding at the end that the last window reaches, as ceil_mode
    lets it go beyond `after`."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    ceil_mode: bool

    @property
    def dims(self) -> int:
        return len(self.size)

    @property
    def spans(self) -> list[int]:
        return [step * (width - 1) + 1 for step, width in zip(self.dilations, self.kernel, strict=True)]

    @property
    def counts(self) -> list[int]:
        """A last window that would start in the padding at the end is left out."""
        found = []
        for axis, span in enumerate(self.spans):
            free = self.size[axis] + self.before[axis] + self.after[axis] - span
            count = (-(-free // self.strides[axis]) if self.ceil_mode else free // self.strides[axis]) + 1
            if self.ceil_mode and (count - 1) * self.strides[axis] >= self.size[axis] + self.before[axis]:
                count -= 1
            found.append(count)
        return found

    @property
    def ends(self) -> tuple[int, ...]:
        reach = [(n - 1) * step + span for n, step, span in zip(self.counts, self.strides, self.spans, strict=True)]
        return tuple(max(r - s - b, 0) for r, s, b in zip(reach, self.size, self.before, strict=True))


def read_pool(c: Call, x: Value) -> Pool:
    size, kernel = x.shape[2:], c.attr("kernel_shape")
    strides, dilations, pads = spatial(c, size, kernel)
    dims, auto = len(size), c.attr("auto_pad", "NOTSET")
    parts = (size, kernel, strides, dilations, pads[:dims], pads[dims:])
    return Pool(*map(tuple, parts), ceil_mode=bool(c.attr("ceil_mode", 0)) and auto == "NOTSET")


def max_pool(c: Call, x: Operand) -> Value | tuple[Value, Value]:
    value, is_row_major = c.floats(x, "pools"), not c.attr("storage_order", 0)
    pool = read_pool(c, value)
    if len(c.node.output) > 1 and c.node.output[1]:
        return max_with_places(c, value, pool, is_row_major)
    for axes in axis_pairs(pool.dims):
        image, attrs = as_image(c, value, pool, axes)
        pooled = c("max_pool2d", image, **attrs, ceil_mode=pool.ceil_mode)
        value = image_back(c, pooled, value, axes)
    return value


def axis_pairs(dims: int) -> list[tuple[int, ...]]:
    """The last two axes first, then those before them."""
    return [tuple(range(max(end - 2, 0), end)) for end in range(dims, 0, -2)]


def as_image(c: Call, x: Value, pool: Pool, axes: tuple[int, ...]) -> tuple[Value, dict]:
    """These spatial axes of x as height and width, or one of them as the height; the window's attributes."""
    first, last = axes[0] + 2, axes[-1] + 3
    lead, rest = prod(x.shape[1:first]), prod(x.shape[last:])
    inner = x.shape[first:last] if len(axes) == 2 else (x.shape[first], rest)
    one = () if len(axes) == 2 else (1,)
    attrs = {
        "kernel": (*(pool.kernel[a] for a in axes), *one),
        "strides": (*(pool.strides[a] for a in axes), *one),
        "dilations": (*(pool.dilations[a] for a in axes), *one),
        "pads": (*(pool.before[a] for a in axes), *(0 for _ in one), *(pool.after[a] for a in axes), *(0 for _ in one)),
    }
    return c.reshape(x, (x.shape[0], lead, *inner)), attrs


def image_back(c: Call, y: Value, x: Value, axes: tuple[int, ...]) -> Value:
    """The result of a window over an image, in the axes of x."""
    first, last = axes[0] + 2, axes[-1] + 3
    return c.reshape(y, (*x.shape[:first], *y.shape[2 : 2 + len(axes)], *x.shape[last:]))


def max_with_places(c: Call, x: Value, pool: Pool, is_row_major: bool) -> tuple[Value, Value]:
    """Also where the largest is, as a position in x laid flat: the windows' elements side by side, and their argmax."""
    apart = windows(c, padded(c, x, (0, 0, *pool.before), (0, 0, *pool.ends), -np.inf), pool)
    values, places = c.many("top_k", 2, apart, k=1, axis=apart.rank - 1)
    table = positions(pool, is_row_major)
    is_place = c("cast", c("eq", places, c.constant(np.arange(table.shape[-1], dtype=np.int32))), to="i32")
    inside = c("reduce_sum", c("mul", is_place, c.constant(table)), axes=(apart.rank - 1,))
    planes = np.arange(x.shape[0] * x.shape[1], dtype=np.int64) * prod(pool.size)
    offsets = planes.reshape(*x.shape[:2], *([1] * pool.dims))
    return c.reshape(values, apart.shape[:-1]), c("add", inside, c.constant(offsets))


def windows(c: Call, x: Value, pool: Pool) -> Value:
    """The elements of each window of a padded x along a new last axis."""
    parts = []
    for place in product(*map(range, pool.kernel)):
        starts = [at * step for at, step in zip(place, pool.dilations, strict=True)]
        ends = [start + (n - 1) * step + 1 for start, n, step in zip(starts, pool.counts, pool.strides, strict=True)]
        part = slice_axes(c, x, [0, 0, *starts], [*x.shape[:2], *ends], [1, 1, *pool.strides])
        parts.append(c("unsqueeze", part, axes=(part.rank,)))
    return c("concat", *parts, axis=x.rank)


def positions(pool: Pool, is_row_major: bool) -> np.ndarray:
    """[counts..., elements of a window]: positions in a plane laid flat by rows or by columns."""
    total = np.zeros((*pool.counts, *pool.kernel), np.int64)
    for axis in range(pool.dims):
        across = pool.size[axis + 1 :] if is_row_major else pool.size[:axis]
        starts = np.arange(pool.counts[axis]) * pool.strides[axis] - pool.before[axis]
        inside = np.arange(pool.kernel[axis]) * pool.dilations[axis]
        shape = [1] * (2 * pool.dims)
        shape[axis], shape[pool.dims + axis] = len(starts), len(inside)
        total = total + (starts[:, None] + inside[None, :]).reshape(shape) * prod(across)
    return total.reshape(*pool.counts, -1).astype(np.int32)


def average_pool(c: Call, x: Operand) -> Value:
    value = c.floats(x, "pools")
    pool, with_pads = read_pool(c, value), bool(c.attr("count_include_pad", 0))
    if pool.dims <= 2 and set(pool.dilations) == {1}:
        (axes,) = axis_pairs(pool.dims)
        image, attrs = as_image(c, value, pool, axes)
        del attrs["dilations"]
        pooled = c("avg_pool2d", image, **attrs, count_include_pad=with_pads, ceil_mode=pool.ceil_mode)
        return image_back(c, pooled, value, axes)
    means = window_means(c, value, pool)
    shares = counted(pool, with_pads) / prod(pool.kernel)
    return means if (shares == 1).all() else c("div", means, c.constant(shares.astype(np.float32)))


def window_means(c: Call, x: Value, pool: Pool) -> Value:
    """Sums over windows, padding being 0, by the number of their elements, padding included."""
    value = x
    if any(pool.before) or any(pool.ends):
        value = padded(c, x, (0, 0, *pool.before), (0, 0, *pool.ends), 0.0)
    for axes in axis_pairs(pool.dims):
        image, attrs = as_image(c, value, pool, axes)
        kernel, attrs["pads"] = attrs.pop("kernel"), (0, 0, 0, 0)
        if set(attrs["dilations"]) == {1}:
            del attrs["dilations"]
            pooled = c("avg_pool2d", image, kernel=kernel, **attrs)
        else:
            channels = image.shape[1]
            weight = c.constant(np.full((channels, 1, *kernel), 1 / prod(kernel), np.float32))
            pooled = c("conv2d", image, weight, groups=channels, **attrs)
        value = image_back(c, pooled, value, axes)
    starts: Sequence[int] = [0] * value.rank
    return slice_axes(c, value, starts, [*value.shape[:2], *pool.counts])


def counted(pool: Pool, with_pads: bool) -> np.ndarray:
    """How many elements of each window count."""
    total = np.ones(pool.counts)
    for axis in range(pool.dims):
        low = -pool.before[axis] if with_pads else 0
        high = pool.size[axis] + (pool.after[axis] if with_pads else 0)
        starts = np.arange(pool.counts[axis]) * pool.strides[axis] - pool.before[axis]
        places = starts[:, None] + np.arange(pool.kernel[axis])[None, :] * pool.dilations[axis]
        numbers = ((places >= low) & (places < high)).sum(axis=1)
        total = total * numbers.reshape([-1 if i == axis else 1 for i in range(pool.dims)])
    return total


def lp_pool(c: Call, x: Operand) -> Value:
    """The p-norm of each window."""
    value, p = c.floats(x, "pools"), c.attr("p", 2)
    pool = read_pool(c, value)
    powers = c("mul", value, value) if p == 2 else c("pow", c("abs", value), c.number(p))
    sums = c("mul", window_means(c, powers, pool), c.number(prod(pool.kernel)))
    return root(c, sums, p)


def root(c: Call, sums: Value, p: float) -> Value:
    return c("sqrt", sums) if p == 2 else sums if p == 1 else c("pow", sums, c.number(1 / p))


def over_all(op: str) -> LoweringFn:
    """One number per channel."""

    def lower(c: Call, x: Operand) -> Value:
        value = c.floats(x, "pools")
        return c(op, value, axes=tuple(range(2, value.rank)), keep_dims=True)

    return lower


def global_lp_pool(c: Call, x: Operand) -> Value:
    value, p = c.floats(x, "pools"), c.attr("p", 2)
    powers = c("mul", value, value) if p == 2 else c("pow", c("abs", value), c.number(p))
    return root(c, c("reduce_sum", powers, axes=tuple(range(2, value.rank)), keep_dims=True), p)


TABLE: Table = {
    "AveragePool": average_pool,
    "MaxPool": max_pool,
    "LpPool": lp_pool,
    "GlobalAveragePool": over_all("reduce_mean"),
    "GlobalMaxPool": over_all("reduce_max"),
    "GlobalLpPool": global_lp_pool,
}
