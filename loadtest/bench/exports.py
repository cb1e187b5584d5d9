"""exports.py ROUTE FOLDER BATCHES MODEL...: writes the graphs of a route at bench size; for torch also the inputs with
PyTorch's outputs, and ONNX files, at each batch. What is there is left alone. One process per route: the frameworks'
compilers do not share one.

A line "MODEL: error" on standard output for each that cannot be exported; the others are written all the same.
"""

import sys
from pathlib import Path

from rml_export.zoo.finished import is_finished
from rml_export.zoo.inputs import inputs
from rml_export.zoo.routes import export_zoo

from loadtest.bench.files import Files, write_data

EXPORT_BATCH = 2
OPSET = 17  # the first with LayerNormalization


def export_graph(files: Files, route: str, model: str) -> None:
    path = files.graph(route, model)
    if not is_finished(path, model, "bench", EXPORT_BATCH, static=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        export_zoo(route, model, "bench", EXPORT_BATCH, path)


def write_references(files: Files, model: str, batch: int) -> None:
    """Inputs, PyTorch's outputs, and the ONNX file."""
    data, onnx = files.data(model, batch), files.onnx(model, batch)
    if data.exists() and onnx.exists():
        return
    import torch  # not above: the processes of the other routes are to be free of it
    from rml_export.zoo import torch_zoo

    module = torch_zoo.build(model, "bench")
    arrays = list(inputs(model, "bench", batch).values())
    tensors = tuple(torch.from_numpy(array) for array in arrays)
    with torch.inference_mode():
        result = module(*tensors)
    results = result if isinstance(result, tuple | list) else (result,)
    onnx.parent.mkdir(parents=True, exist_ok=True)
    part = onnx.with_suffix(".part")
    # dynamo=False: it keeps an LSTM or RNN as the one ONNX op that the runtimes have a kernel for.
    torch.onnx.export(module, tensors, str(part), dynamo=False, opset_version=OPSET)
    part.rename(onnx)
    write_data(data, arrays, [tensor.numpy() for tensor in results])


def main() -> None:
    route, folder, batches, *models = sys.argv[1:]
    files = Files(Path(folder))
    for model in models:
        try:
            export_graph(files, route, model)
            for batch in map(int, batches.split(",")) if route == "torch" else ():
                write_references(files, model, batch)
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            print(f"{model}: {reason}", flush=True)


if __name__ == "__main__":
    main()
