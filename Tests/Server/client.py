"""A small client for the tests: HTTP and event streams on the standard library's sockets, nothing hidden.

`HANG` is how long a test waits for something that must come; it says "it hangs", never "it is slow".
"""

import http.client
import json
import random
import socket
import threading

HANG = 20
UNSENT = object()


class Answer:
    """One whole answer: `status`, `headers` (case-insensitive), `body`, and `json`, the parsed body."""

    def __init__(self, status, headers, body, reason=""):
        self.status = status
        self.headers = headers
        self.body = body
        self.reason = reason

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    def header(self, name):
        return self.headers.get(name)

    def __repr__(self):
        return f"<Answer {self.status} {dict(self.headers.items())} {self.body[:600]!r}>"


def address(pinpad):
    return getattr(pinpad, "host", "127.0.0.1").strip("[]"), pinpad.port


def connect(pinpad, source=None):
    """A plain TCP connection to the server."""
    return socket.create_connection(
        address(pinpad), timeout=HANG, source_address=(source, 0) if source else None)


def encoded(body):
    """What a test gives as a body, as bytes: bytes and text as they are, anything else as JSON."""
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    return json.dumps(body).encode()


def request_bytes(pinpad, method, path, body=UNSENT, token=None, headers=None, close=False):
    """A request as it goes over the wire. A body that isn't given isn't sent (POST says Content-Length: 0)."""
    host, port = address(pinpad)
    given = {name.lower() for name in headers or {}}
    lines = [f"{method} {path} HTTP/1.1"]
    if "host" not in given:
        lines.append(f"Host: {'[' + host + ']' if ':' in host else host}:{port}")
    content = b"" if body is UNSENT else encoded(body)
    if body is not UNSENT and "content-type" not in given:
        lines.append("Content-Type: application/json")
    if body is not UNSENT or method in ("POST", "PATCH", "PUT"):
        lines.append(f"Content-Length: {len(content)}")
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    for name, value in (headers or {}).items():
        if value is not None:
            lines.append(f"{name}: {value}")
    if close:
        lines.append("Connection: close")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + content


class _Received(http.client.HTTPResponse):
    """http.client's parser on a socket that we have written to ourselves."""


def receive(connection, method="GET"):
    """Reads one whole answer from a connection."""
    response = _Received(connection, method=method)
    response.begin()
    body = response.read()
    return Answer(response.status, response.headers, body, response.reason)


def request(pinpad, method, path, body=UNSENT, token=None, headers=None, source=None):
    """One request on a connection of its own. `headers` with the value None are not sent."""
    with connect(pinpad, source) as connection:
        connection.sendall(request_bytes(pinpad, method, path, body, token, headers, close=True))
        return receive(connection, method)


def raw(pinpad, content):
    """Sends these bytes, returns all that comes back until the server closes."""
    with connect(pinpad) as connection:
        connection.sendall(content)
        return read_all(connection)


def read_all(connection):
    parts = []
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def salvo(pinpad, requests, method="POST"):
    """Sends requests at once: each on a connection of its own, all but the last byte first, then the last bytes."""
    connections = [connect(pinpad) for _ in requests]
    try:
        for connection, content in zip(connections, requests):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(content[:-1])
        for connection, content in zip(connections, requests):
            connection.sendall(content[-1:])
        return [receive(connection, method) for connection in connections]
    finally:
        for connection in connections:
            connection.close()


def at_once(count, work):
    """Runs `work(index)` on `count` threads that start together; returns the results, raises the first error."""
    results, errors = [None] * count, []
    barrier = threading.Barrier(count)

    def run(index):
        try:
            barrier.wait(HANG)
            results[index] = work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(3 * HANG)
        assert not thread.is_alive(), "it hangs"
    if errors:
        raise errors[0]
    return results


