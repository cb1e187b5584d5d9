"""/metrics counts exactly; /livez and /readyz."""

import math

import numpy as np
import pytest

import rml_client
from tests.e2e.metrics_text import Metrics
from tests.e2e.models import BUNDLED, golden

HISTOGRAMS = (
    "rml_request_duration_seconds",
    "rml_queue_duration_seconds",
    "rml_compute_duration_seconds",
    "rml_batch_size",
)


@pytest.fixture
def server(start):
    return start("--demo")


def scrape(server):
    status, body = server.get("/metrics")
    assert status == 200
    return Metrics(body)


def test_histograms_add_up(server):
    with server.client() as client:
        for model in BUNDLED:
            client.run(model, golden(model).inputs)
    metrics = scrape(server)
    for name in HISTOGRAMS:
        assert metrics.types[name] == "histogram"
        for model in BUNDLED:
            buckets = metrics.buckets(name, model=model)
            counts = [count for _, count in buckets]
            assert buckets[-1][0] == math.inf
            assert counts == sorted(counts)
            assert counts[-1] == metrics(f"{name}_count", model=model) == 1
            assert metrics(f"{name}_sum", model=model) > 0


def test_calls_are_counted_exactly(server):
    good, bad, listed = 7, 3, 2
    inputs = golden("mlp").inputs
    before = scrape(server)
    with server.client() as client:
        for _ in range(good):
            client.run("mlp", inputs)
        for _ in range(bad):
            with pytest.raises(rml_client.InvalidArgument):
                client.run("mlp", {"x": np.zeros(1, np.float32)})
        for _ in range(listed):
            client.list_models()
        client.profile("mlp", iterations=1)
        client.get_model("mlp")
        for name in ("nothing", "nobody"):
            with pytest.raises(rml_client.NotFound):
                client.run(name, {})
    after = scrape(server)

    def grown(name, **labels):
        return after(name, **labels) - before(name, **labels)

    assert grown("rml_requests_total", model="mlp", version="1", method="Run", code="OK") == good
    assert grown("rml_requests_total", model="mlp", method="Run", code="INVALID_ARGUMENT") == bad
    assert grown("rml_requests_total", model="", method="ListModels", code="OK") == listed
    assert grown("rml_requests_total", model="mlp", method="Profile", code="OK") == 1
    assert grown("rml_requests_total", model="mlp", method="GetModel", code="OK") == 1
    assert grown("rml_requests_total", model="", method="Run", code="NOT_FOUND") == 2
    assert grown("rml_requests_total") == good + bad + listed + 4
    assert grown("rml_request_duration_seconds_count", model="mlp") == good + bad
    assert grown("rml_compute_duration_seconds_count", model="mlp") == good
    assert grown("rml_request_duration_seconds_count", model="cnn") == 0
    assert after("rml_requests_in_flight") == after("rml_queue_depth") == 0


def test_what_is_served_is_shown(server):
    metrics = scrape(server)
    assert metrics("rml_build_info") == 1
    assert metrics("rml_model_loads_total", result="success") == len(BUNDLED)
    assert metrics("rml_model_loads_total", result="failure") == 0
    for model in BUNDLED:
        assert metrics("rml_model_ready", model=model, version="1") == 1
        assert metrics("rml_model_memory_bytes", model=model) > 0
    assert metrics("process_resident_memory_bytes") > 0


def test_live_and_ready(demo):
    assert demo.get("/livez")[0] == 200
    assert demo.get("/readyz")[0] == 200
    assert demo.get("/nothing")[0] == 404
