"""A node that is told to stop while its Redis does not answer."""

import signal

from client import create, problem, request
from figures import until_figure
from redis import until
from servers import HANG

# Nobody waits for that: what is to be done is done before.
DRAIN = {"drainSeconds": 600}


def stop(node):
    """Tells it to stop; returns when it does."""
    node.process.send_signal(signal.SIGTERM)
    until(lambda: request(node, "GET", "/readyz").status == 503)


def test_who_comes_late_is_refused_at_once_and_who_was_there_is_answered(start_pinpad, own_redis):
    node = start_pinpad(env=own_redis.environment, config=DRAIN)
    session, other = create(node, length=4), create(node)
    own_redis.hang()
    begun = session.waiting("POST", "/insert", {"text": "12"}, session.entry)
    until_figure(node, 2, "pinpad_connections")
    stop(node)
    for answer in (
            other.insert("1"), other.get(), other.redeem(), other.picture(), other.poll(after=0),
            request(node, "POST", "/v1/sessions", {}), request(node, "GET", "/readyz")):
        assert "stopping" in problem(answer, "unavailable")["detail"]
        assert int(answer.header("Retry-After")) >= 1
    stream = request(node, "GET", f"{other.path}/events")
    assert (stream.status, stream.text) == (200, "retry: 5000\n\n")
    assert request(node, "GET", "/livez").status == 200
    assert not begun.answered()
    own_redis.go_on()
    answer = begun.answer()
    assert (answer.status, answer.json["count"]) == (200, 2)
    assert node.process.wait(HANG) == 0


def test_waits_end_at_once_and_ask_nobody(start_pinpad, own_redis):
    node = start_pinpad(env={**own_redis.environment, "PINPAD_REDIS_CONNECTIONS": "1"}, config=DRAIN)
    sessions = [create(node) for _ in range(30)]
    waits = [session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner) for session in sessions]
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
