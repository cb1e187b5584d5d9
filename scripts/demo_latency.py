"""demo_latency.py ADDRESS HTTP MODEL COUNT: runs a bundled model COUNT times and draws its histogram in /metrics."""

import re
import sys
import urllib.request

from demo_golden import golden

from rml_client import Client

BAR = 50
BUCKET = re.compile(r"^rml_request_duration_seconds_bucket\{([^}]*)\} (\S+)$", re.MULTILINE)


def cumulative(http: str, model: str) -> dict[float, float]:
    """Requests that took at most so many seconds, by that bound."""
    with urllib.request.urlopen(f"http://{http}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    buckets = {}
    for labels, count in BUCKET.findall(text):
        label = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        if label["model"] == model:
            buckets[float(label["le"])] = float(count)
    return buckets


def duration(seconds: float) -> str:
    for unit, scale in (("us", 1e6), ("ms", 1e3)):
        if seconds * scale < 1000:
            return f"{seconds * scale:g} {unit}"
    return f"{seconds:g} s"


def draw(buckets: dict[float, float]) -> None:
    counts, below = {}, 0.0
    for bound in sorted(buckets):
        counts[bound] = buckets[bound] - below
        below = buckets[bound]
    filled = [bound for bound, count in counts.items() if count > 0]
    largest = max(counts.values(), default=0)
    for bound, count in counts.items():
        if not filled or not min(filled) <= bound <= max(filled):
            continue
        bar = "#" * max(round(BAR * count / largest), int(count > 0))
        print(f"  <= {duration(bound):>8}  {count:6.0f}  {bar}".rstrip())


def main(address: str, http: str, model: str, count: str) -> None:
    inputs, _ = golden(model)
    before = cumulative(http, model)
    with Client(address) as client:
        names = [info.name for info in client.get_model(model).inputs]
        for _ in range(int(count)):
            client.run(model, dict(zip(names, inputs, strict=True)))
    after = cumulative(http, model)
    buckets = {bound: total - before.get(bound, 0) for bound, total in after.items()}
    if max(buckets.values(), default=0) != int(count):
        raise SystemExit(f"/metrics has counted {max(buckets.values(), default=0):.0f} requests; {count} were made")
    draw(buckets)


if __name__ == "__main__":
    main(*sys.argv[1:])
