"""A Redis that answers each thing just in time: no request waits for long, however many things it needs."""

import pytest

from client import EventStream, create, names, problem, request
from redis import until
from redis_proxy import SlowWay
from redis_support import LIMIT, PATIENCE, at
from test_redis_outages import is_ready, timed

# In seconds: in time.
LATE = 0.8 * PATIENCE / 1000


@pytest.fixture
def way(own_redis):
    way = SlowWay(own_redis)
    yield way
    way.close()


@pytest.fixture
def node(start_pinpad, own_redis, way):
    return start_pinpad(env={**own_redis.environment, "PINPAD_STORE": way.store})


def slow_down(own_redis, way):
    """From now on all is late; connections have to be made anew, and scripts to be sent."""
    way.delay = LATE
    way.cut()
    own_redis.command("SCRIPT", "FLUSH")


def check(work, *statuses):
    """Does it, and sees that its answer comes in time; returns the status."""
    answer, seconds = timed(work)
    assert seconds < LIMIT, (seconds, answer)
    if answer.status == 503:
        problem(answer, "unavailable")
    else:
        assert answer.status in statuses, answer
    return answer.status


def test_an_edit_is_answered_in_time_and_its_key_tells_whether_it_was_made(node, own_redis, way):
    session = create(node, length=8)
    for place in range(2):
        # A connection has to be made, and then the script is unknown.
        slow_down(own_redis, way)
        check(lambda: session.insert("1", headers={"Idempotency-Key": f"{place}"}), 200)
        check(lambda: session.insert("1", headers={"Idempotency-Key": f"{place}"}), 200)
        way.delay = 0
        until(lambda: is_ready(node))
        assert session.insert("1", headers={"Idempotency-Key": f"{place}"}).status == 200
        assert session.state()["count"] == place + 1
    assert names(session.log()) == ["begin"] + ["change"] * 2


def test_whatever_a_node_has_no_copy_of_is_answered_in_time(start_pinpad, node, own_redis, way):
    other = start_pinpad(env=own_redis.environment)
    sessions = [at(create(other, length=32), node) for _ in range(3)]
    for session in sessions:
        slow_down(own_redis, way)
        check(lambda: session.insert("1"), 200)
        check(lambda: session.get(), 200)
        check(lambda: session.picture(), 200)
    # Slow is not away: it is used, once connections and scripts are there.
    until(lambda: {check(lambda: session.insert("1"), 200, 409) for session in sessions} == {200})


def test_a_creation_is_answered_in_time_and_its_key_gives_a_session_that_is_there(node, own_redis, way):
    for number in range(2):
        slow_down(own_redis, way)

        def post():
            return request(node, "POST", "/v1/sessions", {}, None, {"Idempotency-Key": f"{number}"})

        def made():
            check(lambda: request(node, "GET", "/readyz"), 200)
            return check(post, 201) == 201

        until(made)
        way.delay = 0
        until(lambda: is_ready(node))
        again = post()
        assert (again.status, again.header("Idempotency-Replayed")) == (201, "true")
        # Though a reply may have been late after which it was remembered.
        session = request(node, "GET", again.header("Location"), token=again.json["tokens"]["owner"])
        assert session.status == 200, session


def test_64_sessions_on_one_stream_are_in_time(start_pinpad, node, own_redis, way):
    other = start_pinpad(env=own_redis.environment)
    path = "/v1/events?sessions=" + ",".join(create(other).id for _ in range(64))

    def stream():
        with EventStream(node, path) as stream:
            assert stream.status == 200
            # One that can't be served now ends at once.
            first = stream.next()
            return [first, *stream.take(63)] if first else []

    slow_down(own_redis, way)

    def told():
        events, seconds = timed(stream)
        assert seconds < LIMIT
        return len(events) == 64

    until(told)
