"""The command line: what it writes, says and returns."""

import os
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
from rml_export.command_line import ROUTES, main
from rml_export.dims import BatchMultiple
from rml_export.reader import read_graph
from rml_export.safetensors_file import serialize


def test_torch(models, tmp_path, capsys):
    assert main(["torch", f"{models}:pair", "--out", str(tmp_path / "repo"), "--name", "net", "--version", "3"]) == 0
    folder = tmp_path / "repo" / "net" / "3"
    assert sorted(path.name for path in folder.iterdir()) == ["golden.safetensors", "model.json", "model.safetensors"]
    text = capsys.readouterr().out
    for part in (
        "nodes    3: add 1, matmul 1, softmax 1",
        "input    'input' f32[B, 4]",
        "2 constants, 15 elements",
        "batch    any (B) from 1 to 65536; each row of the outputs depends on its own row of the inputs alone",
        "golden.safetensors (the outputs of torch 2.13.0)",
        "passes",
    ):
        assert part in text


def test_jax(jax_models, tmp_path, capsys):
    arguments = ["--path", str(tmp_path / "net"), "--output-name", "y"]
    assert main(["jax", f"{jax_models}:made", *arguments]) == 0
    assert "nodes    2: matmul 1, maximum 1" in capsys.readouterr().out
    assert main(["jax", f"{jax_models}:alone", *arguments, "--input", "x=f32[3, 4]", "--static"]) == 0
    assert "batch    fixed: as --static asks" in capsys.readouterr().out
    assert main(["jax", f"{jax_models}:of_a_class", "--path", str(tmp_path / "other")]) == 0
    graph = read_graph(tmp_path / "net")
    assert [(value.name, value.shape) for value in graph.inputs] == [("x", (3, 4))]
    assert [output.name for output in graph.outputs] == ["y"]


def test_tf(tf_models, tmp_path, capsys):
    arguments = ["--path", str(tmp_path / "net")]
    assert main(["tf", f"{tf_models}:alone", *arguments, "--input", "x=f32[3, 4]", "--output-name", "y"]) == 0
    assert "nodes    2: matmul 1, relu 1" in capsys.readouterr().out
    graph = read_graph(tmp_path / "net")
    assert [value.name for value in graph.inputs] == ["x"] and [output.name for output in graph.outputs] == ["y"]
    assert main(["tf", f"{tf_models}:by_keyword", *arguments]) == 0
    assert [value.name for value in read_graph(tmp_path / "net").inputs] == ["left", "right"]


def test_what_cannot_be_exported_from_tf(tf_models, tmp_path, capsys):
    assert main(["tf", f"{tf_models}:bad", "--out", str(tmp_path / "repo")]) == 1
    text = capsys.readouterr().err
    assert "2 problems" in text and "unsupported op Lgamma" in text and "unsupported op Digamma" in text
    assert "at tf_nets.py:12" in text
    assert not (tmp_path / "repo").exists()


def test_jax_through_stablehlo(jax_models, tmp_path, capsys):
    assert main(["jax", f"{jax_models}:made", "--path", str(tmp_path / "net"), "--via", "stablehlo"]) == 0
    text = capsys.readouterr().out
    assert "via StableHLO" in text and "nodes    2: matmul 1, maximum 1" in text and "batch    any (B)" in text


MODULE = """module @net {
  func.func public @main(%w: tensor<4x3xf32>, %i: tensor<2xi32>, %x: tensor<2x4xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x3xf32>
    return %3 : tensor<2x3xf32>
  }
}
"""


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_stablehlo(kind, tmp_path, capsys):
    (tmp_path / "net.mlir").write_text(MODULE)
    params = {"dense.weight": np.arange(12, dtype=np.float32).reshape(4, 3)}
    if kind == "npz":
        np.savez(tmp_path / "w.npz", **params)
    else:
        (tmp_path / "w.safetensors").write_bytes(serialize(params))
    arguments = ["stablehlo", str(tmp_path / "net.mlir"), "--out", str(tmp_path / "repo")]
    assert main([*arguments, "--params", str(tmp_path / f"w.{kind}"), "--output-name", "y"]) == 0
    assert "batch    fixed: a module's shapes are" in capsys.readouterr().out
    graph = read_graph(tmp_path / "repo" / "net" / "1" / "model")
    assert [value.shape for value in graph.inputs] == [(2,), (2, 4)]
    assert main([*arguments, "--input", "w=f32[4,3]", "--input", "i=i32[2]<9", "--input", "x=f32[2,4]"]) == 0
    assert [value.name for value in read_graph(tmp_path / "repo" / "net" / "1" / "model").inputs] == ["w", "i", "x"]


