"""The engine in this process: exported models on NumPy arrays, without a server.

model = rml.load("mlp.json")
outputs = model.run({"x": x})  # by name; model.run(x) gives a tuple
"""

import pkgutil

# The messages of rml_client are the package rml.v1, which may lie in another folder.
__path__ = pkgutil.extend_path(__path__, __name__)

from rml._engine import (
    Model,
    Profile,
    ProfileRow,
    StepInfo,
    TensorInfo,
    __version__,
    isa,
    load,
    pass_names,
)
from rml.errors import (
    FailedPrecondition,
    Internal,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    RmlError,
    Unimplemented,
)

__all__ = [
    "FailedPrecondition",
    "Internal",
    "InvalidArgument",
    "Model",
    "NotFound",
    "Profile",
    "ProfileRow",
    "ResourceExhausted",
    "RmlError",
    "StepInfo",
    "TensorInfo",
    "Unimplemented",
    "__version__",
    "isa",
    "load",
    "pass_names",
]
