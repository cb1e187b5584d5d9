"""./dev demo as a whole, on programs that are built already."""

import os
import re
import signal
import subprocess
import threading

from tests.e2e.running_server import BIN, ROOT, SECONDS, run

DEMO = ROOT / "scripts/demo.sh"


def test_the_demo():
    result = run(DEMO, RML_BIN_DIR=str(BIN))
    assert result.returncode == 0, result.stdout + result.stderr
    shown = result.stdout
    assert "equal to models/cnn/1/golden.safetensors" in shown
    assert shown.count("(within 1e-05)") == 2
    assert "grpc_cli call" in shown
    assert "sdpa" in shown
    bars = re.findall(r"^  <= .* (\d+)(?:  #+)?$", shown, re.MULTILINE)
    assert sum(map(int, bars)) == 1000
    assert shown.rstrip().endswith("All answers agree with the framework's")
    assert "exit code 0" in shown


def test_keep_serves_until_it_is_interrupted():
    environment = {**os.environ, "RML_BIN_DIR": str(BIN)}
    process = subprocess.Popen(
        [DEMO, "--keep"], env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    watchdog = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
    watchdog.start()
    try:
        server = None
        for line in process.stdout:
            server = server or re.search(r"RML_SERVER=(\S+)", line)
            if "/metrics" in line and "curl" in line:  # the last thing to try
                break
        assert server is not None
        assert run("rml", "--server", server[1], "models").returncode == 0
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
        rest = process.stdout.read()
        assert process.wait() == 0, rest
        assert "drained" in rest
    finally:
        watchdog.cancel()
        process.stdout.close()


def test_an_unknown_argument():
    result = run(DEMO, "--nothing")
    assert result.returncode == 2
    assert "--nothing" in result.stderr
