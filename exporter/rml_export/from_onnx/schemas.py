"""What ONNX says of operators: their schemas, their definitions by other operators, their attributes' defaults."""

from collections.abc import Collection, Mapping, Sequence

import onnx

from rml_export.from_onnx.model import domain_of
from rml_export.from_onnx.record import Tensor, tensor_type
from rml_export.xla_ops import UnsupportedError

Attributes = Mapping[str, onnx.AttributeProto]


def bound_attributes(node: onnx.NodeProto, outer: Attributes) -> dict[str, onnx.AttributeProto]:
    """The node's attributes; one that stands for the enclosing function's is left out where that was not given."""
    found = {}
    for item in node.attribute:
        if not item.ref_attr_name:
            found[item.name] = item
        elif item.ref_attr_name in outer:
            bound = onnx.AttributeProto()
            bound.CopyFrom(outer[item.ref_attr_name])
            bound.name = item.name
            found[item.name] = bound
    return found


def find_schema(node: onnx.NodeProto, opsets: Mapping[str, int]) -> onnx.defs.OpSchema | None:
    domain = domain_of(node.domain)
    try:
        return onnx.defs.get_schema(node.op_type, opsets.get(domain, 1), domain)
    except (onnx.defs.SchemaError, TypeError):  # the latter for a version that is no int32
        return None


def schema_of(node: onnx.NodeProto, opsets: Mapping[str, int]) -> onnx.defs.OpSchema:
    schema = find_schema(node, opsets)
    if schema is None:
        domain = domain_of(node.domain)
        place = f"opset {opsets.get(domain)} of ONNX" if domain == "" else f"the domain '{domain}'"
        raise UnsupportedError(f"{place} has no such operator that is known here, and the model has no function for it")
    return schema


def schema_body(
    schema: onnx.defs.OpSchema,
    node: onnx.NodeProto,
    attributes: Attributes,
    args: Sequence[Tensor | None],
    opsets: Mapping[str, int],
) -> onnx.FunctionProto | None:
    """ONNX's own definition of an operator by others."""
    if schema.has_function:
        return schema.function_body
    if not schema.has_context_dependent_function:
        return None
    plain = onnx.NodeProto()
    plain.CopyFrom(node)
    del plain.attribute[:]
    plain.attribute.extend(attributes.values())
    types = [tensor_type(arg).SerializeToString() if arg is not None else b"" for arg in args]
    versions = [v for v in schema.context_dependent_function_opset_versions if v <= opsets.get("", 1)]
    wanted = max(versions, default=schema.since_version)
    text = schema.get_context_dependent_function_with_opset_version(wanted, plain.SerializeToString(), types)
    return onnx.FunctionProto.FromString(text) if text else None


def default_attributes(node: onnx.NodeProto, opsets: Mapping[str, int]) -> dict[str, onnx.AttributeProto]:
    """What ONNX takes for an operator's attributes that are left out."""
    schema = schema_of(node, opsets)
    return {name: item.default_value for name, item in schema.attributes.items() if item.default_value.name}


def without_absent(function: onnx.FunctionProto, given: Collection[str]) -> Sequence[onnx.NodeProto]:
    """The body's nodes, with the inputs that are not given left out."""
    absent = {name for name in function.input if name not in given}
    if not absent:
        return function.node
    nodes = []
    for node in function.node:
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = ["" if name in absent else name for name in node.input]
        nodes.append(copy)
    return nodes
