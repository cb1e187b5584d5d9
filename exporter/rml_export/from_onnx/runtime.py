"""What runs a model for its own outputs: ONNX Runtime where it is installed, else ONNX's reference in NumPy."""

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from rml_export.errors import ExportError
from rml_export.from_onnx.model import Model, array_of

RUNTIMES = ("onnxruntime", "reference")


class Runtime(Protocol):
    """name: with its version, for the file's producer."""

    name: str

    def run(self, inputs: Mapping[str, np.ndarray], outputs: Sequence[str]) -> list[np.ndarray]:
        """The named values. ExportError if the model cannot run on these."""
        ...


def choose_runtime(model: Model, wanted: str | None = None) -> Runtime:
    """wanted: one of RUNTIMES; None: ONNX Runtime if it can be imported."""
    if wanted not in (None, *RUNTIMES):
        raise ExportError(f"runtime '{wanted}'; expected one of {', '.join(RUNTIMES)}")
    if wanted == "reference" or (wanted is None and importlib.util.find_spec("onnxruntime") is None):
        return Reference(model)
    return OnnxRuntime(model)


class OnnxRuntime:
    def __init__(self, model: Model) -> None:
        import onnxruntime

        self.name = f"onnxruntime {onnxruntime.__version__}"
        self.model = model
        self.sessions: dict[tuple[str, ...], object] = {}

    def run(self, inputs: Mapping[str, np.ndarray], outputs: Sequence[str]) -> list[np.ndarray]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # what it finds wrong comes as an exception
        try:
            key = tuple(outputs)
            if key not in self.sessions:
                source = self.source(outputs)
                self.sessions[key] = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
            return [np.asarray(item) for item in self.sessions[key].run(list(outputs), dict(inputs))]
        except Exception as error:  # its bindings raise a class per status
            advice = "; ONNX's own reference may: --runtime reference, runtime='reference'"
            raise ExportError(f"{self.name} cannot run the model: {error}{advice}") from error

    def source(self, outputs: Sequence[str]) -> str | bytes:
        """The file where it will do: what is larger than 2 GB cannot be handed over as bytes."""
        own = {item.name for item in self.model.proto.graph.output}
        if self.model.path is not None and self.model.is_as_in_file and own.issuperset(outputs):
            return str(self.model.path)
        return loaded(self.model, outputs).SerializeToString()


class Reference:
    def __init__(self, model: Model) -> None:
        self.name = f"onnx {onnx.__version__}"
        self.model = model

    def run(self, inputs: Mapping[str, np.ndarray], outputs: Sequence[str]) -> list[np.ndarray]:
        try:
            with np.errstate(all="ignore"):
                results = ReferenceEvaluator(loaded(self.model, outputs)).run(list(outputs), dict(inputs))
        except Exception as error:  # the reference raises whatever NumPy does
            raise ExportError(f"onnx's reference cannot run the model: {type(error).__name__}: {error}") from error
        return [np.asarray(item) for item in results]


def loaded(model: Model, outputs: Sequence[str]) -> onnx.ModelProto:
    """The model with these outputs and with all its elements in itself."""
    proto = onnx.ModelProto()
    proto.CopyFrom(model.proto)
    own = {item.name for item in proto.graph.output}
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs if name not in own)
    for tensor in onnx.external_data_helper._get_all_tensors(proto):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            array = array_of(tensor, model.folder, f"tensor '{tensor.name}'")
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    return proto
