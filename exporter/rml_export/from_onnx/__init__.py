"""The ONNX front end: a model file, one lowering function per operator, checks against ONNX's own shape inference."""

from rml_export.from_onnx.export import OnnxModel, export_onnx, lower_onnx

__all__ = ["OnnxModel", "export_onnx", "lower_onnx"]
