"""Our safetensors reader against the official one: both take or refuse each of many damaged files."""

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
# What the official reader lets through and ours refuses on purpose (engine/graph/safetensors.h).
STRICTER = ("given twice", "is no object", "has no string 'dtype'")
SEED = 20260101


def file_of(header: str | bytes, data: bytes = b"") -> bytes:
    text = header.encode() if isinstance(header, str) else header
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype: str, shape: list, offsets: list, **extra: object) -> dict:
    return {**extra, "dtype": dtype, "shape": shape, "data_offsets": offsets}


SOUND = [
    file_of("{}"),
    file_of(' \n{"__metadata__":{"atol":"1e-4","é":"ü"}} '),
    file_of(json.dumps({"w": entry("F32", [2, 3], [0, 24]), "b": entry("I32", [], [24, 28])}), bytes(28)),
    file_of(json.dumps({"b": entry("BF16", [3], [4, 10]), "a": entry("F4", [8], [0, 4], x=[1, 2.5])}), bytes(10)),
    file_of(json.dumps({"e": entry("U64", [0, 7], [0, 0]), "c": entry("BOOL", [5], [0, 5])}), bytes(5)),
    file_of(json.dumps({f"t{i}": entry("U8", [1], [i, i + 1]) for i in range(12)}), bytes(12)),
]

NUMBERS = [*range(5), 8, 24, 28, -1, -0.0, 1.0, 2**32, 2**61, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 1e30]
OTHER = [None, True, "F32", "", [], {}, [[]], {"F32": None}, "F8_E4M3", "f32", "I4", [0, 4], ["F32", [1], [0, 4]]]


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


def change_header(rng: random.Random, file: bytes) -> bytes:
    """Replaces, adds or removes one part of the header's JSON, the rest staying sound."""
    size = struct.unpack_from("<Q", file)[0]
    header = json.loads(file[8 : 8 + size])
    place: object = header
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = rng.choice([*keys, "new" if isinstance(place, dict) else None])
        inner = place[key] if key in keys else None
        if isinstance(inner, (dict, list)) and rng.random() < 0.8:
            place = inner
            continue
        replacement = rng.choice(rng.choice((NUMBERS, OTHER)))
        if key is None:
            place.append(replacement)
        elif inner is not None and rng.random() < 0.2:
            del place[key]
        else:
            place[key] = replacement
        return file_of(json.dumps(header, ensure_ascii=rng.random() < 0.5), file[8 + size :])


MUTATIONS = (flip_bytes, cut_or_grow, resize_header, change_header, change_header)


def reference_takes(file: bytes) -> bool:
    try:
        safetensors.deserialize(file)
    except safetensors.SafetensorError:
        return False
    return True


def verdicts(files: list[bytes]) -> list[str]:
    assert VERDICTS.exists(), "build the C++ tests first, or say where they are by RML_BIN_DIR"
    stream = b"".join(struct.pack("<Q", len(file)) + file for file in files)
    lines = subprocess.run([VERDICTS], input=stream, check=True, capture_output=True, timeout=120).stdout
    return lines.decode().splitlines()


def test_sound_files_are_taken():
    assert all(map(reference_takes, SOUND))
    assert [line.split()[0] for line in verdicts(SOUND)] == ["ok"] * len(SOUND)


@pytest.mark.parametrize("mutate", dict.fromkeys(MUTATIONS), ids=lambda mutate: mutate.__name__)
def test_damaged_files_get_the_same_answer(mutate):
    rng = random.Random(SEED)
    files = [mutate(rng, rng.choice(SOUND)) for _ in range(10_000)]
    ours = verdicts(files)
    assert len(ours) == len(files)
    wrong = []
    taken = 0
    for file, verdict in zip(files, ours, strict=True):
        reference = reference_takes(file)
        taken += reference
        deliberate = reference and any(reason in verdict for reason in STRICTER)
        if verdict.startswith("ok") != reference and not deliberate:
            wrong.append((file, reference, verdict))
    assert not wrong, f"seed {SEED}: {len(wrong)} answers differ, first {wrong[:3]}"
    assert 0.01 < taken / len(files) < 0.9, "the mutation tests one answer only"
