"""Reads /metrics."""

import re
import time

from client import HANG, request

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')


def samples(pinpad):
    """Each sample as (name, labels, value)."""
    answer = request(pinpad, "GET", "/metrics")
    assert answer.status == 200, answer
    found = []
    for line in answer.text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        found.append((name, dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")), float(value)))
    return found


def figure(pinpad, *words, **labels):
    """The sum of the one metric whose name has all these words."""
    found = [
        (name, value) for name, has, value in samples(pinpad)
        if all(word in name for word in words) and labels.items() <= has.items()]
    assert len({name for name, _ in found}) == 1, (words, labels, found)
    return sum(value for _, value in found)


def until_figure(pinpad, expected, *words, **labels):
    """Waits until a metric has this value."""
    deadline = time.monotonic() + HANG
    while (value := figure(pinpad, *words, **labels)) != expected:
        assert time.monotonic() < deadline, f"it stays at {value}"
        time.sleep(0.01)
