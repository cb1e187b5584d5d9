"""What the engine raises: one class for each of its status codes. The message says which input, expected and got.

Each is also the exception that Python programs expect for it, so that code that catches ValueError goes on working.
"""


class RmlError(Exception):
    """The engine refused a model or a call."""


class InvalidArgument(RmlError, ValueError):
    """Arrays or options do not fit the model, or a model file is damaged."""


class NotFound(RmlError, FileNotFoundError):
    """There is no such file."""


class FailedPrecondition(RmlError, RuntimeError):
    """The instruction set asked for is not in this build or machine."""


class ResourceExhausted(RmlError, MemoryError):
    """There is not enough memory; the message says what for and how much."""


class Unimplemented(RmlError, NotImplementedError):
    """The model needs what this engine does not have."""


class Internal(RmlError, RuntimeError):
    """A defect of the engine."""
