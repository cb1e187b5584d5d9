"""The model zoo: 19 models and their neighbours, each in a tiny and a bench size, on shared seeded weights."""

from rml_export.zoo.configs import ALL_MODELS, CONFIGS, MODELS, NEIGHBOURS, SIZES, TOKEN_MODELS
from rml_export.zoo.routes import ROUTES, export_zoo, front_end

__all__ = [
    "ALL_MODELS",
    "CONFIGS",
    "MODELS",
    "NEIGHBOURS",
    "ROUTES",
    "SIZES",
    "TOKEN_MODELS",
    "export_zoo",
    "front_end",
]
