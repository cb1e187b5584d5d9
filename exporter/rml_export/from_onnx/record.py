"""What ONNX's shape inference says of one node's outputs, from its inputs' types and the elements that are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

from rml_export.array_call import Operand
from rml_export.graph import Value

_MAX_KNOWN = 1024  # elements of a shape, axes, paddings; inference needs no others


@dataclass(frozen=True)
class Tensor:
    """A value in the walk: an array where it is known at export time, and ONNX's dtype, which tells bool from float."""

    operand: Operand
    dtype: np.dtype


@dataclass(frozen=True)
class Record:
    """A type; None for what ONNX cannot tell (a sequence, a shape that depends on elements)."""

    dtype: np.dtype | None
    shape: tuple[int, ...] | None


def infer(
    schema: onnx.defs.OpSchema,
    node: onnx.NodeProto,
    attributes: Mapping[str, onnx.AttributeProto],
    args: Sequence[Tensor | None],
    opsets: Mapping[str, int],
) -> list[Record]:
    """One record per output. InferenceError of onnx if the node cannot be as it is."""
    names = [f"i{k}" if arg is not None else "" for k, arg in enumerate(args)]
    outputs = [f"o{k}" for k in range(len(node.output))]
    plain = onnx.NodeProto(op_type=node.op_type, domain=node.domain, input=names, output=outputs)
    plain.attribute.extend(attributes.values())
    given = [(name, arg) for name, arg in zip(names, args, strict=True) if arg is not None]
    types = {name: tensor_type(arg) for name, arg in given}
    data = {
        name: numpy_helper.from_array(np.asarray(arg.operand))
        for name, arg in given
        if not isinstance(arg.operand, Value) and arg.operand.size <= _MAX_KNOWN
    }
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    inferred = shape_inference.infer_node_outputs(schema, plain, types, data, opset_imports=imports)
    return [record_of(inferred.get(name)) for name in outputs]


def tensor_type(tensor: Tensor) -> onnx.TypeProto:
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(tensor.dtype), tensor.operand.shape)


def record_of(kind: onnx.TypeProto | None) -> Record:
    if kind is None or not kind.HasField("tensor_type") or not kind.tensor_type.elem_type:
        return Record(None, None)
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind.tensor_type.elem_type))
    dims = kind.tensor_type.shape.dim
    if not kind.tensor_type.HasField("shape") or not all(dim.HasField("dim_value") for dim in dims):
        return Record(dtype, None)
    return Record(dtype, tuple(dim.dim_value for dim in dims))
