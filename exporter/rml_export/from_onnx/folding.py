"""Runs a node whose inputs are all known in ONNX's own reference, which has every operator.

Its elements are constants of the graph then. Sizes come from the file, so that what would not fit is refused.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from rml_export.from_onnx.record import Record
from rml_export.xla_ops import UnsupportedError

MAX_ELEMENTS = 1 << 30  # of one value: 4 GiB of float32
RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"}
)


def fold(
    node: onnx.NodeProto,
    attributes: Mapping[str, onnx.AttributeProto],
    args: Sequence[np.ndarray | None],
    records: Sequence[Record],
    opsets: Mapping[str, int],
) -> list[np.ndarray]:
    """The results. UnsupportedError if ONNX cannot compute them."""
    check_sizes(records)
    inputs = {f"i{k}": arg for k, arg in enumerate(args) if arg is not None}
    outputs = [f"o{k}" for k in range(len(node.output))]
    names = [f"i{k}" if arg is not None else "" for k, arg in enumerate(args)]
    plain = onnx.NodeProto(op_type=node.op_type, domain=node.domain, input=names, output=outputs)
    plain.attribute.extend(attributes.values())
    given, made = ([onnx.ValueInfoProto(name=name) for name in side] for side in (inputs, outputs))
    graph = helper.make_graph([plain], "fold", given, made)
    try:
        with np.errstate(all="ignore"):
            results = ReferenceEvaluator(graph, opsets=dict(opsets)).run(None, inputs)
    except Exception as error:  # the reference raises whatever NumPy does
        raise UnsupportedError(f"ONNX cannot compute it of constants: {type(error).__name__}: {error}") from error
    return [exact(result, record) for result, record in zip(results, records, strict=True)]


def check_sizes(records: Sequence[Record]) -> None:
    """UnsupportedError for a result that no memory should be asked for."""
    for record in records:
        if record.shape is not None and is_too_large(record.shape):
            raise UnsupportedError(f"a result of shape {list(record.shape)}; at most {MAX_ELEMENTS} elements")


def is_too_large(shape: Sequence[int]) -> bool:
    return prod(shape) > MAX_ELEMENTS


def exact(result: object, record: Record) -> np.ndarray:
    """The result in the dtype that ONNX records for it."""
    if not isinstance(result, np.ndarray | np.generic):
        raise UnsupportedError(f"a result that is no tensor but a {type(result).__name__}")
    array = np.asarray(result)
    return array if record.dtype is None or array.dtype == record.dtype else array.astype(record.dtype)