ONNX = """<ir_version: 10, opset_import: ["": 21]>
net (float[batch, seq, 4] x, int64[batch, M] ids) => (float[batch, seq, 3] y)
<float[4, 3] w = {0,1,2,3,4,5,6,7,8,9,10,11}>
{ a = MatMul (x, w)  b = ReduceSum (ids)  c = CastLike (b, a)  y = Add (a, c) }
"""


def test_onnx(tmp_path, capsys):
    import onnx

    onnx.save(onnx.parser.parse_model(ONNX), tmp_path / "net.onnx")
    arguments = ["onnx", str(tmp_path / "net.onnx"), "-o", str(tmp_path / "repo")]
    assert main(arguments) == 1
    text = capsys.readouterr().err
    assert "2 problems" in text and "dim 'seq' (axis 1 of 'x') is open: fix its size, --dim seq=SIZE" in text
    sizes = ["--dim", "seq=5", "--input", "ids=i32[3,2]<9"]
    assert main([*arguments, *sizes, "--verify-with", "reference", "--runtime", "reference"]) == 0
    text = capsys.readouterr().out
    for part in ("(the outputs of onnx 1.", "batch    any (B)", "rows of 'y' depend on other rows", "verified"):
        assert part in text
    graph = read_graph(tmp_path / "repo" / "net" / "1" / "model")
    assert [(value.name, value.shape) for value in graph.inputs] == [
        ("x", (BatchMultiple(1), 5, 4)),
        ("ids", (BatchMultiple(1), 2)),
    ]
    assert main([*arguments, *sizes[:2], "--dim", "M=1", "--dim", "batch=3", "--output-name", "sum"]) == 0
    assert "batch    fixed: no input has an axis 0 that could be open" in capsys.readouterr().out


@pytest.mark.parametrize("route", [route.name for route in ROUTES])
def test_the_example_of_the_help_can_be_copied(route, tmp_path, capsys, monkeypatch):
    with pytest.raises(SystemExit):
        main([route, "--help"])
    text = capsys.readouterr().out
    code = re.search(r"\n  # tiny.py\n((?:  .*\n)+)", text)[1]
    (tmp_path / "tiny.py").write_text("".join(line[2:] for line in code.splitlines(keepends=True)))
    command = re.search(r"\$ rml-export (.*)", text)[1]
    monkeypatch.chdir(tmp_path)
    if "$ python tiny.py" in text:
        runpy.run_path("tiny.py")
    assert main(command.split()) == 0
    assert len(list((tmp_path / "models").glob("*/1/golden.safetensors"))) == 1


@pytest.mark.parametrize(
    ("route", "arguments", "extra"),
    [
        *((route, [], route.name) for route in ROUTES),
        *(
            (route, ["--via", "stablehlo"], f"{route.name}-stablehlo")
            for route in ROUTES
            if route.ways.get("stablehlo")
        ),
    ],
    ids=lambda item: getattr(item, "name", str(item)),
)
def test_a_framework_that_is_not_installed(route, arguments, extra, tmp_path, capsys, monkeypatch):
    for package in route.ways["stablehlo"] if arguments else route.packages:
        monkeypatch.setitem(sys.modules, package, None)
    assert main([route.name, str(tmp_path / "none.py:make"), *arguments]) == 2
    assert f"not installed; say: pip install './exporter[{extra}]'" in capsys.readouterr().err


def test_inputs_from_the_command_line(models, tmp_path):
    arguments = ["torch", f"{models}:alone", "--path", str(tmp_path / "net"), "--input", "ids=i32[2, 3]<5"]
    assert main([*arguments, "--output-name", "vectors", "--verbose"]) == 0
    graph = read_graph(tmp_path / "net")
    assert [value.name for value in graph.inputs] == ["ids"]
    assert [(output.name, output.value.shape) for output in graph.outputs] == [("vectors", (BatchMultiple(1), 3, 2))]


def test_what_cannot_be_exported(models, tmp_path, capsys):
    assert main(["torch", f"{models}:bad", "--out", str(tmp_path / "repo")]) == 1
    text = capsys.readouterr().err
    assert "2 problems" in text and "aten.cummax.default" in text and "aten.lgamma.default" in text
    assert not (tmp_path / "repo").exists()


