"""Makes allocations and calls of a running program fail, by failing.c, which is compiled here and preloaded into it."""

import contextlib
import errno
import mmap
import os
import pathlib
import re
import struct
import subprocess

from servers import ROOT, running

# Kinds, as failing.c has them: whose allocations, and which calls of libmicrohttpd and the shim.
MICROHTTPD, JANSSON, SHIM = 1, 2, 4
ALLOCATIONS = MICROHTTPD | JANSSON | SHIM
CALLS = {"fcntl": 8, "epoll_ctl": 16, "accept4": 32, "send": 64, "recv": 128, "setsockopt": 256}
# Those that make threads, locks and descriptors at the start.
START = 512
ONE, ALL, SOME = 1, 2, 3
_INSIDE = 1 << 20
_NAMES = ("mode", "kinds", "nth", "error", "seen", "failed", "live")


def compile_library(folder):
    """The library to preload."""
    library = pathlib.Path(folder) / "failing.so"
    subprocess.run(
        ["clang", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library,
         ROOT / "Tests/Program/failing.c", "-lgcc_s"], check=True)
    return library


def _functions(folder):
    """The names of the functions in a folder of C."""
    return {name for file in (ROOT / "Sources" / folder).glob("*.c")
            for name in re.findall(r"(?m)^\w[^;{(=]*?\b(\w+)\(", file.read_text())}


def places(binary):
    """Where in the program the shim's functions are, and those on the way from who allocates to the C library."""
    parts = {name: SHIM for name in _functions("MicroHTTPShim")}
    parts |= {name: _INSIDE for folder in ("WipingHeap", "WipingScratch", "JSONMemory") for name in _functions(folder)}
    symbols = subprocess.run(
        ["nm", "--defined-only", "--print-size", binary], check=True, capture_output=True, text=True).stdout
    found = [(parts[name], int(start, 16), int(size, 16))
             for start, size, kind, name in re.findall(r"(?m)^(\w+) (\w+) ([tT]) (\w+)$", symbols) if name in parts]
    heap = subprocess.run(["nm", "-D", binary], check=True, capture_output=True, text=True).stdout
    assert re.search(r"(?m) T malloc$", heap) and " __libc_malloc@" in heap, "the program has no heap of its own"
    assert sum(part == SHIM for part, _, _ in found) > 40, "the program has no symbols"
    return "".join(f"{part:x} {start:x} {start + size:x}\n" for part, start, size in found)


class Control:
    """What fails: `seen` and `failed` count, since the last `fail`, the calls of its kinds and those that failed.
    `live` is the number of allocations of libmicrohttpd, jansson and the shim that are not freed."""

    def __init__(self, path):
        path.write_bytes(bytes(8 * len(_NAMES)))
        with open(path, "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 8 * len(_NAMES))

    def __getattr__(self, name):
        return struct.unpack_from("=Q", self._memory, 8 * _NAMES.index(name))[0]

    def _set(self, **values):
        for name, value in values.items():
            struct.pack_into("=Q", self._memory, 8 * _NAMES.index(name), value)

    def fail(self, kinds, nth, mode, error=errno.ENOMEM):
        """The `nth` of these kinds, from here on, fails (ONE), all from it on (ALL), or each `nth` (SOME)."""
        self._set(mode=0)
        self._set(kinds=kinds, nth=nth, error=error, seen=0, failed=0)
        self._set(mode=mode)

    def stop(self):
        """Nothing fails any more."""
        self._set(mode=0)


@contextlib.contextmanager
def failing(binary, library, folder, **options):
    """A server, whose `control` says what fails."""
    control = Control(pathlib.Path(folder) / "control")
    with running(binary, env=preloaded(binary, library, folder), **options) as server:
        server.control = control
        try:
            yield server
        finally:
            control.stop()


def preloaded(binary, library, folder):
    """An environment that preloads the library into a program; `Control(folder / "control")` has to be there before it starts."""
    return {
        "LD_PRELOAD": os.fspath(library), "FAILING_PLACES": places(binary),
        "FAILING_CONTROL": os.fspath(pathlib.Path(folder) / "control"),
    }
