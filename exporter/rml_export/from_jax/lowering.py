"""Walks a jaxpr equation by equation into a Builder.

Calls are inlined, scans unrolled, loops run while their condition is known. What depends on constants only runs in JAX
itself. Every lowered value's type is compared with JAX's record; all primitives without a lowering are reported at
once.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax._src import source_info_util  # the only place where a jaxpr says which line it comes from
from jax.extend import core

from rml_export.builder import Builder
from rml_export.canonical import NUMPY_DTYPES
from rml_export.errors import ExportError
from rml_export.from_jax import elementwise, shape_ops, structured
from rml_export.from_jax.call import Call, ConstantPool, Operand, Table, canonical_dtype
from rml_export.front_end import Progress
from rml_export.graph import Value
from rml_export.narrow import check_arithmetic
from rml_export.unsupported import Unsupported, describe
from rml_export.xla_ops import UnsupportedError, reshape, slice_axes

MAX_LOOP_TRIPS = 4096
LOWERINGS: Table = {**elementwise.TABLE, **shape_ops.TABLE, **structured.TABLE}

# Calls, and the parameter that holds what is called.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
    "custom_lin": "call_jaxpr",
}


class Lowering:
    """One export. After a problem the walk goes on with zeros of the recorded type, to find the others."""

    def __init__(self, builder: Builder, progress: Progress | None = None) -> None:
        self.builder = builder
        self.pool = ConstantPool(builder)
        self.problems: list[Unsupported] = []
        self.progress = progress
        self.done = 0
        self.total = 0

    def run(self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Operand]) -> list[Operand]:
        """The outputs. ExportError with every problem found."""
        self.total = len(jaxpr.eqns)
        outputs = self.walk(jaxpr, consts, inputs, top=True)
        if self.problems:
            raise ExportError(describe(self.problems, "primitive"))
        return outputs

    def walk(
        self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Operand], top: bool = False, path: str = ""
    ) -> list[Operand]:
        known: dict[Any, Operand] = dict(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
        known.update(zip(jaxpr.invars, inputs, strict=True))

        def read(atom: Any) -> Operand:
            return np.asarray(atom.val) if isinstance(atom, core.Literal) else known[atom]

        for eqn in jaxpr.eqns:
            results = self.equation(eqn, [read(atom) for atom in eqn.invars], path)
            known.update(zip(eqn.outvars, results, strict=True))
            if top and self.progress is not None:
                self.done += 1
                self.progress(self.done, self.total)
        return [read(atom) for atom in jaxpr.outvars]

    def equation(self, eqn: Any, args: list[Operand], path: str) -> Sequence[Operand]:
        name = eqn.primitive.name
        if name in CALLS:
            return self.call(eqn, args, path)
        if name == "scan":
            return self.scan(eqn, args, path)
        if name == "while":
            return self.loop(eqn, args, path)
        if name == "cond":
            return self.branch(eqn, args, path)
        if not any(isinstance(item, Value) for item in args):
            return self.fold(eqn, args)
        lowering = LOWERINGS.get(name)
        if lowering is None:
            return self.refuse(eqn, "rml-graph has no op for it")
        try:
            result = lowering(Call(self.builder, self.pool, eqn, scope(eqn, path)), *args)
            results = result if isinstance(result, tuple) else (result,)
            check_arithmetic(eqn.outvars[0].aval.dtype, results[0])
        except ExportError as error:
            return self.refuse(eqn, str(error))
        check_types(eqn, results)
        return results

    def fold(self, eqn: Any, args: Sequence[Operand]) -> list[Operand]:
        """Runs an equation on constants in JAX."""
        if eqn.primitive.name.startswith(("random_", "threefry", "rng_")) and eqn.primitive.name != "random_wrap":
            return self.refuse(eqn, "its result is random")
        with jax.default_device(jax.devices("cpu")[0]):
            results = eqn.primitive.bind(*args, **eqn.params)
        arrays = [np.asarray(item) for item in (results if eqn.primitive.multiple_results else [results])]
        self.pool.name_after(arrays, args, eqn.primitive.name)
        return arrays

    def call(self, eqn: Any, args: Sequence[Operand], path: str) -> list[Operand]:
        inner = eqn.params[CALLS[eqn.primitive.name]]
        closed = inner if hasattr(inner, "consts") else None
        jaxpr, consts = (closed.jaxpr, closed.consts) if closed is not None else (inner, ())
        return self.walk(jaxpr, consts, args, path=scope(eqn, path))

    def scan(self, eqn: Any, args: Sequence[Operand], path: str) -> Sequence[Operand]:
        """Unrolled: shapes are static and the trip count is known."""
        p = eqn.params
        length, num_consts, num_carry = p["length"], p["num_consts"], p["num_carry"]
        if length > MAX_LOOP_TRIPS:
            return self.refuse(eqn, f"{length} steps; at most {MAX_LOOP_TRIPS} are unrolled")
        consts, carry, xs = (
            list(args[:num_consts]),
            list(args[num_consts : num_consts + num_carry]),
            args[num_consts + num_carry :],
        )
        emit = Call(self.builder, self.pool, eqn, scope(eqn, path))
        stacked: list[list[Operand]] = [[] for _ in p["jaxpr"].out_avals[num_carry:]]
        order = range(length - 1, -1, -1) if p["reverse"] else range(length)
        for step in order:
            parts = [take(emit, x, step) for x in xs]
            results = self.walk(p["jaxpr"].jaxpr, p["jaxpr"].consts, [*consts, *carry, *parts], path=scope(eqn, path))
            carry = list(results[:num_carry])
            for pile, item in zip(stacked, results[num_carry:], strict=True):
                pile.append(item)
        if p["reverse"]:
            stacked = [pile[::-1] for pile in stacked]
        avals = [var.aval for var in eqn.outvars[num_carry:]]
        return [*carry, *(stack(emit, pile, aval) for pile, aval in zip(stacked, avals, strict=True))]

    def loop(self, eqn: Any, args: Sequence[Operand], path: str) -> Sequence[Operand]:
        """Unrolled while the condition depends on constants only."""
        p = eqn.params
        a, b = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
        cond_consts, body_consts, state = args[:a], args[a:b], list(args[b:])
        for _ in range(MAX_LOOP_TRIPS + 1):
            (go_on,) = self.walk(p["cond_jaxpr"].jaxpr, p["cond_jaxpr"].consts, [*cond_consts, *state], path=path)
            if isinstance(go_on, Value):
                return self.refuse(eqn, "a loop whose end depends on the inputs")
            if not bool(go_on):
                return state
            state = self.walk(p["body_jaxpr"].jaxpr, p["body_jaxpr"].consts, [*body_consts, *state], path=path)
        return self.refuse(eqn, f"more than {MAX_LOOP_TRIPS} trips")

    def branch(self, eqn: Any, args: Sequence[Operand], path: str) -> Sequence[Operand]:
        index, *rest = args
        if isinstance(index, Value):
            return self.refuse(eqn, "control flow that depends on the inputs")
        branches = eqn.params["branches"]
        chosen = branches[min(max(int(np.asarray(index)), 0), len(branches) - 1)]
        return self.walk(chosen.jaxpr, chosen.consts, rest, path=path)

    def refuse(self, eqn: Any, reason: str) -> list[Operand]:
        line = source_line(eqn)
        self.problems.append(Unsupported(eqn.primitive.name, reason, f"at {line}" if line else ""))
        return [zeros(var.aval) for var in eqn.outvars]


def take(emit: Call, x: Operand, step: int) -> Operand:
    """x[step]."""
    if not isinstance(x, Value):
        return np.asarray(x)[step]
    starts, ends = [step] + [0] * (x.rank - 1), [step + 1, *x.shape[1:]]
    return reshape(emit, slice_axes(emit, x, starts, ends), x.shape[1:])


def stack(emit: Call, pile: Sequence[Operand], aval: Any) -> Operand:
    """The steps' results along a new first axis."""
    if not pile:
        return np.zeros(aval.shape, aval.dtype)
    if not any(isinstance(item, Value) for item in pile):
        return np.stack([np.asarray(item) for item in pile])
    parts = [reshape(emit, value, (1, *value.shape)) for value in map(emit.value, pile)]
    return emit("concat", *parts, axis=0)


