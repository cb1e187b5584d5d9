"""Symbolic batch: static exports at several batch sizes become one graph for any of them."""

from rml_export.symbolic.batches import batched_inputs, probe_batches, with_batch
from rml_export.symbolic.generalize import MAX_ROWS, generalize
from rml_export.symbolic.rows import mark_rows

__all__ = ["MAX_ROWS", "batched_inputs", "generalize", "mark_rows", "probe_batches", "with_batch"]
