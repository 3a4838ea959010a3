"""A Redis of a test's own.

Debian's package of the server would start a service; that of the tools has the same program under another name, and
which one it is goes by its name.
"""

import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time

# How long to wait for what must come: it says "it hangs", never "it is slow".
HANG = 60


def free_port():
    """One of 127.0.0.1 on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def until(check):
    """Waits for what comes by itself."""
    give_up = time.monotonic() + HANG
    while not check():
        assert time.monotonic() < give_up, "it does not come"
        time.sleep(0.02)


class Redis:
    """A server on a Unix socket in a folder of its own: `store` is its address for a node, `key_file` the nodes' keys.

    With `tcp` it also has a `port` of 127.0.0.1, as those have to that others talk of.
    """

    def __init__(self, *options, append_only=True, patience=10_000, tcp=False):
        self.patience = patience
        self.port = free_port() if tcp else 0
        self._folder = tempfile.TemporaryDirectory(prefix="pinpad-redis-")
        self.folder = pathlib.Path(self._folder.name)
        self.socket = self.folder / "redis.sock"
        self.store = f"redis+unix://{self.socket}"
        self.key_file = self.folder / "keys"
        self.key_file.write_text(secrets.token_hex(32) + "\n")
        self.key_file.chmod(0o600)
        self.program = self.folder / "redis-server"
        self.program.symlink_to("/usr/bin/redis-check-rdb")
        self._command = self._starting(options, append_only)
        self.process = None
        self.start()

    def _starting(self, options, append_only):
        return [
            str(self.program), "--bind", "127.0.0.1", "--port", str(self.port), "--unixsocket", str(self.socket),
            "--dir", str(self.folder), "--save", "", "--appendonly", "yes" if append_only else "no",
            # With "everysec" it holds writes back while the disk is busy, and what it holds is lost with it.
            "--appendfsync", "no",
            "--repl-diskless-sync-delay", "0", "--daemonize", "no", *options]

    @property
    def environment(self):
        """What a node needs to use it; with patience for a slow machine, where no time is tested."""
        return {
            "PINPAD_STORE": self.store, "PINPAD_REDIS_KEY_FILE": str(self.key_file),
            "PINPAD_REDIS_PATIENCE": str(self.patience)}

    def start(self):
        """Starts it, also again with what it has kept, and waits until it answers."""
        self._log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, cwd=self.folder)
        give_up = time.monotonic() + HANG
        while True:
            try:
                if self.command("PING") == b"PONG":
                    return
            except (OSError, EOFError):
                pass
            except RuntimeError as error:
                assert str(error).startswith("LOADING"), error
            assert self.process.poll() is None, (self.folder / "log").read_text(errors="replace")
            assert time.monotonic() < give_up, "redis does not start"
            time.sleep(0.01)

    def kill(self):
        """Ends it as a crash would."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(HANG)
        self._log.close()

    def forget(self):
        """Removes what it has kept; for one that does not run."""
        for path in self.folder.glob("appendonlydir/*"):
            path.unlink()

    def hang(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.kill()
        self._folder.cleanup()

    # MARK: Commands

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(HANG)
        connection.connect(str(self.socket))
        return connection

    def command(self, *arguments):
        """Sends one command and returns its answer; an error is raised."""
        with self.connect() as connection:
            connection.sendall(encoded(*arguments))
            with connection.makefile("rb") as answers:
                return read(answers)

    def calls(self):
        """How often each command was called, those in scripts among them."""
        counts = {}
        for line in self.command("INFO", "commandstats").decode().splitlines():
            if line.startswith("cmdstat_"):
                name, figures = line[len("cmdstat_"):].split(":", 1)
                counts[name] = int(dict(part.split("=") for part in figures.split(","))["calls"])
        return counts


def encoded(*arguments):
    parts = [os.fsencode(str(argument)) if not isinstance(argument, bytes) else argument for argument in arguments]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


def read(answers):
    line = answers.readline()
    if not line:
        raise EOFError("redis has closed the connection")
    kind, rest = line[:1], line[1:-2]
    if kind == b"+":
        return rest
    if kind == b"-":
        raise RuntimeError(rest.decode())
    if kind == b":":
        return int(rest)
    if kind == b"$":
        return None if rest == b"-1" else answers.read(int(rest) + 2)[:-2]
    assert kind == b"*", line
    return None if rest == b"-1" else [read(answers) for _ in range(int(rest))]


def main(command):
    """`python Tests/redis.py COMMAND…` runs a command with the path of a Redis's socket in PINPAD_TEST_REDIS."""
    redis = Redis()
    try:
        return subprocess.run(command, env={**os.environ, "PINPAD_TEST_REDIS": str(redis.socket)}).returncode
    finally:
        redis.stop()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
