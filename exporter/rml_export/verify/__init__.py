"""Verification of a written graph: framework against engine on random inputs, and the first node that differs."""

from rml_export.verify.runners import EngineRunner, ReferenceRunner, Runner, engine_advice, find_engine
from rml_export.verify.verification import VerificationError, Verified, verify

__all__ = [
    "EngineRunner",
    "ReferenceRunner",
    "Runner",
    "VerificationError",
    "Verified",
    "engine_advice",
    "find_engine",
    "verify",
]
