"""Those who watch: streams that come and go, and polls; each asserts that no event is lost or doubled."""

import socket

from client import HANG, EventStream, connect, receive, request_bytes


class Watch:
    """A stream of one session from its first event on, left and taken up again by the last id."""

    def __init__(self, entry, token=None):
        self.entry = entry
        self.token = token
        self.last = 0
        self.completes = 0
        self.closed = None
        self._stream = None

    def _open(self):
        self._stream = EventStream(
            self.entry.line.pinpad, f"{self.entry.path}/events", self.token, {"Last-Event-ID": str(self.last)})
        self.entry.line.tally.add("streams")
        assert self._stream.status == 200, self._stream.status

    def catch_up(self, event_id):
        """Reads up to this event, which has been acknowledged; then sometimes leaves."""
        while self.last < event_id:
            self._read()
        if self.entry.random.random() < 0.3:
            self.leave()

    def to_the_end(self):
        """Reads until the session has closed, and asserts that as many completions were told as there were."""
        while self.closed is None:
            self._read()
        assert self._stream.next() is None, "something came after close"
        self.leave()
        assert self.completes == self.entry.completion, (self.completes, self.entry.completion)
        return self.closed

    def _read(self):
        if self._stream is None:
            self._open()
        event = self._stream.next()
        if event is None:
            # A reader that was too slow is cut off, and goes on by id.
            self.leave()
            self.entry.line.tally.add("cut off")
            return
        assert int(event.id) == self.last + 1, (self.last, event)
        assert event.data["eventId"] == self.last + 1, event
        self.last += 1
        self.completes += event.event == "complete"
        if event.event == "close":
            self.closed = event.data["status"]

    def leave(self):
        if self._stream is not None:
            self._stream.close()
            self._stream = None


class Poll:
    """The same by polling."""

    def __init__(self, entry):
        self.entry = entry
        self.last = 0
        self.completes = 0
        self._waiting = None

    def begin(self):
        """Asks, with a wait, and leaves the answer for later."""
        path = f"{self.entry.path}/events?after={self.last}&wait=50"
        self._waiting = connect(self.entry.line.pinpad)
        self._waiting.sendall(request_bytes(self.entry.line.pinpad, "GET", path, close=True))

    def end(self):
        """Takes the answer; gives whether the session has closed."""
        try:
            answer = self.entry.line.checked(receive(self._waiting))
        finally:
            self._waiting.close()
        assert answer.status == 200, answer
        self.entry.line.tally.add("polls")
        for event in answer.json["events"]:
            assert event["id"] == self.last + 1, (self.last, answer)
            self.last += 1
            self.completes += event["event"] == "complete"
        return answer.json["closed"]

    def to_the_end(self):
        while True:
            self.begin()
            if self.end():
                break
        assert self.completes == self.entry.completion, (self.completes, self.entry.completion)


def slow_stream(pinpad, path):
    """A stream from the first event on, with as little room on our side as there can be; nobody reads it yet."""
    connection = socket.socket(socket.AF_INET6 if ":" in pinpad.host else socket.AF_INET)
    connection.settimeout(HANG)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((pinpad.host, pinpad.port))
    connection.sendall(request_bytes(pinpad, "GET", path, headers={"Last-Event-ID": "0"}))
    return connection
