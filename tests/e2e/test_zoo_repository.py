"""The repository that one command of the exporter writes, by every route, is one that the server serves."""

import subprocess
import sys

import numpy as np
from rml_export.zoo import ROUTES

from rml.v1 import inference_pb2 as pb
from tests.e2e.models import read_golden
from tests.e2e.running_server import ROOT


def test_the_zoo_by_every_route_is_served(start, tmp_path):
    repository = tmp_path / "repository"
    command = [sys.executable, "-m", "rml_export", "zoo", "--out", repository, "--route", "all", "mlp"]
    done = subprocess.run(command, cwd=ROOT / "exporter", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in repository.iterdir())
    assert names == sorted(f"{route}_mlp" for route in ROUTES)
    with start("--model-repository", repository).client() as client:
        for name in names:
            info = client.get_model(name)
            assert info.state == pb.READY, info.reason
            folder = repository / name / "1"
            golden = read_golden(folder / "model.json", folder / "golden.safetensors")
            outputs = client.run(name, golden.inputs).outputs
            for key, expected in golden.outputs.items():
                np.testing.assert_allclose(outputs[key], expected, rtol=0, atol=1e-4)
