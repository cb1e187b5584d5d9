"""The StableHLO importer: one way in for every framework, and for modules that users have as files."""

from rml_export.from_stablehlo.export import StablehloModel, export_stablehlo, lower_stablehlo
from rml_export.from_stablehlo.front_end import through_stablehlo

__all__ = ["StablehloModel", "export_stablehlo", "lower_stablehlo", "through_stablehlo"]