def zeros(aval: Any) -> Value:
    """A stand-in of the recorded type."""
    try:
        dtype = canonical_dtype(aval.dtype)
    except UnsupportedError:
        dtype = "f32"
    return Value(dtype, tuple(aval.shape), np.zeros(aval.shape, NUMPY_DTYPES[dtype]))


def check_types(eqn: Any, results: Sequence[Value]) -> None:
    """Compares what was lowered with what JAX recorded."""
    for value, var in zip(results, eqn.outvars, strict=True):
        expected = canonical_dtype(var.aval.dtype), tuple(var.aval.shape)
        if (value.dtype, value.shape) != expected:
            raise ExportError(
                f"{eqn.primitive.name} at {source_line(eqn)} was lowered to {value.dtype}{list(value.shape)}, JAX has "
                f"{expected[0]}{list(expected[1])}: a fault of the exporter"
            )


def scope(eqn: Any, path: str) -> str:
    """The name scopes around the equation, and the named function that it calls."""
    own = str(eqn.source_info.name_stack)
    parts = [part for part in (path, own) if part]
    return "/".join(parts)


def source_line(eqn: Any) -> str:
    """ "model.py:12 (forward)"; empty where JAX recorded none."""
    text = source_info_util.summarize(eqn.source_info)
    return text.rpartition("/")[2] if text else ""
