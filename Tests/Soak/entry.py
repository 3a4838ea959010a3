"""A session, and the text that it must have by what has been acknowledged."""

import socket
import struct
import threading
import time

from client import UNSENT, connect, receive, request_bytes

# How long the server keeps a connection without a request.
IDLE_SECONDS = 8


class Tally:
    """How often what happened."""

    def __init__(self):
        self._lock = threading.Lock()
        self._counts = {}

    def add(self, name, count=1):
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + count

    def __getitem__(self, name):
        return self._counts.get(name, 0)

    def __str__(self):
        return ", ".join(f"{name} {count:,}" for name, count in sorted(self._counts.items()))


class Line:
    """A connection that is kept for one request after the other, and opened again when it was closed or is old."""

    def __init__(self, pinpad, tally):
        self.pinpad = pinpad
        self.tally = tally
        self._connection = None
        self._used = 0

    def ask(self, method, path, body=UNSENT, token=None, headers=None):
        """One request; no answer may be a 5xx."""
        # The server closes what was idle for long, perhaps at the very moment of the next request.
        if time.monotonic() - self._used > IDLE_SECONDS / 2:
            self.close()
        if self._connection is None:
            self._connection = connect(self.pinpad)
        self._used = time.monotonic()
        self._connection.sendall(request_bytes(self.pinpad, method, path, body, token, headers))
        answer = receive(self._connection, method)
        if (answer.header("Connection") or "").lower() == "close":
            self.close()
        return self.checked(answer)

    def checked(self, answer):
        self.tally.add("requests")
        assert answer.status < 500, answer
        return answer

    def vanish_after(self, content):
        """Sends this on a connection of its own, and resets it without reading."""
        connection = connect(self.pinpad)
        connection.sendall(content)
        reset(connection)
        self.tally.add("vanished")

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def reset(connection):
    """Ends a connection as a client does that vanishes."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Entry:
    """One session. Each edit asserts that the answer is what the text so far makes it."""

    def __init__(self, line, random, key, **members):
        self.line = line
        self.random = random
        answer = line.ask("POST", "/v1/sessions", members, key)
        assert answer.status == 201, answer
        line.tally.add("sessions")
        self.id = answer.json["id"]
        self.entry = answer.json["tokens"]["entry"]
        self.owner = answer.json["tokens"]["owner"]
        self.path = f"/v1/sessions/{self.id}"
        self.length = answer.json["length"]
        self.text = ""
        self.completion = 0
        self.event_id = 0
        self._keys = 0

    # MARK: Edits

    def insert(self, text):
        accepted = text[:self.length - len(self.text)]
        answer = self._edit("/insert", {"text": text, "at": len(self.text)})
        if not accepted:
            assert answer.status == 409 and answer.json["type"] == "/problems/full", answer
            return
        self._becomes(self.text + accepted)
        assert (answer.json["accepted"], answer.json["truncated"]) == (len(accepted), len(text) - len(accepted)), answer
        self._check(answer)

    def delete(self):
        answer = self._edit("/delete-backward", {"at": len(self.text)})
        self._becomes(self.text[:-1])
        self._check(answer)

    def clear(self):
        answer = self._edit("/clear", UNSENT)
        self._becomes("")
        self._check(answer)

    def set(self, text):
        answer = self._edit("/set", {"text": text})
        # A set that leaves it full completes again, whatever was in before.
        self.text = ""
        self._becomes(text[:self.length])
        self._check(answer)

    def _becomes(self, text):
        if len(text) == self.length and len(self.text) < self.length:
            self.completion += 1
        self.text = text

    def _edit(self, action, body):
        """One edit in one of three ways: once; twice with one key; and lost, then sent again with the same key."""
        way = self.random.choices(("once", "twice", "lost"), (12, 1, 1))[0]
        if way == "once":
            return self.line.ask("POST", self.path + action, body, self.entry)
        self._keys += 1
        headers = {"Idempotency-Key": f"key-{self._keys}"}
        if way == "lost":
            content = request_bytes(self.line.pinpad, "POST", self.path + action, body, self.entry, headers)
            self.line.vanish_after(content)
            return self.line.ask("POST", self.path + action, body, self.entry, headers)
        first = self.line.ask("POST", self.path + action, body, self.entry, headers)
        if first.status == 200:
            again = self.line.ask("POST", self.path + action, body, self.entry, headers)
            # A replayed answer shows no text.
            shown = {name: value for name, value in first.json.items() if name != "text"}
            assert (again.status, again.json) == (200, shown), (first, again)
            assert again.header("Idempotency-Replayed") == "true", again
        return first

    def _check(self, answer):
        assert answer.status == 200, answer
        state = answer.json
        assert (state["count"], state["completion"]) == (len(self.text), self.completion), (self.text, answer)
        assert state["eventId"] >= self.event_id, answer
        self.event_id = state["eventId"]
        self.line.tally.add("edits")

    # MARK: What the owner asks

    def ask(self, method, action="", body=UNSENT):
        return self.line.ask(method, self.path + action, body, self.owner)

    def redeem(self, **members):
        """Redeems, and asserts that exactly what was acknowledged comes out; `incomplete` where it is."""
        answer = self.ask("POST", "/redeem", members or UNSENT)
        if len(self.text) < self.length:
            assert answer.status == 409 and answer.json["type"] == "/problems/incomplete", answer
            return
        self.redeemed(answer)

    def redeemed(self, answer):
        assert answer.status == 200, answer
        assert (answer.json["text"], answer.json["completion"]) == (self.text, self.completion), (self.text, answer)
        self.line.tally.add("redeemed")

    def reject(self, message):
        answer = self.ask("POST", "/reject", {"message": message})
        self.text = ""
        assert answer.status == 200 and answer.json["error"] == message, answer
        return answer.json["status"]

    def closes(self, method, action, status):
        answer = self.ask(method, action)
        assert answer.status in (200, 204), answer
        assert self.ask("GET").json["status"] == status

    # MARK: Typing

    def type_all(self):
        """Types until it is full, with corrections on the way."""
        while len(self.text) < self.length:
            step = self.random.random()
            if step < 0.80:
                self.insert(self.digits(self.random.choice((1, 1, 1, 1, 2, 40))))
            elif step < 0.92:
                self.delete()
            elif step < 0.96:
                self.clear()
            else:
                self.set(self.digits(self.random.randint(1, self.length)))

    def digits(self, count):
        return "".join(self.random.choice("0123456789") for _ in range(count))
