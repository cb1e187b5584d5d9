"""demo_rml_client.py ADDRESS MODEL: runs a bundled model on its golden inputs through rml_client."""

import sys

from demo_golden import compare, golden

from rml_client import Client


def main(address: str, model: str) -> None:
    inputs, expected = golden(model)
    with Client(address) as client:
        names = [info.name for info in client.get_model(model).inputs]
        result = client.run(model, dict(zip(names, inputs, strict=True)))
    arrays = ", ".join(f'"{name}": {list(array.shape)}' for name, array in zip(names, inputs, strict=True))
    print(f'>>> Client("{address}").run("{model}", {{{arrays}}})')
    for (name, got), want in zip(result.outputs.items(), expected, strict=True):
        compare(name, got, want)
    print(f"  queued {result.queue_seconds * 1e6:.0f} us, computed {result.compute_seconds * 1e6:.0f} us")


if __name__ == "__main__":
    main(*sys.argv[1:])
