"""Servers that run: the program that PINPAD_BINARY names, or else the release build."""

import contextlib
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import tempfile
import threading

import sanitizers

ROOT = pathlib.Path(__file__).resolve().parent.parent

# How long to wait for what must come: it says "it hangs", never "it is slow".
HANG = 60


def find_binary():
    named = os.environ.get("PINPAD_BINARY")
    if named:
        return pathlib.Path(named).resolve()
    folder = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    binary = pathlib.Path(folder) / "pinpad"
    assert binary.exists(), f"there is no {binary}: swift build -c release --product pinpad makes it"
    return binary


def environment(**more):
    """The environment of a program under test: ours, without what is meant for the tests, and what is given."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PINPAD_")}
    # The backtracer prints memory.
    return {**inherited, "SWIFT_BACKTRACE": "enable=no", **sanitizers.OPTIONS, **more}


def ends(binary, settings, status=78):
    """Starts a server that is to end at once, with this status; returns what it has said."""
    ended = subprocess.run(
        [binary, "--listen", "127.0.0.1:0"], env=environment(**settings), timeout=HANG, capture_output=True, text=True)
    assert ended.returncode == status, ended
    return ended.stderr


class Pinpad:
    """A server that runs: `url`, `host` (IPv6 without brackets), `port`, `process`, and what it has said so far, `stdout` and `stderr`."""

    def __init__(self, binary, arguments, variables, config, folder, errors=None):
        self.folder = pathlib.Path(folder)
        config_file = self.folder / "pinpad.json"
        config_file.write_text(json.dumps(config))
        arguments = [str(argument) for argument in arguments]
        if "--config" not in arguments:
            arguments = ["--config", str(config_file), *arguments]
        if "--listen" not in arguments and "listen" not in config and "PINPAD_LISTEN" not in variables:
            arguments += ["--listen", "127.0.0.1:0"]
        self._errors = errors or open(self.folder / "errors", "w+b")
        self.process = subprocess.Popen(
            [str(binary), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors,
            cwd=self.folder, env=environment(**variables))
        self._said = []
        self._lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._expected = 0
        try:
            self.first_line = self._lines.get(timeout=HANG)
            assert self.first_line is not None, f"it ended with {self.process.wait(HANG)}: {self.stderr}"
            self._find_address()
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def _read(self):
        for line in self.process.stdout:
            self._said.append(line)
            self._lines.put(line.decode().rstrip("\n"))
        self._lines.put(None)

    def _find_address(self):
        self.url = self.host = self.port = self.path = None
        unix = re.fullmatch(r"pinpad listening on unix:(.+)", self.first_line)
        if unix:
            self.path = unix[1]
            return
        found = re.fullmatch(r"pinpad listening on (http://(\[[0-9a-f:]+\]|[0-9.]+):(\d+))", self.first_line)
        assert found, f"the first line is {self.first_line!r}"
        self.url, self.host, self.port = found[1], found[2].strip("[]"), int(found[3])

    @property
    def stdout(self):
        return b"".join(self._said).decode(errors="replace")

    @property
    def stderr(self):
        path = self.folder / "errors"
        return path.read_text(errors="replace") if path.exists() else ""

    def expect(self, status):
        """Another exit status than 0 is right at the end: -9 for a test that kills it."""
        self._expected = status

    def stop(self):
        """Ends it as an operator would, waits, and asserts its exit status and that no sanitizer found anything; may be
        called again."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it hangs after SIGTERM: {self.stderr}") from None
        finally:
            self._errors.close()
        self._reader.join(HANG)
        said = self.stderr
        assert status == self._expected, f"it ended with {status}: {said}{sanitizers.take_findings()}"
        assert not any(sign in said for sign in sanitizers.SIGNS), said


# What each server gets, filled by `store`.
STORE = {}


@contextlib.contextmanager
def running(binary, *arguments, env=None, config=None, errors=None):
    """A server until the block ends. `errors` is a file for what it says, instead of one in its folder."""
    env = {**STORE, **(env or {})}
    with tempfile.TemporaryDirectory(prefix="pinpad-test-") as folder:
        server = Pinpad(binary, arguments, env, config or {}, folder, errors)
        try:
            yield server
        finally:
            server.stop()
