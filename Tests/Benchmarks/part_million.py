"""A million sessions: memory, creation, edits beside those of a thousand, and requests while all expire at once."""

import re
import time

from keypad import Keypad, request
from measured import Figure, processor_seconds, resident_bytes, show
from program import Program

SMALL = 1000
# Requests a second while all expire.
RATE = 1000
EDIT = 'POST /set {"text":"12"}'
# Seconds that a closed session still answers.
KEPT = 300


class _Crowd:
    """Many sessions on one server."""

    def __init__(self, bench, server, path, count):
        self.bench, self.server, self.path, self.count = bench, server, path, count

    def create(self, deadline):
        return self._measured(lambda: self.bench.load.create(
            self.server.port, self.count, self.path, '{"timeouts":{"total":%T}}', d=deadline))

    def prepare(self):
        """`begin`, `change`, `change` and `delete` for each."""
        return self._measured(lambda: self.bench.load.requests(
            self.server.port, self.path, 'POST /set {"text":"123"}', "POST /delete-backward", p=1, g=1))

    def edit(self, skip=0):
        """Edits of one session after the other."""
        return self._measured(lambda: self.bench.load.requests(
            self.server.port, self.path, EDIT, t=self.bench.seconds, k=skip))

    def _measured(self, load):
        """CPU microseconds of a request, its p99 in milliseconds, and requests a second."""
        before = processor_seconds(self.server.pid)
        done = load()
        used = processor_seconds(self.server.pid) - before
        return {
            "cpu": used / done["answered"] * 1e6, "p99": done["p99"] / 1000, "rate": done["answered"] / done["seconds"]}


def _figures(port):
    """How many sessions are open, and how many there are in all."""
    keypad = Keypad(port)
    text = keypad.ask(request("GET", "/metrics")).decode()
    keypad.close()
    found = re.findall(r'^pinpad_sessions\{status="(\w+)"\} (\d+)$', text, re.MULTILINE)
    counts = {status: int(value) for status, value in found}
    return counts["open"], sum(counts.values())


def _seconds_around(bench, server, own, moment, how_long, is_over):
    """Requests to other sessions second by second, from 3 s before a moment on: (time from it, p99, max, sessions)."""
    time.sleep(max(0.0, moment - 3 - time.time()))
    rows = []
    while True:
        start = time.time() - moment
        done = bench.load.requests(
            server.port, own, EDIT, "GET -", "GET /cells.svg", t=1, r=RATE)
        counts = _figures(server.port)
        rows.append((start, done["p99"] / 1000, done["max"] / 1000, counts))
        if is_over(*counts) and start > 2:
            return rows
        if start > how_long:
            raise SystemExit(f"after {how_long} s not all have gone: {counts}")


def _show_around(title, rows):
    show(
        f"{title}: requests second by second, {RATE:,} a second",
        ["from s", "p99 ms", "max ms", "open sessions after it", "sessions after it"],
        [[f"{start:+.1f}", f"{p99:.2f}", f"{most:.2f}", f"{counts[0]:,}", f"{counts[1]:,}"]
         for start, p99, most, counts in rows])


def measure(bench):
    """The tables of many sessions."""
    count = bench.options.sessions
    settings = {"SESSIONS_MAXIMUM": count + 1000}
    with Program([bench.binary], settings) as small_server, Program([bench.binary], settings) as server:
        small = _Crowd(bench, small_server, bench.folder / "small", SMALL)
        crowd = _Crowd(bench, server, bench.folder / "crowd", count)
        small.create(time.time() + 7200)
        small.prepare()
        # The moment at which all expire: late enough for what comes before it.
        rate = small.edit()["rate"]
        deadline = time.time() + 60 + 6 * count / rate + bench.rounds * 2 * (bench.seconds + 3)

        empty = resident_bytes(server.pid)
        creation = crowd.create(deadline)
        created = resident_bytes(server.pid)
        edits = crowd.prepare()
        full = resident_bytes(server.pid)
        few, many = [], []
        for number in range(bench.rounds):
            few.append(small.edit())
            many.append(crowd.edit(number * count // bench.rounds))
        own = bench.folder / "own"
        bench.load.create(server.port, 256, own, '{"timeouts":{"total":7200}}')
        if time.time() > deadline - 3:
            raise SystemExit("the sessions expired before all was measured: the machine is too busy")

        show(f"{count:,} sessions", ["figure", "value"], [
            ["resident bytes per session, created", f"{(created - empty) / count:.0f}"],
            ["resident bytes per session, with 4 events", f"{(full - empty) / count:.0f}"],
            ["creation: CPU µs", f"{creation['cpu']:.1f}"],
            ["creation: a second", f"{creation['rate']:,.0f}"],
            ["first edits (set, delete-backward): CPU µs", f"{edits['cpu']:.1f}"],
            [f"edit, {SMALL:,} sessions: CPU µs", Figure((one["cpu"] for one in few), 2)],
            [f"edit, {count:,} sessions: CPU µs", Figure((one["cpu"] for one in many), 2)],
            ["ratio", f"{Figure(one['cpu'] for one in many).median / Figure(one['cpu'] for one in few).median:.2f}"],
        ])
        rows = _seconds_around(
            bench, server, own, deadline, 120, lambda is_open, _: is_open <= 256)
        _show_around("All expire at once", rows)
        print(f"worst second: p99 {max(row[1] for row in rows):.2f} ms")
        print(f"resident bytes per session, expired: {(resident_bytes(server.pid) - empty) / count:.0f}")
        if bench.options.until_gone:
            rows = _seconds_around(bench, server, own, deadline + KEPT, 120, lambda _, there: there <= 256)
            _show_around("All are gone at once", rows)
            print(f"worst second: p99 {max(row[1] for row in rows):.2f} ms")
            print(f"resident bytes per former session: {(resident_bytes(server.pid) - empty) / count:.0f}")
