"""Walks a frozen graph operation by operation, in topological order, into a Builder.

Calls are inlined, loops run while their condition is known. What depends on constants only runs in TensorFlow itself.
Every lowered value's type is compared with TensorFlow's record; all operations without a lowering are reported at once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto
from tensorflow.python.eager import context, execute
from tensorflow.python.framework.function_def_to_graph import function_def_to_graph

from rml_export.array_call import ConstantPool, canonical_dtype
from rml_export.builder import Builder
from rml_export.canonical import NUMPY_DTYPES
from rml_export.errors import ExportError
from rml_export.from_tf import elementwise, resizing, scattering, shape_ops, structured
from rml_export.from_tf.call import Call, Operand, Table, numpy_dtype
from rml_export.from_tf.dilated import find_dilated, lower_dilated, parts
from rml_export.from_tf.frozen import in_order
from rml_export.front_end import Progress
from rml_export.graph import Value
from rml_export.narrow import check_arithmetic
from rml_export.unsupported import Unsupported, describe
from rml_export.xla_ops import UnsupportedError

MAX_LOOP_TRIPS = 4096
LOWERINGS: Table = {
    **elementwise.TABLE,
    **shape_ops.TABLE,
    **structured.TABLE,
    **resizing.TABLE,
    **scattering.TABLE,
}

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_LOOPS = ("While", "StatelessWhile")
_BRANCHES = ("If", "StatelessIf")
# What TensorFlow 1 made of loops and branches, and TensorFlow 2 still makes of tf.switch_case.
_FRAMES = frozenset({"Enter", "Exit", "Switch", "_SwitchN", "Merge", "NextIteration", "LoopCond"})
_SHAPES = ("Shape", "ShapeN", "Size", "Rank")
_NOTHING = frozenset({"NoOp", "Assert"})
_RANDOM = ("Random", "Stateless", "Multinomial", "TruncatedNormal", "ParameterizedTruncatedNormal")

# By tensor name. None is a result for training only, a part of a pattern, or what nothing is known of after a problem.
Known = dict[str, Operand | None]


class Lowering:
    """One export. After a problem the walk goes on with zeros of the recorded type, to find the others.

    names   name of a constant of the frozen graph -> the variable that it was.
    lines   operation name -> the line of the user's code that made it.
    """

    def __init__(
        self,
        builder: Builder,
        names: Mapping[str, str],
        lines: Mapping[str, str],
        progress: Progress | None = None,
    ) -> None:
        self.builder = builder
        self.pool = ConstantPool(builder)
        self.names = names
        self.lines = lines
        self.progress = progress
        self.problems: list[Unsupported] = []
        self.library: Any = None  # the graph that holds all functions
        self.bodies: dict[Any, Any] = {}  # (function, shapes of its inputs) -> its graph
        self.known: Known = {}  # the outermost graph's

    def run(self, graph: Any, inputs: Sequence[Value]) -> list[Operand]:
        """The outputs. ExportError with every problem found."""
        self.library = graph
        outputs = self.walk(graph, inputs, self.known, "")
        if self.problems:
            raise ExportError(describe(self.problems))
        return outputs

    def walk(self, graph: Any, inputs: Sequence[Operand | None], known: Known, path: str) -> list[Any]:
        """path: the call that the graph is the body of, with a slash behind; empty for the outermost graph."""
        known.update(zip((tensor.name for tensor in graph.inputs), inputs, strict=True))
        operations = in_order(graph)
        dilated = find_dilated(operations)
        covered = parts(dilated)
        for number, operation in enumerate(operations):
            names = [tensor.name for tensor in operation.outputs]
            if operation.name in covered:
                known.update(dict.fromkeys(names))
            elif operation.name in dilated:
                call = Call(self.builder, self.pool, operation, path)
                known.update(zip(names, self.lower(call, lower_dilated, dilated[operation.name], known), strict=True))
            elif names and names[0] not in known:
                args = [known.get(tensor.name) for tensor in operation.inputs]
                call = Call(self.builder, self.pool, operation, path)
                known.update(zip(names, self.operation(call, args), strict=True))
            if self.progress is not None and not path:
                self.progress(number + 1, len(operations))
        return [known[tensor.name] for tensor in graph.outputs]

    def operation(self, call: Call, args: Sequence[Any]) -> Sequence[Operand | None]:
        kind = call.operation.type
        if kind in _NOTHING:
            return [None] * len(call.operation.outputs)
        if kind in _FRAMES:
            return self.refuse(call, "control flow in pieces, as tf.switch_case and loops of TensorFlow 1 are")
        if any(item is None for item in args):
            reason = "needs what only training computes"
            return [None] * len(call.operation.outputs) if self.problems else self.refuse(call, reason)
        if any(tensor.dtype in (tf.variant, tf.resource) for tensor in call.operation.outputs):
            return self.refuse(call, "a list of tensors, as loops keep (Keras: unroll=True)")
        if kind in _SHAPES:
            return shapes(call.operation, args)
        if kind in _CALLS:
            return self.inline(call, call.operation.get_attr("f"), args)
        if kind in _LOOPS:
            return self.loop(call, args)
        if kind in _BRANCHES:
            return self.branch(call, args)
        if not any(isinstance(item, Value) for item in args):
            return self.fold(call, args)
        if kind not in LOWERINGS:
            return self.refuse(call, "rml-graph has no op for it")
        return self.lower(call, LOWERINGS[kind], *args)

    def lower(self, call: Call, lowering: Any, *args: Any) -> Sequence[Operand | None]:
        try:
            result = lowering(call, *args)
            results = result if isinstance(result, tuple) else (result,)
            check_arithmetic(numpy_dtype(call.operation.outputs[0]), results[0])
        except ExportError as error:
            return self.refuse(call, str(error))
        check_types(call, results)
        return results

    def fold(self, call: Call, args: Sequence[np.ndarray]) -> Sequence[Operand | None]:
        """Runs an operation on constants in TensorFlow."""
        operation = call.operation
        if operation.type.startswith(_RANDOM):
            return self.refuse(call, "its result is random")
        if operation.type == "Const":
            array = tf.make_ndarray(operation.get_attr("value"))
            if operation.name in self.names:
                self.pool.name(array, self.names[operation.name])
            return [array]
        if operation.type in ("Identity", "StopGradient"):
            return [args[0]]
        arrays = [np.asarray(item) for item in run_eagerly(operation, args)]
        data = [item for item in args if item.dtype.kind not in "iu"]  # the others are axes, shapes, places
        self.pool.name_after(arrays, data, operation.type.lower())
        return arrays

    def inline(self, call: Call, function: Any, args: Sequence[Operand]) -> list[Any]:
        """The results of a function that the graph holds."""
        shapes = [tuple(item.shape) for item in args]
        key = function.name, tuple(shapes)
        if key not in self.bodies:
            definition = self.library._get_function(function.name).definition
            self.bodies[key] = function_def_to_graph(definition, input_shapes=list(map(tf.TensorShape, shapes)))
        return self.walk(self.bodies[key], args, {}, f"{call.name}/")

    def loop(self, call: Call, args: Sequence[Operand]) -> Sequence[Operand | None]:
        """Unrolled while the condition depends on constants only."""
        condition, body = (call.operation.get_attr(name) for name in ("cond", "body"))
        state = list(args)
        for _ in range(MAX_LOOP_TRIPS + 1):
            (go_on,) = self.inline(call, condition, state)
            if isinstance(go_on, Value):
                return self.refuse(call, "a loop whose end depends on the inputs")
            if go_on is None or not bool(go_on):
                return state
            state = self.inline(call, body, state)
            if self.problems:  # one trip shows them all
                return [stand_in(tensor) for tensor in call.operation.outputs]
        return self.refuse(call, f"more than {MAX_LOOP_TRIPS} trips")

    def branch(self, call: Call, args: Sequence[Operand]) -> Sequence[Operand | None]:
        choice, *rest = args
        if isinstance(choice, Value):
            return self.refuse(call, "a branch that depends on the inputs (compute both sides, choose with tf.where)")
        return self.inline(call, call.operation.get_attr("then_branch" if bool(choice) else "else_branch"), rest)

    def refuse(self, call: Call, reason: str) -> list[Value | None]:
        line = self.lines.get(call.name, "")
        where = f"in '{call.name}'" + (f" at {line}" if line else "")
        self.problems.append(Unsupported(call.operation.type, reason, where))
        return [stand_in(tensor) for tensor in call.operation.outputs]


def run_eagerly(operation: Any, args: Sequence[np.ndarray]) -> Sequence[Any]:
    """The operation's results for these arrays."""
    attrs: list[Any] = []
    for attr in operation.op_def.attr:
        attrs += [attr.name, plain(operation.get_attr(attr.name))]
    inputs = [tf.constant(item) for item in args]
    return execute.execute(operation.type, len(operation.outputs), inputs, tuple(attrs), context.context())


