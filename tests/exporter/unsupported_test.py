from rml_export.unsupported import Unsupported, describe


def test_one_text_per_op_and_reason_in_the_order_met():
    found = [
        Unsupported("aten.fft", "rml-graph has no op for it", "at model.py:3"),
        Unsupported("aten.rand", "its result is random"),
        Unsupported("aten.fft", "rml-graph has no op for it", "at model.py:9"),
        Unsupported("aten.fft", "of a scalar", "in module 'a' at model.py:5"),
    ]
    assert describe(found) == [
        "unsupported op aten.fft: rml-graph has no op for it at model.py:3 (and 1 more)",
        "unsupported op aten.rand: its result is random",
        "unsupported op aten.fft: of a scalar in module 'a' at model.py:5",
    ]


def test_kinds_are_named_as_the_framework_does():
    assert describe([Unsupported("fft", "why")], "primitive") == ["unsupported primitive fft: why"]


def test_nothing_gives_nothing():
    assert describe([]) == []
