"""`rml-export zoo`: what it writes for which routes, and how it goes on."""

import re

from rml_export import ExportError
from rml_export.command_line import main
from rml_export.commands import zoo_command
from rml_export.reader import read_graph
from rml_export.zoo import MODELS, NEIGHBOURS


def test_zoo(tmp_path, capsys):
    assert main(["zoo", "--out", str(tmp_path), "--batch", "1,3,1", "--static", "mlp", "mlp"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlp_b1", "mlp_b3"]
    assert read_graph(tmp_path / "mlp_b3" / "1" / "model").inputs[0].shape == (3, 12)
    assert "[2/2]" in (text := capsys.readouterr().out) and "8 nodes" in text


def test_zoo_by_several_routes(tmp_path):
    assert main(["zoo", "--out", str(tmp_path), "--route", "torch,jax", "--batch", "1,3", "mlp"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "jax_mlp_b1",
        "jax_mlp_b3",
        "torch_mlp_b1",
        "torch_mlp_b3",
    ]


def test_zoo_neighbours(tmp_path, capsys, monkeypatch):
    """Their name stands for all of them; without it they stay out."""
    asked = []
    monkeypatch.setattr(zoo_command, "export_job", lambda job, options, path: asked.append(job.model) or "")
    assert main(["zoo", "--out", str(tmp_path), "--size", "bench", "mlp", "neighbours", "resnet"]) == 0
    assert asked == ["mlp", *NEIGHBOURS]
    asked.clear()
    assert main(["zoo", "--out", str(tmp_path)]) == 0
    assert asked == list(MODELS)
    assert main(["zoo", "--out", str(tmp_path), "resnot"]) != 0
    assert "no model named resnot" in capsys.readouterr().err


def test_zoo_resumes(tmp_path, capsys):
    arguments = ["zoo", "--out", str(tmp_path), "--route", "jax"]
    assert main([*arguments, "mlp"]) == 0
    assert main([*arguments, "--resume", "mlp", "gcn"]) == 0
    text = capsys.readouterr().out
    assert f"[1/2] {tmp_path / 'mlp' / '1'}: done before" in text
    assert re.search(re.escape(f"[2/2] {tmp_path / 'gcn' / '1'}: 7 nodes, ") + r"[\d.]+ KiB, \d+\.\d s\n", text)
    (tmp_path / "gcn" / "1" / "model.safetensors").unlink()
    for options in (["--batch", "3", "mlp"], ["--static", "mlp"], ["--size", "bench", "mlp"], ["gcn"]):
        assert main([*arguments, "--resume", *options]) == 0
        assert "done before" not in capsys.readouterr().out


def test_zoo_goes_on_after_a_model_that_cannot_be_exported(tmp_path, capsys, monkeypatch):
    right = zoo_command.export_zoo

    def export(route, model, *arguments, **options):
        if model == "mlp":
            raise ExportError(["the first", "the second"])
        return right(route, model, *arguments, **options)

    monkeypatch.setattr(zoo_command, "export_zoo", export)
    assert main(["zoo", "--out", str(tmp_path), "--route", "jax", "mlp", "gcn"]) == 1
    text = capsys.readouterr()
    assert "mlp/1: FAILED" in text.out and "gcn/1: 7 nodes" in text.out
    assert "1 of 2 models exported" in text.err and "mlp: 2 problems" in text.err
