"""Reads a graph file pair back into a Graph, for evaluation and tests. Files of strangers are the engine's business."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from rml_export.canonical import NUMPY_DTYPES
from rml_export.dims import parse_dim
from rml_export.graph import Attrs, Graph, Node, Output, Value
from rml_export.op_table import OPS, OPTIONAL, REQUIRED
from rml_export.safetensors_file import deserialize
from rml_export.writer import FORMAT, VERSION, file_paths


def read_graph(path: str | Path) -> Graph:
    """Reads NAME.json and NAME.safetensors. ValueError if the files are not what the format says."""
    json_path, weights_path, _ = file_paths(path)
    return load_graph(json_path.read_text(), weights_path.read_bytes())


def load_graph(text: str, weights: bytes) -> Graph:
    """The same from memory."""
    file = json.loads(text)
    if file.get("format") != FORMAT or file.get("version") != VERSION:
        raise ValueError(f"format {file.get('format')!r} version {file.get('version')!r}, expected {FORMAT} {VERSION}")
    expected = file.get("weights")
    if expected and (len(weights), f"{zlib.crc32(weights):08x}") != (expected["bytes"], expected["crc32"]):
        raise ValueError(
            f"the weights file has {len(weights)} bytes, crc32 {zlib.crc32(weights):08x}; the JSON says {expected}"
        )
    tensors, _ = deserialize(weights, "weights")
    values: dict[int, Value] = {}
    graph = Graph()
    if "symbols" in file:
        bounds = file["symbols"]["B"]
        graph.batch_range = (bounds["min"], bounds["max"])
    for entry in file["inputs"]:
        value = Value(entry["dtype"], _shape(entry), name=entry["name"], rows=entry.get("rows", False))
        values[entry["id"]] = value
        graph.inputs.append(value)
    for entry in file["constants"]:
        values[entry["id"]] = _constant(entry, tensors)
    types = {entry["id"]: entry for entry in file["values"]}
    for entry in file["nodes"]:
        node = Node(entry["op"], [values[i] for i in entry["in"]], [], _attrs(entry), entry.get("name", ""))
        for number in entry["out"]:
            values[number] = Value(types[number]["dtype"], _shape(types[number]), producer=node)
            node.outputs.append(values[number])
        graph.nodes.append(node)
    graph.outputs = [Output(entry["name"], values[entry["id"]], entry.get("rows", False)) for entry in file["outputs"]]
    return graph


def _shape(entry: dict[str, Any]) -> tuple:
    return tuple(parse_dim(dim) for dim in entry["shape"])


def _constant(entry: dict[str, Any], tensors: dict[str, np.ndarray]) -> Value:
    shape = tuple(entry["shape"])
    if "data" in entry:
        data = np.array(entry["data"], dtype=NUMPY_DTYPES[entry["dtype"]]).reshape(shape)
    else:
        data = tensors[entry["name"]]
        if data.shape != shape or data.dtype != NUMPY_DTYPES[entry["dtype"]]:
            raise ValueError(f"tensor '{entry['name']}' is {data.dtype}{list(data.shape)}, the graph says {entry}")
    return Value(entry["dtype"], shape, data, entry.get("name"), is_constant=True)


def _attrs(entry: dict[str, Any]) -> Attrs:
    spec = OPS[entry["op"]]
    result: Attrs = {}
    given = entry.get("attrs", {})
    for name, attr in spec.attrs.items():
        if name in given:
            value = given[name]
            if attr.type == "ints":
                value = tuple(parse_dim(dim) for dim in value)
            elif attr.type == "int":
                value = parse_dim(value)
            elif attr.type == "float":
                value = float(value)
            result[name] = value
        elif attr.default not in (REQUIRED, OPTIONAL):
            result[name] = attr.default
    unknown = set(given) - set(spec.attrs)
    if unknown:
        raise ValueError(f"{entry['op']}: unknown attributes {sorted(unknown)}")
    return result
