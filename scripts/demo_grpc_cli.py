"""demo_grpc_cli.py ADDRESS MODEL: types a bundled model's golden inputs into grpc_cli."""

import subprocess
import sys

import numpy as np
from demo_golden import compare, golden
from google.protobuf import text_format

from rml.v1 import inference_pb2 as pb
from rml_client import Client


def typed(name: str, array: np.ndarray) -> str:
    """A tensor as a person would write it; nine digits name a float32 exactly."""
    kind = {"float32": "f32", "int32": "i32"}[str(array.dtype)]
    elements = ", ".join(f"{value:.9g}" for value in array.ravel())
    return f'inputs {{ name: "{name}" shape: {list(array.shape)} {kind}: [{elements}] }}'


def main(address: str, model: str) -> None:
    inputs, expected = golden(model)
    with Client(address) as client:
        names = [info.name for info in client.get_model(model).inputs]
    tensors = " ".join(typed(name, array) for name, array in zip(names, inputs, strict=True))
    request = f'model: "{model}" {tensors}'
    print(f"$ grpc_cli call {address} rml.v1.Inference.Run '{request}'")
    command = ["grpc_cli", "call", address, "rml.v1.Inference.Run", request]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if answer.returncode != 0:
        raise SystemExit(f"grpc_cli failed: {answer.stderr.strip()}")
    response = text_format.Parse(answer.stdout, pb.RunResponse())
    for tensor, want in zip(response.outputs, expected, strict=True):
        compare(tensor.name, np.array(tensor.f32, np.float32).reshape(tuple(tensor.shape)), want)


if __name__ == "__main__":
    main(*sys.argv[1:])
