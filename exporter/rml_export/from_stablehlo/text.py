"""Module text that other printers write, as jaxlib's parser reads it.

torch-mlir   keeps large constants apart, as dense_resource<name> with the bytes at the end of the file
TensorFlow   packs eight booleans of a constant into a byte; the parser wants a byte for each
"""

import re
from math import prod

_RESOURCE = re.compile(r"dense_resource<([\w.$-]+)>\s*:\s*(tensor<[^<>]*>)")
_BLOB = re.compile(r'([\w.$-]+|"[^"]*"):\s*"0x([0-9A-Fa-f]*)"')
_BOOLS = re.compile(r'dense<"0x([0-9A-Fa-f]+)">\s*:\s*tensor<((?:\d+x)+)i1>')
_RESOURCES = "{-#"
_ALIGNMENT_DIGITS = 8  # a blob begins with its alignment: four bytes


def clean(text: str) -> str:
    """The text with the constants of dense_resource in place and booleans a byte each."""
    return _BOOLS.sub(_unpacked, _with_resources(text))


def _with_resources(text: str) -> str:
    body, mark, tail = text.partition(_RESOURCES)
    if not mark:
        return text
    blobs = {name.strip('"'): digits[_ALIGNMENT_DIGITS:] for name, digits in _BLOB.findall(tail)}

    def literal(match: re.Match[str]) -> str:
        name, kind = match.groups()
        if name not in blobs:
            return match.group(0)
        digits = blobs[name]
        return f'dense<"0x{digits}"> : {kind}' if digits else f"dense<> : {kind}"

    return _RESOURCE.sub(literal, body)


def _unpacked(match: re.Match[str]) -> str:
    digits, dims = match.groups()
    count = prod(int(dim) for dim in dims.split("x") if dim)
    data = bytes.fromhex(digits)
    if len(data) == count or len(data) != (count + 7) // 8:
        return match.group(0)
    bits = "".join(f"{data[i // 8] >> (i % 8) & 1:02x}" for i in range(count))
    return f'dense<"0x{bits}"> : tensor<{dims}i1>'