class Waiting:
    """A request that has been sent and whose answer is read later: for long waits."""

    def __init__(self, pinpad, method, path, body=UNSENT, token=None, headers=None):
        self.method = method
        self.connection = connect(pinpad)
        self.connection.sendall(request_bytes(pinpad, method, path, body, token, headers, close=True))

    def answered(self):
        """Whether some of the answer is here already; doesn't wait."""
        self.connection.setblocking(False)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) is not None
        except BlockingIOError:
            return False
        finally:
            self.connection.settimeout(HANG)

    def answer(self, seconds=HANG):
        self.connection.settimeout(seconds)
        try:
            return receive(self.connection, self.method)
        finally:
            self.connection.close()

    def close(self):
        self.connection.close()


class Event:
    """One event of a stream: `id` (text or None), `event`, `data` (parsed) and `raw`, its lines as sent."""

    def __init__(self, id, event, data, raw):
        self.id = id
        self.event = event
        self.raw = raw
        self.text = data

    @property
    def data(self):
        return json.loads(self.text)

    def __repr__(self):
        return f"<Event {self.raw!r}>"


class EventStream:
    """An open event stream, read as it comes. `status` and `headers` at once; `retry` and `comments` as they pass."""

    def __init__(self, pinpad, path, token=None, headers=None, method="GET"):
        self.connection = connect(pinpad)
        headers = {"Accept": "text/event-stream", **(headers or {})}
        self.connection.sendall(request_bytes(pinpad, method, path, UNSENT, token, headers))
        self.response = _Received(self.connection, method=method)
        self.response.begin()
        self.status = self.response.status
        self.headers = self.response.headers
        self.raw = b""
        self.retry = None
        self.comments = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.response.close()
        self.connection.close()

    def line(self):
        """The next line without its end, or None at the end of the stream."""
        line = self.response.readline()
        self.raw += line
        return line.decode().rstrip("\r\n") if line else None

    def next(self, pings=False):
        """The next event, or None at the end of the stream. Pings are passed over unless asked for."""
        id, event, data, lines = None, "message", [], []
        while True:
            line = self.line()
            if line is None:
                assert not data, f"the stream ends within an event: {lines}"
                return None
            if line == "":
                if data and (pings or event != "ping"):
                    return Event(id, event, "\n".join(data), "\n".join(lines))
                id, event, data, lines = None, "message", [], []
                continue
            lines.append(line)
            if line.startswith(":"):
                self.comments.append(line)
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "id":
                id = value
            elif field == "event":
                event = value
            elif field == "data":
                data.append(value)
            elif field == "retry":
                self.retry = int(value)

    def take(self, count):
        """The next `count` events."""
        events = []
        while len(events) < count:
            event = self.next()
            assert event is not None, f"the stream ended after {events}"
            events.append(event)
        return events

    def until(self, name):
        """The events up to and with the first one of this name."""
        events = []
        while True:
            event = self.next()
            assert event is not None, f"no {name} before the end: {events}"
            events.append(event)
            if event.event == name:
                return events

    def rest(self):
        """All events up to the end of the stream."""
        events = []
        while (event := self.next()) is not None:
            events.append(event)
        return events


def names(events):
    return [event["event"] if isinstance(event, dict) else event.event for event in events]


