"""The examples of the StableHLO specification (https://openxla.org/stablehlo/spec) for the operations that the importer
takes: inputs and results are the specification's numbers, the modules are written here.

Integer products, convolutions and windows are computed in f32, where the engine has them; 64-bit types are the graph's
32-bit ones. Positions and shapes that the importer must know are constants of the module.
"""

from dataclasses import dataclass
from typing import Any

from tests.exporter.from_stablehlo.lower import main

NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True)
class SpecCase:
    """arguments: "%x: tensor<2xf32>, %y: ..."; results: types between ";"; body: lines, the last being what returns."""

    arguments: str
    results: str
    body: str
    inputs: list[Any]
    outputs: list[Any]
    refused: str = ""  # a part of the error, where the importer does not take the example

    def text(self) -> str:
        return main(self.body, self.arguments, self.results)


def unary(op: str, kind: str, x: list, result: list, to: str = "") -> SpecCase:
    to = to or kind
    signature = f"(tensor<{kind}>) -> tensor<{to}>" if to != kind else f"tensor<{kind}>"
    body = f"%0 = stablehlo.{op} %x : {signature}\n%0"
    return SpecCase(f"%x: tensor<{kind}>", f"tensor<{to}>", body, [x], [result])


def binary(op: str, kind: str, x: list, y: list, result: list) -> SpecCase:
    body = f"%0 = stablehlo.{op} %x, %y : tensor<{kind}>\n%0"
    return SpecCase(f"%x: tensor<{kind}>, %y: tensor<{kind}>", f"tensor<{kind}>", body, [x, y], [result])


UNARY = {
    "abs": unary("abs", "3xi32", [-2, 0, 2], [2, 0, 2]),
    "ceil": unary("ceil", "5xf32", [-0.8166, -0.253, 0.253, 0.8166, 2.0], [-0.0, -0.0, 1.0, 1.0, 2.0]),
    "cosine": unary("cosine", "2x2xf32", [[0, 1.57079632], [3.14159265, 4.71238898]], [[1, 0], [-1, 0]]),
    "exponential": unary(
        "exponential", "2x2xf64", [[0, 1], [2, 3]], [[1, 2.718281828459045], [7.38905609893065, 20.085536923187668]]
    ),
    "exponential_minus_one": unary("exponential_minus_one", "2xf32", [0, 1], [0, 1.71828187]),
    "floor": unary("floor", "5xf32", [-0.8166, -0.253, 0.253, 0.8166, 2.0], [-1, -1, 0, 0, 2]),
    "is_finite": unary("is_finite", "7xf64", [-INF, INF, NAN, -10, -0.0, 0, 10], [0, 0, 0, 1, 1, 1, 1], "7xi1"),
    "log": unary(
        "log", "2x2xf64", [[1, 2], [3, 4]], [[0, 0.6931471805599453], [1.0986122886681098, 1.3862943611198906]]
    ),
    "log_plus_one": unary(
        "log_plus_one", "5xf64", [0, -0.999, 7, 6.38905621, 15], [0, -6.90776825, 2.07944155, 2, 2.77258873]
    ),
    "logistic": unary("logistic", "2x2xf64", [[0, 1], [2, 3]], [[0.5, 0.73105858], [0.88079708, 0.95257413]]),
    "negate": unary("negate", "2xi32", [0, -2], [0, 2]),
    "not_of_booleans": unary("not", "2xi1", [1, 0], [0, 1]),
    "round_nearest_afz": unary("round_nearest_afz", "5xf64", [-2.5, 0.4, 0.5, 0.6, 2.5], [-3, 0, 1, 1, 3]),
    "round_nearest_even": unary("round_nearest_even", "5xf64", [-2.5, 0.4, 0.5, 0.6, 2.5], [-2, 0, 0, 1, 2]),
    "rsqrt": unary("rsqrt", "2x2xf32", [[1, 4], [9, 25]], [[1, 0.5], [0.33333343, 0.2]]),
    "sign": unary("sign", "5xf64", [NAN, -1, -0.0, 0, 1], [NAN, -1, -0.0, 0, 1]),
    "sine": unary("sine", "2x2xf32", [[0, 1.57079632], [3.14159265, 4.71238898]], [[0, 1], [0, -1]]),
    "sqrt": unary("sqrt", "2x2xf32", [[0, 1], [4, 9]], [[0, 1], [2, 3]]),
    "tanh": unary("tanh", "3xf32", [-1, 0, 1], [-0.76159416, 0, 0.76159416]),
    "convert": unary("convert", "3xi32", [1, 2, 3], [1, 2, 3], "3xf32"),
    "reshape": unary("reshape", "2x3xi32", [[1, 2, 3], [4, 5, 6]], [[1, 2], [3, 4], [5, 6]], "3x2xi32"),
}
_ANY = [[0, 0], [1, 1]], [[0, 1], [0, 1]]
BINARY = {
    "add": binary("add", "2x2xi32", [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[6, 8], [10, 12]]),
    "and_of_booleans": binary("and", "2x2xi1", *_ANY, [[0, 0], [0, 1]]),
    "divide": binary(
        "divide",
        "4xf32",
        [17, -17, 17, -17],  # the specification has 17.1 and the results of 17
        [3, 3, -3, -3],
        [5.66666651, -5.66666651, -5.66666651, 5.66666651],
    ),
    "maximum": binary("maximum", "2x2xi32", [[1, 2], [7, 8]], [[5, 6], [3, 4]], [[5, 6], [7, 8]]),
    "minimum": binary("minimum", "2x2xi32", [[1, 2], [7, 8]], [[5, 6], [3, 4]], [[1, 2], [3, 4]]),
    "multiply": binary("multiply", "2x2xi32", [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[5, 12], [21, 32]]),
    "or_of_booleans": binary("or", "2x2xi1", *_ANY, [[0, 1], [1, 1]]),
    "power": binary(
        "power", "6xf64", [-2, -0.0, -36, 5, 3, 10000], [2, 2, 1.1, 2, -1, 10], [4, 0, NAN, 25, 0.333333343, INF]
    ),
    "remainder": binary("remainder", "4xi64", [17, -17, 17, -17], [3, 3, -3, -3], [2, -2, 2, -2]),
    "subtract": binary("subtract", "2x2xf32", [[6, 8], [10, 12]], [[5, 6], [7, 8]], [[1, 2], [3, 4]]),
    "xor_of_booleans": binary("xor", "2x2xi1", *_ANY, [[0, 1], [1, 0]]),
}
