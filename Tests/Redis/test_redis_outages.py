"""A Redis that is away, hangs, forgets or is full: what is answered then, and that it recovers by itself."""

import os
import shutil
import threading
import time

import pytest

from client import Waiting, connect, create, names, problem, receive, request
from redis import until
from redis_support import LIMIT, PATIENCE, at


def timed(work):
    start = time.monotonic()
    result = work()
    return result, time.monotonic() - start


def soon(check):
    """Waits until something holds that comes by itself."""
    give_up = time.monotonic() + 30
    while not check():
        assert time.monotonic() < give_up, "it does not recover"
        time.sleep(0.02)


def is_ready(node):
    return request(node, "GET", "/readyz").status == 200


@pytest.fixture
def node(start_pinpad, own_redis):
    return start_pinpad(env=own_redis.environment)


def check_away(node, session):
    """What is answered while the store is away, each in time."""
    for work in (
            lambda: session.insert("1"), lambda: session.get(), lambda: session.redeem(), lambda: session.picture(),
            lambda: session.poll(after=0), lambda: request(node, "POST", "/v1/sessions", {}),
            lambda: request(node, "GET", "/readyz"),
            lambda: request(node, "POST", "/v1/sessions", {}, None, {"Idempotency-Key": "away"})):
        answer, seconds = timed(work)
        problem(answer, "unavailable")
        assert int(answer.header("Retry-After")) >= 1
        assert seconds < LIMIT, (seconds, answer)
    for path in (f"{session.path}/events", f"/v1/events?sessions={session.id},{'A' * 22}"):
        def stream():
            with connect(node) as connection:
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                return receive(connection)
        answer, seconds = timed(stream)
        assert (answer.status, answer.text) == (200, "retry: 5000\n\n")
        assert seconds < LIMIT
    for path in ("/livez", "/metrics", "/openapi.json"):
        answer, seconds = timed(lambda: request(node, "GET", path))
        assert answer.status == 200 and seconds < LIMIT


def test_without_redis_all_is_503_in_time_and_with_it_all_goes_on(node, own_redis):
    session = create(node, length=4)
    session.insert("12", headers={"Idempotency-Key": "before"})
    with session.events(last=0) as stream:
        assert names(stream.take(2)) == ["begin", "change"]
        own_redis.kill()
        check_away(node, session)
        own_redis.start()
        soon(lambda: is_ready(node))
        # The append-only file was written each second at least; what it has is the truth.
        soon(lambda: session.get().status == 200)
        assert session.state()["count"] == 2
        assert session.insert("12", headers={"Idempotency-Key": "before"}).header("Idempotency-Replayed") == "true"
        session.insert("34")
        assert names(stream.take(2)) == ["change", "complete"]
    assert session.redeem().json["text"] == "1234"


