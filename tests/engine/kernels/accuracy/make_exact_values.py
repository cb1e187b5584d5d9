"""Writes tests/fixtures/exact_values.csv: functions of the op list at f32 arguments, to 30 digits, by mpmath.

mpmath comes with PyTorch. What is held against the file: the f64 functions that kernels are measured by, the C++
reference of the op list, and the exporter's NumPy reference.

Lines are function,x,value or pow,x,y,value; arguments are hexadecimal floats, exact in f32.
"""

import random
import struct
from collections.abc import Callable
from pathlib import Path

from mpmath import mp, mpf, ncdf

mp.dps = 60
PATH = Path(__file__).resolve().parents[3] / "fixtures" / "exact_values.csv"
FUNCTIONS = {
    "exp": mp.exp,
    "log": mp.log,
    "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "square": lambda x: x * x,
    "cube": lambda x: x**3,
    "sin": mp.sin,
    "cos": mp.cos,
    "tanh": mp.tanh,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "erf": mp.erf,
    "gelu": lambda x: x * ncdf(x),
    "gelu_tanh": lambda x: x / (1 + mp.exp(-2 * mp.sqrt(2 / mp.pi) * (x + mpf("0.044715") * x**3))),
}
# Drawn last, so that the others keep their lines.
MORE_FUNCTIONS = {
    "expm1": mp.expm1,
    "log1p": mp.log1p,
    "erfc": mp.erfc,
    "floor": mp.floor,
    "ceil": mp.ceil,
    "round_even": mp.nint,
    "sign": mp.sign,
}
POSITIVE_ONLY = ("log", "sqrt", "rsqrt", "log1p")
# Multiples of pi/2 and numbers far from 0: where reduction goes wrong. Tails: where subtraction from 1 does.
HARD = {
    "exp": [-87.3, 88.7, 1e-7, 0.34657359, -0.34657359],
    "log": [1.0000001, 0.9999999, 1.2e-38, 3.4e38, 0.7071068, 1.4142135],
    "sin": [1.5707964, 3.1415927, 6.2831855, 1e5, 2.62520937e15, 1e22, 3.4e38],
    "cos": [1.5707964, 3.1415927, 4.712389, 1e5, 9.91953226e37, 1e22, 3.4e38],
    "tanh": [-0.559205294, 0.55, 9.0, 1e-6],
    "sigmoid": [-4.84708738, -18.0, -40.0, -87.0, 16.0],
    "erf": [-1.00255489, 0.99, 3.9, 1e-6],
    "expm1": [-17.0, -0.34657359, -0.35, 0.34657359, 0.41, 1.0398, 88.7, 1e-7, -1e-7, 1e-30],
    "log1p": [-0.9999999, -0.5, -0.29289323, -0.29, 1e-7, -1e-7, 0.41421354, 5e-8, 1e-30, 1.7e7, 3.4e38],
    "erfc": [-4.0, -3.0, -0.5, 0.49, 0.5, 1.5, 3.5, 6.25, 9.0, 9.19, 1e-9],
    "floor": [-0.5, 0.5, 8388607.5, -8388607.5, 4194303.5, 1e30, -1e-30],
    "ceil": [-0.5, 0.5, 8388607.5, -8388607.5, 4194303.5, 1e30, 1e-30],
    "round_even": [-0.5, 0.5, 1.5, 2.5, -2.5, 8388607.5, 4194303.5, 4194304.5, 0.49999997, 1e30],
    "gelu": [-4.0, -5.5, -7.25, -8.8, -9.99, -10.0, 5.4, 30.0],
    "gelu_tanh": [-4.0, -5.5, -7.25, -8.8, -9.99, -10.0, 4.9, 30.0],
}
POW_HARD = [(1.0000001, 7e8), (0.9999999, -7e8), (-3.0, 7.0), (-2.5, -9.0), (2.0, -125.5), (10.0, 38.5), (1e-20, 1.85)]


def f32(x: float) -> float:
    return struct.unpack("f", struct.pack("f", x))[0]


def arguments(name: str, draw: random.Random) -> list[float]:
    near = [draw.uniform(-1, 1) * scale for scale in (0.01, 0.5, 1, 2, 4, 8) for _ in range(4)]
    far = [draw.choice((-1, 1)) * 2 ** draw.uniform(-100, 100) for _ in range(8)]
    numbers = near + (far if name in ("log", "sqrt", "rsqrt", "reciprocal", "sin", "cos") else [])
    if name in POSITIVE_ONLY:
        numbers = [abs(x) for x in numbers]
    return [f32(x) for x in numbers + HARD.get(name, [])]


def pow_arguments(draw: random.Random) -> list[tuple[float, float]]:
    pairs = [(draw.uniform(0.01, 20), draw.uniform(-25, 25)) for _ in range(24)]
    pairs += [(draw.uniform(-9, 9), float(draw.randint(-30, 30))) for _ in range(8)]
    return [(f32(x), f32(y)) for x, y in pairs + POW_HARD]


def lines_of(functions: dict[str, Callable[[mpf], mpf]], draw: random.Random) -> list[str]:
    return [
        f"{name},{x.hex()},{mp.nstr(function(mpf(x)), 30)}"
        for name, function in functions.items()
        for x in arguments(name, draw)
    ]


def main() -> None:
    draw = random.Random(20240229)
    lines: list[str] = []
    lines += lines_of(FUNCTIONS, draw)
    for x, y in pow_arguments(draw):
        lines.append(f"pow,{x.hex()},{y.hex()},{mp.nstr(mp.power(mpf(x), mpf(y)), 30)}")
    lines += lines_of(MORE_FUNCTIONS, draw)
    PATH.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
