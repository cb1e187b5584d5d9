"""How each op passes rows on: from where the rows lie in its inputs to where they lie in its outputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod

from rml_export.dims import BatchMultiple, Dim
from rml_export.graph import Node
from rml_export.op_table import BROADCASTING_OPS, UNARY_OPS


class Special(Enum):
    """States of values that have no rows."""

    SAME = "the same for every row"
    MIXED = "depends on several rows, or cannot be followed"


@dataclass(frozen=True)
class Rows:
    """The dim of `axis` is outer * B * inner, and its middle index is the row; every other axis lies within a row.

    uniform   all rows are equal (a constant spread over the batch), so that any outer and inner would do.
    """

    axis: int
    outer: int
    inner: int
    uniform: bool = False


State = Special | Rows
SAME, MIXED = Special.SAME, Special.MIXED
Rule = Callable[[Node, Sequence[State]], State]


def aligned(node: Node, states: Sequence[State], shapes: Sequence[tuple[Dim, ...]], rank: int) -> State:
    """Inputs that broadcast to `rank` axes: all rows must lie on one axis of the output in one way."""
    found: list[Rows] = []
    for state, shape in zip(states, shapes, strict=True):
        if isinstance(state, Rows):
            found.append(Rows(state.axis + rank - len(shape), state.outer, state.inner, state.uniform))
    return agree(found)


def agree(found: Sequence[Rows]) -> State:
    """The one state of all; uniform ones agree with whatever has the same axis."""
    if not found:
        return SAME
    firm = [state for state in found if not state.uniform] or list(found[:1])
    same_axis = all(state.axis == firm[0].axis for state in found)
    return firm[0] if same_axis and all(state == firm[0] for state in firm) else MIXED


def broadcasting(node: Node, states: Sequence[State]) -> State:
    rank = len(node.outputs[0].shape)
    return aligned(node, states, [value.shape for value in node.inputs], rank)


def along(attr: str) -> Rule:
    """An op that mixes elements along the axes of an attribute and keeps the rank."""

    def rule(node: Node, states: Sequence[State]) -> State:
        axes = node.attrs[attr]
        state = states[0]
        if not isinstance(state, Rows) or any(isinstance(other, Rows) for other in states[1:]):
            return MIXED
        return MIXED if state.axis in (axes if isinstance(axes, tuple) else (axes,)) else state

    return rule


def reduction(node: Node, states: Sequence[State]) -> State:
    state = along("axes")(node, states)
    if not isinstance(state, Rows) or node.attrs.get("keep_dims"):
        return state
    return moved(state, state.axis - sum(axis < state.axis for axis in node.attrs["axes"]))


def arg_extreme(node: Node, states: Sequence[State]) -> State:
    state = along("axis")(node, states)
    if not isinstance(state, Rows) or node.attrs["keep_dims"]:
        return state
    return moved(state, state.axis - (node.attrs["axis"] < state.axis))


def moved(state: Rows, axis: int) -> Rows:
    return Rows(axis, state.outer, state.inner, state.uniform)


def matmul(node: Node, states: Sequence[State]) -> State:
    """Rows may be the batch axes of both, the rows of a, or the columns of b; not the axis that is summed over."""
    ranks = [len(value.shape) for value in node.inputs]
    rank = max(ranks)
    found: list[Rows] = []
    for index, state in enumerate(states):
        if not isinstance(state, Rows):
            continue
        own = ranks[index]
        summed = own - 1 if index == 0 else max(own - 2, 0)
        if state.axis == summed:
            return MIXED
        found.append(moved(state, state.axis + rank - own))
    state = agree(found)
    if not isinstance(state, Rows):
        return state
    dropped = ranks[0] == 1 and state.axis == rank - 1  # a vector a leaves the axis of its one row out
    return moved(state, state.axis - 1) if dropped else state


def first_axis(node: Node, states: Sequence[State]) -> State:
    """Images NCHW: rows on the first axis of the first input, nothing else varies."""
    state = states[0]
    others_same = all(other == SAME for other in states[1:])
    return state if isinstance(state, Rows) and state.axis == 0 and others_same else MIXED


def pool(node: Node, states: Sequence[State]) -> State:
    """Windows lie within one image and one channel: rows may be either."""
    state = states[0]
    return state if isinstance(state, Rows) and state.axis in (0, 1) else MIXED


def sdpa(node: Node, states: Sequence[State]) -> State:
    """Rows on a leading axis of q, k, v and the mask, or on the queries alone."""
    rank = len(node.outputs[0].shape)
    state = aligned(node, states, [value.shape for value in node.inputs], rank)
    if not isinstance(state, Rows) or state.axis < rank - 2:
        return state
    keys_same = states[1] == SAME and states[2] == SAME
    return state if state.axis == rank - 2 and keys_same and not node.attrs["causal"] else MIXED


def gather(node: Node, states: Sequence[State]) -> State:
    data, indices = states
    axis = node.attrs["axis"]
    added = len(node.inputs[1].shape) - 1
    if isinstance(indices, Rows) and data == SAME:
        return moved(indices, indices.axis + axis)
    if isinstance(data, Rows) and indices == SAME and data.axis != axis:
        return moved(data, data.axis + (added if data.axis > axis else 0))
    return MIXED


def element_by_element(node: Node, states: Sequence[State]) -> State:
    """Indices beside data (and updates): rows on one axis of all of them, which is not the one indexed along."""
    state = agree([state for state in states if isinstance(state, Rows)])
    if not isinstance(state, Rows) or SAME in states or state.axis == node.attrs["axis"]:
        return MIXED
    dims = {value.shape[state.axis] for value in node.inputs}
    return state if len(dims) == 1 else MIXED


def gather_elements(node: Node, states: Sequence[State]) -> State:
    data, indices = states
    if data == SAME and isinstance(indices, Rows) and indices.axis == node.attrs["axis"]:
        return indices
    return element_by_element(node, states)


def transpose(node: Node, states: Sequence[State]) -> State:
    (state,) = states
    return moved(state, node.attrs["perm"].index(state.axis)) if isinstance(state, Rows) else MIXED


def reshape(node: Node, states: Sequence[State]) -> State:
    """The flat layout outer x B x inner stays; the new shape must have B in one dim that holds it whole."""
    (state,) = states
    shape, new = node.inputs[0].shape, node.outputs[0].shape
    symbolic = [axis for axis, dim in enumerate(new) if isinstance(dim, BatchMultiple)]
    if not isinstance(state, Rows) or len(symbolic) != 1:
        return MIXED
    (axis,) = symbolic
    if 0 in shape or 0 in new:
        return MIXED
    outer = prod(shape[: state.axis]) * state.outer
    inner = prod(shape[state.axis + 1 :]) * state.inner
    before, after = prod(new[:axis]), prod(new[axis + 1 :])
    if outer % before or inner % after:
        return MIXED
    return Rows(axis, outer // before, inner // after, state.uniform)


def broadcast_to(node: Node, states: Sequence[State]) -> State:
    (state,) = states
    if state == SAME:
        return spread(node)
    added = len(node.outputs[0].shape) - len(node.inputs[0].shape)
    return moved(state, state.axis + added) if isinstance(state, Rows) else MIXED


def spread(node: Node) -> State:
    """What is the same for every row, broadcast: rows that are all equal, if the batch is among the new axes."""
    added = len(node.outputs[0].shape) - len(node.inputs[0].shape)
    for axis, dim in enumerate(node.outputs[0].shape):
        if isinstance(dim, BatchMultiple):
            own = node.inputs[0].shape[axis - added] if axis >= added else 1
            return Rows(axis, 1, dim.factor, uniform=True) if own == 1 else MIXED
    return SAME


def slice_rows(node: Node, states: Sequence[State]) -> State:
    """A slice of the rows' axis must keep it whole."""
    (state,) = states
    if not isinstance(state, Rows):
        return MIXED
    cut = state.axis in node.attrs["axes"] and node.outputs[0].shape[state.axis] != node.inputs[0].shape[state.axis]
    index = node.attrs["axes"].index(state.axis) if state.axis in node.attrs["axes"] else None
    reversed_rows = index is not None and node.attrs["steps"][index] < 0
    return MIXED if cut or reversed_rows else state


