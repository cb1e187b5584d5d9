"""The suite gives shapes, axes and paddings as inputs of the graph; an import needs them: they become initialisers."""

from collections.abc import Iterator, Sequence

import numpy as np
import onnx
from onnx import numpy_helper

from tests.onnx.cases import Case, real_inputs

# Positions of inputs that decide about shapes or about which nodes there are.
_DECIDING: dict[str, Sequence[int]] = {
    **{
        name: (1,)
        for name in ("Expand", "Reshape", "Split", "Squeeze", "Tile", "TopK", "Trilu", "Unsqueeze", "Upsample")
    },
    **{
        f"Reduce{name}": (1,)
        for name in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    },
    "ConstantOfShape": (0,),
    "CumSum": (1,),
    "Dropout": (1, 2),
    "GRU": (4,),
    "If": (0,),
    "LSTM": (4,),
    "OneHot": (1,),
    "Pad": (1, 2, 3),
    "RNN": (4,),
    "Range": (0, 1, 2),
    "Resize": (1, 2, 3),
    **{name: (1,) for name in ("Scatter", "ScatterElements", "ScatterND")},  # replacing needs them, adding does not
    "Slice": (1, 2, 3, 4),
}
_SHAPES_ONLY = frozenset({"Shape", "Size"})  # what they read need not be known


def fixed(case: Case) -> tuple[onnx.ModelProto, list[np.ndarray]]:
    """The model with deciding inputs as initialisers, and the inputs that are left."""
    given = dict(zip((item.name for item in real_inputs(case.model)), case.inputs, strict=True))
    deciding = decided_by(case.model) & set(given)
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    del model.graph.input[:]
    model.graph.input.extend(item for item in case.model.graph.input if item.name not in deciding)
    model.graph.initializer.extend(numpy_helper.from_array(given[name], name) for name in sorted(deciding))
    return model, [array for name, array in given.items() if name not in deciding]


def decided_by(model: onnx.ModelProto) -> set[str]:
    """Names of all values that deciding inputs are computed from."""
    nodes = list(every_node(model.graph))
    makers = {name: node for node in nodes for name in node.output}
    open_names = [node.input[k] for node in nodes for k in _DECIDING.get(node.op_type, ()) if k < len(node.input)]
    found: set[str] = set()
    while open_names:
        name = open_names.pop()
        if not name or name in found:
            continue
        found.add(name)
        maker = makers.get(name)
        if maker is not None and maker.op_type not in _SHAPES_ONLY:
            open_names += maker.input
            for attribute in maker.attribute:
                open_names += [item.name for item in attribute.g.output]
    return found


def every_node(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from every_node(attribute.g)
