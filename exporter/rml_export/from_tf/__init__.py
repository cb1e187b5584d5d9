"""The TensorFlow front end: a frozen GraphDef, one lowering function per op, checks against TensorFlow's record."""

from rml_export.from_tf.export import TfModel, export_tf, lower_tf

__all__ = ["TfModel", "export_tf", "lower_tf"]
