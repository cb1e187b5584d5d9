"""One model used by many threads at once."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import rml


def test_concurrent_runs_give_the_bits_of_single_ones(mlp):
    rng = np.random.default_rng(2)
    batches = [rng.standard_normal((rows, 12), np.float32) for rows in (1, 2, 3, 5, 8, 13, 21, 34)]
    expected = [mlp.run(batch)[0] for batch in batches]

    def work(i):
        mine = np.empty_like(expected[i])
        for _ in range(100):
            np.testing.assert_array_equal(mlp.run(batches[i])[0], expected[i])
            mlp.run({"x": batches[i]}, out=[mine])
            np.testing.assert_array_equal(mine, expected[i])

    with ThreadPoolExecutor(len(batches)) as pool:
        list(pool.map(work, range(len(batches))))


def test_a_run_lets_other_python_threads_go_on(write_model):
    """No thread is made to give the interpreter up here, so that the other one only gets it from run()."""
    model = rml.load(write_model((512, 1024)))
    x = np.zeros((512, 1024), np.float32)
    out = [np.empty_like(x)]
    start, seen = threading.Event(), []
    other = threading.Thread(target=lambda: (start.wait(), seen.append(True)))
    other.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        start.set()
        for _ in range(5000):
            model.run(x, out=out)
            if seen:
                break
        went_on = bool(seen)
    finally:
        sys.setswitchinterval(interval)
        other.join()
    assert went_on
