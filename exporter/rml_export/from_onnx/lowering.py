"""Walks an ONNX graph node by node into a Builder.

Functions are inlined, branches taken while their condition is known. What depends on constants only is computed at once
by ONNX's own reference. Every lowered value's type is compared with ONNX's shape inference; all nodes without a
lowering are reported at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper

from rml_export.array_call import ConstantPool, canonical_dtype
from rml_export.builder import Builder
from rml_export.canonical import NUMPY_DTYPES
from rml_export.errors import ExportError
from rml_export.from_onnx.call import Call
from rml_export.from_onnx.folding import RANDOM, check_sizes, fold, is_too_large
from rml_export.from_onnx.leniency import aligned, scalars
from rml_export.from_onnx.model import FunctionKey, Model, array_of, domain_of, opset_imports
from rml_export.from_onnx.record import Record, Tensor, infer
from rml_export.from_onnx.schemas import (
    Attributes,
    bound_attributes,
    default_attributes,
    find_schema,
    schema_body,
    schema_of,
    without_absent,
)
from rml_export.from_onnx.table import LOWERINGS
from rml_export.front_end import Progress
from rml_export.graph import Value
from rml_export.unsupported import Unsupported, describe
from rml_export.xla_ops import UnsupportedError

_SHAPES = frozenset({"Shape", "Size"})  # known, whatever the elements are
_SHAPED = frozenset({"ConstantOfShape", "Range", "NonZero", "Unique", "Compress", "NonMaxSuppression"})
_LOOPS = frozenset({"Loop", "Scan", "SequenceMap"})
_MAX_DEPTH = 64  # of functions and branches within each other


@dataclass(frozen=True)
class Unknown:
    """What nothing is known of: a result for training only, or what follows a problem."""

    reason: str


Item = Tensor | Unknown
Known = dict[str, Item]


@dataclass(frozen=True)
class Frame:
    """A graph or a function's body. path: the call that it belongs to, with a slash behind."""

    nodes: Sequence[onnx.NodeProto]
    opsets: Mapping[str, int]
    attributes: Attributes
    path: str = ""
    depth: int = 0


