"""Graphs as text, for tables of passes.

    x: f32[2, 3]                       an input
    w = const([[1, 2, 3]])             an unnamed constant; const([...], 'name') is a named one
    y = add(x, w)
    z = transpose(y) perm=(1, 0)
    -> z                               the outputs

Constants are Python literals: floats (f32), or ints after `iconst` (i32); zeros(2, 3), ones(2) and arange(6) work.
"""

import re
from typing import Any

import numpy as np
from rml_export.builder import Builder
from rml_export.graph import Graph, Value

_INPUT = re.compile(r"(\w+): (f32|i32)\[([\d, ]*)\]")
_NODE = re.compile(r"([\w, ]+) = (\w+)\(([^()]*)\)(.*)")
_CONST = re.compile(r"(\w+) = (i?)const\((.*)\)")
_NAMES = {
    "zeros": lambda *s: np.zeros(s),
    "ones": lambda *s: np.ones(s),
    "arange": np.arange,
    "nan": np.nan,
    "inf": np.inf,
}


def parse(text: str, fold: bool = False) -> Graph:
    """The graph that the text describes; examples of inputs are drawn from a seeded generator."""
    builder = Builder()
    known: dict[str, Value] = {}
    generator = np.random.default_rng(0)
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("->"):
            for name in line[2:].split(","):
                builder.output(f"out_{name.strip()}", known[name.strip()])
        elif match := _INPUT.fullmatch(line):
            name, dtype, dims = match.groups()
            shape = tuple(int(dim) for dim in dims.split(",") if dim.strip())
            example = generator.standard_normal(shape) if dtype == "f32" else generator.integers(0, 2, shape)
            known[name] = builder.input(name, example)
        elif match := _CONST.fullmatch(line):
            data, name = _literal(match.group(3))
            known[match.group(1)] = builder.constant(np.array(data, np.int32 if match.group(2) else np.float32), name)
        else:
            _node(builder, known, line, fold)
    return builder.graph


def _literal(text: str) -> tuple[Any, str | None]:
    value = eval(text, {"__builtins__": {}}, dict(_NAMES))
    return value if isinstance(value, tuple) and isinstance(value[-1], str) else (value, None)


def _node(builder: Builder, known: dict[str, Value], line: str, fold: bool) -> None:
    match = _NODE.fullmatch(line)
    assert match, line
    names, op, arguments, rest = match.groups()
    attrs = {key: eval(value, {"__builtins__": {}}) for key, value in re.findall(r"(\w+)=(\([^)]*\)|\S+)", rest)}
    inputs = [known[item.strip()] for item in arguments.split(",")]
    outputs = [name.strip() for name in names.split(",")]
    if len(outputs) > 1:
        known.update(zip(outputs, builder.op_multi(op, len(outputs), *inputs, **attrs), strict=True))
    else:
        known[outputs[0]] = builder.op(op, *inputs, fold=fold, **attrs)


def show(graph: Graph) -> str:
    """The graph in a form that is equal for equal graphs."""
    names: dict[Value, str] = {value: str(value.name) for value in graph.inputs}
    for number, value in enumerate(graph.constants()):
        data = np.array2string(value.data, threshold=10**6).replace("\n", "")
        names[value] = f"c{number}:{value.dtype}{list(value.shape)}{value.name or ''}{data}"
    lines = []
    for number, node in enumerate(graph.nodes):
        names.update({value: f"v{number}.{index}" for index, value in enumerate(node.outputs)})
        attrs = " ".join(f"{key}={value}" for key, value in sorted(node.attrs.items()))
        types = ", ".join(f"{names[value]}:{value.dtype}{list(value.shape)}" for value in node.outputs)
        lines.append(f"{types} = {node.op}({', '.join(names[value] for value in node.inputs)}) {attrs}")
    return "\n".join([*lines, "-> " + ", ".join(names[output.value] for output in graph.outputs)])