class Session:
    """A session as its creator knows it; each method is one request that returns its `Answer`."""

    def __init__(self, pinpad, created):
        self.pinpad = pinpad
        self.created = created
        body = created.json
        self.id = body["id"]
        self.entry = body["tokens"]["entry"]
        self.owner = body["tokens"]["owner"]
        self.path = f"/v1/sessions/{self.id}"

    def request(self, method, action="", body=UNSENT, token=None, headers=None):
        return request(self.pinpad, method, self.path + action, body, token, headers)

    def bytes(self, method, action="", body=UNSENT, token=None, headers=None, close=True):
        return request_bytes(self.pinpad, method, self.path + action, body, token, headers, close)

    def waiting(self, method, action="", body=UNSENT, token=None, headers=None):
        return Waiting(self.pinpad, method, self.path + action, body, token, headers)

    def get(self, token=None, headers=None, action=""):
        return self.request("GET", action, token=token, headers=headers)

    def state(self, token=None):
        answer = self.get(token)
        assert answer.status == 200, answer
        return answer.json

    def _edit(self, action, body, token, headers):
        return self.request("POST", action, body, token or self.entry, headers)

    def begin(self, token=None, headers=None):
        return self._edit("/begin", UNSENT, token, headers)

    def insert(self, text, at=None, token=None, headers=None):
        return self._edit("/insert", {"text": text} if at is None else {"text": text, "at": at}, token, headers)

    def delete_backward(self, at=None, token=None, headers=None):
        return self._edit("/delete-backward", UNSENT if at is None else {"at": at}, token, headers)

    def clear(self, token=None, headers=None):
        return self._edit("/clear", UNSENT, token, headers)

    def set(self, text, token=None, headers=None):
        return self._edit("/set", {"text": text}, token, headers)

    def end(self, token=None, headers=None):
        return self._edit("/end", UNSENT, token, headers)

    def redeem(self, body=UNSENT, token=None, headers=None):
        return self.request("POST", "/redeem", body, token or self.owner, headers)

    def hold(self, **members):
        return self.redeem({"hold": True, **members})

    def accept(self, token=None, headers=None):
        return self.request("POST", "/accept", UNSENT, token or self.owner, headers)

    def reject(self, message=None, token=None, headers=None):
        body = UNSENT if message is None else {"message": message}
        return self.request("POST", "/reject", body, token or self.owner, headers)

    def patch(self, body, token=None, headers=None):
        headers = {"Content-Type": "application/merge-patch+json", **(headers or {})}
        return self.request("PATCH", "", body, token or self.owner, headers)

    def cancel(self, token=None, headers=None):
        return self.request("DELETE", "", UNSENT, token or self.owner, headers)

    def picture(self, query="", token=None, headers=None):
        return self.request("GET", "/cells.svg" + query, token=token, headers=headers)

    def events(self, token=None, last=None, query=""):
        """An open stream of this session's events."""
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        return EventStream(self.pinpad, f"{self.path}/events{query}", token, headers)

    def poll(self, after=None, wait=None, token=None):
        """The answer of the polled events."""
        query = "&".join(f"{name}={value}" for name, value in (("after", after), ("wait", wait)) if value is not None)
        return self.request(
            "GET", "/events" + ("?" + query if query else ""), token=token, headers={"Accept": "application/json"})

    def log(self, after=0, token=None):
        """The stored events after `after`, as the polled answer gives them."""
        answer = self.poll(after, token=token)
        assert answer.status == 200, answer
        return answer.json["events"]


def create(pinpad, token=None, headers=None, **members):
    """Creates a session: `create(pinpad, length=4, style="code")`."""
    answer = request(pinpad, "POST", "/v1/sessions", members, token, headers)
    assert answer.status == 201, answer
    return Session(pinpad, answer)


def digits(count, seed):
    """`count` decimal digits from a seed that the test prints."""
    return "".join(random.Random(seed).choices("0123456789", k=count))


STATUS = {
    "malformed": 400, "unauthorized": 401, "forbidden": 403, "not-found": 404, "method-not-allowed": 405,
    "full": 409, "out-of-position": 409, "incomplete": 409, "held": 409, "not-held": 409, "conflict": 409,
    "closed": 410, "length-required": 411, "precondition-failed": 412, "too-large": 413,
    "unsupported-media-type": 415, "invalid": 422, "invalid-character": 422, "overflow": 422,
    "idempotency-key-reused": 422, "too-many": 429, "internal": 500, "unavailable": 503,
}


def problem(answer, name):
    """Asserts that an answer is this problem, whole and well-formed, and returns it parsed."""
    assert answer.status == STATUS[name], (name, answer)
    assert answer.header("Content-Type") == "application/problem+json", answer
    body = answer.json
    assert body["type"] == f"/problems/{name}", answer
    assert body["status"] == answer.status, answer
    assert isinstance(body["title"], str) and body["title"], answer
    assert isinstance(body["detail"], str) and body["detail"], answer
    return body


def pointers(answer):
    """What an `invalid` names: its pointers and parameters, sorted."""
    return sorted(error.get("pointer") or error["parameter"] for error in problem(answer, "invalid")["errors"])
