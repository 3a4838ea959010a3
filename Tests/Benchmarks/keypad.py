"""A keypad and a display on plain sockets: one keep-alive connection each, so that the server's part is all that is
measured, and every answer's status is looked at."""

import json
import socket

# How long to wait for what must come: it says "it hangs", never "it is slow".
HANG = 60


class Keypad:
    """A keep-alive connection to 127.0.0.1."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=HANG)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def close(self):
        self.socket.close()

    def ask(self, request):
        """Sends a request, made by `request`, and returns the body of its answer, which must be 2xx."""
        self.socket.sendall(request)
        answer = self._rest
        while b"\r\n\r\n" not in answer:
            answer += self._receive()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 2"), answer
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(body) < length:
            body += self._receive()
        self._rest = body[length:]
        return body[:length]

    def _receive(self):
        received = self.socket.recv(65536)
        assert received, "the server closed the connection"
        return received

    def create(self, **options):
        """A new session."""
        answer = json.loads(self.ask(request("POST", "/v1/sessions", body=json.dumps(options).encode())))
        return Session(f"/v1/sessions/{answer['id']}", answer["tokens"]["entry"])


class Session:
    """What a keypad knows of a session, and its requests as bytes."""

    def __init__(self, path, token):
        self.path = path
        self.token = token
        self.picture = request("GET", f"{path}/cells.svg")
        self.begin = self.edit("begin")
        self.clear = self.edit("clear")
        self.delete = self.edit("delete-backward")

    def edit(self, name, body=None):
        return request("POST", f"{self.path}/{name}", self.token, body)

    def insert(self, text):
        return self.edit("insert", b'{"text":"%s"}' % text.encode())


class Display:
    """An open event stream of a session, whose first event has come."""

    def __init__(self, port, session):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=HANG)
        self.socket.sendall(request("GET", f"{session.path}/events", accept="text/event-stream"))
        self._text = b""
        while b"\r\n\r\n" not in self._text:
            self._receive()
        assert self._text.startswith(b"HTTP/1.1 200 "), self._text
        self._text = self._text.partition(b"\r\n\r\n")[2]
        assert self.event() == "state"

    def close(self):
        self.socket.close()

    def event(self):
        """The name of the next event."""
        while True:
            while b"\n\n" not in self._text:
                self._receive()
            block, _, self._text = self._text.partition(b"\n\n")
            for line in block.split(b"\n"):
                if line.startswith(b"event: "):
                    return line[7:].decode()

    def _receive(self):
        received = self.socket.recv(65536)
        assert received, "the server closed the stream"
        self._text += received


def request(method, path, token=None, body=None, accept=None):
    """A request as bytes."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if accept:
        lines.append(f"Accept: {accept}")
    if body is not None:
        lines.append("Content-Type: application/json")
    if method != "GET":
        lines.append(f"Content-Length: {len(body or b'')}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")
