"""Edits a second with sessions in memory, and in a Redis that one node uses or two share."""

import concurrent.futures
import contextlib
import sys

from measured import Figure, processor_seconds, show
from part_requests import STEPS
from program import ROOT, Program

sys.path.insert(0, str(ROOT / "Tests"))

from redis import Redis  # noqa: E402 (it is found only now)

CONNECTIONS = 32
SESSIONS = 256
# Edits a second that leave all of them time to spare.
RATE = 2000
# How many nodes there are with each store.
NODES = {"memory": 1, "Redis, one node": 1, "Redis, two nodes": 2}


class _Keypads:
    """Those that type at one node, each into sessions of its own."""

    def __init__(self, bench, node, name, share):
        self._load, self._port = bench.load, node.port
        self._options = {"c": CONNECTIONS // share}
        self._rate = RATE // share
        self._sessions = bench.folder / name
        bench.load.create(node.port, SESSIONS // share, self._sessions, '{"timeouts":{"total":3600}}')

    def type(self, seconds, **options):
        done = self._load.requests(self._port, self._sessions, *STEPS["insert"], t=seconds, **self._options, **options)
        # That ended anywhere; what is measured next starts with empty entries.
        self._load.requests(self._port, self._sessions, "POST /clear", p=1, **self._options)
        return done

    def type_at_leisure(self, seconds):
        return self.type(seconds, r=self._rate)


def _measure(bench, name):
    """Edits a second, p99 then and at leisure, and CPU microseconds an edit of the nodes and of Redis."""
    with contextlib.ExitStack() as stack:
        redis = None
        environment = {}
        if name != "memory":
            redis = Redis()
            stack.callback(redis.stop)
            environment = redis.environment
        count = NODES[name]
        nodes = [stack.enter_context(Program([bench.binary], environment=environment)) for _ in range(count)]
        keypads = [_Keypads(bench, node, f"sessions-{index}", count) for index, node in enumerate(nodes)]
        threads = stack.enter_context(concurrent.futures.ThreadPoolExecutor(count))

        def used():
            own = sum(processor_seconds(node.pid) for node in nodes)
            return own, processor_seconds(redis.process.pid) if redis else 0

        list(threads.map(lambda each: each.type(bench.seconds / 4), keypads))
        before = used()
        done = list(threads.map(lambda each: each.type(bench.seconds), keypads))
        after = used()
        leisure = list(threads.map(lambda each: each.type_at_leisure(bench.seconds), keypads))
    # With the few that clear.
    answered = sum(each["answered"] for each in done) + SESSIONS
    return {
        # They type at the same time, so their rates add up, and the slower node's p99 is that of the service.
        "rate": sum(each["answered"] / each["seconds"] for each in done),
        "p99": max(each["p99"] for each in done) / 1000,
        "leisure": max(each["p99"] for each in leisure) / 1000,
        "nodes": (after[0] - before[0]) / answered * 1e6,
        "redis": (after[1] - before[1]) / answered * 1e6}


def measure(bench):
    """The table of stores."""
    results = {}
    for _ in range(bench.rounds):
        for name in NODES:
            results.setdefault(name, []).append(_measure(bench, name))
    rows = [
        [name, *(Figure((one[key] for one in rounds), digits)
                 for key, digits in (("rate", 0), ("p99", 2), ("leisure", 2), ("nodes", 1), ("redis", 1)))]
        for name, rounds in results.items()]
    show(
        f"Edits by {CONNECTIONS} keypads without a pause, Redis with its append-only file",
        ["sessions in", "edits a second", "p99 ms", f"p99 ms at {RATE:,} a second", "CPU µs an edit, nodes",
         "CPU µs an edit, Redis"], rows)
