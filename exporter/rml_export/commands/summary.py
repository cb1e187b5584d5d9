"""What an export made, as text: files, inputs and outputs, batch, nodes per op, folded constants, passes."""

from rml_export.export import Export
from rml_export.graph import Graph, count_by_op
from rml_export.writer import WrittenFiles


def summarize(export: Export, files: WrittenFiles, fixed: str = "", verbose: bool = False) -> str:
    """A few lines for a person.

    fixed    why the batch is fixed, where that was asked for.
    verbose  adds where passes found their pattern and left it alone.
    """
    graph, passes = export.graph, export.passes
    ops = ", ".join(f"{op} {count}" for op, count in count_by_op(graph).items())
    constants = graph.constants()
    elements = sum(value.data.size for value in constants)
    matched = ", ".join(f"{name} {count}" for name, count in passes.matches.items() if count) or "none matched"
    lines = [
        f"wrote    {files.json_path} ({size_text(files.json_bytes)})",
        f"         {files.weights_path} ({size_text(files.weights_bytes)})",
        f"         {files.golden_path} (the outputs of {export.framework})",
        *(f"input    {value.describe()}" for value in graph.inputs),
        *(f"output   '{out.name}' {out.value.describe()}" for out in graph.outputs),
        f"batch    {batch_text(graph, fixed)}",
        f"nodes    {len(graph.nodes)}: {ops}",
        f"weights  {len(constants)} constants, {elements} elements; {export.folded} ops folded into constants",
        f"passes   {matched} ({passes.rounds} rounds)",
    ]
    if verbose:
        lines += [f"kept     {item.pass_name}: {item.where}: {item.reason}" for item in passes.refusals]
    return "\n".join(lines)


def batch_text(graph: Graph, fixed: str) -> str:
    """Whether the graph takes any batch, and why not; whether a server may merge requests."""
    if graph.batch_range is None:
        return f"fixed: {fixed or 'no input has an axis 0 that could be open'}"
    low, high = graph.batch_range
    mixed = [f"'{output.name}'" for output in graph.outputs if not output.rows]
    rows = "each row of the outputs depends on its own row of the inputs alone (requests may be merged)"
    if mixed:
        rows = f"rows of {', '.join(mixed)} depend on other rows of the inputs (requests are not merged)"
    return f"any (B) from {low} to {high}; {rows}"


def size_text(size: int) -> str:
    """ "512 B", "3.4 KiB", "12.0 MiB"."""
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.1f} KiB" if size < 1024**2 else f"{size / 1024**2:.1f} MiB"
