"""The schedule of attempts."""

import pytest

from rml_client import RetryPolicy


def test_backoffs_double_up_to_the_largest():
    policy = RetryPolicy(max_attempts=6, initial_backoff_seconds=0.1, max_backoff_seconds=0.5)
    bounds = [0.1, 0.2, 0.4, 0.5, 0.5]
    backoffs = list(policy.backoffs())
    assert len(backoffs) == len(bounds)
    assert all(bound / 2 <= backoff <= bound for backoff, bound in zip(backoffs, bounds, strict=True))


def test_one_attempt_has_no_backoff():
    assert list(RetryPolicy(max_attempts=1).backoffs()) == []


@pytest.mark.parametrize(
    "values",
    [{"max_attempts": 0}, {"initial_backoff_seconds": -1}, {"initial_backoff_seconds": 2, "max_backoff_seconds": 1}],
    ids=str,
)
def test_policies_without_sense_are_refused(values):
    with pytest.raises(ValueError, match="expected"):
        RetryPolicy(**values)
