"""RNN, GRU and LSTM, unrolled over the steps.

The products with the inputs of all steps are one matmul. A row whose sequence is shorter keeps its state and gives
zeros from there on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rml_export.from_onnx.activations import Activation, activations, split
from rml_export.from_onnx.call import Call, LoweringFn, Operand, Table
from rml_export.graph import Value
from rml_export.xla_ops import transpose

State = tuple[Value, ...]  # h, and for the LSTM c


@dataclass
class Direction:
    """One direction's weights.

    projected   [steps, batch, gates * H]: x W^T and the biases that are added outside of gates.
    recurrent   [H, gates * H]
    inner_bias  the GRU's bias of the hidden state's product, where the reset gate is applied to that; else None
    peepholes   the LSTM's, of i, o and f
    """

    projected: Value
    recurrent: Value
    functions: list[Activation]
    inner_bias: Value | None
    peepholes: list[Value]
    state: State


def recurrent(cell: "type[Cell]") -> LoweringFn:
    def lower(
        c: Call,
        x: Operand,
        w: Operand,
        r: Operand,
        bias: Operand | None = None,
        lengths: Operand | None = None,
        *rest: Operand | None,
    ) -> tuple[Value | None, ...]:
        return Unrolled(c, cell(c), c.value(x), lengths).run(w, r, bias, rest)

    return lower


class Cell:
    """What the three operators differ in."""

    gates: int
    functions: list[str]
    states: int = 1

    def __init__(self, c: Call) -> None:
        self.c = c

    def step(self, direction: Direction, x: Value, state: State) -> State:
        raise NotImplementedError


class RnnCell(Cell):
    gates, functions = 1, ["Tanh"]

    def step(self, direction: Direction, x: Value, state: State) -> State:
        c, (h,) = self.c, state
        return (direction.functions[0](c("add", x, c("matmul", h, direction.recurrent))),)


class GruCell(Cell):
    """Gates z, r, h. linear_before_reset: the reset gate is applied to the product, not to the state."""

    gates, functions = 3, ["Sigmoid", "Tanh"]

    def __init__(self, c: Call) -> None:
        super().__init__(c)
        self.reset_after = bool(c.attr("linear_before_reset", 0))

    def step(self, direction: Direction, x: Value, state: State) -> State:
        c, (h,) = self.c, state
        f, g = direction.functions
        x_gates, x_new = cut(c, x, 2, 3)
        r_gates, r_new = cut(c, direction.recurrent, 2, 3)
        if self.reset_after:
            gates, product = cut(c, c("matmul", h, direction.recurrent), 2, 3)
            update, reset = split(c, f(c("add", x_gates, gates)), 2)
            inner = product if direction.inner_bias is None else c("add", product, direction.inner_bias)
            new = g(c("add", x_new, c("mul", reset, inner)))
        else:
            update, reset = split(c, f(c("add", x_gates, c("matmul", h, r_gates))), 2)
            new = g(c("add", x_new, c("matmul", c("mul", reset, h), r_new)))
        kept = c("mul", update, h)
        return (c("add", c("mul", c("sub", c.number(1), update), new), kept),)


class LstmCell(Cell):
    """Gates i, o, f, c. input_forget: the forget gate is 1 - i."""

    gates, functions, states = 4, ["Sigmoid", "Tanh", "Tanh"], 2

    def __init__(self, c: Call) -> None:
        super().__init__(c)
        self.is_coupled = bool(c.attr("input_forget", 0))

    def step(self, direction: Direction, x: Value, state: State) -> State:
        c, (h, cell) = self.c, state
        f, g, outer = direction.functions
        gates = c("add", x, c("matmul", h, direction.recurrent))
        i, o, forget, new = split(c, gates, 4)
        holes = direction.peepholes
        if holes:
            i, forget = c("add", i, c("mul", cell, holes[0])), c("add", forget, c("mul", cell, holes[2]))
        i = f(i)
        forget = c("sub", c.number(1), i) if self.is_coupled else f(forget)
        cell = c("add", c("mul", forget, cell), c("mul", i, g(new)))
        if holes:
            o = c("add", o, c("mul", cell, holes[1]))
        return c("mul", f(o), outer(cell)), cell


class Unrolled:
    """One node: x is [steps, batch, size] inside, whatever the layout."""

    def __init__(self, c: Call, cell: Cell, x: Value, lengths: Operand | None) -> None:
        self.c, self.cell = c, cell
        self.is_batch_first = bool(c.attr("layout", 0))
        self.x = transpose(c, x, (1, 0, 2)) if self.is_batch_first else x
        self.steps, self.batch = self.x.shape[:2]
        self.kind = c.attr("direction", "forward")
        self.lengths = self.needed(lengths)
        c.attr("hidden_size")  # the weights say it

    def needed(self, lengths: Operand | None) -> Operand | None:
        """None if all sequences are as long as x."""
        is_full = lengths is None or (not isinstance(lengths, Value) and bool((lengths == self.steps).all()))
        return None if is_full else lengths

    def run(
        self, w: Operand, r: Operand, bias: Operand | None, rest: Sequence[Operand | None]
    ) -> tuple[Value | None, ...]:
        c, states = self.c, self.cell.states
        directions = 2 if self.kind == "bidirectional" else 1
        functions = activations(c, self.cell.functions, directions)
        initial = [self.initial(rest[k] if k < len(rest) else None, r, directions) for k in range(states)]
        peepholes = rest[2] if len(rest) > 2 else None
        outputs, finals = [], []
        for number in range(directions):
            parts = [self.one(item, number) for item in (w, r, bias, peepholes)]
            state = tuple(self.one(item, number) for item in initial)
            direction = self.direction(parts, functions[number], state)
            is_reverse = self.kind == "reverse" or number == 1
            made, final = self.unroll(direction, is_reverse)
            outputs.append(made)
            finals.append(final)
        return self.arrange(outputs, finals)

    def initial(self, given: Operand | None, r: Operand, directions: int) -> Value:
        """[directions, batch, H]; zeros are one row, broadcast."""
        c, size = self.c, r.shape[-1]
        if given is None:
            row = c.constant(np.zeros((1, 1, size), np.float32))
            return c.builder.op("broadcast_to", row, shape=(directions, self.batch, size), fold=False)
        value = c.value(given)
        return transpose(c, value, (1, 0, 2)) if self.is_batch_first else value

    def one(self, item: Operand | None, number: int) -> Value | None:
        """A direction's part of a value."""
        if item is None:
            return None
        c, value = self.c, self.c.value(item)
        part = c("slice", value, axes=(0,), starts=(number,), ends=(number + 1,), steps=(1,))
        return c.reshape(part, value.shape[1:])

    def direction(self, parts: Sequence[Value | None], functions: list[Activation], state: State) -> Direction:
        c, gates = self.c, self.cell.gates
        w, r, bias, peepholes = parts
        assert w is not None and r is not None
        projected, inner = c("matmul", self.x, transpose(c, w, (1, 0))), None
        if bias is not None:
            outer, hidden = split(c, bias, 2)
            if isinstance(self.cell, GruCell) and self.cell.reset_after:
                hidden, inner = cut(c, hidden, 2, 3)
                zeros = c.constant(np.zeros(inner.shape, np.float32))
                hidden = c("concat", hidden, zeros, axis=0)
            projected = c("add", projected, c("add", outer, hidden))
        holes = split(c, peepholes, 3) if peepholes is not None else []
        assert r.shape[0] == gates * r.shape[1]
        return Direction(projected, transpose(c, r, (1, 0)), functions, inner, holes, state)

    def unroll(self, direction: Direction, is_reverse: bool) -> tuple[list[Value], State]:
        """The h of each step in the order of the steps, and the last state."""
        c, state = self.c, direction.state
        made: dict[int, Value] = {}
        for t in reversed(range(self.steps)) if is_reverse else range(self.steps):
            row = c("slice", direction.projected, axes=(0,), starts=(t,), ends=(t + 1,), steps=(1,))
            new = self.cell.step(direction, c.reshape(row, direction.projected.shape[1:]), state)
            made[t] = new[0]
            if self.lengths is None:
                state = new
                continue
            lasts = self.c.reshape(c.value(self.lengths), (self.batch, 1))
            lives = c("gt", lasts, c.constant(np.int32(t)))
            state = tuple(c("where", lives, after, before) for after, before in zip(new, state, strict=True))
            made[t] = c("where", lives, new[0], c.number(0))
        return [made[t] for t in range(self.steps)], state

    def arrange(self, outputs: Sequence[Sequence[Value]], finals: Sequence[State]) -> tuple[Value | None, ...]:
        """Y [steps, directions, batch, H] and the last states [directions, batch, H], or with the batch first."""
        c, wanted = self.c, [bool(name) for name in self.c.node.output]
        results: list[Value | None] = [None] * len(wanted)
        if wanted[0]:
            sides = []
            for made in outputs:
                rows = [c("unsqueeze", h, axes=(0, 1)) for h in made]
                sides.append(c("concat", *rows, axis=0))
            y = c("concat", *sides, axis=1) if len(sides) > 1 else sides[0]
            results[0] = transpose(c, y, (2, 0, 1, 3)) if self.is_batch_first else y
        for k, is_wanted in enumerate(wanted[1:]):
            if is_wanted:
                lasts = [c("unsqueeze", state[k], axes=(0,)) for state in finals]
                last = c("concat", *lasts, axis=0) if len(lasts) > 1 else lasts[0]
                results[k + 1] = transpose(c, last, (1, 0, 2)) if self.is_batch_first else last
        return tuple(results)


def cut(c: Call, x: Value, first: int, count: int) -> tuple[Value, Value]:
    """The first of `count` equal parts along the last axis, and the rest."""
    axis, end = x.rank - 1, x.shape[-1]
    at = end // count * first
    left = c("slice", x, axes=(axis,), starts=(0,), ends=(at,), steps=(1,))
    return left, c("slice", x, axes=(axis,), starts=(at,), ends=(end,), steps=(1,))


TABLE: Table = {"RNN": recurrent(RnnCell), "GRU": recurrent(GruCell), "LSTM": recurrent(LstmCell)}
