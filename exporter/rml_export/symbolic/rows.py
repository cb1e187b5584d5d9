"""Finds out whether row i of an output depends on row i of the inputs alone, by following the batch through the nodes.

A value's elements, flattened, are outer x B x inner, and its row i is what lies at the middle index. These three
numbers survive a reshape, and so heads and time steps can be followed into the batch and out again. What cannot be
followed counts as mixed: the flag errs to the safe side.
"""

from rml_export.dims import BatchMultiple
from rml_export.graph import Graph, Node, Value
from rml_export.symbolic.row_rules import MIXED, RULES, SAME, Rows, State, spread


def mark_rows(graph: Graph) -> None:
    """Sets `rows` of the inputs that have rows on axis 0, and of the outputs whose row i depends on row i alone."""
    states: dict[Value, State] = {}
    for value in graph.inputs:
        value.rows = bool(value.shape) and value.shape[0] == BatchMultiple(1)
        states[value] = Rows(0, 1, 1) if value.rows else SAME
    states.update((value, SAME) for value in graph.constants())
    for node in graph.nodes:
        state = follow(node, [states[value] for value in node.inputs])
        states.update((value, state if state == SAME else placed(value, state)) for value in node.outputs)
    for output in graph.outputs:
        state = states[output.value]
        output.rows = isinstance(state, Rows) and state.axis == 0 and state.outer == 1


def follow(node: Node, states: list[State]) -> State:
    """The state of the node's outputs."""
    if all(state == SAME for state in states):
        return spread(node) if node.op == "broadcast_to" else SAME
    if MIXED in states:
        return MIXED
    rule = RULES.get(node.op)
    return rule(node, states) if rule is not None else MIXED


def placed(value: Value, state: State) -> State:
    """The state if the value really has its one symbolic dim there; mixed if not (a rule that is wrong shows here)."""
    symbolic = [axis for axis, dim in enumerate(value.shape) if isinstance(dim, BatchMultiple)]
    if not isinstance(state, Rows) or symbolic != [state.axis]:
        return MIXED
    factor = value.shape[state.axis]
    return state if isinstance(factor, BatchMultiple) and factor.factor == state.outer * state.inner else MIXED
