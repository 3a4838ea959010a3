"""Counts what one request costs: instructions and allocations by callgrind, system calls by strace.

Neither depends on how busy the machine is. Each scenario runs once with its preparation alone and once with its
requests after it; the difference, divided by the number of requests, is what one costs, without the program's start
and end. One worker, one connection and one request at a time, so that the same is done in every run.
"""

import collections
import concurrent.futures
import contextlib
import itertools
import os
import pathlib
import subprocess
import tempfile

import callgrind
import program
from keypad import Display, Keypad

SESSIONS = 60
INSERTS = 30
REPEATS = 1500
# Open streams of each session, where there are any: an event is a small difference of large numbers otherwise.
STREAMS = 6


class Place:
    """What the preparation leaves: a connection, and sessions of 32 cells that have begun."""

    def __init__(self, port, has_streams):
        self.keypad = Keypad(port)
        self.sessions = [self.keypad.create(length=32) for _ in range(SESSIONS)]
        self.displays = []
        # Every kind of request has been there once, so that what is made on first use isn't counted.
        for session in self.sessions:
            self.keypad.ask(session.begin)
        self.spare = self.keypad.create()
        display = Display(port, self.spare)
        for text in "1234":
            self.keypad.ask(self.spare.insert(text))
            self.keypad.ask(self.spare.picture)
        self.keypad.ask(self.spare.delete)
        assert [display.event() for _ in range(7)] == ["begin"] + ["change"] * 5 + ["delete"]
        display.close()
        if has_streams:
            self.displays = [[Display(port, session) for _ in range(STREAMS)] for session in self.sessions]

    def close(self):
        self.keypad.close()
        for display in itertools.chain(*self.displays):
            display.close()


# Each returns how many requests it made.

def insert(place):
    """A digit into a session that has begun and is not full: one `change`."""
    for index in range(SESSIONS * INSERTS):
        session = place.sessions[index % SESSIONS]
        place.keypad.ask(session.insert(str(index % 10)))
        if place.displays:
            assert [display.event() for display in place.displays[index % SESSIONS]] == ["change"] * STREAMS
    return SESSIONS * INSERTS


def picture(place):
    """The cells of a default session with three of six characters in."""
    for _ in range(REPEATS):
        place.keypad.ask(place.spare.picture)
    return REPEATS


def create(place):
    """A default session."""
    for _ in range(REPEATS):
        place.keypad.create()
    return REPEATS


# What each does, and whether its sessions have an open stream.
SCENARIOS = {
    "insert": (insert, False), "event": (insert, True), "picture": (picture, False), "creation": (create, False)}
OWNERS = ("ours", "microhttpd", "jansson")
ENVIRONMENT = {
    # Or the first call of each library's function would find it by its name.
    "LD_BIND_NOW": "1",
    # The C library's variants for any x86-64 processor, so that all machines of one image count the same. (Besides,
    # callgrind counts a "rep stosb" as an instruction for each byte.)
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM",
}


def _run(command, requests, has_streams):
    """Runs the program under a tool; returns how many requests were made after the preparation."""
    with program.Program(command, {"WORKERS": 1}, ENVIRONMENT) as running:
        with contextlib.closing(Place(running.port, has_streams)) as place:
            return requests(place) if requests else 0


def _both(measure, names):
    """Runs the scenarios `names` and the preparations they need, two at a time; `measure` gives (requests, counts)."""
    wanted = {(None, SCENARIOS[name][1]) for name in names} | {SCENARIOS[name] for name in names}
    if "event" in names:
        wanted |= {(None, False), SCENARIOS["insert"]}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(wanted, pool.map(lambda scenario: measure(*scenario), wanted)))


def _differences(names, results):
    """(requests, counts) of each scenario without its preparation; of an event, without the same insert as well."""
    found = {}
    for name in names:
        requests, has_streams = SCENARIOS[name]
        made, counts = results[requests, has_streams]
        counts = counts - results[None, has_streams][1]
        if name == "event":
            counts = counts - (results[requests, False][1] - results[None, False][1])
            made *= STREAMS
        found[name] = made, counts
    return found


class Cost:
    """What one request costs (with "event": what one open stream adds to an insert).

    `instructions`; `functions` and `objects`, instructions by (object, function) and by object; `allocations` by
    whose code they are in; `system_calls` by name.
    """

    def __init__(self, requests, counts, system_calls):
        self.instructions = counts.instructions / requests
        self.functions = {function: count / requests for function, count in counts.own.items()}
        self.objects = {_short(thing): count / requests for thing, count in counts.objects().items()}
        self.allocations = collections.Counter()
        for thing, count in counts.allocations().items():
            self.allocations[_owner(thing)] += count / requests
        self.system_calls = {name: count / requests for name, count in system_calls.items()}

    def figures(self):
        """What is kept and compared."""
        return {
            "instructions": round(self.instructions),
            "allocations": {owner: round(self.allocations[owner], 1) for owner in OWNERS},
            "systemCalls": round(sum(self.system_calls.values()), 1),
        }


def _short(thing):
    return thing.partition(".so")[0]


def _owner(thing):
    if thing.startswith(("pinpad", "libswift")):
        return "ours"
    return _short(thing).removeprefix("lib")


def count(names, binary):
    """A `Cost` for each of the scenarios `names`."""
    with tempfile.TemporaryDirectory(prefix="pinpad-count-") as folder:
        folder = pathlib.Path(folder)
        # Valgrind can't read the debug information that Swift writes; the names of the functions stay.
        copy = folder / "pinpad"
        subprocess.run(["strip", "--strip-debug", "-o", copy, binary], check=True)

        def instructions(requests, has_streams):
            out = folder / f"instructions-{requests.__name__ if requests else ''}-{has_streams}"
            command = ["valgrind", "--tool=callgrind", "-q", f"--callgrind-out-file={out}", copy]
            return _run(command, requests, has_streams), callgrind.read(out)

        def system_calls(requests, has_streams):
            out = folder / f"calls-{requests.__name__ if requests else ''}-{has_streams}"
            os.mkfifo(out)
            told = os.open(out, os.O_RDONLY | os.O_NONBLOCK)
            # -D: the program is our child, and gets our signals. So strace is not, and may write after the program's end.
            command = ["strace", "-D", "-f", "-c", "-o", out, copy]
            made = _run(command, requests, has_streams)
            os.set_blocking(told, True)
            with open(told) as table:
                return made, SystemCalls(table.read())

        counted = _differences(names, _both(instructions, names))
        called = _differences(names, _both(system_calls, names))
        return {name: Cost(*counted[name], called[name][1].counts) for name in names}


class SystemCalls:
    """How often each system call was made, by strace's table."""

    def __init__(self, table=""):
        self.counts = collections.Counter()
        for line in table.splitlines():
            words = line.split()
            # % time, seconds, microseconds a call, calls, (errors,) name
            if len(words) in (5, 6) and words[3].isdigit() and words[-1] != "total":
                self.counts[words[-1]] += int(words[3])

    def __sub__(self, other):
        difference = SystemCalls()
        difference.counts.update(self.counts)
        difference.counts.subtract(other.counts)
        return difference
