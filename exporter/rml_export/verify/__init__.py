"""Verification of a written graph: framework against engine on random inputs, and the first node that differs."""

from rml_export.verify.runners import ENGINE_ADVICE, EngineRunner, ReferenceRunner, Runner, find_engine
from rml_export.verify.verification import VerificationError, Verified, verify

__all__ = [
    "ENGINE_ADVICE",
    "EngineRunner",
    "ReferenceRunner",
    "Runner",
    "VerificationError",
    "Verified",
    "find_engine",
    "verify",
]