def concat(node: Node, states: Sequence[State]) -> State:
    if any(state == SAME for state in states):
        return MIXED  # a part that has no rows cannot stand beside parts that have: the shapes would differ
    state = agree([state for state in states if isinstance(state, Rows)])
    return MIXED if not isinstance(state, Rows) or state.axis == node.attrs["axis"] else state


def pad(node: Node, states: Sequence[State]) -> State:
    (state,) = states
    if not isinstance(state, Rows):
        return MIXED
    return MIXED if node.attrs["before"][state.axis] or node.attrs["after"][state.axis] else state


def elementwise(node: Node, states: Sequence[State]) -> State:
    return states[0]


RULES: dict[str, Rule] = {
    **{op: elementwise for op in UNARY_OPS},
    **{op: broadcasting for op in BROADCASTING_OPS},
    **{op: along("axis") for op in ("softmax", "log_softmax", "top_k", "cumsum")},
    **{op: arg_extreme for op in ("argmax", "argmin")},
    **{op: reduction for op in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod")},
    **{op: pool for op in ("max_pool2d", "avg_pool2d", "resize2d")},
    **{op: first_axis for op in ("conv2d", "conv_transpose2d")},
    **{op: reshape for op in ("reshape", "squeeze", "unsqueeze")},
    "layer_norm": along("axes"),
    "matmul": matmul,
    "sdpa": sdpa,
    "gather": gather,
    "gather_elements": gather_elements,
    "scatter_add": element_by_element,
    "transpose": transpose,
    "broadcast_to": broadcast_to,
    "slice": slice_rows,
    "concat": concat,
    "pad": pad,
}
