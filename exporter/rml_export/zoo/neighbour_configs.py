"""The zoo's neighbours: nets as users write them, each with what its kind is known for. Sizes as in configs.py.

resnet: strided convolutions, batch norm, residuals with a projection. mobilenet: grouped and depthwise convolutions,
squeeze-and-excite, hardswish. bert: post-norm blocks with a padding mask. gru, bilstm: recurrences, one of them in both
directions. audio_cnn: 1-D convolutions, strided and dilated. tabular: embeddings of columns beside numbers. decoder:
transposed convolutions, with output padding and with groups.
"""

from typing import Any

# The order seeds the weights, after that of the zoo: add new models at the end.
NEIGHBOURS = ("resnet", "mobilenet", "bert", "gru", "bilstm", "audio_cnn", "tabular", "decoder")

_RECURRENT = {
    "tiny": {"seq": 4, "input": 3, "hidden": 4, "classes": 2},
    "bench": {"seq": 64, "input": 64, "hidden": 256, "classes": 10},
}


def _inverted(kernel: int, expanded: int, width: int, squeezed: int, act: str, stride: int, groups: int = 1) -> Any:
    """One block of mobilenet. squeezed: channels inside squeeze-and-excite, 0 for none; groups: of the expansion."""
    return {
        "kernel": kernel,
        "expanded": expanded,
        "width": width,
        "squeezed": squeezed,
        "act": act,
        "stride": stride,
        "groups": groups,
    }


NEIGHBOUR_CONFIGS: dict[str, dict[str, dict[str, Any]]] = {
    "resnet": {
        "tiny": {"side": 16, "image": 3, "stem": 3, "widths": (4, 6), "depths": (1, 1), "classes": 5},
        "bench": {  # ResNet-18
            "side": 224,
            "image": 3,
            "stem": 7,
            "widths": (64, 128, 256, 512),
            "depths": (2, 2, 2, 2),
            "classes": 1000,
        },
    },
    "mobilenet": {
        "tiny": {
            "side": 12,
            "image": 3,
            "stem": 4,
            "blocks": (
                _inverted(3, 4, 4, 2, "relu", 1),
                _inverted(5, 8, 6, 0, "hardswish", 2, groups=2),
                _inverted(3, 12, 6, 4, "hardswish", 1, groups=2),
            ),
            "last": 8,
            "head": 8,
            "classes": 5,
        },
        "bench": {  # the widths of MobileNetV3 small
            "side": 224,
            "image": 3,
            "stem": 16,
            "blocks": (
                _inverted(3, 16, 16, 8, "relu", 2),
                _inverted(3, 72, 24, 0, "relu", 2),
                _inverted(3, 88, 24, 0, "relu", 1),
                _inverted(5, 96, 40, 24, "hardswish", 2, groups=4),
                _inverted(5, 240, 40, 64, "hardswish", 1, groups=4),
                _inverted(5, 240, 40, 64, "hardswish", 1),
                _inverted(5, 120, 48, 32, "hardswish", 1),
                _inverted(5, 144, 48, 40, "hardswish", 1),
                _inverted(5, 288, 96, 72, "hardswish", 2),
                _inverted(5, 576, 96, 144, "hardswish", 1),
                _inverted(5, 576, 96, 144, "hardswish", 1),
            ),
            "last": 576,
            "head": 1024,
            "classes": 1000,
        },
    },
    "bert": {
        "tiny": {"vocab": 11, "kinds": 2, "seq": 5, "dim": 8, "layers": 2, "heads": 2, "hidden": 16, "classes": 3},
        "bench": {
            "vocab": 8192,
            "kinds": 2,
            "seq": 128,
            "dim": 384,
            "layers": 6,
            "heads": 12,
            "hidden": 1536,
            "classes": 3,
        },
    },
    "gru": _RECURRENT,
    "bilstm": _RECURRENT,
    "audio_cnn": {
        "tiny": {"samples": 48, "stem": 8, "widths": (4, 6), "classes": 5},
        "bench": {"samples": 16000, "stem": 80, "widths": (64, 128, 256), "classes": 35},
    },
    "tabular": {
        "tiny": {"cardinalities": (3, 5, 7), "embed": 2, "numbers": 4, "hidden": (8, 6), "classes": 2},
        "bench": {
            "cardinalities": (12, 31, 100, 1000, 5000),
            "embed": 32,
            "numbers": 32,
            "hidden": (512, 256),
            "classes": 2,
        },
    },
    "decoder": {
        "tiny": {"latent": 3, "side": 3, "widths": (6, 4), "image": 2},
        "bench": {"latent": 128, "side": 8, "widths": (256, 128), "image": 3},
    },
}

NEIGHBOUR_OUTPUTS: dict[str, tuple[str, ...]] = {
    "resnet": ("logits",),
    "mobilenet": ("logits",),
    "bert": ("logits", "hidden"),
    "gru": ("logits",),
    "bilstm": ("tags",),
    "audio_cnn": ("log_probabilities",),
    "tabular": ("probability",),
    "decoder": ("image",),
}
