"""Whatever allocation or call of libmicrohttpd, jansson or the shim fails: its request is answered truly or its
connection is closed, and all else goes on.

A story of requests is told again and again, each time with the next allocation or call failing, until it is told
whole without reaching one that was to fail. Swift's own allocations are left out: without memory they end the program,
which has to be started again by what watches it.
"""

import contextlib
import errno
import http.client
import itertools
import json
import re
import select
import signal
import socket
import subprocess
import time
import uuid

import pytest

from client import UNSENT, EventStream, at_once, connect, create, problem, read_all, receive, request, request_bytes
from failing import (
    ALL, ALLOCATIONS, CALLS, JANSSON, MICROHTTPD, ONE, SHIM, SOME, START, Control, compile_library, failing,
    preloaded)
from servers import HANG

PIN = "73519264807351926480735192648073"
LABEL = "The code that you find behind the mirror"
# More than the block that the parts of a small body are in.
METADATA = {f"name {index}": 220 * "ab"[index % 2] for index in range(15)}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_library(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def server(pinpad_binary, library, tmp_path_factory):
    with failing(pinpad_binary, library, tmp_path_factory.mktemp("failing")) as server:
        yield server


class Story:
    """A session's life, told to a server in which something fails: until it is seen once, or, if `goes_on`, all the
    time. `troubles` are the answers that said so: a status, or None for a connection that was closed."""

    def __init__(self, server, goes_on=False):
        self.server = server
        self.goes_on = goes_on
        self.troubles = []
        self.keys = itertools.count()
        self.connection = None
        self.open = contextlib.ExitStack()

    def exchange(self, content, method):
        """The answer over the connection that is kept, or None if it was closed instead."""
        try:
            if not self.connection:
                self.connection = self.open.enter_context(connect(self.server))
            self.connection.sendall(content)
            answer = receive(self.connection, method)
            if answer.header("Connection") == "close":
                self.connection = None
            return answer
        except (ConnectionError, http.client.HTTPException):
            self.connection = None
            return None

    def is_trouble(self, answer):
        """Whether it was refused for what fails."""
        if answer is not None and answer.status != 503:
            return False
        if answer is not None and answer.body:
            problem(answer, "unavailable")
            assert answer.header("Retry-After"), answer
        self.troubles.append(answer and answer.status)
        if not self.goes_on:
            self.server.control.stop()
            # The stream may have been cut before, and what was on its way.
            assert len(self.troubles) <= 3, "it fails although nothing does"
        return True

    def ask(self, method, path, body="", token=None, status=200, **headers):
        """One request; if it gets no answer or a 503, it is sent again, and then has to have this status."""
        content = request_bytes(self.server, method, path, body, token, headers)
        while self.is_trouble(answer := self.exchange(content, method)):
            pass
        assert answer.status == status, (answer, self.troubles)
        return answer

    def edit(self, path, body="", token=None):
        return self.ask("POST", path, body, token, **{"Idempotency-Key": f"k{next(self.keys)}"})

    def stream(self, path, last=0):
        """An open stream, from the event after `last`."""
        while True:
            try:
                headers = {"Last-Event-ID": str(last)}
                stream = self.open.enter_context(EventStream(self.server, path, headers=headers))
            except (ConnectionError, http.client.HTTPException):
                self.is_trouble(None)
                continue
            assert stream.status == 200, "a browser would give up"
            return stream

    def tell(self):
        """Does it all, and asserts that nothing was lost, doubled or made up."""
        with self.open:
            self._tell()

    def _tell(self):
        created = self.ask(
            "POST", "/v1/sessions", {"length": 32, "label": LABEL, "metadata": METADATA}, status=201,
            **{"Idempotency-Key": uuid.uuid4().hex}).json
        path, entry, owner = created["links"]["self"], created["tokens"]["entry"], created["tokens"]["owner"]
        assert created["config"]["label"] == LABEL and created["metadata"] == METADATA
        events = Events(self, f"{path}/events")
        self.edit(f"{path}/begin", token=entry)
        for at in range(3):
            assert self.edit(f"{path}/insert", {"text": PIN[at], "at": at}, entry).json["count"] == at + 1
        self.ask("POST", f"{path}/insert", '{"text": 12345678901234567, "x": [1.5e10, "', entry, 400)
        self.ask("POST", f"{path}/insert", {"text": "1", "at": 123456789012345678}, entry, 422)
        self.ask("POST", f"{path}/insert", {"text": "1"}, "pinent_" + 43 * "A", 401)
        self.ask("GET", f"{path}/nowhere", status=404)
        assert self.edit(f"{path}/delete-backward", token=entry).json["count"] == 2
        assert b"<svg" in self.ask("GET", f"{path}/cells.svg").body
        after = self.ask("GET", path).json["eventId"]
        poll = self.poll(f"{path}/events?after={after}&wait=30")
        assert self.edit(f"{path}/set", {"text": PIN}, entry).json["status"] == "open"
        poll()
        held = self.ask("POST", f"{path}/redeem", {"hold": True, "wait": 50}, owner).json
        assert held["text"] == PIN, (held, self.troubles)
        accept = request_bytes(self.server, "POST", f"{path}/accept", "", owner)
        while self.is_trouble(accepted := self.exchange(accept, "POST")):
            pass
        # It may have been done although the answer was lost.
        assert accepted.status == 200 or accepted.status == 410 and None in self.troubles, accepted
        assert self.ask("GET", path, token=owner).json["status"] == "accepted"
        events.check()

    def streams(self):
        """How many streams and waits are open."""
        metrics = self.ask("GET", "/metrics").text
        return int(re.search(r"(?m)^pinpad_streams (\d+)$", metrics)[1])

    def poll(self, target):
        """A long poll, asked for now; the function that is returned has its answer, by another poll if need be."""
        content = request_bytes(self.server, "GET", target, headers={"Accept": "application/json"})
        connection = self.open.enter_context(connect(self.server))
        streams = self.streams()
        with contextlib.suppress(ConnectionError):
            connection.sendall(content)
        # It should wait when the event comes; whether it does may not be seen, when a stream ends meanwhile.
        deadline = time.monotonic() + 0.2
        while not select.select([connection], [], [], 0)[0] and self.streams() <= streams:
            if time.monotonic() > deadline:
                break

        def answer():
            try:
                found = receive(connection)
            except (ConnectionError, http.client.HTTPException):
                found = None
            if self.is_trouble(found):
                found = self.ask("GET", target, UNSENT, Accept="application/json")
            assert found.status == 200 and found.json["events"], (found, self.troubles)
        return answer


class Events:
    """The events of a session as a display sees them, that comes back when its stream ends."""

    def __init__(self, story, path):
        self.story, self.path = story, path
        self.stream = story.stream(path)

    def check(self):
        seen = []
        while not seen or seen[-1].event != "close":
            event = self._next()
            if event is None:
                self.story.is_trouble(None)
                self.stream = self.story.stream(self.path, seen[-1].id if seen else 0)
            elif event.id and event.event != "state":
                seen.append(event)
        assert [int(event.id) for event in seen] == list(range(1, len(seen) + 1)), seen
        assert [event.event for event in seen] == [
            "begin", "change", "change", "change", "change", "delete", "change", "complete", "hold", "end",
            "close"], seen

    def _next(self):
        try:
            return self.stream.next()
        except (ConnectionError, http.client.HTTPException):
            return None


def every_failure(server, kinds, mode, error=0):
    """Tells the story with each of these calls failing in turn; how many there are, and what troubles there were."""
    control, troubles = server.control, []
    for nth in itertools.count(1):
        control.fail(kinds, nth, mode, error)
        story = Story(server)
        try:
            story.tell()
        except Exception as error_found:
            raise AssertionError(f"with the {nth}th failing: {story.troubles}") from error_found
        assert server.process.poll() is None
        failed = control.failed
        control.stop()
        troubles += story.troubles
        if failed == 0:
            return nth - 1, troubles


def descriptors(server):
    """How many are open, with that of the connection that asks."""
    metrics = request(server, "GET", "/metrics").text
    return int(re.search(r"(?m)^process_open_fds (\d+)$", metrics)[1])


@contextlib.contextmanager
def nothing_left(server):
    """Asserts that in the end no more is allocated and open than at first."""
    Story(server).tell()
    # Connections and streams of before may still be closing, and only make these more than they were.
    live, opened = server.control.live, descriptors(server)
    yield
    Story(server).tell()
    deadline = time.monotonic() + HANG
    while server.control.live > live or descriptors(server) > opened:
        assert time.monotonic() < deadline, (server.control.live, live, descriptors(server), opened)
        time.sleep(0.01)


@pytest.mark.parametrize("mode", [ONE, ALL], ids=["one", "all from one on"])
def test_without_memory_a_request_is_refused_or_its_connection_closed(server, mode):
    with nothing_left(server):
        count, troubles = every_failure(server, ALLOCATIONS, mode)
    print(f"{count} allocations, {troubles.count(503)} times 503, {troubles.count(None)} closed connections")
    assert count > 200 and {503, None} <= set(troubles)


def test_a_text_that_there_is_no_memory_to_read_is_not_taken_for_another(server):
    with nothing_left(server):
        count, troubles = every_failure(server, JANSSON, ONE)
        every_failure(server, JANSSON, ALL)
    assert count > 20 and set(troubles) == {503}


@pytest.mark.parametrize("call,number", [
    ("fcntl", errno.EMFILE), ("epoll_ctl", errno.ENOSPC), ("epoll_ctl", errno.ENOMEM), ("accept4", errno.EMFILE),
    ("accept4", errno.ENOMEM), ("accept4", errno.ECONNABORTED), ("send", errno.ECONNRESET), ("send", errno.ENOBUFS),
    ("send", errno.ENOMEM), ("recv", errno.ECONNRESET), ("recv", errno.ENOMEM), ("setsockopt", errno.ENOBUFS)])
def test_when_a_call_fails_its_connection_is_closed_and_the_rest_goes_on(server, call, number):
    with nothing_left(server):
        count, troubles = every_failure(server, CALLS[call], ONE, number)
    print(f"{count} calls, {troubles.count(503)} times 503, {troubles.count(None)} closed connections")
    assert count > 0


# Longer apart than the allocations of one request, which would never be answered.
@pytest.mark.parametrize("kinds,apart", [
    (ALLOCATIONS, 211), (CALLS["fcntl"] | CALLS["epoll_ctl"] | CALLS["send"] | CALLS["recv"], 37)],
    ids=["allocations", "calls"])
def test_many_sessions_at_once_lose_nothing_while_each_so_many_fail(server, kinds, apart):
    with nothing_left(server):
        server.control.fail(kinds, apart, SOME)
        stories = [Story(server, goes_on=True) for _ in range(60)]
        at_once(6, lambda index: [story.tell() for story in stories[index::6]])
        failed = server.control.failed
        server.control.stop()
    print(f"{failed} failed, {sum(len(story.troubles) for story in stories)} were noticed")
    assert failed > 50


def test_without_memory_for_what_a_slow_reader_has_not_taken_its_stream_is_cut(server):
    with nothing_left(server):
        session = create(server)
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.settimeout(HANG)
        slow.connect((server.host, server.port))
        slow.sendall(request_bytes(server, "GET", session.path + "/events"))
        slow.recv(1)
        edit = request_bytes(server, "POST", session.path + "/delete-backward", "", session.entry)
        with connect(server) as connection:
            # The connection's first request has another one for the connection.
            connection.sendall(edit)
            assert receive(connection).status == 200
            edits, failed = 1, 0
            # The shim's first allocation is for the request, a second for what the socket doesn't take.
            while failed == 0:
                server.control.fail(SHIM, 2, ONE)
                connection.sendall(edit)
                assert receive(connection).status == 200
                failed = server.control.failed
                edits += 1
        server.control.stop()
        events = read_all(slow)
        slow.close()
        assert b"event: delete" in events and b"event: close" not in events
        assert session.state()["revision"] == edits
        assert session.cancel().status == 204


@pytest.mark.parametrize("mode", [ONE, ALL], ids=["one", "all from one on"])
def test_a_configuration_that_there_is_no_memory_to_read_changes_nothing(server, mode):
    (server.folder / "styles").mkdir(exist_ok=True)
    (server.folder / "styles" / "mine.json").write_text('{"layout": "boxes", "options": {"dotColor": "#123456"}}')
    config = {"styles": {"directory": str(server.folder / "styles")}, "cors": {"allowedOrigins": 200 * ["http://a.b"]}}
    (server.folder / "pinpad.json").write_text(json.dumps(config))
    refused = 0
    for nth in itertools.count(1):
        before = len(server.stderr)
        server.control.fail(JANSSON, nth, mode)
        server.process.send_signal(signal.SIGHUP)
        while not re.search("all stays as it was|was read again", said := server.stderr[before:]):
            assert server.process.poll() is None
            time.sleep(0.001)
        failed = server.control.failed
        server.control.stop()
        if failed == 0:
            break
        assert "there is no memory to read it" in said
        refused += 1
    assert refused > 10
    assert request(server, "GET", "/v1/cells.svg?style=mine").status == 200
    Story(server).tell()


@pytest.mark.parametrize("kinds", [MICROHTTPD | SHIM, START, CALLS["fcntl"], CALLS["epoll_ctl"]])
def test_where_it_can_not_start_it_says_so_and_ends(pinpad_binary, library, tmp_path, kinds):
    control = Control(tmp_path / "control")
    environment = preloaded(pinpad_binary, library, tmp_path)
    for nth in itertools.count(1):
        control.fail(kinds, nth, ONE)
        process = subprocess.Popen(
            [pinpad_binary, "--listen", "127.0.0.1:0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=environment)
        if process.stdout.readline():
            process.terminate()
        _, errors = process.communicate(timeout=HANG)
        last = json.loads(errors.splitlines()[-1])
        if control.failed == 0:
            break
        assert process.returncode == 1 and last["level"] == "error", (nth, errors)
        assert last["message"].endswith(("does not start", "no memory")), last
    assert process.returncode == 0 and nth > 2
