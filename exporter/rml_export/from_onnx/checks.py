"""What can be told of a model before anything of it is lowered: opsets, kinds of constants, names defined twice."""

from collections import Counter

import onnx

from rml_export.errors import ExportError
from rml_export.from_onnx.model import Model, array_of


def check_model(model: Model) -> list[str]:
    """Every problem, one text each. Reads the initializers on the way."""
    graph, problems = model.proto.graph, []
    newest = onnx.defs.onnx_opset_version()
    opset = model.opsets.get("")
    if opset is None and any(node.domain in ("", "ai.onnx") for node in graph.node):
        problems.append("the model does not say which opset of ONNX it is written in")
    if opset is not None and opset > newest:
        problems.append(f"opset {opset}; onnx {onnx.__version__} knows opsets up to {newest}")
    if graph.sparse_initializer:
        names = ", ".join(f"'{item.values.name}'" for item in graph.sparse_initializer)
        problems.append(f"sparse initializers: {names}")
    names = [item.name for item in graph.initializer] + [name for node in graph.node for name in node.output if name]
    names += [item.name for item in graph.input if item.name not in {tensor.name for tensor in graph.initializer}]
    problems += [f"'{name}' is defined {count} times" for name, count in Counter(names).items() if count > 1]
    for tensor in graph.initializer:
        try:
            model.constants[tensor.name] = array_of(tensor, model.folder, f"initializer '{tensor.name}'")
        except ExportError as error:
            problems += error.problems
    return problems
