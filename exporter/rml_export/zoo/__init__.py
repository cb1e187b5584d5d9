"""The model zoo: 19 models, each in a tiny size for tests and a bench size for timing, on shared seeded weights."""

from rml_export.zoo.configs import CONFIGS, MODELS, SIZES, TOKEN_MODELS
from rml_export.zoo.routes import ROUTES, export_zoo, front_end

__all__ = ["CONFIGS", "MODELS", "ROUTES", "SIZES", "TOKEN_MODELS", "export_zoo", "front_end"]