class Lowering:
    """One import. After a problem the walk goes on with zeros of the recorded type, to find the others."""

    def __init__(self, builder: Builder, model: Model, progress: Progress | None = None) -> None:
        self.builder = builder
        self.pool = ConstantPool(builder)
        self.model = model
        self.progress = progress
        self.problems: list[Unsupported] = []
        self.known: Known = {}  # the outermost graph's

    def run(self, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        """The outputs. ExportError with every problem found."""
        graph = self.model.proto.graph
        for name, array in self.model.constants.items():
            self.pool.name(array, name)
            self.known[name] = Tensor(array, array.dtype)
        self.known.update(inputs)
        self.walk(Frame(graph.node, self.model.opsets, {}), self.known)
        results = [self.known.get(item.name) for item in graph.output]
        for item, result in zip(graph.output, results, strict=True):
            if not isinstance(result, Tensor) and not self.problems:
                raise ExportError(f"output '{item.name}': {result.reason if result else 'nothing computes it'}")
        if self.problems:
            raise ExportError(describe(self.problems))
        return [result for result in results if isinstance(result, Tensor)]

    def initializers(self, graph: onnx.GraphProto) -> Known:
        found: Known = {}
        for tensor in graph.initializer:
            array = array_of(tensor, self.model.folder, f"initializer '{tensor.name}'")
            self.pool.name(array, tensor.name)
            found[tensor.name] = Tensor(array, array.dtype)
        return found

    def walk(self, frame: Frame, known: Known) -> None:
        for number, node in enumerate(frame.nodes):
            results = self.node(node, frame, known)
            known.update((name, item) for name, item in zip(node.output, results, strict=False) if name)
            if self.progress is not None and not frame.depth:
                self.progress(number + 1, len(frame.nodes))

    def node(self, node: onnx.NodeProto, frame: Frame, known: Known) -> Sequence[Item]:
        attributes = bound_attributes(node, frame.attributes)
        records = [Record(None, None)] * len(node.output)
        try:
            args = self.arguments(node, known)
            if args is None:
                return [Unknown("follows another problem")] * len(node.output)
            function = self.function(node, attributes, args, frame)
            if function is not None:
                return self.inline(node, function, attributes, args, frame)
            schema = schema_of(node, frame.opsets)
            if node.op_type == "If":
                return self.branch(attributes, args, frame, known)
            if node.op_type == "Constant":
                return self.constant(node, attributes)
            args = scalars(args) if node.op_type == "Range" else args
            records = self.records(schema, node, attributes, args, frame)
            if node.op_type in _SHAPES:
                args = [shape_alone(item) for item in args if item is not None]
            if all(item is None or not isinstance(item.operand, Value) for item in args):
                return self.fold(node, attributes, args, records, frame)
            return self.lower(node, schema, attributes, args, records, frame)
        except UnsupportedError as error:
            return self.refuse(node, frame, str(error), records)

    def arguments(self, node: onnx.NodeProto, known: Known) -> list[Tensor | None] | None:
        """None for an input that is left out; None for all where one of them is not known."""
        args: list[Tensor | None] = []
        for name in node.input:
            item = known.get(name) if name else None
            if name and item is None:
                raise UnsupportedError(f"it reads '{name}', which nothing before it makes")
            if isinstance(item, Unknown):
                if self.problems:
                    return None
                raise UnsupportedError(f"it reads '{name}': {item.reason}")
            args.append(item)
        return args

    def records(
        self,
        schema: onnx.defs.OpSchema,
        node: onnx.NodeProto,
        attributes: Attributes,
        args: Sequence[Tensor | None],
        frame: Frame,
    ) -> list[Record]:
        try:
            return infer(schema, node, attributes, args, frame.opsets)
        except Exception as error:  # onnx's bindings raise what its C++ throws
            text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise UnsupportedError(f"it cannot be as it is: {text}") from error

    def constant(self, node: onnx.NodeProto, attributes: Attributes) -> Sequence[Item]:
        (attribute,) = attributes.values()
        value = helper.get_attribute_value(attribute)
        kind = attribute.name
        if kind == "value":
            array = array_of(value, self.model.folder, f"constant '{node.output[0]}'")
        elif kind in ("value_float", "value_floats"):
            array = np.array(value, np.float32)
        elif kind in ("value_int", "value_ints"):
            array = np.array(value, np.int64)
        else:
            raise UnsupportedError(f"a constant by its attribute {kind}")
        self.pool.name(array, node.output[0])
        return [Tensor(array, array.dtype)]

    def fold(
        self,
        node: onnx.NodeProto,
        attributes: Attributes,
        args: Sequence[Tensor | None],
        records: Sequence[Record],
        frame: Frame,
    ) -> Sequence[Item]:
        if node.op_type in RANDOM:
            raise UnsupportedError("its result is random")
        arrays = [np.asarray(item.operand) if item is not None else None for item in args]
        if node.op_type == "Identity":
            results = [arrays[0]]
        else:
            results = fold(node, attributes, arrays, records, frame.opsets)
            data = [item for item in arrays if item is not None and item.dtype.kind not in "iu"]
            self.pool.name_after(results, data, node.op_type.lower())
        return [Tensor(array, array.dtype) for array in results]

    def lower(
        self,
        node: onnx.NodeProto,
        schema: onnx.defs.OpSchema,
        attributes: Attributes,
        args: Sequence[Tensor | None],
        records: Sequence[Record],
        frame: Frame,
    ) -> Sequence[Item]:
        check_sizes(records)
        lowering = LOWERINGS.get(node.op_type) if domain_of(node.domain) == "" else None
        if lowering is None:
            raise UnsupportedError(why_not(node.op_type))
        dtypes = [item.dtype if item is not None else None for item in args]
        name = frame.path + label(node)
        call = Call(self.builder, self.pool, node, name, attributes, schema.since_version, dtypes, records)
        try:
            operands = [item.operand if item is not None else None for item in args]
            result = lowering(call, *aligned(call, operands))
        except ExportError as error:  # the Builder's too: a constant beyond int32, a rank over the limit
            raise UnsupportedError(str(error)) from error
        if call.unread():
            raise UnsupportedError(f"with the attribute {', '.join(call.unread())}")
        results = result if isinstance(result, tuple) else (result,)
        check_types(node, results, records)
        return [tensor_of(item, record) for item, record in zip(results, records, strict=False)]

    def function(
        self, node: onnx.NodeProto, attributes: Attributes, args: Sequence[Tensor | None], frame: Frame
    ) -> onnx.FunctionProto | None:
        """The body that the node stands for: the model's own function, or ONNX's for an operator without a lowering."""
        key: FunctionKey = (domain_of(node.domain), node.op_type, node.overload)
        if key in self.model.functions:
            return self.model.functions[key]
        if key[0] == "" and node.op_type in LOWERINGS:
            return None
        schema = find_schema(node, frame.opsets)
        if schema is None or all(item is None or not isinstance(item.operand, Value) for item in args):
            return None
        return schema_body(schema, node, attributes, args, frame.opsets)

    def inline(
        self,
        node: onnx.NodeProto,
        function: onnx.FunctionProto,
        attributes: Attributes,
        args: Sequence[Tensor | None],
        frame: Frame,
    ) -> Sequence[Item]:
        if frame.depth >= _MAX_DEPTH:
            raise UnsupportedError(f"functions within each other more than {_MAX_DEPTH} deep")
        given: dict[str, onnx.AttributeProto] = {item.name: item for item in function.attribute_proto}
        if (domain_of(node.domain), node.op_type, node.overload) not in self.model.functions:
            given.update(default_attributes(node, frame.opsets))
        given.update(attributes)
        known: Known = {name: arg for name, arg in zip(function.input, args, strict=False) if arg is not None}
        opsets = {**frame.opsets, **opset_imports(function.opset_import)}
        body = Frame(without_absent(function, known), opsets, given, f"{frame.path}{label(node)}/", frame.depth + 1)
        self.walk(body, known)
        return [known.get(name, Unknown("the function's body does not make it")) for name in function.output]

    def branch(
        self, attributes: Attributes, args: Sequence[Tensor | None], frame: Frame, known: Known
    ) -> Sequence[Item]:
        condition = args[0].operand if args and args[0] is not None else None
        if condition is None or isinstance(condition, Value):
            raise UnsupportedError("a branch that depends on the inputs (compute both sides, choose with Where)")
        if frame.depth >= _MAX_DEPTH:
            raise UnsupportedError(f"branches within each other more than {_MAX_DEPTH} deep")
        graph = attributes["then_branch" if bool(condition.reshape(-1)[0]) else "else_branch"].g
        inner: Known = {**known, **self.initializers(graph)}
        self.walk(Frame(graph.node, frame.opsets, frame.attributes, frame.path, frame.depth + 1), inner)
        return [inner.get(item.name, Unknown("the branch does not make it")) for item in graph.output]

    def refuse(self, node: onnx.NodeProto, frame: Frame, reason: str, records: Sequence[Record]) -> Sequence[Item]:
        domain = domain_of(node.domain)
        self.problems.append(
            Unsupported(
                f"{domain}.{node.op_type}" if domain else node.op_type, reason, f"at '{frame.path}{label(node)}'"
            )
        )
        return [stand_in(record) for record in records]


def label(node: onnx.NodeProto) -> str:
    """A node's name, or that of its first result."""
    return node.name or next((name for name in node.output if name), node.op_type)


def why_not(op: str) -> str:
    if op in _SHAPED:
        return "the shape of its result depends on the inputs"
    if op in RANDOM:
        return "its result is random"
    return "a loop" if op in _LOOPS else "rml-graph has no op for it"


def shape_alone(item: Tensor) -> Tensor:
    """An array of the same type that takes no memory."""
    return Tensor(np.broadcast_to(np.zeros((), item.dtype), item.operand.shape), item.dtype)


def tensor_of(item: Value | None, record: Record) -> Item:
    if item is None or record.dtype is None:
        return Unknown("a result that rml-graph does not have: it serves training, or has no type")
    operand = item.data.astype(record.dtype) if item.is_constant else item
    return Tensor(operand, record.dtype)


def stand_in(record: Record) -> Item:
    """Zeros of the recorded type, if there is one."""
    if record.dtype is None or record.shape is None or is_too_large(record.shape):
        return Unknown("follows another problem")
    try:
        dtype = canonical_dtype(record.dtype)
    except UnsupportedError:
        return Unknown("follows another problem")
    return Tensor(Value(dtype, record.shape, np.zeros(record.shape, NUMPY_DTYPES[dtype])), record.dtype)


def check_types(node: onnx.NodeProto, results: Sequence[Value | None], records: Sequence[Record]) -> None:
    """Compares what was lowered with what ONNX infers."""
    for value, record in zip(results, records, strict=False):
        if value is None or record.dtype is None:
            continue
        dtype = canonical_dtype(record.dtype)
        if value.dtype != dtype or (record.shape is not None and value.shape != record.shape):
            raise ExportError(
                f"{node.op_type} '{label(node)}' was lowered to {value.dtype}{list(value.shape)}, ONNX has "
                f"{dtype}{list(record.shape or ())}: a fault of the exporter"
            )
