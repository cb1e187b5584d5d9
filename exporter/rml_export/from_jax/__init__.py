"""The JAX front end: a jaxpr, one lowering function per primitive, checks against JAX's record."""

from rml_export.from_jax.export import JaxModel, export_jax, lower_jax

__all__ = ["JaxModel", "export_jax", "lower_jax"]
