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


def figure(pinpad, name, **labels):
    """The sum of a metric's samples that have these labels."""
    found = [value for sample, has, value in samples(pinpad) if sample == name and labels.items() <= has.items()]
    assert found, (name, labels)
    return sum(found)


def until_figure(pinpad, expected, name, **labels):
    """Waits until a metric has this value."""
    deadline = time.monotonic() + HANG
    while (value := figure(pinpad, name, **labels)) != expected:
        assert time.monotonic() < deadline, f"it stays at {value}"
        time.sleep(0.01)
