"""Makes a model of a few lines of ONNX's text form and compares its graph with ONNX Runtime."""

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import helper, numpy_helper, parser
from rml_export.export import Export
from rml_export.from_onnx import lower_onnx
from rml_export.from_onnx.model import read_model
from rml_export.from_onnx.runtime import choose_runtime

from tests.exporter.comparing import assert_agrees

OPSET = 21


def model(
    lines: str,
    inputs: Mapping[str, np.ndarray],
    constants: Mapping[str, np.ndarray] | None = None,
    outputs: Sequence[str] = ("y",),
    opset: int = OPSET,
    dims: Mapping[str, Sequence[int | str]] | None = None,
    functions: Sequence[onnx.FunctionProto] = (),
) -> onnx.ModelProto:
    """lines: "y = Add (x, w)", one node each. dims: of inputs whose shape is not that of the array."""
    nodes = [parser.parse_node(line) for line in lines.strip().splitlines()]
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), (dims or {}).get(name, array.shape)
        )
        for name, array in inputs.items()
    ]
    held = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", infos, [onnx.ValueInfoProto(name=name) for name in outputs], held)
    domains = {item.domain for item in functions}
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, functions=functions)


def check(
    lines: str,
    inputs: Mapping[str, np.ndarray],
    constants: Mapping[str, np.ndarray] | None = None,
    outputs: Sequence[str] = ("y",),
    opset: int = OPSET,
    runtime: str = "onnxruntime",
) -> Export:
    """Lowers, runs the passes, and compares the graph with what the runtime makes of the model."""
    proto = model(lines, inputs, constants, outputs, opset)
    export = lower_onnx(proto, inputs=list(inputs.values()), static=True, runtime=runtime)
    results = choose_runtime(read_model(proto), runtime).run(inputs, outputs)
    assert_agrees(export, list(inputs.values()), results)
    return export
