"""Requests that wait for Redis keep nobody else waiting, and are not kept waiting for long by each other."""

import contextlib
import threading

import pytest

from client import EventStream, at_once, create, problem, receive, connect, request, request_bytes
from figures import figure, until_figure
from redis import until
from redis_proxy import SlowWay
from redis_support import at

CLIENTS = 100


def begin(session):
    return session.waiting("POST", "/begin", token=session.entry)


@pytest.mark.parametrize("redis_connections", [1, 64])
def test_what_needs_no_redis_is_answered_while_a_hundred_requests_wait_for_it(
        start_pinpad, own_redis, redis_connections):
    node = start_pinpad(env={**own_redis.environment, "PINPAD_REDIS_CONNECTIONS": str(redis_connections)})
    sessions = [create(node) for _ in range(CLIENTS)]
    # Some that are there already, with whatever thread reads them.
    kept = [connect(node) for _ in range(8)]
    own_redis.hang()
    waiting = [begin(session) for session in sessions]
    until_figure(node, CLIENTS + len(kept) + 1, "pinpad_connections")
    for path in ("/livez", "/metrics", "/", "/v1/cells.svg", "/problems/full"):
        assert request(node, "GET", path).status == 200
        for connection in kept:
            connection.sendall(request_bytes(node, "GET", path))
        assert [receive(connection).status for connection in kept] == [200] * len(kept)
    assert not any(each.answered() for each in waiting)
    own_redis.go_on()
    assert [each.answer().status for each in waiting] == [200] * CLIENTS
    for connection in kept:
        connection.close()


def test_a_wait_that_asks_redis_keeps_no_poll_or_stream_waiting(start_pinpad, own_redis):
    node = start_pinpad(env=own_redis.environment)
    sessions = [create(node) for _ in range(10)]
    with EventStream(node, f"{sessions[0].path}/events") as stream:
        assert stream.next().event == "state"
        # They ask Redis once more when they have waited for long enough, and these polls don't.
        redeems = [
            session.waiting("POST", "/redeem", {"hold": True, "wait": 5}, session.owner) for session in sessions]
        polls = [
            session.waiting("GET", "/events?after=0&wait=6", headers={"Accept": "application/json"})
            for session in sessions]
        until_figure(node, 1 + len(redeems) + len(polls), "pinpad_streams")
        own_redis.hang()
        for poll in polls:
            answer = poll.answer()
            assert (answer.status, answer.json["events"]) == (200, []), answer
        assert not any(redeem.answered() for redeem in redeems)
        own_redis.go_on()
        for redeem in redeems:
            problem(redeem.answer(), "incomplete")
        assert sessions[0].begin().status == 200
        assert stream.next().event == "begin"


@pytest.fixture
def busy(start_pinpad, own_redis):
    """A node that asks one thing at a time of a Redis that takes 0.3 s for each, and waits for a second."""
    way = SlowWay(own_redis)
    node = start_pinpad(env={
        **own_redis.environment, "PINPAD_STORE": way.store, "PINPAD_REDIS_CONNECTIONS": "1",
        "PINPAD_REDIS_PATIENCE": "1000"})
    sessions = [create(node) for _ in range(20)]
    way.delay = 0.3
    yield node, sessions, way
    way.close()


def beginning(connection):
    """What comes on a stream until the first empty line of its body, or its end."""
    text = ""
    while not text.partition("\r\n\r\n")[2].endswith("\n\n") and (part := connection.recv(1 << 16)):
        text += part.decode()
    connection.close()
    return text


def is_overload(answer):
    return answer.status == 503 and "too slow" in problem(answer, "unavailable")["detail"]


def test_what_would_wait_for_too_long_is_refused_and_not_made(busy):
    node, sessions, way = busy
    answers = at_once(
        len(sessions), lambda index: sessions[index].insert("1", headers={"Idempotency-Key": "1"}))
    refused = [answer for answer in answers if is_overload(answer)]
    for answer in refused:
        assert int(answer.header("Retry-After")) >= 1
    # All would take six seconds, and none waits for more than one.
    assert len(refused) >= len(sessions) / 2, answers
    assert figure(node, "pinpad_requests_refused_total", reason="store") == len(refused)
    way.delay = 0
    until(lambda: request(node, "GET", "/readyz").status == 200)
    for answer, session in zip(answers, sessions):
        if answer in refused:
            assert session.state()["count"] == 0
        again = session.insert("1", headers={"Idempotency-Key": "1"})
        assert (again.status, again.json["count"]) == (200, 1)


