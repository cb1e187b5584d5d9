"""The PyTorch front end: torch.export, one lowering function per ATen op, checks against torch's record."""

from rml_export.from_torch.export import TorchModel, export_torch, lower_torch

__all__ = ["TorchModel", "export_torch", "lower_torch"]
