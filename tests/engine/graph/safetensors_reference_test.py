"""Our safetensors reader against the official one: of each of many files, sound and damaged, both read the same names,
types, shapes, bytes and metadata, or both refuse it."""

import copy
import json
import os
import random
import struct
import subprocess
from pathlib import Path

import pytest
import safetensors

ROOT = Path(__file__).resolve().parents[3]
VERDICTS = Path(os.environ.get("RML_BIN_DIR", ROOT / "build/release/bin")) / "safetensors_verdicts"
CORPUS = ROOT / "tests/fuzz/safetensors/corpus"
SEED = 20260101


def file_of(header: str | bytes, data: bytes = b"") -> bytes:
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype: object, shape: list, offsets: list, **extra: object) -> dict:
    return {**extra, "dtype": dtype, "shape": shape, "data_offsets": offsets}


def tensor(name: str, dtype: str, shape: list, offsets: list) -> str:
    return f'"{name}":{json.dumps(entry(dtype, shape, offsets))}'


def distinct(count: int) -> bytes:
    return bytes(range(1, count + 1))  # no two ranges of it are equal


SOUND = [
    file_of("{}"),
    file_of(' \n{"__metadata__":{"atol":"1e-4","é":"ü"}} '),
    file_of('{"__metadata__":{"a":"1","a":"2","b":""}}'),
    file_of(json.dumps({"w": entry("F32", [2, 3], [0, 24]), "b": entry("I32", [], [24, 28])}), distinct(28)),
    file_of(json.dumps({"b": entry("BF16", [3], [4, 10]), "a": entry("F4", [8], [0, 4], x=[1, 2.5])}), distinct(10)),
    file_of(json.dumps({"e": entry("U64", [0, 7], [0, 0]), "c": entry("BOOL", [5], [0, 5])}), distinct(5)),
    file_of(json.dumps({f"t{i}": entry("U8", [1], [i, i + 1]) for i in range(12)}), distinct(12)),
    file_of(json.dumps({"l": ["U8", [3], [0, 3]], "o": entry({"I16": None}, [2], [3, 7])}), distinct(7)),
    file_of("{" + tensor("a", "F32", [9], [7, 4]) + "," + tensor("a", "U8", [2, 1], [0, 2]) + "}", distinct(2)),
]

NUMBERS = [*range(5), 8, 24, 28, -1, -0.0, 1.0, 2**32, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 1e30]
OTHER = [
    *(None, True, "F32", "", [], {}, [[]], {"F32": None}, {"U8": {}}, {"U8": None, "F32": None}),
    *("F8_E4M3", "f32", "I4", [0, 4], ["F32", [1], [0, 4]], ["U8", [0], [4, 4], 1], {"a": "b"}),
]


def flip_bytes(rng: random.Random, file: bytes) -> bytes:
    damaged = bytearray(file)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        damaged[rng.randrange(len(damaged))] = rng.choice((rng.randrange(256), *b'{}[]",:0129-.eE \x00'))
    return bytes(damaged)


def cut_or_grow(rng: random.Random, file: bytes) -> bytes:
    at = rng.randrange(len(file) + 1)
    inserted = rng.choice((b"", b" ", b"\x00", b"\xef\xbb\xbf", b"{", b"0", b"\xff", bytes(4)))
    return file[:at] + inserted + file[at + rng.choice((0, 1, 4)) :]


def resize_header(rng: random.Random, file: bytes) -> bytes:
    size = struct.unpack_from("<Q", file)[0]
    near = (size - 1, size + 1, size + 8, len(file) - 8)
    wrong = rng.choice((*near, 0, 2**32, 2**63, 2**64 - 1, 2**64 - 8, 100_000_001))
    return struct.pack("<Q", wrong % 2**64) + file[8:]


class Pairs(list):
    """A JSON object as its pairs, so that keys can be there twice."""


def text_of(value: object, ascii_only: bool) -> str:
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{text_of(key, ascii_only)}:{text_of(item, ascii_only)}" for key, item in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(text_of(item, ascii_only) for item in value) + "]"
    return json.dumps(value, ensure_ascii=ascii_only)


def containers(value: object) -> list[list]:
    """The objects and lists of a document, itself among them."""
    if not isinstance(value, list):
        return []
    inner = [item[1] for item in value] if isinstance(value, Pairs) else value
    return [value, *(container for item in inner for container in containers(item))]


