"""A node that is told to stop while its Redis does not answer."""

import contextlib
import http.client
import select
import signal
import threading
import time

import pytest

from client import Waiting, connect, create, problem, receive, request, request_bytes
from figures import until_figure
from redis import until
from redis_proxy import SlowWay
from servers import HANG

# Nobody waits for that: what is to be done is done before.
DRAIN = {"drainSeconds": 600}


def is_any_answered(waiting):
    """Waits a moment for that."""
    return bool(select.select([each.connection for each in waiting], [], [], 0.1)[0])


def stop(node):
    """Tells it to stop; returns when it does. What it was asked before it did waits for Redis, as it should."""
    node.process.send_signal(signal.SIGTERM)
    asked = []

    def stops():
        asked.append(Waiting(node, "GET", "/readyz"))
        return is_any_answered(asked)

    until(stops)


def test_who_was_there_is_answered_however_long_it_takes_and_nobody_is_left_without_an_answer(start_pinpad, own_redis):
    node = start_pinpad(env=own_redis.environment, config=DRAIN)
    session, other = create(node, length=4), create(node)
    own_redis.hang()
    begun = session.waiting("POST", "/insert", {"text": "12"}, session.entry)
    until_figure(node, 2, "pinpad_connections")
    stop(node)
    keypad = other.waiting("POST", "/insert", {"text": "1"}, other.entry)
    late = [other.waiting("GET"), other.waiting("GET", "/cells.svg"), Waiting(node, "POST", "/v1/sessions", {})]
    assert request(node, "GET", "/livez").status == 200
    assert not begun.answered()
    own_redis.go_on()
    answer = begun.answer()
    assert (answer.status, answer.json["count"]) == (200, 2)
    assert "stopping" in problem(keypad.answer(), "unavailable")["detail"]
    assert {each.answer().status for each in late} <= {200, 201, 503}
    assert node.process.wait(HANG) == 0


@pytest.mark.parametrize("is_early_ended", [True, False])
def test_who_asks_redis_when_all_others_have_had_their_time_is_answered(start_pinpad, own_redis, is_early_ended):
    node = start_pinpad(
        env={**own_redis.environment, "PINPAD_REDIS_CONNECTIONS": "1"},
        config={"drainSeconds": 600 if is_early_ended else 8})
    session, other = create(node, length=4), create(node, length=4)
    session.insert("1234")
    with connect(node) as early:
        # Half a request keeps it from ending.
        early.sendall(request_bytes(node, "GET", "/livez")[:-1])
        until_figure(node, 2, "pinpad_connections")
        stop(node)
        own_redis.hang()
        redeem = session.waiting("POST", "/redeem", {}, session.owner)
        until_figure(node, 3, "pinpad_connections")
        # It has to wait for that one.
        queued = other.waiting("POST", "/redeem", {}, other.owner)
        if is_early_ended:
            early.sendall(b"\n")
            receive(early)
        asked = []

        def is_refused():
            """Whether nobody begins to ask Redis any more."""
            asked.append(session.waiting("GET"))
            return is_any_answered(asked)

        until(is_refused)
        if is_early_ended:
            # Longer than those have who ask nobody.
            time.sleep(1.2)
        assert not redeem.answered()
        own_redis.go_on()
        answer = redeem.answer()
        assert (answer.status, answer.json["text"]) == (200, "1234")
        problem(queued.answer(), "unavailable")
    assert node.process.wait(HANG) == 0


def test_those_who_keep_coming_do_not_hold_it_up(start_pinpad, own_redis):
    way = SlowWay(own_redis)
    node = start_pinpad(
        env={**own_redis.environment, "PINPAD_STORE": way.store, "PINPAD_REDIS_CONNECTIONS": "2"}, config=DRAIN)
    sessions = [create(node) for _ in range(8)]
    way.delay = 0.05

    def come(session):
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                session.get()

    threads = [threading.Thread(target=come, args=[session]) for session in sessions]
    for thread in threads:
        thread.start()
    node.process.send_signal(signal.SIGTERM)
    assert node.process.wait(HANG) == 0
    for thread in threads:
        thread.join(HANG)
        assert not thread.is_alive()
    way.close()


def test_waits_end_at_once_and_ask_nobody(start_pinpad, own_redis):
    node = start_pinpad(env={**own_redis.environment, "PINPAD_REDIS_CONNECTIONS": "1"}, config=DRAIN)
    sessions = [create(node) for _ in range(30)]
    # With and without something that only the session itself can judge.
    waits = [
        session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner, headers)
        for session in sessions[:20] for headers in (None, {"If-Match": f'"{session.state()["revision"]}"'})]
    polls = [session.waiting("GET", "/events?after=0&wait=50") for session in sessions]
    until_figure(node, len(waits) + len(polls), "pinpad_streams")
    own_redis.hang()
    node.process.send_signal(signal.SIGTERM)
    for wait in waits:
        assert "stopping" in problem(wait.answer(), "unavailable")["detail"]
    for poll in polls:
        assert poll.answer().json["events"] == []
    own_redis.go_on()
    assert node.process.wait(HANG) == 0
