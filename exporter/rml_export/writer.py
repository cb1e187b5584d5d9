"""Writes a graph as NAME.json and NAME.safetensors: one value or node per line, weights aligned, numbers shortest.

Ids are dense: inputs, then constants, then node outputs in node order. Unnamed, finite constants of at most 16 elements
stand in the JSON; the others are stored, unnamed ones as `const.N`. JSON has no infinities, so these are always stored.
"""

import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rml_export.atomic_write import write_files
from rml_export.dims import BatchMultiple, Dim
from rml_export.errors import ExportError
from rml_export.graph import Attrs, Graph, Value
from rml_export.safetensors_file import PAD_PREFIX, serialize

FORMAT = "rml-graph"
VERSION = 1
MAX_INLINE = 16
# What the engine's reader refuses in strings (engine/graph/quoted.h).
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


@dataclass(frozen=True)
class WrittenFiles:
    """Paths and sizes of what was written."""

    json_path: Path
    weights_path: Path
    golden_path: Path
    json_bytes: int
    weights_bytes: int


def file_paths(path: str | Path) -> tuple[Path, Path, Path]:
    """NAME.json, NAME.safetensors and NAME.golden.safetensors for NAME or NAME.json.

    Beside model.json, as in a model repository, the last is golden.safetensors.
    """
    path = Path(path)
    stem = path.with_suffix("") if path.suffix == ".json" else path
    golden = stem.with_name("golden.safetensors" if stem.name == "model" else f"{stem.name}.golden.safetensors")
    return stem.with_name(f"{stem.name}.json"), stem.with_name(f"{stem.name}.safetensors"), golden


def write_graph(
    graph: Graph, path: str | Path, producer: str = "rml_export", golden: bytes | None = None
) -> WrittenFiles:
    """Writes both files (and the golden file's bytes, if given) so that either all of them appear or none."""
    json_path, weights_path, golden_path = file_paths(path)
    text, weights = dump_graph(graph, producer)
    files = {weights_path: weights}
    if golden is not None:
        files[golden_path] = golden
    write_files({**files, json_path: text.encode()})
    return WrittenFiles(json_path, weights_path, golden_path, len(text), len(weights))


def dump_graph(graph: Graph, producer: str) -> tuple[str, bytes]:
    """The JSON text and the weights file's bytes."""
    constants = graph.constants()
    stored = _stored_names(constants)
    weights = serialize({name: value.data for value, name in stored.items()})
    ids = {value: number for number, value in enumerate([*graph.inputs, *constants, *graph.node_outputs()])}
    sections = [f'"format":"{FORMAT}","version":{VERSION},"producer":{_text(producer)}']
    sections.append(f'"weights":{{"bytes":{len(weights)},"crc32":"{zlib.crc32(weights):08x}"}}')
    if graph.batch_range is not None:
        low, high = graph.batch_range
        sections.append(f'"symbols":{{"B":{{"min":{low},"max":{high}}}}}')
    inputs = (_line(id=ids[v], name=v.name, **_type(v), **_rows(v.rows)) for v in graph.inputs)
    sections.append(_array("inputs", inputs))
    sections.append(_array("constants", (_constant(ids[v], v, stored.get(v)) for v in constants)))
    sections.append(_array("nodes", (_node(node, ids) for node in graph.nodes)))
    sections.append(_array("values", (_line(id=ids[v], **_type(v)) for v in graph.node_outputs())))
    outputs = (_line(id=ids[o.value], name=o.name, **_rows(o.rows)) for o in graph.outputs)
    sections.append(_array("outputs", outputs))
    return "{" + ",\n".join(sections) + "}\n", weights


def float_text(value: float | np.float32) -> str:
    """The shortest JSON number that reads back as this float32, as the engine's writer gives it. ValueError for NaN and
    infinities."""
    number = np.float32(value)
    if not np.isfinite(number):
        raise ValueError(f"JSON has no {number}")
    mantissa, _, power = np.format_float_scientific(number, unique=True, trim="-").partition("e")
    exponent = int(power)
    if number != 0 and not -4 <= exponent < 16:
        return f"{mantissa}e{exponent:+03d}"
    sign, digits = "-" * mantissa.startswith("-"), mantissa.lstrip("-").replace(".", "")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    return f"{sign}{whole}.{digits[exponent + 1 :] or '0'}"


def _stored_names(constants: Sequence[Value]) -> dict[Value, str]:
    """The constants that go into the weights file, and under which names."""
    taken = {value.name for value in constants if value.name is not None}
    names: dict[Value, str] = {}
    number = 0
    for value in constants:
        if value.name is not None:
            if value.name in names.values() or value.name.startswith(PAD_PREFIX):
                raise ExportError(f"constant name '{value.name}' is taken")
            names[value] = value.name
        elif value.data.size > MAX_INLINE or not np.isfinite(value.data).all():
            while f"const.{number}" in taken:
                number += 1
            names[value] = f"const.{number}"
            number += 1
    return names


def _text(value: str) -> str:
    if _UNPRINTABLE.search(value):
        raise ExportError(f"{value!a} holds characters that do not print; expected none in a name")
    return json.dumps(value, ensure_ascii=False)


def _dim(dim: Dim) -> str:
    return f'"{dim}"' if isinstance(dim, BatchMultiple) else str(dim)


def _type(value: Value) -> dict[str, Any]:
    return {"dtype": value.dtype, "shape": value.shape}


def _rows(rows: bool) -> dict[str, bool]:
    return {"rows": True} if rows else {}


def _constant(number: int, value: Value, stored: str | None) -> str:
    if stored is not None:
        return _line(id=number, name=stored, **_type(value))
    elements = value.data.reshape(-1)
    texts = [str(int(item)) if value.dtype == "i32" else float_text(item) for item in elements]
    return _line(id=number, **_type(value))[:-1] + f',"data":[{",".join(texts)}]}}'


def _node(node: Any, ids: dict[Value, int]) -> str:
    inputs = ",".join(str(ids[value]) for value in node.inputs)
    outputs = ",".join(str(ids[value]) for value in node.outputs)
    line = f'{{"op":"{node.op}","in":[{inputs}],"out":[{outputs}]'
    if node.attrs:
        line += f',"attrs":{_attrs(node.attrs)}'
    return line + (f',"name":{_text(node.name)}}}' if node.name else "}")


def _attrs(attrs: Attrs) -> str:
    return "{" + ",".join(f'"{name}":{_scalar(value)}' for name, value in attrs.items()) + "}"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ",".join(_dim(item) for item in value) + "]"
    if isinstance(value, float):
        return float_text(value) if abs(value) < 2**24 else repr(value)
    return _text(value) if isinstance(value, str) else _dim(value)


def _line(**fields: Any) -> str:
    return _attrs(fields)


def _array(name: str, lines: Iterable[str]) -> str:
    body = ",\n".join(lines)
    return f'"{name}":[\n{body}\n]' if body else f'"{name}":[]'