def test_a_stream_that_would_wait_for_too_long_is_told_to_come_back(busy):
    node, sessions, way = busy
    edits = [begin(session) for session in sessions]
    until_figure(node, len(edits) + 1, "pinpad_connections")
    streams = [session.waiting("GET", "/events") for session in sessions]
    begun = [beginning(stream.connection) for stream in streams]
    assert all(text.startswith("HTTP/1.1 200 ") for text in begun), begun
    # A few may have had their turn in time.
    assert sum(text.endswith("\r\n\r\nretry: 5000\n\n") for text in begun) >= len(streams) / 2, begun
    refused = sum(is_overload(edit.answer()) for edit in edits)
    assert figure(node, "pinpad_requests_refused_total", reason="store") > refused


def test_whether_it_is_ready_is_told_however_long_the_queue_is(busy):
    node, sessions, way = busy
    edits = [begin(session) for session in sessions]
    until_figure(node, len(edits) + 1, "pinpad_connections")
    assert request(node, "GET", "/readyz").status == 200
    assert any(is_overload(edit.answer()) for edit in edits)


def test_a_preflight_asks_no_redis(start_pinpad, own_redis):
    node = start_pinpad(env={**own_redis.environment, "PINPAD_CORS_ALLOWED_ORIGINS": "https://a.example"})
    session = create(node)
    own_redis.hang()
    edit = begin(session)
    answer = session.request("OPTIONS", "/insert", headers={
        "Origin": "https://a.example", "Access-Control-Request-Method": "POST"})
    assert (answer.status, answer.header("Access-Control-Allow-Origin")) == (204, "https://a.example")
    assert not edit.answered()
    own_redis.go_on()
    assert edit.answer().status == 200


@pytest.fixture
def slow(start_pinpad, own_redis):
    """A node with a slow way to Redis, and the way."""
    way = SlowWay(own_redis)
    yield start_pinpad(env={
        **own_redis.environment, "PINPAD_STORE": way.store, "PINPAD_REDIS_PATIENCE": "3000"}), way
    way.close()


def test_readers_of_one_session_share_a_few_round_trips_and_keep_no_edit_of_another_waiting(slow):
    node, way = slow
    read, edited = create(node), create(node)
    before = way.trips
    way.delay = 0.2
    # More than there are connections to Redis, each of which could be waited for by one.
    work = [read.get] * CLIENTS + [lambda: edited.insert("1")]
    answers = at_once(len(work), lambda index: work[index]())
    assert [answer.status for answer in answers] == [200] * len(work)
    # Besides, its connections are tried now and then.
    assert way.trips - before < 25


@pytest.mark.parametrize("is_watched", [False, True])
def test_a_read_sees_every_edit_that_another_node_has_acknowledged_before_it(
        start_pinpad, own_redis, slow, is_watched):
    node, way = slow
    session = create(start_pinpad(env=own_redis.environment))
    there = at(session, node)
    acknowledged, reads, is_over = [session.state()["eventId"]], [], threading.Event()

    def read():
        known = acknowledged[-1]
        answer = there.get()
        assert answer.status == 200 and answer.json["eventId"] >= known, (known, answer)

    def edit_often(_):
        try:
            for _ in range(60):
                for answer in session.insert("1"), session.delete_backward():
                    acknowledged.append(answer.json["eventId"])
                    read()
        finally:
            is_over.set()

    def read_often(_):
        while not is_over.is_set():
            read()
            reads.append(1)

    with contextlib.ExitStack() as stack:
        if is_watched:
            stack.enter_context(EventStream(node, f"{session.path}/events"))
        way.delay = 0.01
        before = way.trips
        at_once(17, lambda index: (edit_often if index == 0 else read_often)(index))
        # They did share.
        assert way.trips - before < len(reads)
