"""The functions that recurrent operators name as text, with their alphas and betas."""

from collections.abc import Callable

from rml_export.from_onnx.call import Call
from rml_export.graph import Value

Activation = Callable[[Value], Value]
_DEFAULTS: dict[str, tuple[float | None, float | None]] = {  # alpha, beta; None: the function has no such number
    "affine": (1.0, 0.0),
    "elu": (1.0, None),
    "hardsigmoid": (0.2, 0.5),
    "leakyrelu": (0.01, None),
    "relu": (None, None),
    "scaledtanh": (1.0, 1.0),
    "sigmoid": (None, None),
    "softplus": (None, None),
    "softsign": (None, None),
    "tanh": (None, None),
    "thresholdedrelu": (1.0, None),
}


def activations(c: Call, defaults: list[str], directions: int) -> list[list[Activation]]:
    """For each direction its functions, each behind a bound by `clip`. Alphas and betas stand in their order."""
    names = [name.decode() if isinstance(name, bytes) else name for name in c.attr("activations", [])]
    names = names or defaults * directions
    if len(names) != len(defaults) * directions:
        raise c.refuse(f"{len(names)} activations; expected {len(defaults) * directions}")
    alphas, betas = iter(c.attr("activation_alpha", [])), iter(c.attr("activation_beta", []))
    clip = c.attr("clip")
    count, found = len(defaults), []
    for position, name in enumerate(map(str.lower, names)):
        if name not in _DEFAULTS:
            raise c.refuse(f"the activation {names[position]}")
        alpha, beta = _DEFAULTS[name]
        numbers = (
            next(alphas, alpha) if alpha is not None else 0.0,
            next(betas, beta) if beta is not None else 0.0,
        )
        is_of_gate = position % count < 2  # ONNX Runtime does not bound the cell that the LSTM's third one takes
        found.append(bounded(c, name, *numbers, clip if is_of_gate else None))
    return [found[first : first + count] for first in range(0, len(found), count)]


def bounded(c: Call, name: str, alpha: float, beta: float, clip: float | None) -> Activation:
    def apply(x: Value) -> Value:
        inside = x if clip is None else c("clamp", x, min=-float(clip), max=float(clip))
        return activation(c, name, inside, float(alpha), float(beta))

    return apply


def activation(c: Call, name: str, x: Value, alpha: float, beta: float) -> Value:
    if name in ("tanh", "sigmoid", "relu"):
        return c(name, x)
    zero, one = c.number(0), c.number(1)
    if name == "affine":
        return c("add", c("mul", x, c.number(alpha)), c.number(beta))
    if name == "scaledtanh":
        return c("mul", c("tanh", c("mul", x, c.number(beta))), c.number(alpha))
    if name == "hardsigmoid":
        return c("clamp", c("add", c("mul", x, c.number(alpha)), c.number(beta)), min=0.0, max=1.0)
    if name == "leakyrelu":
        return c("where", c("lt", x, zero), c("mul", x, c.number(alpha)), x)
    if name == "thresholdedrelu":
        return c("where", c("gt", x, c.number(alpha)), x, zero)
    if name == "softsign":
        return c("div", x, c("add", c("abs", x), one))
    if name == "elu":
        return c("where", c("lt", x, zero), c("mul", c("sub", c("exp", x), one), c.number(alpha)), x)
    return c("add", c("relu", x), c("log", c("add", c("exp", c("neg", c("abs", x))), one)))  # softplus


def split(c: Call, x: Value, count: int) -> list[Value]:
    """Equal parts along the last axis."""
    axis, size = x.rank - 1, x.shape[-1] // count
    return [c("slice", x, axes=(axis,), starts=(k * size,), ends=((k + 1) * size,), steps=(1,)) for k in range(count)]
