"""From starting the program to its first answer, and the size of what is started."""

import os
import signal
import socket
import subprocess
import time

from keypad import HANG, Keypad, request
from measured import Figure, show


def _milliseconds(binary):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "PINPAD_LISTEN": f"127.0.0.1:{port}"}
    start = time.monotonic()
    process = subprocess.Popen(
        [binary], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, close_fds=False)
    try:
        while True:
            try:
                keypad = Keypad(port)
                break
            except ConnectionRefusedError:
                if process.poll() is not None or time.monotonic() > start + HANG:
                    raise SystemExit("it does not start") from None
                time.sleep(0.0002)
        keypad.ask(request("GET", "/livez"))
        took = time.monotonic() - start
        keypad.close()
        return took * 1000
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(HANG)


def measure(bench):
    """The table of the start."""
    times = Figure(_milliseconds(bench.binary) for _ in range(max(bench.rounds, 2)))
    show("Start", ["figure", "value"], [
        ["from starting to the first answer, ms", times],
        ["size of the program, MB", f"{bench.binary.stat().st_size / 1e6:.2f}"],
    ])
