"""A process that does nothing but run torch-mlir: started by torch_mlir.py, as a script, with no part of rml_export.

torch-mlir, jaxlib and TensorFlow each carry an MLIR runtime of their own; two of them in one process may crash it.
Requests and answers are lines of JSON on stdin and stdout:
    {"program": FILE of torch.export.save, "text": FILE to write}
        -> {}, {"mutated": what the program writes to}
           or {"error": what torch-mlir says, "unsupported": [{"op": ..., "module": ..., "stack": ...}]}
"""

import gc
import json
import operator
import os
import sys
import tempfile
import traceback
import warnings
from typing import Any

warnings.simplefilter("ignore")
answers = os.fdopen(os.dup(1), "w")
# What libraries print, MLIR's diagnostics among it, does not mix with the answers.
printed = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)
os.dup2(printed.fileno(), 1)
os.dup2(printed.fileno(), 2)

import torch  # noqa: E402
from torch._decomp import get_decompositions  # noqa: E402
from torch.export.graph_signature import OutputKind  # noqa: E402
from torch_mlir import fx  # noqa: E402
from torch_mlir.extras.fx_decomp_util import get_decomposition_table  # noqa: E402

aten = torch.ops.aten
# Beyond torch-mlir's own table: it has no way from these to StableHLO.
ALSO = (aten.upsample_nearest2d.vec, aten.upsample_nearest2d.default, aten.linalg_vector_norm.default)
# Products stay whole: decomposed, they flatten the batch and multiply by alpha = 1.
WHOLE = (aten.linear.default, aten.matmul.default)


def answer_to(request: dict[str, str]) -> dict[str, Any]:
    """Writes the program as StableHLO, its parameters being arguments of @main, with the lines of the model."""
    table = {**get_decomposition_table(), **get_decompositions(ALSO)}
    for op in WHOLE:
        table.pop(op, None)
    program = torch.export.load(request["program"]).run_decompositions(table)
    outputs = program.graph_signature.output_specs
    mutated = [str(spec.target) for spec in outputs if spec.kind != OutputKind.USER_OUTPUT]
    if mutated:
        return {"mutated": ", ".join(mutated)}
    try:
        text = lower(program.graph)
    except Exception as error:  # torch-mlir raises whatever its passes raise
        return {"error": f"{error}\n{diagnostics()}", "unsupported": unsupported(program.graph)}
    with open(request["text"], "w") as file:
        file.write(text)
    return {}


def lower(graph: torch.fx.Graph) -> str:
    module = fx.stateless_fx_import(torch.fx.GraphModule({}, graph), output_type="stablehlo", model_name="main")
    text = module.operation.get_asm(enable_debug_info=True, large_elements_limit=None)
    del module
    gc.collect()
    return text


def unsupported(graph: torch.fx.Graph) -> list[dict[str, str]]:
    """The ops that torch-mlir does not lower by themselves either: it names one of a program, or one's operand."""
    found, seen = [], set()
    for node in graph.nodes:
        if node.op != "call_function" or node.target is operator.getitem:
            continue
        kind = f"{node.target} {[item.meta.get('val') for item in node.all_input_nodes]} {node.args} {node.kwargs}"
        if kind in seen:
            continue
        seen.add(kind)
        try:
            lower(alone(node))
        except Exception:
            stack = list((node.meta.get("nn_module_stack") or {}).values())
            module = stack[-1][0] if stack else ""
            found.append({"op": str(node.target), "module": module, "stack": node.meta.get("stack_trace") or ""})
    return found


def alone(node: torch.fx.Node) -> torch.fx.Graph:
    """A graph of this call, its tensors being inputs."""
    graph = torch.fx.Graph()
    inputs = {}
    for item in node.all_input_nodes:
        inputs[item] = graph.placeholder(item.name)
        inputs[item].meta = dict(item.meta)
    copy = inputs[node] = graph.node_copy(node, inputs.__getitem__)
    parts = [user for user in node.users if user.target is operator.getitem]
    graph.output(tuple(graph.node_copy(part, inputs.__getitem__) for part in parts) or (copy,))
    return graph


def diagnostics() -> str:
    printed.seek(0)
    return printed.read().decode(errors="replace")


def main() -> None:
    for line in sys.stdin:
        printed.truncate(0)
        printed.seek(0)
        try:
            answer = answer_to(json.loads(line))
        except Exception:
            answer = {"error": traceback.format_exc(), "unsupported": []}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(0)  # torch-mlir may hang when the interpreter ends in order


main()