def test_what_cannot_be_exported_from_jax(jax_models, tmp_path, capsys):
    assert main(["jax", f"{jax_models}:bad", "--out", str(tmp_path / "repo")]) == 1
    text = capsys.readouterr().err
    assert "unsupported primitive fft" in text and "at jax_nets.py:11" in text
    assert not (tmp_path / "repo").exists()


def test_a_place_that_cannot_be_written(models, capsys):
    assert main(["torch", f"{models}:pair", "--out", str(models)]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_an_interrupt_is_no_traceback(models, capsys):
    assert main(["torch", f"{models}:interrupted"]) == 130
    assert capsys.readouterr().err == "rml-export: interrupted\n"


def test_an_engine_that_is_not_there(models, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RML_GRAPH_RUN", str(tmp_path / "none"))
    assert main(["torch", f"{models}:pair", "--verify"]) == 2
    assert f"RML_GRAPH_RUN names '{tmp_path}/none', which is no file" in capsys.readouterr().err
    monkeypatch.setenv("RML_GRAPH_RUN", str(models))  # a file that is no program
    assert main(["torch", f"{models}:pair", "--verify", "--out", str(tmp_path / "repo")]) == 3
    assert f"{models} cannot be started: Permission denied" in capsys.readouterr().err
    assert not (tmp_path / "repo").exists()


# A command that only prints: no framework is needed to see what becomes of that.
PRINTS = """
import sys
from rml_export import command_line
from rml_export.commands import zoo_command
zoo_command.run = lambda options: print("x" * int(options.models[0]))
sys.exit(command_line.main(["zoo", "--out", "x", sys.argv[1]]))
"""


def pipe_without_reader():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize("size", [1, 1_000_000], ids=["in the buffer", "larger than the buffer"])
@pytest.mark.parametrize(
    ("redirect", "open_stdout", "reason"),
    [
        ("", lambda: os.open("/dev/full", os.O_WRONLY), "No space left on device"),
        ("", pipe_without_reader, "Broken pipe"),
        (">&-", lambda: os.open(os.devnull, os.O_WRONLY), "Bad file descriptor"),
    ],
    ids=["full", "pipe without reader", "closed"],
)
def test_what_cannot_be_printed_is_an_error(tmp_path, size, redirect, open_stdout, reason):
    code = tmp_path / "prints.py"
    code.write_text(PRINTS)
    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", sys.executable, code, str(size)]
    stdout = open_stdout()
    environment = {"PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(stdout)
    assert run.returncode == 1
    assert run.stderr.startswith("rml-export: cannot write: ")
    assert reason in run.stderr
    assert run.stderr.count("\n") == 1


USAGE = {
    "no file": (["torch", "missing.py:make"], "expected FILE.py:FUNCTION with an existing file"),
    "no function": (["torch", "{models}:missing"], "has no function 'missing'"),
    "not a function": (["torch", "{models}:number"], "has no function 'number'"),
    "raises": (["torch", "{models}:raises"], "raises' failed: RuntimeError"),
    "raises, and where": (["torch", "{models}:raises"], "at nets.py:27: return torch.ones(2) @ torch.ones(3)"),
    "ends the script": (["torch", "{models}:exits"], "exits' failed: SystemExit: 0 at nets.py:"),
    "no import": (
        ["torch", "{broken}:f"],
        "cannot be imported: ZeroDivisionError: division by zero at broken.py:1: 1 / 0",
    ),
    "no inputs": (["torch", "{models}:alone"], "returned no example inputs"),
    "bad input": (["torch", "{models}:alone", "--input", "f64[2]"], "expected NAME=f32[DIMS]"),
    "input with an empty dim": (["torch", "{models}:alone", "--input", "i32[2,,3]"], "expected NAME=f32[DIMS]"),
    "bound of floats": (["torch", "{models}:alone", "--input", "f32[2]<3"], "expected NAME=f32[DIMS]"),
    "bound 0": (["torch", "{models}:alone", "--input", "i32[2]<0"], "the bound is 0; expected 1 to 2147483648"),
    "large bound": (["torch", "{models}:alone", "--input", "i32[2]<2147483649"], "expected 1 to 2147483648"),
    "large input": (
        ["torch", "{models}:alone", "--input", "f32[1000000000000000]"],
        "is too large: Unable to allocate",
    ),
    "larger input": (["torch", "{models}:alone", "--input", "f32[99999999999999999999]"], "is too large: "),
    "input without a name": (
        ["torch", "{models}:alone", "--input", "a=f32[2]", "--input", "f32[2]"],
        "1 of 2 inputs have a name; expected all of them, or none",
    ),
    "bad pass": (["torch", "{models}:pair", "--skip-pass", "x"], "no pass named x; there are simplify_shape_ops"),
    "bad version": (["torch", "{models}:pair", "--version", "0"], "expected a positive integer"),
    "large version": (["torch", "{models}:pair", "--version", str(2**63)], "a positive integer of at most 63 bits"),
    "no name": (["torch", "{models}:pair", "--name", ""], "--name '': expected letters, digits"),
    "no path": (["torch", "{models}:pair", "--path", ""], "--path '': expected a file's name at the end"),
    "path of a folder": (["torch", "{models}:pair", "--path", "a/b/"], "--path 'a/b/': expected a file's name"),
    "path that climbs": (["torch", "{models}:pair", "--path", "a/.."], "--path 'a/..': expected a file's name"),
    "long file name": (["torch", "a" * 300 + ":pair"], "expected FILE.py:FUNCTION with an existing file"),
    "name with a slash": (["torch", "{models}:pair", "--name", "a/b"], "--name 'a/b': expected letters, digits"),
    "name that climbs": (["torch", "{models}:pair", "--name", "../a"], "--name '../a': expected letters, digits"),
    "long name": (["torch", "{models}:pair", "--name", "a" * 129], "expected letters, digits"),
    "function name": (["torch", "{models}:größe"], "--name 'gr\\xf6\\xdfe': expected letters, digits"),
    "NaN": (["torch", "{models}:pair", "--atol", "nan"], "--atol is nan; expected a number from 0"),
    "infinity": (["torch", "{models}:pair", "--rtol", "inf"], "--rtol is inf; expected a number from 0"),
    "negative": (["torch", "{models}:pair", "--rtol", "-1"], "--rtol is -1.0; expected a number from 0"),
    "no module": (["torch", "{models}:text"], "text returned str; expected a torch.nn.Module, or one and its inputs"),
    "three things": (["torch", "{models}:three"], "three returned tuple; expected a torch.nn.Module"),
    "nothing": (["torch", "{models}:nothing"], "nothing returned NoneType; expected a torch.nn.Module"),
    "no JAX inputs": (["jax", "{jax_models}:alone"], "alone returned no example inputs: return (fn, params, inputs)"),
    "no function first": (["jax", "{jax_models}:pair"], "pair returned str first; expected (fn, params)"),
    "a function alone": (["jax", "{jax_models}:one"], "one returned function; expected (fn, params)"),
    "no TensorFlow function": (
        ["tf", "{models}:text"],
        "text returned str; expected a function, or one and its inputs",
    ),
    "no TensorFlow inputs": (
        ["tf", "{tf_models}:alone"],
        "alone returned no example inputs: return (function, inputs)",
    ),
    "no module file": (["stablehlo", "none.mlir"], "none.mlir: expected a file with a StableHLO module"),
    "no params": (
        ["stablehlo", "{models}", "--params", "w.npz"],
        "--params w.npz: expected a .npz or .safetensors file",
    ),
    "bad params": (["stablehlo", "{models}", "--params", "{models}"], "expected a .npz or .safetensors file"),
    "no ONNX file": (["onnx", "none.onnx"], "none.onnx: expected a .onnx file"),
    "bad dim": (["onnx", "{models}", "--dim", "words"], "--dim 'words': expected NAME=SIZE with a number from 0"),
    "damaged params": (["stablehlo", "{models}", "--params", "{damaged}"], "damaged.npz: File is not a zip file"),
    "bad zoo model": (["zoo", "--out", "x", "vgg"], "no model named vgg; there are mlp"),
    "bad route": (["zoo", "--out", "x", "--route", "jax,caffe"], "no route named caffe; there are torch, jax"),
    "bad batch": (["zoo", "--out", "x", "--batch", "1,zero"], "expected positive integers"),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(name, models, jax_models, tf_models, tmp_path, capsys):
    arguments, text = USAGE[name]
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0\n")
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(b"PK\3\4" + bytes(60))
    files = {"broken": broken, "damaged": damaged, "models": models, "jax_models": jax_models, "tf_models": tf_models}
    assert main([argument.format(**files) for argument in arguments]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], *([route.name, "--help"] for route in ROUTES), ["zoo", "--help"]])
def test_help_needs_no_framework(arguments):
    code = (
        "import sys; from rml_export.command_line import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit as exit: assert not exit.code\n"
        "assert not {'torch', 'jax', 'tensorflow', 'onnx'} & set(sys.modules)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    assert "usage: rml-export" in run.stdout
