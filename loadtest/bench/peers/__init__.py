"""The engines that are timed, one module each. A module has

    prepare(cell, inputs, files, route) -> engine      in a process of its own, already bound to its CPUs
    engine.run()                                       one call, complete when it returns; this is what is timed
    engine.outputs() -> list of arrays                 of the last call
    engine.sample_us(seconds)                          optional, instead of timing run() from Python

and is the best way of calling its framework that we know.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec

OURS = "rml"
OURS_FROM_PYTHON = "rml (Python)"


@dataclass(frozen=True)
class Engine:
    """`packages`: what its module imports, by module name; `distribution`: whose version counts."""

    name: str
    module: str
    packages: tuple[str, ...] = ()
    distribution: str = ""
    route: str = "torch"  # by which our graph was exported; frameworks have none
    slow_start: bool = False  # left out of --quick

    def missing(self) -> list[str]:
        return [package for package in self.packages if find_spec(package) is None]

    def version(self) -> str:
        return metadata.version(self.distribution)


FRAMEWORKS = (
    Engine("PyTorch eager", "torch_eager", ("torch",), "torch"),
    Engine("PyTorch compile", "torch_compile", ("torch",), "torch", slow_start=True),
    Engine("PyTorch compile max", "torch_compile_max", ("torch",), "torch", slow_start=True),
    Engine("JAX", "jax_compiled", ("jax",), "jax"),
    Engine("TensorFlow function", "tf_function", ("tensorflow",), "tensorflow-cpu"),
    Engine("TensorFlow XLA", "tf_xla", ("tensorflow",), "tensorflow-cpu"),
    Engine("ONNX Runtime", "onnx_runtime", ("onnxruntime",), "onnxruntime"),
    Engine("OpenVINO", "openvino_latency", ("openvino",), "openvino"),
)


def our_engines(routes: Sequence[str]) -> tuple[Engine, ...]:
    """C++ and Python on the PyTorch export, which is the main column, and C++ on each other route's."""
    others = [Engine(f"{OURS} ({route})", "rml_cpp", route=route) for route in routes if route != "torch"]
    return (Engine(OURS, "rml_cpp"), Engine(OURS_FROM_PYTHON, "rml_python"), *others)
