"""Walks a StableHLO module from @main into a Builder.

Calls are inlined, loops unrolled while their condition is known. What depends on constants only is computed at once.
Every lowered value's type is compared with the module's record; all operations without a lowering are reported at once.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rml_export.array_call import Operand, canonical_dtype
from rml_export.builder import Builder
from rml_export.canonical import NUMPY_DTYPES
from rml_export.errors import ExportError
from rml_export.from_stablehlo import elementwise, shape_ops, structured
from rml_export.from_stablehlo.call import Call, Pool, Table
from rml_export.from_stablehlo.folding import FOLDS, SAME_ELEMENTS
from rml_export.from_stablehlo.module import Operation, elements, functions, location_names, scope, source_line
from rml_export.from_stablehlo.shape_ops import Pieces
from rml_export.front_end import Progress
from rml_export.graph import Value
from rml_export.narrow import check_arithmetic
from rml_export.unsupported import Unsupported, describe
from rml_export.xla_ops import UnsupportedError

MAX_LOOP_TRIPS = 4096
LOWERINGS: Table = {**elementwise.TABLE, **shape_ops.TABLE, **structured.TABLE}
_CONSTANTS = frozenset({"stablehlo.constant", "arith.constant"})
_RETURNS = frozenset({"func.return", "stablehlo.return"})
_COMPOSITES = {"chlo.top_k": structured.top_k_composite}
Item = Operand | Pieces
Scope = dict[Any, Item]  # values of the module -> what they are


class Lowering:
    """One import. After a problem the walk goes on with zeros of the recorded type, to find the others."""

    def __init__(
        self, builder: Builder, module: Any, progress: Progress | None = None, lines: Mapping[str, str] | None = None
    ) -> None:
        self.builder = builder
        self.pool = Pool(builder)
        self.functions = functions(module)
        self.problems: list[Unsupported] = []
        self.progress = progress
        self.lines = lines or {}
        self.active: list[str] = []  # functions being inlined

    def run(self, name: str, inputs: Sequence[Operand]) -> list[Operand]:
        """The results of a function. ExportError with every problem found."""
        block = self.functions[name].regions[0].blocks[0]
        outputs = self.walk(block, inputs, {}, top=True)
        if self.problems:
            raise ExportError(describe(self.problems, "operation"))
        return [self.joined(item) for item in outputs]

    def walk(self, block: Any, args: Sequence[Item], known: Scope, top: bool = False) -> list[Item]:
        """A block's results. `known` also holds what surrounds the block."""
        known.update(zip(block.arguments, args, strict=True))
        operations = list(block.operations)
        for number, operation in enumerate(map(Operation, operations)):
            read = [known[item] for item in operation.raw.operands]
            if operation.name in _RETURNS:
                return read
            known.update(zip(operation.raw.results, self.operation(operation, read, known), strict=True))
            if top and self.progress is not None:
                self.progress(number + 1, len(operations) - 1)
        raise ExportError("a block of the module does not return")

    def operation(self, operation: Operation, args: list[Item], known: Scope) -> Sequence[Item]:
        try:
            control = _CONTROL.get(operation.name)
            return control(self, operation, args, known) if control is not None else self.lower(operation, args)
        except UnsupportedError as error:
            return self.refuse(operation, str(error))

    def lower(self, operation: Operation, args: list[Item]) -> Sequence[Item]:
        if operation.name in _CONSTANTS:
            return [elements(operation.attribute("value"))]
        is_known = all(isinstance(item, np.ndarray) for item in args)
        if operation.name in FOLDS and (is_known or operation.name == "stablehlo.get_dimension_size"):
            return self.fold(operation, args)
        lowering = LOWERINGS.get(operation.name)
        if lowering is None:
            constants_only = "rml-graph can compute it of constants only, and it depends on the inputs"
            raise UnsupportedError(constants_only if operation.name in FOLDS else "rml-graph has no op for it")
        call = Call(self.builder, self.pool, operation, scope(operation), is_known)
        if lowering is not shape_ops.dynamic_update_slice:
            args = [self.joined(item) for item in args]
        try:
            result = lowering(call, *args)
            results = result if isinstance(result, tuple) else (result,)
            check_arithmetic(operation.result_type().dtype, results[0])
        except ExportError as error:  # of the builder too, which knows no place
            raise UnsupportedError(str(error)) from error
        check_types(operation, results)
        return [self.known_array(operation, index, item) for index, item in enumerate(results)]

    def fold(self, operation: Operation, args: Sequence[Any]) -> list[np.ndarray]:
        kind = operation.result_type()
        with np.errstate(all="ignore"):
            result = np.asarray(FOLDS[operation.name](operation, *args))
        if result.dtype != kind.dtype:
            result = result.astype(kind.dtype)
        if result.shape != kind.shape:
            raise fault(operation, result.dtype, result.shape, kind)
        self.keep_name(operation, result, args)
        return [result]

    def keep_name(self, operation: Operation, result: np.ndarray, args: Sequence[np.ndarray]) -> None:
        """A parameter that was only moved about is still that parameter: "fc1.weight.transpose"."""
        names = self.pool.names
        if not args or id(result) in names or id(args[0]) not in names:
            return
        if operation.name in SAME_ELEMENTS or (operation.name == "stablehlo.convert" and result.dtype.kind == "f"):
            self.pool.name(result, names[id(args[0])])
        else:
            self.pool.name_after([result], args, operation.name.rpartition(".")[2])

    def known_array(self, operation: Operation, index: int, item: Any) -> Item:
        """Constants are arrays in the module's own dtype."""
        if isinstance(item, Value) and item.is_constant:
            return item.data.astype(operation.result_type(index).dtype)
        return item

    def joined(self, item: Item) -> Operand:
        if not isinstance(item, Pieces):
            return item
        return item.joined(_Joiner(self.builder, self.pool))

    def call(self, operation: Operation, args: list[Item], _: Scope) -> Sequence[Item]:
        return self.inline(operation.text("callee"), args)

    def inline(self, name: str, args: Sequence[Item]) -> list[Item]:
        if name in self.active or name not in self.functions:
            raise UnsupportedError(f"@{name} calls itself" if name in self.active else f"the module has no @{name}")
        self.active.append(name)
        results = self.walk(self.functions[name].regions[0].blocks[0], args, {})
        self.active.pop()
        return results

    def composite(self, operation: Operation, args: list[Item], _: Scope) -> Sequence[Item]:
        """One op where rml-graph has it, else what it consists of."""
        lowering = _COMPOSITES.get(operation.text("name"))
        if lowering is None:
            return self.inline(operation.text("decomposition"), args)
        is_known = all(isinstance(item, np.ndarray) for item in args)
        call = Call(self.builder, self.pool, operation, scope(operation), is_known)
        results = lowering(call, *(self.joined(item) for item in args))
        check_types(operation, results)
        return [self.known_array(operation, index, item) for index, item in enumerate(results)]

    def loop(self, operation: Operation, args: list[Item], known: Scope) -> Sequence[Item]:
        """Unrolled while the condition depends on constants only."""
        condition, body = (region.blocks[0] for region in operation.raw.regions)
        state = list(args)
        for _ in range(MAX_LOOP_TRIPS + 1):
            (go_on,) = self.walk(condition, state, known)
            if not isinstance(go_on, np.ndarray):
                raise UnsupportedError("a loop whose end depends on the inputs")
            if not bool(go_on):
                return state
            state = self.walk(body, state, known)
        raise UnsupportedError(f"a loop of more than {MAX_LOOP_TRIPS} trips")

    def branch(self, operation: Operation, args: list[Item], known: Scope) -> Sequence[Item]:
        (index,) = args
        if not isinstance(index, np.ndarray):
            raise UnsupportedError("control flow that depends on the inputs")
        regions = list(operation.raw.regions)
        number = int(index)
        if operation.name == "stablehlo.if":
            number = 0 if number else 1
        elif not 0 <= number < len(regions):
            number = len(regions) - 1  # as StableHLO defines it
        return self.walk(regions[number].blocks[0], (), known)

    def refuse(self, operation: Operation, reason: str) -> list[Item]:
        names = (name for name in location_names(operation) if name in self.lines)
        line = next(map(self.lines.__getitem__, names), "") or source_line(operation)
        self.problems.append(Unsupported(operation.label, reason, f"at {line}" if line else ""))
        try:
            return [zeros(operation, index) for index in range(len(operation.raw.results))]
        except UnsupportedError as error:
            found = describe(self.problems, "operation")
            raise ExportError([*found, f"what comes after it was not looked at: {error}"]) from error