def change_header(rng: random.Random, file: bytes) -> bytes:
    """Replaces, adds, repeats or removes parts of the header's JSON, the rest staying sound."""
    size = struct.unpack_from("<Q", file)[0]
    header = json.loads(file[8 : 8 + size], object_pairs_hook=Pairs)
    for _ in range(rng.choice((1, 1, 1, 2))):
        place = rng.choice(containers(header))
        at = rng.randrange(len(place) + 1)
        new = copy.deepcopy(rng.choice(rng.choice((NUMBERS, OTHER))))
        action = rng.choice(("replace", "replace", "add", "repeat", "remove"))
        if action == "add" or at == len(place):
            place.insert(at, ("new", new) if isinstance(place, Pairs) else new)
        elif action == "replace":
            place[at] = (place[at][0], new) if isinstance(place, Pairs) else new
        elif action == "repeat":
            place.insert(rng.randrange(len(place) + 1), place[at])
        else:
            del place[at]
    return file_of(text_of(header, rng.random() < 0.5), file[8 + size :])


MUTATIONS = (flip_bytes, cut_or_grow, resize_header, change_header)


def reference_verdict(file: bytes, scratch: Path) -> dict | None:
    """What the official reader makes of a file, in the form of safetensors_verdicts; None if it refuses."""
    try:
        tensors = safetensors.deserialize(file)
    except safetensors.SafetensorError:
        return None
    found = {name: [info["dtype"], info["shape"], bytes(info["data"])] for name, info in tensors}
    scratch.write_bytes(file)  # the metadata is shown of files only
    with safetensors.safe_open(scratch, framework="numpy") as opened:
        return {"tensors": found, "metadata": opened.metadata() or {}}


def verdicts(files: list[bytes]) -> list[dict | None]:
    assert VERDICTS.exists(), "build the C++ tests first, or say where they are by RML_BIN_DIR"
    stream = b"".join(struct.pack("<Q", len(file)) + file for file in files)
    lines = subprocess.run([VERDICTS], input=stream, check=True, capture_output=True, timeout=120).stdout
    answers = [json.loads(line) for line in lines.decode().splitlines()]
    assert len(answers) == len(files)
    for file, answer in zip(files, answers, strict=True):
        for info in answer.get("tensors", {}).values():
            begin, end = info[2:]
            info[2:] = [file[begin:end]]
    return [None if "error" in answer else answer for answer in answers]


def compare(files: list[bytes], scratch: Path) -> int:
    """Fails where the readers differ; returns how many files both take."""
    ours = verdicts(files)
    reference = [reference_verdict(file, scratch) for file in files]
    wrong = [(f, r, o) for f, r, o in zip(files, reference, ours, strict=True) if r != o]
    assert not wrong, f"{len(wrong)} answers differ; first (file, reference, ours): {wrong[:3]}"
    return sum(answer is not None for answer in ours)


def test_sound_files_are_taken(tmp_path):
    assert compare(SOUND, tmp_path / "file") == len(SOUND)


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_damaged_files_get_the_same_answer(mutate, tmp_path):
    print("seed", SEED)
    rng = random.Random(SEED)
    files = [mutate(rng, rng.choice(SOUND)) for _ in range(10_000)]
    taken = compare(files, tmp_path / "file")
    assert 0.01 < taken / len(files) < 0.9, "the mutation tests one answer only"


def number_near_the_largest(rng: random.Random) -> str:
    """A number about as large as doubles get, in one of its many spellings."""
    leading = 17976931348623157 + rng.choice((-40, -8, -3, -2, -1, 0, 0, 1))
    digits = str(leading) + str(rng.randrange(10 ** rng.randrange(1, 8)))
    digits += "0" * rng.choice((0, 0, 3, 300))
    point = rng.randrange(1, len(digits) + 1)
    exponent = 309 - point
    if rng.random() < 0.2:
        return "0." + "0" * 5 + digits + f"e{309 + 5}"
    text = digits if point == len(digits) else f"{digits[:point]}.{digits[point:]}"
    return rng.choice(("", "-")) + text + rng.choice(("e", "E+", "e00")) + str(exponent)


def test_numbers_are_too_large_for_both(tmp_path):
    print("seed", SEED)
    rng = random.Random(SEED)
    numbers = ["1.7976931348623158e308", "18446744073709551616.5e289", "0e99999999999", "1e-9999999999", "1e9999999999"]
    numbers += [number_near_the_largest(rng) for _ in range(5_000)]
    files = [file_of('{"a":{"x":' + number + ',"dtype":"U8","shape":[0],"data_offsets":[0,0]}}') for number in numbers]
    taken = compare(files, tmp_path / "file")
    assert 0.1 < taken / len(files) < 0.9, "the numbers test one answer only"


def test_the_fuzzers_corpus_gets_the_same_answer(tmp_path):
    files = [path.read_bytes() for path in sorted(CORPUS.rglob("*.safetensors"))]
    assert compare(files, tmp_path / "file") > 0
