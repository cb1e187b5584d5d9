"""The module as it is found, installed, typed and shown."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import rml

PACKAGE = Path(rml.__file__).parent
BUILD = PACKAGE.parents[1]


def run_python(*arguments, path):
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_offered_is_typed():
    """The stub is made from the module's signatures; a signature that was not written out would show as an object."""
    stub = ast.parse((PACKAGE / "_engine.pyi").read_text())
    defined = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    errors = {name for name, value in vars(rml).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert set(rml.__all__) - errors - {"__version__"} == set(defined)
    methods = {node.name for node in defined["Model"].body if isinstance(node, ast.FunctionDef)}
    assert {"run", "profile", "step_info", "inputs", "outputs"} <= methods
    untyped = [
        (function.name, argument.arg)
        for function in ast.walk(stub)
        if isinstance(function, ast.FunctionDef)
        for argument in [*function.args.args, *function.args.kwonlyargs]
        if argument.arg != "self" and (argument.annotation is None or ast.unparse(argument.annotation) == "object")
    ]
    assert not untyped
    assert (PACKAGE / "py.typed").exists()


def test_the_client_s_messages_are_found_beside_it():
    code = "import rml, rml.v1.inference_pb2 as messages; print(messages.RunRequest.__name__, rml.load.__name__)"
    assert run_python("-c", code, path=f"{BUILD / 'python'}:client/python").split() == ["RunRequest", "load"]
    assert run_python("-c", code, path=f"client/python:{BUILD / 'python'}").split() == ["RunRequest", "load"]


def test_it_can_be_installed(tmp_path):
    command = ["cmake", "--install", str(BUILD), "--component", "python", "--prefix", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    code = "import rml; print(rml.__file__, rml.load('tests/fixtures/torch_mlp.json').inputs[0].name)"
    file, name = run_python("-c", code, path=tmp_path).split()
    assert (Path(file), name) == (tmp_path / "rml/__init__.py", "x")
    assert {path.name for path in (tmp_path / "rml").iterdir()} >= {"_engine.pyi", "py.typed", "errors.py"}


def test_an_unknown_instruction_set_in_the_environment_is_an_error_of_load():
    code = "import rml\ntry: rml.load('x.json')\nexcept rml.InvalidArgument as error: print(error)"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "RML_ISA": "sse"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "RML_ISA" in done.stdout
    assert "sse" in done.stdout


def test_the_example_runs():
    output = run_python(
        "examples/in_process/in_process.py", "models/mlp/1/model.json", "--rows", "3", path=PACKAGE.parent
    )
    lines = output.splitlines()
    assert lines[0].startswith("input    x: float32[3, ")
    assert "one row alone has the same bits: True" in lines
    assert " us " in lines[-1]


def test_the_code_in_the_documents_runs():
    section = Path("docs/clients.md").read_text().split("## rml, Python without a server")[1]
    code = section.split("```python\n")[1].split("```")[0]
    names = {}
    exec(code, names)
    assert names["outputs"]["logits"].shape == (8, 4)
    assert names["logits"].shape == (8, 4)
