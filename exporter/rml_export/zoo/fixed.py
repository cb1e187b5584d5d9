"""Constants of models that are computed, not learnt."""

import numpy as np


def frequencies(count: int) -> np.ndarray:
    """Geometric from 1 down to 1e-4, for timestep embeddings."""
    exponents = np.arange(count) / max(count - 1, 1)
    return np.power(1e-4, exponents).astype(np.float32)


def normalised_adjacency(nodes: int) -> np.ndarray:
    """D^-1/2 (A + I) D^-1/2 of a ring with chords: node i is joined to i + 1 and to 2 i + 1."""
    edges = np.eye(nodes)
    for node in range(nodes):
        for other in ((node + 1) % nodes, (2 * node + 1) % nodes):
            edges[node, other] = edges[other, node] = 1.0
    degrees = edges.sum(axis=1)
    return (edges / np.sqrt(np.outer(degrees, degrees))).astype(np.float32)
