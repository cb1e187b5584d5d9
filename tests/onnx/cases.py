"""The cases of ONNX's backend tests (the package onnx): models with inputs and the outputs that they must give."""

import importlib
import json
import pkgutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

DATA = Path(onnx.__file__).parent / "backend/test/data"
DISK_KINDS = ("pytorch-converted", "pytorch-operator", "simple")
RTOL, ATOL = 1e-3, 1e-7  # of the suite, where a case has none of its own
LIGHT_RTOL = {"densenet121": 2e-3}


@dataclass(frozen=True)
class Case:
    """inputs, outputs: in the order of the graph's; None for what is no tensor (a sequence, an optional)."""

    name: str
    model: onnx.ModelProto
    inputs: list[np.ndarray | None]
    outputs: list[np.ndarray | None]
    rtol: float = RTOL
    atol: float = ATOL


def node_cases() -> list[Case]:
    """One operator each, and the same in other operators where ONNX defines it by a function ("_expanded")."""
    package = importlib.import_module("onnx.backend.test.case.node")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # the cases divide by zero on purpose
        for module in pkgutil.iter_modules(package.__path__):
            if not module.ispkg:  # ai.onnx.ml is another domain
                importlib.import_module(f"{package.__name__}.{module.name}")
    return [
        Case(item.name, item.model, *map(arrays, item.data_sets[0]), rtol=item.rtol, atol=item.atol)
        for item in package._NodeTestCases
    ]


def arrays(items: list) -> list[np.ndarray | None]:
    """Tensors as arrays: the suite has them as either."""
    found = (numpy_helper.to_array(item) if isinstance(item, onnx.TensorProto) else item for item in items)
    return [np.asarray(item) if isinstance(item, np.ndarray | np.generic) else None for item in found]


def disk_cases(kind: str) -> Iterator[Case]:
    """Cases that the package has as files; kind: one of DISK_KINDS."""
    for folder in sorted((DATA / kind).glob("test_*")):
        settings = folder / "data.json"
        own = json.loads(settings.read_text()) if settings.exists() else {}
        model = onnx.load(folder / "model.onnx")
        data = folder / "test_data_set_0"
        inputs = [tensor(data / f"input_{i}.pb", item) for i, item in enumerate(real_inputs(model))]
        outputs = [tensor(data / f"output_{i}.pb", item) for i, item in enumerate(model.graph.output)]
        yield Case(folder.name, model, inputs, outputs, own.get("rtol", RTOL), own.get("atol", ATOL))


def real_inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Old files list initialisers among the inputs."""
    constants = {item.name for item in model.graph.initializer}
    return [item for item in model.graph.input if item.name not in constants]


def tensor(path: Path, item: onnx.ValueInfoProto) -> np.ndarray | None:
    if item.type.WhichOneof("value") != "tensor_type":
        return None
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def light_case(name: str) -> Case:
    """A well-known net at its real size, whose weights are constants; its input counts up from 0 to 1."""
    model = onnx.load(DATA / f"light/light_{name}.onnx")
    inputs: list[np.ndarray | None] = []
    for item in real_inputs(model):
        shape = [dim.dim_value for dim in item.type.tensor_type.shape.dim]
        count = int(np.prod(shape))
        inputs.append((np.arange(count).reshape(shape) / count).astype(np.float32))
    expected = onnx.TensorProto.FromString((DATA / f"light/light_{name}_output_0.pb").read_bytes())
    return Case(name, model, inputs, [numpy_helper.to_array(expected)], rtol=LIGHT_RTOL.get(name, RTOL))


LIGHT = sorted(path.stem.removeprefix("light_") for path in (DATA / "light").glob("light_*.onnx"))
