"""in_process.py MODEL.json [--rows N] [--threads N]: runs an exported model in this process, without a server.

Prints what the model takes and gives, checks that a row's result does not depend on the rows beside it, and says where
the time goes. Needs NumPy and the module rml: build/release/python on PYTHONPATH, or pip install
./client/engine_binding.
"""

import argparse

import numpy as np

import rml


def random_inputs(model: rml.Model, rows: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    inputs = {}
    for info in model.inputs:
        shape = [rows if dim == -1 else dim for dim in info.shape]
        if info.dtype == np.int32:
            inputs[info.name] = np.zeros(shape, np.int32)  # a valid index wherever one is needed
        else:
            inputs[info.name] = rng.standard_normal(shape, np.float32)
    return inputs


def rows_are_independent(model: rml.Model, inputs: dict[str, np.ndarray], outputs: dict[str, np.ndarray]) -> bool:
    """Whether the first row alone has the bits that it has among the others."""
    alone = model.run({name: array[:1] for name, array in inputs.items()})
    return all(np.array_equal(alone[name], array[:1], equal_nan=True) for name, array in outputs.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--threads", type=int, default=None)
    arguments = parser.parse_args()

    model = rml.load(arguments.model, threads=arguments.threads)
    inputs = random_inputs(model, arguments.rows)
    outputs = model.run(inputs)
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for name, array in arrays.items():
            print(f"{kind:8} {name}: {array.dtype}{list(array.shape)}")

    model.run(inputs, out=outputs)  # into the same arrays: nothing is allocated
    if all(info.row_independent for info in model.outputs):
        print(f"one row alone has the same bits: {rows_are_independent(model, inputs, outputs)}")
    for row in model.profile(inputs, runs=100).rows:
        print(f"{1e6 * row.seconds:10.1f} us  {100 * row.share:5.1f} %  {row.label}  ({row.kernel})")


if __name__ == "__main__":
    main()