_CONTROL: dict[str, Callable[[Lowering, Operation, list[Item], Scope], Sequence[Item]]] = {
    "func.call": Lowering.call,
    "stablehlo.composite": Lowering.composite,
    "stablehlo.while": Lowering.loop,
    "stablehlo.if": Lowering.branch,
    "stablehlo.case": Lowering.branch,
}


class _Joiner(Call):
    """Puts pieces together outside of any operation."""

    def __init__(self, builder: Builder, pool: Pool) -> None:
        self.builder, self.pool, self.name, self.plain = builder, pool, "", False


def zeros(operation: Operation, index: int) -> Value:
    """A stand-in of the recorded type. Raises where not even that is known."""
    kind = operation.result_type(index)
    dtype = canonical_dtype(kind.dtype)
    return Value(dtype, kind.shape, np.zeros(kind.shape, NUMPY_DTYPES[dtype]))


def check_types(operation: Operation, results: Sequence[Any]) -> None:
    """Compares what was lowered with what the module records."""
    for index, value in enumerate(results):
        kind = operation.result_type(index)
        if isinstance(value, Pieces):
            continue
        if (value.dtype, value.shape) != (canonical_dtype(kind.dtype), kind.shape):
            raise fault(operation, value.dtype, value.shape, kind)


def fault(operation: Operation, dtype: Any, shape: Sequence[int], kind: Any) -> ExportError:
    place = source_line(operation)
    return ExportError(
        f"{operation.label}{f' at {place}' if place else ''} was lowered to {dtype}{list(shape)}, the module has "
        f"{kind.dtype}{list(kind.shape)}: a fault of the exporter"
    )
