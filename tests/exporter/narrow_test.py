import numpy as np
import pytest
from rml_export import Builder, ExportError
from rml_export.narrow import check_arithmetic, check_conversion


def result_of(op):
    builder = Builder()
    x = builder.input("x", np.ones((2, 3), np.int32))
    attrs = {"axes": (1,)} if op == "reduce_sum" else {}
    value = builder.op(op, x, *([x] if op in ("add", "sub", "maximum") else []), **attrs)
    return builder.op("reshape", value, shape=(value.example.size,))


@pytest.mark.parametrize(
    ("dtype", "op"), [("uint8", "add"), ("int8", "neg"), ("int16", "reduce_sum"), ("uint32", "sub")]
)
def test_arithmetic_that_wraps(dtype, op):
    with pytest.raises(ExportError, match=f"arithmetic of {dtype}, which wraps around"):
        check_arithmetic(dtype, result_of(op))


@pytest.mark.parametrize(
    ("dtype", "op"),
    [("int32", "add"), ("int64", "sub"), ("uint32", "reduce_sum"), ("uint8", "maximum"), ("float16", "add")],
)
def test_arithmetic_that_does_not(dtype, op):
    check_arithmetic(dtype, result_of(op))


@pytest.mark.parametrize(("source", "target"), [("int32", "uint8"), ("uint8", "int8"), ("int64", "uint32")])
def test_conversions_that_lose_bits(source, target):
    with pytest.raises(ExportError, match=f"a conversion from {source} to {target}, which may lose bits"):
        check_conversion(source, target)


@pytest.mark.parametrize(
    ("source", "target"), [("bool", "uint8"), ("uint8", "int16"), ("int64", "int32"), ("float32", "uint8")]
)
def test_conversions_that_do_not(source, target):
    check_conversion(source, target)
