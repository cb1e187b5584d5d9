"""The routes that the cases are taken through, and the engine that runs what they write."""

import os
from pathlib import Path

from rml_export.verify import EngineRunner

from tests.exporter.input_kinds import (
    jax_models,
    stablehlo_jax_models,
    stablehlo_tf_models,
    stablehlo_torch_models,
    tf_models,
    torch_models,
)

_ROOT = Path(__file__).resolve().parents[3]
_PROGRAM = Path(os.environ.get("RML_BIN_DIR", _ROOT / "build/release/bin")) / "rml-graph-run"

ROUTES = {
    "torch": torch_models,
    "jax": jax_models,
    "tf": tf_models,
    "stablehlo_torch": stablehlo_torch_models,
    "stablehlo_jax": stablehlo_jax_models,
    "stablehlo_tf": stablehlo_tf_models,
}


def engine() -> EngineRunner:
    assert _PROGRAM.exists(), "build the C++ programs first, or say where they are by RML_BIN_DIR"
    return EngineRunner(_PROGRAM)
