"""The program that is measured: found, started, watched and stopped."""

import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile

from keypad import HANG

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_binary(*build_options):
    """The release build, or the program that PINPAD_BINARY names."""
    named = os.environ.get("PINPAD_BINARY")
    if named and not build_options:
        return pathlib.Path(named).resolve()
    folder = subprocess.run(
        ["swift", "build", "-c", "release", *build_options, "--show-bin-path"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    binary = pathlib.Path(folder) / "pinpad"
    if not binary.exists():
        raise SystemExit(f"there is no {binary}: {' '.join(['swift build -c release', *build_options])} makes it")
    return binary


class Program:
    """Runs `command`, a list that starts the program, on a free port of 127.0.0.1; to be used with `with`.

    `settings` are the program's own variables, without PINPAD_; `environment` has further ones. `pid` is the process
    that was started.
    """

    def __init__(self, command, settings=None, environment=None):
        self._command = [str(word) for word in command]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PINPAD_")}
        self._environment = {
            **inherited, "SWIFT_BACKTRACE": "enable=no", "PINPAD_LISTEN": "127.0.0.1:0",
            **{f"PINPAD_{name}": str(value) for name, value in (settings or {}).items()}, **(environment or {})}

    def __enter__(self):
        self._errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, env=self._environment)
        self.pid = self.process.pid
        if not select.select([self.process.stdout], [], [], HANG)[0]:
            self.stop(signal.SIGKILL)
            raise SystemExit(f"it does not start: {self._command}")
        line = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)$", line.strip())
        if not found:
            self.stop(signal.SIGKILL)
            self._errors.seek(0)
            raise SystemExit(f"it does not start: {line}{self._errors.read().decode(errors='replace')}")
        self.port = int(found[1])
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise SystemExit("it hangs after SIGTERM") from None
        # To the end, which comes when a tool that writes down what it saw has ended as well.
        self.process.stdout.read()
        self.process.stdout.close()


def build_static(folder):
    """Builds the stripped static binary, as it is in the image, and returns where it is."""
    build = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--scratch-path", str(ROOT / ".build-static")]
    subprocess.run([*build, "--product", "pinpad"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run([*build, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    stripped = pathlib.Path(folder) / "pinpad"
    subprocess.run(["strip", "-o", stripped, pathlib.Path(made.stdout.strip()) / "pinpad"], check=True)
    return stripped
