"""What those who watch get to see of the end: all that was acknowledged, and when to come back."""

import contextlib
import http.client
import re
import resource
import selectors
import signal
import socket
import threading

import pytest

from client import HANG, connect, create, names, problem, receive, request, request_bytes

SESSIONS = 50
STREAMS_EACH = 10
# Of the 256 that a session keeps, so that no stream is cut off for being slow.
MOST_BEHIND = 100


@pytest.fixture
def many_files():
    """Descriptors for all these connections."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, before[1]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_stream_that_ends_says_when_to_come_back_each_at_another_time(start_pinpad):
    server = start_pinpad(config={"comeBackSeconds": 2})
    session = create(server)
    session.insert("12")
    streams = [session.events(last=0) for _ in range(20)]
    streams += [session.events(query=f"?lastEventId={session.state()['eventId']}") for _ in range(10)]
    for stream in streams:
        assert stream.line().startswith("retry: ")
    server.process.send_signal(signal.SIGTERM)
    for stream in streams[:20]:
        assert names(stream.rest()) == ["begin", "change"]
    for stream in streams[20:]:
        assert stream.rest() == []
    assert all(1000 <= stream.retry <= 2000 for stream in streams)
    assert len({stream.retry for stream in streams}) > 1


def test_a_stream_of_several_says_so_too(start_pinpad):
    server = start_pinpad(config={"comeBackSeconds": 1})
    session, other = create(server), create(server)
    session.insert("1")
    stream = request_stream(server, f"/v1/events?sessions={session.id},{other.id}")
    said = b""
    while said.count(b"event: state\n") < 2:
        part = stream.recv(65536)
        assert part, said
        said += part
    server.process.send_signal(signal.SIGTERM)
    said += read_to_the_end(stream)
    assert said.endswith(b"\n\nretry: 1000\n\n")


def test_a_keypad_whose_request_begins_while_it_stops_is_refused(start_pinpad):
    server = start_pinpad()
    session = create(server)
    session.insert("123456")
    with connect(server) as early, connect(server) as keypad, connect(server) as owner:
        for connection in (keypad, owner):
            connection.sendall(request_bytes(server, "GET", "/livez"))
            assert receive(connection).status == 200
        # Half a request keeps it from ending.
        early.sendall(request_bytes(server, "GET", "/readyz")[:-1])
        request(server, "GET", "/livez")
        server.process.send_signal(signal.SIGTERM)
        while request(server, "GET", "/readyz").status == 200:
            pass
        keypad.sendall(request_bytes(server, "POST", session.path + "/clear", "", session.entry))
        answer = receive(keypad)
        problem(answer, "unavailable")
        assert int(answer.header("Retry-After")) > 0
        # What is there can still be had.
        owner.sendall(request_bytes(server, "POST", session.path + "/redeem", "", session.owner))
        assert receive(owner).json == {"text": "123456", "completion": 1}
        early.sendall(b"\n")
        assert receive(early).status == 503


def test_an_owner_who_waits_while_it_stops_is_told_to_wait_elsewhere(start_pinpad):
    server = start_pinpad()
    session, other = create(server), create(server)
    session.insert("12345")
    waiting = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    with connect(server) as early, connect(server) as owner, connect(server) as another:
        for connection in (owner, another):
            connection.sendall(request_bytes(server, "GET", "/livez"))
            assert receive(connection).status == 200
        # Half a request keeps it from ending.
        early.sendall(request_bytes(server, "GET", "/readyz")[:-1])
        request(server, "GET", "/livez")
        server.process.send_signal(signal.SIGTERM)
        while request(server, "GET", "/readyz").status == 200:
            pass
        owner.sendall(request_bytes(server, "POST", other.path + "/redeem", {"hold": True, "wait": 50}, other.owner))
        problem(receive(owner), "unavailable")
        another.sendall(request_bytes(server, "POST", other.path + "/redeem", {"hold": True}, other.owner))
        problem(receive(another), "incomplete")
        answer = waiting.answer()
        problem(answer, "unavailable")
        assert int(answer.header("Retry-After")) > 0
        early.sendall(b"\n")


@contextlib.contextmanager
def at_one_moment(server):
    """What is sent meanwhile comes to the server all at once."""
    server.process.send_signal(signal.SIGSTOP)
    while open(f"/proc/{server.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] != "T":
        pass
    yield
    server.process.send_signal(signal.SIGCONT)


def test_a_client_that_left_in_the_middle_of_its_request_does_not_hold_it_up(start_pinpad):
    slow = {"drainSeconds": 600, "connections": {"requestSeconds": 600, "idleSeconds": 600}}
    server = start_pinpad(config=slow)
    session = create(server)
    content = request_bytes(server, "POST", session.path + "/insert", {"text": "1234"}, session.entry)
    clients = []
    for count in (content.index(b"\r\n") + 2, len(content) - 3):
        for leave in (socket.socket.close, lambda client: client.shutdown(socket.SHUT_WR)):
            clients.append(client := connect(server))
            with at_one_moment(server):
                client.sendall(content[:count])
                leave(client)
    assert session.state()["count"] == 0
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(HANG) == 0


def test_a_client_that_only_sends_no_more_still_gets_its_answer(start_pinpad):
    server = start_pinpad()
    session = create(server)
    content = request_bytes(server, "POST", session.path + "/insert", {"text": "1234"}, session.entry)
    with connect(server) as client, at_one_moment(server):
        client.sendall(content)
        client.shutdown(socket.SHUT_WR)
        server.process.send_signal(signal.SIGCONT)
        assert receive(client).json["count"] == 4


def request_stream(server, path):
    connection = connect(server)
    connection.sendall(request_bytes(server, "GET", path, headers={"Accept": "text/event-stream"}))
    return connection


def read_to_the_end(connection):
    said = b""
    with connection:
        while part := connection.recv(65536):
            said += part
    return said


class Readers:
    """Reads all streams on one thread, to their ends."""

    def __init__(self, streams):
        self.said = [bytearray() for _ in streams]
        self.seen = [0] * len(streams)
        self.progress = threading.Condition()
        self._selector = selectors.DefaultSelector()
        for index, stream in enumerate(streams):
            self._selector.register(stream, selectors.EVENT_READ, index)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while self._selector.get_map():
            for key, _ in self._selector.select(HANG):
                part = key.fileobj.recv(262144)
                if not part:
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()
                self.said[key.data] += part
                self.seen[key.data] += part.count(b"\nid: ")
            with self.progress:
                self.progress.notify_all()

    def wait_until(self, is_so):
        with self.progress:
            assert self.progress.wait_for(is_so, HANG), "it hangs"


class Writer:
    """Edits one session until it is refused; `acknowledged` is the id of the newest event that it was told of."""

    def __init__(self, server, session, readers, own):
        self.acknowledged = 0
        self.edits = 0
        self.errors = []
        self._server, self._session, self._readers, self._own = server, session, readers, own
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            with connect(self._server) as connection:
                while self._edit(connection):
                    self.edits += 1
                    self._readers.wait_until(
                        lambda: self.acknowledged - min(self._readers.seen[index] for index in self._own) < MOST_BEHIND)
        except BaseException as error:
            self.errors.append(error)

    def _edit(self, connection):
        action = ("/insert", {"text": "1"}) if self.edits % 2 == 0 else ("/delete-backward", {})
        try:
            connection.sendall(
                request_bytes(self._server, "POST", self._session.path + action[0], action[1], self._session.entry))
            answer = receive(connection)
        except (ConnectionError, OSError):
            # Closed after its last answer: nothing was acknowledged.
            return False
        except Exception as error:
            if "closed connection" in str(error):
                return False
            raise
        if answer.status == 503:
            return False
        assert answer.status == 200, answer
        self.acknowledged = answer.json["eventId"]
        return True


def test_under_load_no_acknowledged_edit_is_missing_from_what_was_seen(start_pinpad, many_files):
    server = start_pinpad(config={"drainSeconds": 60})
    sessions = [create(server, length=32) for _ in range(SESSIONS)]
    streams = [
        request_stream(server, session.path + "/events?lastEventId=0")
        for session in sessions for _ in range(STREAMS_EACH)]
    readers = Readers(streams)
    readers.wait_until(lambda: all(b"retry: " in said for said in readers.said))
    writers = [
        Writer(server, session, readers, range(index * STREAMS_EACH, (index + 1) * STREAMS_EACH))
        for index, session in enumerate(sessions)]
    readers.wait_until(lambda: all(writer.edits >= 10 for writer in writers))
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(HANG) == 0
    for thread in [readers.thread, *(writer.thread for writer in writers)]:
        thread.join(HANG)
        assert not thread.is_alive(), "it hangs"
    for index, said in enumerate(readers.said):
        writer = writers[index // STREAMS_EACH]
        assert writer.errors == []
        ids = [int(id) for id in re.findall(rb"(?m)^id: (\d+)$", said)]
        assert ids == list(range(1, len(ids) + 1))
        assert len(ids) >= writer.acknowledged
        assert re.search(rb"\n\nretry: \d+\n\n$", said)


def test_a_stop_does_not_wait_for_those_who_keep_coming(start_pinpad):
    server = start_pinpad(config={"drainSeconds": 600})
    session = create(server)

    def come():
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                session.get()

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(HANG) == 0
    for thread in threads:
        thread.join(HANG)
        assert not thread.is_alive()
