"""matmul with NumPy's rules: 1-D operands, batch broadcasting, K = 0 gives zeros."""

from collections.abc import Sequence

import numpy as np

from rml_export.graph import Attrs


def _matmul(inputs: Sequence[np.ndarray], attrs: Attrs) -> tuple[np.ndarray, ...]:
    return (np.asarray(np.matmul(*inputs), dtype=np.float32),)


REFERENCE = {"matmul": _matmul}
