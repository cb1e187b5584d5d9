"""A model's inputs: which dims are open, which of them is the batch, and examples for the sizes that were given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from rml_export.array_call import canonical_dtype
from rml_export.canonical import NUMPY_DTYPES, canonical
from rml_export.errors import ExportError
from rml_export.from_onnx.folding import MAX_ELEMENTS, is_too_large
from rml_export.from_onnx.model import Model
from rml_export.xla_ops import UnsupportedError

EXAMPLE_BATCH = 2


@dataclass(frozen=True)
class Input:
    """dims: a size, or the name of an open dim: its dim_param, or INPUT:AXIS where it has none."""

    name: str
    dtype: np.dtype
    dims: tuple[int | str, ...]


def read_inputs(graph: onnx.GraphProto) -> tuple[list[Input], list[str]]:
    """The inputs that are no initialisers, and what is wrong with others."""
    constants = {item.name for item in graph.initializer}
    found, problems = [], []
    for item in graph.input:
        if item.name in constants:
            continue
        kind = item.type.WhichOneof("value")
        if kind != "tensor_type" or not item.type.tensor_type.HasField("shape"):
            shown = "a tensor without a rank" if kind == "tensor_type" else f"of {kind or 'no type'}"
            problems.append(f"input '{item.name}' is {shown}; expected a tensor with dims")
            continue
        tensor = item.type.tensor_type
        try:
            dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type))
            canonical_dtype(dtype)
        except (KeyError, UnsupportedError):
            kinds = {number: name.lower() for name, number in TensorProto.DataType.items()}
            name = kinds.get(tensor.elem_type, tensor.elem_type)
            problems.append(f"input '{item.name}' has dtype {name}; rml-graph holds float32 and int32")
            continue
        dims = tuple(read_dim(dim, f"{item.name}:{axis}") for axis, dim in enumerate(tensor.shape.dim))
        found.append(Input(item.name, dtype, dims))
    return found, problems


def read_dim(dim: onnx.TensorShapeProto.Dimension, place: str) -> int | str:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    return dim.dim_param or place


def reopened(model: Model) -> Model:
    """The model with the batch open that its file fixes: axis 0 of every input where it is that of the first with axes.

    What the file records of other shapes is left out, since it holds for the fixed batch.
    """
    proto = onnx.ModelProto()
    proto.CopyFrom(model.proto)
    inputs = [item for item in read_inputs(proto.graph)[0] if item.dims]
    if not inputs or isinstance(inputs[0].dims[0], str):
        raise ExportError("open_batch (--open-batch) is for a model whose file fixes axis 0 of its first input")
    chosen = {item.name for item in inputs if item.dims[0] == inputs[0].dims[0]}
    for item in proto.graph.input:
        if item.name in chosen:
            item.type.tensor_type.shape.dim[0].dim_param = "batch"
    for item in proto.graph.output:
        item.type.tensor_type.ClearField("shape")
    del proto.graph.value_info[:]
    return replace(model, proto=proto, is_as_in_file=False)


def batch_of(inputs: Sequence[Input], sizes: Mapping[str, int]) -> list[bool]:
    """For each input whether its axis 0 is the batch.

    It is the first open axis 0 that got no size, and every other one of that name; axes 0 without a name go together.
    """
    firsts = [item.dims[0] if item.dims else 0 for item in inputs]
    is_open = [isinstance(dim, str) and dim not in sizes for dim in firsts]
    if not any(is_open):
        return [False] * len(inputs)
    batch = firsts[is_open.index(True)]
    unnamed = {f"{item.name}:0" for item in inputs}
    same = unnamed if batch in unnamed else {batch}
    return [opened and dim in same for opened, dim in zip(is_open, firsts, strict=True)]


@dataclass
class Given:
    """Example inputs by name, of some inputs or of all; the batch that they have, if any has it; what is wrong."""

    arrays: dict[str, np.ndarray]
    batch: int | None = None
    problems: list[str] = field(default_factory=list)


def given_examples(inputs: Sequence[Input], examples: Sequence[Any] | Mapping[str, Any] | None) -> Given:
    names = [item.name for item in inputs]
    if examples is not None and not isinstance(examples, Mapping):
        if len(examples) != len(names):
            return Given({}, None, [f"{len(examples)} example inputs for {len(names)} inputs"])
        examples = dict(zip(names, examples, strict=True))
    arrays = {name: canonical(np.asarray(item), f"input '{name}'") for name, item in (examples or {}).items()}
    wrong = [f"no input '{name}'; the model's are {', '.join(names) or 'none'}" for name in arrays if name not in names]
    return Given(arrays, None, wrong)


def take_sizes(inputs: Sequence[Input], batched: Sequence[bool], given: Given, sizes: dict[str, int]) -> None:
    """Adds the sizes that open dims have in the examples, but for the batch, which is noted, and what does not fit."""
    batches = set()
    for item, has in zip(inputs, batched, strict=True):
        array = given.arrays.get(item.name)
        if array is None:
            continue
        if array.ndim != len(item.dims) or array.dtype != np.dtype(NUMPY_DTYPES[canonical_dtype(item.dtype)]):
            wanted = f"{canonical_dtype(item.dtype)}[{', '.join(map(str, item.dims))}]"
            found = f"{array.dtype}{list(array.shape)}"
            given.problems.append(f"input '{item.name}': the example is {found}, expected {wanted}")
            continue
        for axis, (dim, size) in enumerate(zip(item.dims, array.shape, strict=True)):
            if has and axis == 0:
                batches.add(size)
                continue
            expected = sizes.setdefault(dim, size) if isinstance(dim, str) else dim
            if expected != size:
                text = f"input '{item.name}': axis {axis} of the example is {size}, expected {expected}"
                given.problems.append(text)
    if len(batches) > 1:
        given.problems.append(f"the examples have batches {', '.join(map(str, sorted(batches)))}; expected one")
    given.batch = next(iter(batches), None)


def bound_shapes(
    inputs: Sequence[Input], batched: Sequence[bool], sizes: Mapping[str, int], rows: int
) -> list[tuple[int, ...]]:
    """The shapes at batch `rows`. ExportError that names every dim that is open still, and every size too many."""
    names = {dim for item in inputs for dim in item.dims if isinstance(dim, str)}
    problems = [
        f"no dim '{name}'; open dims are {', '.join(sorted(names)) or 'none'}" for name in sizes if name not in names
    ]
    problems += [f"dim '{name}' = {size}; expected a number from 0" for name, size in sizes.items() if size < 0]
    batch = {item.dims[0] for item, has in zip(inputs, batched, strict=True) if has}
    places: dict[str, list[str]] = {}
    shapes = []
    for item, has in zip(inputs, batched, strict=True):
        shape = []
        for axis, dim in enumerate(item.dims):
            if has and axis == 0:
                shape.append(rows)
                continue
            if isinstance(dim, str) and dim not in sizes:
                places.setdefault(dim, []).append(f"axis {axis} of '{item.name}'")
            shape.append(sizes.get(dim, 0) if isinstance(dim, str) else dim)
        if is_too_large(shape):
            problems.append(f"input '{item.name}' has the shape {shape}; at most {MAX_ELEMENTS} elements")
        shapes.append(tuple(shape))
    for name, where in places.items():
        also = ", and is the batch elsewhere" if name in batch else ""
        problems.append(f"dim '{name}' ({', '.join(where)}) is open{also}: fix its size, --dim {name}=SIZE")
    if problems:
        raise ExportError(problems)
    return shapes


def drawn(inputs: Sequence[Input], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """Numbers around 0 for floats, 0 for everything else: ids stay in range, whatever they are ids of."""
    generator = np.random.default_rng(0)
    return [
        np.zeros(shape, np.int32)
        if item.dtype.kind in "iu"
        else generator.standard_normal(shape).astype(np.float32) * np.float32(item.dtype.kind != "b")
        for item, shape in zip(inputs, shapes, strict=True)
    ]
