"""Drops nodes that nothing reads. Constants go with their last reader; inputs stay."""

from rml_export.passes.rewriting import Rewriter


def run(rewriter: Rewriter) -> None:
    graph = rewriter.graph
    live = graph.output_values()
    kept = []
    for node in reversed(graph.nodes):
        if any(value in live for value in node.outputs):
            live.update(node.inputs)
            kept.append(node)
        else:
            rewriter.matches += 1
    graph.nodes = kept[::-1]