def test_a_redis_that_hangs_holds_nobody_up_and_makes_no_edit_late(node, own_redis):
    session = create(node, length=4)
    session.insert("1")
    own_redis.hang()
    # All at once, so that all find out at once.
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(timed(lambda: session.insert("2")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    alive, seconds = timed(lambda: request(node, "GET", "/livez"))
    assert alive.status == 200 and seconds < LIMIT
    for thread in threads:
        thread.join(30)
    for answer, seconds in answers:
        problem(answer, "unavailable")
        assert seconds < LIMIT
    check_away(node, session)
    # What stands in its queue is older than a second then.
    time.sleep(1.2)
    own_redis.go_on()
    soon(lambda: is_ready(node))
    assert session.state()["count"] == 1
    assert session.insert("2", at=1).json["count"] == 2


def test_a_wait_ends_with_503_or_an_empty_poll_when_redis_goes_away(node, own_redis):
    session = create(node, length=4)
    redeem = session.waiting("POST", "/redeem", {"hold": True, "wait": 1}, session.owner)
    poll = Waiting(node, "GET", f"{session.path}/events?after=0&wait=1")
    # Both are waiting once the node has them among its streams.
    soon(lambda: "pinpad_streams 2" in request(node, "GET", "/metrics").text)
    own_redis.kill()
    problem(redeem.answer(), "unavailable")
    assert poll.answer().json == {"events": [], "eventId": 0, "closed": False}


def test_a_redis_that_comes_back_empty_has_no_session_and_makes_new_ones(node, own_redis):
    session = create(node)
    session.insert("123")
    with session.events(last=0) as stream:
        stream.take(2)
        own_redis.kill()
        own_redis.forget()
        own_redis.start()
        soon(lambda: is_ready(node))
        assert stream.rest() == []
    problem(session.insert("4"), "not-found")
    problem(session.redeem(), "not-found")
    with create(node).events() as stream:
        assert stream.next().event == "state"


def test_a_full_redis_takes_no_edit_and_loses_none(node, own_redis):
    session = create(node, length=3)
    session.insert("123")
    own_redis.command("CONFIG", "SET", "maxmemory", "1mb")
    for work in (lambda: session.set("456"), lambda: request(node, "POST", "/v1/sessions", {})):
        answer, seconds = timed(work)
        assert "takes no changes now" in problem(answer, "unavailable")["detail"]
        assert seconds < LIMIT
    # Looking is possible all the same, and what frees memory: so it must not be left out by a balancer.
    assert session.state()["count"] == 3
    assert is_ready(node)
    own_redis.command("CONFIG", "SET", "maxmemory", "0")
    assert names(session.log()) == ["begin", "change", "complete"]
    assert session.redeem().json["text"] == "123"


def test_a_full_redis_gives_texts_and_lets_sessions_close(node, own_redis):
    """Each of these frees memory, now or soon."""
    sessions = {name: create(node, length=3) for name in ("redeemed", "accepted", "rejected", "cancelled", "cleared")}
    for session in sessions.values():
        session.insert("123")
    own_redis.command("CONFIG", "SET", "maxmemory", "1mb")
    # Also by the script's text: it may be one that Redis does not know yet.
    own_redis.command("SCRIPT", "FLUSH")
    for session in sessions.values():
        problem(session.set("456"), "unavailable")
    assert sessions["redeemed"].redeem().json["text"] == "123"
    for name in ("accepted", "rejected"):
        for headers in (None, {"Idempotency-Key": "again"}):
            assert sessions[name].redeem({"hold": True}, headers=headers).json["text"] == "123"
    assert sessions["accepted"].accept().status == 200
    assert sessions["rejected"].reject().status == 200
    assert sessions["cancelled"].cancel().status == 204
    assert sessions["cleared"].clear().json["count"] == 0
    for name, session in sessions.items():
        state = session.state()
        assert state["status"] == (name if name not in ("rejected", "cleared") else "open")
        if state["status"] == "open":
            problem(session.insert("1"), "unavailable")
            assert state["count"] == 0
    own_redis.command("CONFIG", "SET", "maxmemory", "0")
    assert sessions["rejected"].insert("12").json["count"] == 2
    assert names(sessions["redeemed"].log()) == ["begin", "change", "complete", "end", "close"]
    assert names(sessions["cleared"].log()) == ["begin", "change", "complete", "change"]


def test_a_full_redis_lets_all_look_also_when_a_timer_has_ended_an_entry(node, own_redis):
    session = create(node, length=4, timeouts={"interDigit": 1})
    session.insert("12")
    with session.events(last=0) as stream:
        own_redis.command("CONFIG", "SET", "maxmemory", "1mb")

        def has_ended():
            assert session.picture().status == 200
            answer = session.get()
            assert answer.status == 200, answer
            return not answer.json["active"]

        until(has_ended)
        assert names(stream.take(3)) == ["begin", "change", "end"]
    problem(session.redeem({"hold": True}), "incomplete")
    problem(session.insert("3"), "unavailable")
    own_redis.command("CONFIG", "SET", "maxmemory", "0")
    assert session.insert("34").json["complete"]
    assert session.redeem().json["text"] == "1234"


def test_a_redis_that_takes_no_writes_is_as_good_as_away(node, own_redis):
    session = create(node, length=4)
    for setting, value in (("min-replicas-to-write", "0"), ("min-replicas-to-write", "1")):
        own_redis.command("CONFIG", "SET", setting, value)
        assert is_ready(node) == (value == "0")
        assert session.insert("1").status == (200 if value == "0" else 503)
    own_redis.command("CONFIG", "SET", "min-replicas-to-write", "0")
    assert is_ready(node) and session.insert("2").json["count"] == 2


def test_a_step_back_cuts_the_streams_and_is_told_as_one_gap(start_pinpad, own_redis):
    nodes = [start_pinpad(env=own_redis.environment) for _ in range(2)]
    session = create(nodes[0], length=8)
    session.insert("1")
    keep(own_redis)
    session.insert("2")
    session.insert("3")
    streams = [at(session, node).events(last=0) for node in nodes]
    for stream in streams:
        assert [event.data["count"] for event in stream.take(4)] == [1, 1, 2, 3]
    go_back(own_redis)
    for node in nodes:
        soon(lambda: is_ready(node))
    for node, stream in zip(nodes, streams):
        soon(lambda: at(session, node).get().status == 200)
        assert until_cut(stream) == []
    # Others type on, until the lost ids are taken again.
    session.insert("7")
    session.insert("8")
    for node in nodes:
        with at(session, node).events(last=4) as stream:
            gap = stream.next()
            assert (gap.event, gap.data["reason"], gap.data["count"], gap.id) == ("state", "gap", 3, "4")
        # Only once: from there on the ids are those of the new past.
        with at(session, node).events(last=4) as stream:
            assert stream.line().startswith("retry")
    with session.events(last=4) as stream:
        at(session, nodes[1]).insert("9")
        event = stream.next()
        assert (event.id, event.event, event.data["count"]) == ("5", "change", 4)


def test_an_edit_on_a_node_that_knows_too_much_is_made_on_what_redis_has(start_pinpad, own_redis):
    node = start_pinpad(env=own_redis.environment)
    session = create(node, length=4)
    session.insert("12")
    keep(own_redis)
    session.insert("34")
    go_back(own_redis)
    soon(lambda: session.get().status == 200)
    problem(session.redeem(), "incomplete")
    assert session.insert("99", at=2).json["complete"]
    assert session.redeem().json["text"] == "1299"


def until_cut(stream):
    """The events up to the end of a stream that is cut off."""
    events = []
    try:
        while (event := stream.next()) is not None:
            events.append(event)
    except ConnectionResetError:
        pass
    return events


def keep(redis):
    """Keeps a copy of what Redis has on its disk."""
    redis.command("CONFIG", "SET", "appendfsync", "always")
    shutil.copytree(redis.folder / "appendonlydir", redis.folder / "kept", dirs_exist_ok=True)


def go_back(redis):
    """Restarts Redis with the copy, as a fail-over to a replica that was behind would."""
    redis.kill()
    shutil.rmtree(redis.folder / "appendonlydir")
    os.rename(redis.folder / "kept", redis.folder / "appendonlydir")
    redis.start()
