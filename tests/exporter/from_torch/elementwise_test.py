"""Arithmetic, comparisons, logic, casts and activations against torch, special values included."""

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from tests.exporter.from_torch.lower import SPECIAL, check, integers, module_of, numbers

UNARY = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "erf": torch.erf,
    "relu": F.relu,
    "relu6": F.relu6,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "elu": lambda x: F.elu(x, 1.5),
    "selu": F.selu,
    "celu": lambda x: F.celu(x, 2.0),
    "softplus": F.softplus,
    "softplus_beta": lambda x: F.softplus(x, beta=2.0, threshold=10.0),
    "mish": F.mish,
    "logsigmoid": F.logsigmoid,
    "hardtanh": lambda x: F.hardtanh(x, -0.5, 2.0),
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
    "threshold": lambda x: F.threshold(x, 0.5, -1.0),
    "log1p": torch.log1p,
    "erfc": torch.erfc,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "round": torch.round,
    "trunc": torch.trunc,
    "frac": torch.frac,
    "remainder_of_number": lambda x: x % 0.75,
    "expm1": torch.expm1,
    "log2": torch.log2,
    "log10": torch.log10,
    "exp2": torch.exp2,
    "square": torch.square,
    "sign": torch.sign,
    "pow2": lambda x: x**2,
    "pow3": lambda x: x**3,
    "pow_half": lambda x: x**0.5,
    "pow_minus_1": lambda x: x**-1,
    "pow_2.5": lambda x: x**2.5,
    "pow_-2": lambda x: x**-2.0,
    "scalar_pow": lambda x: 2.0**x,
    "clamp": lambda x: x.clamp(-0.5, 0.5),
    "clamp_min": lambda x: x.clamp(min=0.25),
    "clamp_max": lambda x: x.clamp(max=0.25),
    "clamp_crossed": lambda x: x.clamp(1.0, -1.0),
    "clamp_infinite": lambda x: x.clamp(-torch.inf, 1.0),
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
    "nan_to_num": torch.nan_to_num,
    "rsub": lambda x: 2 - x,
    "rdiv": lambda x: 2 / x,
    "add_scalar": lambda x: x + 1,
    "to_bool": lambda x: x.bool(),
    "to_double": lambda x: x.double() * 2,
    "to_half_type": lambda x: x.to(torch.float32),
    "logical_not": torch.logical_not,
    "x_plus_0": lambda x: x + 0.0,
    "x_times_0": lambda x: x * 0.0,
    "x_minus_x": lambda x: x - x,
    "glu": lambda x: F.glu(torch.cat([x, x * 2], -1)),
    "where_nan": lambda x: torch.where(x > 0, x, torch.zeros(())),
    "masked_fill": lambda x: x.masked_fill(x > 0.5, -torch.inf),
    "dropout": torch.nn.Dropout(0.5),
    "lerp": lambda x: torch.lerp(x, x * 2, 0.25),
    "addcmul": lambda x: torch.addcmul(x, x, x, value=0.5),
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    check(UNARY[name], numbers(2, 15), others=[(torch.stack([SPECIAL, SPECIAL * 0.01]),)])


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(approximate):
    check(lambda x: F.gelu(x, approximate=approximate), numbers(40, low=-6), others=[(numbers(40, seed=1),)])


def test_silu():
    check(F.silu, numbers(40, low=-6))


BINARY = {
    "add": torch.add,
    "add_alpha": lambda a, b: torch.add(a, b, alpha=0.5),
    "sub": torch.sub,
    "sub_alpha": lambda a, b: torch.sub(a, b, alpha=2),
    "mul": torch.mul,
    "div": torch.div,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "pow": torch.pow,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "where": lambda a, b: torch.where(a > b, a, b),
    "clamp_tensor": lambda a, b: torch.clamp(a, b, b + 1),
    "prelu_like": lambda a, b: torch.where(a > 0, a, a * b),
    "logical_and": lambda a, b: (a > 0) & (b > 0),
    "logical_or": lambda a, b: (a > 0) | (b > 0),
    "logical_xor": lambda a, b: (a > 0) ^ (b > 0),
    "logical_and_of_numbers": torch.logical_and,
    "bool_times_float": lambda a, b: (a > 0) * b,
    "sum_of_bools": lambda a, b: (a > 0).int() + (b > 0).int(),
    "float_and_int": lambda a, b: a + (b > 0).long(),
    "not": lambda a, b: ~(a > b),
    "fmod": torch.fmod,
    "remainder": torch.remainder,
    "floor_divide": torch.floor_divide,
    "trunc_divide": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    a, b = SPECIAL[:, None], SPECIAL[None, :]
    check(BINARY[name], numbers(15, 1), numbers(1, 15, seed=1), others=[(a, b), (a.clone() * 0, b)])


INTEGER = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "neg": lambda a, b: -a,
    "abs": lambda a, b: a.abs(),
    "floor_divide": lambda a, b: a // b,
    "trunc_divide": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "true_divide": lambda a, b: a / b,
    "remainder": lambda a, b: a % b,
    "fmod": torch.fmod,
    "rounded": lambda a, b: (a.floor(), a.ceil(), a.round(), a.trunc()),
    "maximum": torch.maximum,
    "eq": torch.eq,
    "lt_float": lambda a, b: a < 2.5,
    "clamp": lambda a, b: a.clamp(-2, 3),
    "clamp_float": lambda a, b: a.clamp(-2.5, 3.5),
    "square": lambda a, b: a**2,
    "to_float": lambda a, b: a.float() * 0.5,
    "where": lambda a, b: torch.where(a > b, a, b),
    "sign": lambda a, b: torch.sign(a),
    "exp": lambda a, b: torch.exp(a),
    "times_float": lambda a, b: a * 1.5,
}


@pytest.mark.parametrize("name", INTEGER)
def test_integers(name):
    divisors = torch.tensor([1, -1, 2, -2, 3, -3, 7, -7], dtype=torch.int64)
    check(INTEGER[name], integers(8, 8), divisors)
    check(INTEGER[name], integers(8, 8).int(), divisors.int())


def test_casts_truncate():
    check(lambda x: x.long(), torch.tensor([2.7, -2.7, 0.5, -0.5, 100.0]))


def test_half_inputs_are_f32():
    check(lambda x: x.float() + 1, numbers(4).half())


def test_module_has_no_node_left_for_dropout():
    export = check(module_of(torch.nn.Sequential(torch.nn.Dropout(), torch.nn.ReLU())), numbers(3))
    assert [node.op for node in export.graph.nodes] == ["relu"]
