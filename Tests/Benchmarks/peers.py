"""What Pinpad is compared with, where it is installed."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from keypad import HANG

FOLDER = pathlib.Path(__file__).with_name("peers")
MODULES = pathlib.Path("/usr/lib/nginx/modules")
BARE, LUA, GO, NODE, NCHAN = "bare libmicrohttpd", "nginx with Lua", "Go net/http", "Node http", "nchan"


def _built(folder, *command):
    """Whether a compiler is there; ends if it is and fails."""
    if not shutil.which(command[0]):
        return False
    subprocess.run(command, check=True, env={**os.environ, "GOCACHE": str(folder / "go"), "GO111MODULE": "off"})
    return True


def _nginx(folder, name, *modules):
    """The command of an nginx with such a configuration for each port, or None."""
    if not shutil.which("nginx") or not all((MODULES / f"ngx_{module}.so").exists() for module in modules):
        return None

    def command(port):
        place = folder / f"nginx-{name}-{port}"
        place.mkdir(exist_ok=True)
        (place / "nginx.conf").write_text((FOLDER / f"{name}.conf").read_text().replace("PORT", str(port)))
        return ["nginx", "-p", place, "-c", place / "nginx.conf"]

    return command


def find(names, folder):
    """The peers of `names` that are installed, each with a function from a port to its command; says which are not."""
    folder = pathlib.Path(folder)
    found = {}
    for name in names:
        command = None
        if name == BARE and _built(
                folder, "cc", "-O2", FOLDER / "bare.c", "-lmicrohttpd", "-o", folder / "bare"):
            command = lambda port: [folder / "bare", str(port)]
        if name == GO and _built(folder, "go", "build", "-o", folder / "http-go", FOLDER / "http.go"):
            command = lambda port: [folder / "http-go", str(port)]
        if name == NODE and shutil.which("node"):
            command = lambda port: ["node", FOLDER / "http.js", str(port)]
        if name == LUA:
            command = _nginx(folder, "lua", "http_lua_module")
        if name == NCHAN:
            command = _nginx(folder, "nchan", "nchan_module")
        if command:
            found[name] = command
        else:
            print(f"left out, as it is not installed: {name}")
    return found


class Peer:
    """Runs a peer on a free port; to be used with `with`, as `Program` is."""

    def __init__(self, command):
        self._command = command

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [str(word) for word in self._command(self.port)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        end = time.monotonic() + HANG
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"a peer does not start: {self.process.args}") from None
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(HANG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
