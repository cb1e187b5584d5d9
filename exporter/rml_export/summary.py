"""What an export made, as text: files, inputs and outputs, nodes per op, folded constants, passes."""

from rml_export.graph import Graph, count_by_op
from rml_export.passes import PassReport
from rml_export.writer import WrittenFiles


def summarize(graph: Graph, passes: PassReport, folded: int, files: WrittenFiles, verbose: bool = False) -> str:
    """A few lines for a person; `verbose` adds where passes found their pattern and left it alone."""
    ops = ", ".join(f"{op} {count}" for op, count in count_by_op(graph).items())
    constants = graph.constants()
    elements = sum(value.data.size for value in constants)
    matched = ", ".join(f"{name} {count}" for name, count in passes.matches.items() if count) or "none matched"
    lines = [
        f"wrote    {files.json_path} ({size_text(files.json_bytes)})",
        f"         {files.weights_path} ({size_text(files.weights_bytes)})",
        *(f"input    {value.describe()}" for value in graph.inputs),
        *(f"output   '{out.name}' {out.value.describe()}" for out in graph.outputs),
        f"nodes    {len(graph.nodes)}: {ops}",
        f"weights  {len(constants)} constants, {elements} elements; {folded} ops folded into constants",
        f"passes   {matched} ({passes.rounds} rounds)",
    ]
    if verbose:
        lines += [f"kept     {item.pass_name}: {item.where}: {item.reason}" for item in passes.refusals]
    return "\n".join(lines)


def size_text(size: int) -> str:
    """ "512 B", "3.4 KiB", "12.0 MiB"."""
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.1f} KiB" if size < 1024**2 else f"{size / 1024**2:.1f} MiB"