def plain(attr: Any) -> Any:
    """An attribute as eager execution takes it."""
    if isinstance(attr, list):
        return [plain(item) for item in attr]
    if isinstance(attr, tf.DType):
        return attr.as_datatype_enum
    if isinstance(attr, TensorShapeProto):
        return tf.TensorShape(attr)
    return attr


def shapes(operation: Any, args: Sequence[Operand]) -> list[np.ndarray]:
    """Shape, ShapeN, Size and Rank."""
    tell = {"Size": np.prod, "Rank": len}.get(operation.type, list)
    dtype = numpy_dtype(operation.outputs[0])
    return [np.array(tell(item.shape), dtype) for item in args]


def stand_in(tensor: Any) -> Value | None:
    """Zeros of the recorded type, if there is one."""
    try:
        dtype = canonical_dtype(numpy_dtype(tensor))
    except UnsupportedError:
        return None
    if not tensor.shape.is_fully_defined():
        return None
    shape = tuple(tensor.shape.as_list())
    return Value(dtype, shape, np.zeros(shape, NUMPY_DTYPES[dtype]))


def check_types(call: Call, results: Sequence[Value | None]) -> None:
    """Compares what was lowered with what TensorFlow recorded."""
    for value, tensor in zip(results, call.operation.outputs, strict=True):
        if value is None:
            continue
        dtype = canonical_dtype(numpy_dtype(tensor))
        if value.dtype != dtype or not tensor.shape.is_compatible_with(value.shape):
            raise ExportError(
                f"{call.operation.type} '{call.name}' was lowered to {value.dtype}{list(value.shape)}, TensorFlow has "
                f"{dtype}{tensor.shape}: a fault of the exporter"
            )
