"""Walks an exported program node by node into a Builder.

Every lowered value's shape and dtype is compared with torch's record. What depends on constants only runs in torch
itself and becomes a constant. All ops without a lowering are reported in one error.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch._higher_order_ops.effects import with_effects  # what torch.export puts around ops that write or print
from torch.fx import Node
from torch.fx.node import map_arg

from rml_export.builder import Builder
from rml_export.canonical import NUMPY_DTYPES
from rml_export.errors import ExportError
from rml_export.from_torch.call import Call
from rml_export.from_torch.constants import Constant, ConstantPool, canonical_dtype, numpy_dtype, storage_key
from rml_export.from_torch.table import DROPPED, EMPTY, LOWERINGS
from rml_export.from_torch.trace import aten, module_path, source_line
from rml_export.graph import Value
from rml_export.narrow import check_arithmetic
from rml_export.unsupported import Unsupported, describe

Progress = Callable[[int, int], None]
_EXPANDS = frozenset({aten.expand.default, aten.expand_copy.default})


class Lowering:
    """One export. `known` maps each fx node to a Value, a Constant or a tuple of them.

    After a problem the walk goes on with zeros of the recorded type, to find the others; nothing is written then.
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.pool = ConstantPool(builder)
        self.known: dict[Node, Any] = {}
        self.problems: list[Unsupported] = []
        self.tied: set[tuple] = set()

    def find_tied(self, nodes: Sequence[Node]) -> None:
        """Notes parameters that a linear layer reads as weight and something else reads too: they stay as they are."""
        for node in nodes:
            if node.op != "call_function":
                continue
            for index, argument in enumerate(node.args):
                constant = self.known.get(argument) if isinstance(argument, Node) else None
                is_weight = node.target is aten.linear.default and index == 1
                if isinstance(constant, Constant) and not is_weight:
                    self.tied.add(storage_key(constant.tensor))

    def run(self, nodes: Sequence[Node], progress: Progress | None = None) -> None:
        """Lowers all calls. ExportError with every problem found."""
        calls = [node for node in nodes if node.op == "call_function"]
        for number, node in enumerate(calls):
            self.known[node] = self.lower(node)
            if progress is not None:
                progress(number + 1, len(calls))
        if self.problems:
            raise ExportError(describe(self.problems))

    def lower(self, node: Node) -> Any:
        """One call."""
        target = node.target
        if target in DROPPED:
            return None
        args = map_arg(node.args, self.known.__getitem__)
        kwargs = map_arg(node.kwargs, self.known.__getitem__)
        leaves = [self.known[item] for item in node.all_input_nodes]
        if target is operator.getitem:
            return self.item(node, args)
        if target is with_effects:
            return self.refuse(node, "it has an effect besides its result")
        if target in EMPTY:
            return Constant(torch.zeros(node.meta["val"].shape, dtype=node.meta["val"].dtype))
        if not any(isinstance(leaf, Value | tuple) for leaf in leaves) and not self.keeps_slice(node, args):
            return self.fold(node, args, kwargs)
        lowering = LOWERINGS.get(target)
        if lowering is None:
            return self.refuse(node, "rml-graph has no op for it")
        call = Call(self.builder, self.pool, node, self.tied)
        try:
            result = lowering(call, *args, **kwargs)
            if isinstance(result, Value):
                check_arithmetic(numpy_dtype(call.meta.dtype), result)
        except ExportError as error:
            return self.refuse(node, str(error))
        check_types(node, result)
        return result

    def keeps_slice(self, node: Node, args: Sequence[Any]) -> bool:
        """An expanded parameter is not stored once per row: it stays one slice and a broadcast_to."""
        return node.target in _EXPANDS and isinstance(args[0], Constant) and args[0].name is not None

    def fold(self, node: Node, args: Any, kwargs: Any) -> Any:
        """Runs a call on constants in torch."""
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            return self.refuse(node, "its result is random")
        tensors: dict[int, str | None] = {}

        def plain(item: Any) -> Any:
            if isinstance(item, Constant):
                tensors[id(item)] = item.name
                return item.tensor
            if isinstance(item, list | tuple):
                return type(item)(plain(part) for part in item)
            return item

        arguments = [plain(item) for item in args]
        with torch.no_grad():
            result = node.target(*arguments, **{key: plain(item) for key, item in kwargs.items()})
        names = set(tensors.values())
        name = next(iter(names)) if len(names) == 1 else None
        if isinstance(result, list | tuple):
            return tuple(Constant(part, None) if isinstance(part, torch.Tensor) else part for part in result)
        if not isinstance(result, torch.Tensor):
            return result
        return Constant(result, f"{name}.{node.target.overloadpacket.__name__}" if name else None)

    def item(self, node: Node, args: Any) -> Any:
        """One result of a call with several."""
        results, index = args
        if results[index] is None:
            return self.refuse(node, f"result {index} of {op_name(node.args[0].target)} is not computed")
        return results[index]

    def refuse(self, node: Node, reason: str) -> Any:
        """Notes a problem; returns zeros in place of the results. Raises where not even the shape is known."""
        module, line = module_path(node), source_line(node)
        places = [f"in module '{module}'" if module else "", f"at {line}" if line else ""]
        op = node.args[1] if node.target is with_effects else node.target
        self.problems.append(Unsupported(op_name(op), reason, " ".join(filter(None, places))))
        recorded = node.meta["val"]
        for meta in recorded if isinstance(recorded, list | tuple) else (recorded,):
            if isinstance(meta, torch.Tensor) and not all(isinstance(dim, int) for dim in meta.shape):
                raise ExportError(
                    [*describe(self.problems), "what comes after it was not looked at: its shape is unknown"]
                )
        if isinstance(recorded, list | tuple):
            return tuple(zeros(meta) for meta in recorded)
        return zeros(recorded)


def zeros(meta: Any) -> Value | None:
    """A stand-in of the recorded type."""
    if not isinstance(meta, torch.Tensor):
        return None
    dtype = canonical_dtype(meta.dtype)
    shape = tuple(int(dim) for dim in meta.shape)
    return Value(dtype, shape, np.zeros(shape, NUMPY_DTYPES[dtype]))


def check_types(node: Node, result: Any) -> None:
    """Compares what was lowered with what torch recorded."""
    recorded = node.meta["val"]
    many = isinstance(recorded, list | tuple)
    results = result if many else (result,)
    for value, meta in zip(results, recorded if many else (recorded,), strict=False):
        if value is None or not isinstance(meta, torch.Tensor):
            continue
        expected = canonical_dtype(meta.dtype), tuple(int(dim) for dim in meta.shape)
        if (value.dtype, value.shape) != expected:
            raise ExportError(
                f"{op_name(node.target)} in module '{module_path(node)}' was lowered to {value.dtype}"
                f"{list(value.shape)}, torch has {expected[0]}{list(expected[1])}: a fault of the exporter"
            )


def op_name(target: Any) -> str:
    """ "aten.cumsum.default"."""
    return str(target) if isinstance(target, torch._ops.OpOverload) else getattr(target, "__name__", str(target))
