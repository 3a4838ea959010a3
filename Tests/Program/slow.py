"""Three slow attacks, and what they do to others: 500 connections that give, or take, a byte every 200 ms.

`python Tests/Program/slow.py` starts a server for each attack, and prints how long normal requests took meanwhile and
after how many seconds the server had closed the last attacking connection.
"""

import math
import pathlib
import socket
import subprocess
import sys
import time

CONNECTIONS, INTERVAL = 500, 0.2
ATTACKS = ("headers", "body", "reading")
# Seconds after which an attack ends by itself: the server has not closed what it should have.
GIVE_UP = 90


def opening(attack, host):
    """What an attacking connection sends at once."""
    head = f"POST /v1/sessions HTTP/1.1\r\nHost: {host}\r\n"
    if attack == "headers":
        return head + "X-Slow: "
    if attack == "body":
        return head + "Content-Length: 16000\r\n\r\n"
    # The longest answer there is.
    return f"GET /openapi.json HTTP/1.1\r\nHost: {host}\r\n\r\n"


def attacker(attack, host, port):
    connection = socket.socket()
    if attack == "reading":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((host, port))
    connection.sendall(opening(attack, host).encode())
    connection.setblocking(False)
    return connection


def lives(connection, attack):
    """Goes on by a byte; false when the server has closed the connection."""
    try:
        if attack == "reading":
            return connection.recv(1) != b""
        connection.send(b"x")
        # Whatever comes, be it an answer, is followed by the end.
        return connection.recv(4096) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def run_attack(attack, host, port):
    """Attacks until the server has closed all connections, or this process is ended."""
    ours = [attacker(attack, host, port) for _ in range(CONNECTIONS)]
    print("attacking", flush=True)
    end = time.monotonic() + GIVE_UP
    while ours and time.monotonic() < end:
        time.sleep(INTERVAL)
        ours = [connection for connection in ours if lives(connection, attack)]


class Attack:
    """An attack by a process of its own, from its first bytes on."""

    def __init__(self, attack, pinpad):
        self._pinpad = pinpad
        self._begin = self._looked = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, __file__, attack, pinpad.host, str(pinpad.port)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "attacking\n"
        self.connections = self._count()
        # When the server had closed all of them, in seconds; what the attacker sees of it may be much later.
        self.over_after = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()

    def _count(self):
        from figures import figure

        return figure(self._pinpad, "pinpad_connections")

    def goes_on(self):
        """Looks every now and then whether the server has closed all but a few connections, those of others."""
        now = time.monotonic()
        if self.over_after is None and now - self._looked > 0.25:
            self._looked = now
            if self._count() < 5:
                self.over_after = now - self._begin
        return self.over_after is None and now - self._begin < GIVE_UP


def percentile(sorted_values, part):
    return sorted_values[min(len(sorted_values) - 1, math.ceil(part * len(sorted_values)) - 1)]


def normal_requests(pinpad, session, goes_on):
    """Types and deletes on one connection, looks at the state on new ones; the ms that each took, sorted."""
    from client import connect, receive, request, request_bytes

    taken = []
    with connect(pinpad) as kept:
        number = 0
        while goes_on() or number < 20:
            number += 1
            action, body = ("/insert", {"text": "1"}) if number % 2 else ("/delete-backward", {})
            begin = time.monotonic()
            kept.sendall(request_bytes(pinpad, "POST", session.path + action, body, session.entry))
            answer = receive(kept)
            middle = time.monotonic()
            assert answer.status == 200, answer
            state = request(pinpad, "GET", session.path)
            end = time.monotonic()
            assert state.status == 200, state
            taken += [(middle - begin) * 1000, (end - middle) * 1000]
            time.sleep(0.005)
    return sorted(taken)


def measure():
    tests = pathlib.Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(tests), str(tests / "Server")]
    from servers import find_binary, running
    from client import create

    for attack in ATTACKS:
        with running(find_binary()) as pinpad:
            session = create(pinpad, timeouts={"total": 600})
            with Attack(attack, pinpad) as under:
                taken = normal_requests(pinpad, session, under.goes_on)
            after = "not closed" if under.over_after is None else f"all closed after {under.over_after:.1f} s"
            print(
                f"slow {attack}: {under.connections:.0f} connections, {after}; {len(taken)} normal requests meanwhile: "
                f"median {percentile(taken, 0.5):.2f} ms, p99 {percentile(taken, 0.99):.2f} ms, "
                f"slowest {taken[-1]:.2f} ms", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        run_attack(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        measure()
