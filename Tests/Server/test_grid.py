"""`watch.grid`: those who watch learn no rhythm.

Times are compared only in one direction: a slow machine makes things later, never earlier. Where something has to
happen between two points of the grid, it is done again until it did.
"""

import math
import os
import re
import signal
import time

import pytest

from client import create, names, receive, request, request_bytes, connect
from servers import running

GRID = 400


@pytest.fixture(scope="module")
def server(pinpad_binary):
    with running(pinpad_binary, config={"watch": {"grid": GRID}}) as server:
        yield server


IS_REDIS = os.environ.get("PINPAD_TEST_STORE") == "redis"
# ms by which a server may believe Redis's clock to be later than it is.
AHEAD = 5 if IS_REDIS else 0


def now():
    """ms of the server's clock: the machine's, or Redis's."""
    return time.time() * 1000 if IS_REDIS else time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


def step(grid=GRID):
    """Between which two points we are."""
    return int(now() // grid)


def in_one_step(attempt, grid=GRID):
    """The result of an attempt that was made between two points."""
    for _ in range(50):
        # A server may know Redis's time some ms late.
        while now() % grid < 100:
            pass
        before = step(grid)
        result = attempt()
        if step(grid) == before:
            return result
    raise AssertionError(f"nothing gets done within {grid} ms")


def test_no_event_reaches_a_stream_before_its_point(server):
    session = create(server, length=32)
    stream = session.events()
    stream.next()
    for digit in "0123456789":
        before = step()
        assert session.insert(digit).json["accepted"] == 1
        seen = stream.until("change")[-1]
        assert now() + AHEAD >= (before + 1) * GRID
        assert seen.data["count"] == int(digit) + 1


def test_what_was_typed_between_two_points_arrives_at_once(server):
    def attempt():
        session = create(server)
        stream = connect(server)
        stream.sendall(request_bytes(server, "GET", session.path + "/events?lastEventId=0"))
        said = b""
        while b"\n\n:\n\n" not in said:
            said += stream.recv(65536)
        with connect(server) as keypad:
            for digit in "1234":
                keypad.sendall(request_bytes(server, "POST", session.path + "/insert", {"text": digit}, session.entry))
                assert receive(keypad).status == 200
        return stream

    with in_one_step(attempt) as stream:
        at_once = stream.recv(65536)
    assert re.findall(rb"event: (\w+)", at_once) == [b"begin"] + [b"change"] * 4


def test_who_has_only_the_id_sees_nothing_sooner_by_asking(server):
    def attempt():
        session = create(server)
        picture, state, empty = session.picture(), session.get(), session.poll(0)
        assert session.insert("12", token=session.owner).json["count"] == 2
        asked = session.picture(), session.get(), session.poll(0)
        tagged = session.get(headers={"If-None-Match": state.header("ETag")}).status
        future = session.poll(1).json
        with session.events(last=2) as stream:
            resumed = stream.next()
        other = create(server)
        several = request(server, "GET", f"/v1/sessions/{session.id}/events?after=0").json
        return session, (picture, state, empty), asked, tagged, future, resumed, several, other

    session, before, asked, tagged, future, resumed, several, _ = in_one_step(attempt)
    assert [answer.text for answer in asked] == [answer.text for answer in before]
    assert asked[1].json["revision"] == 0 and asked[1].json["eventId"] == 0
    assert tagged == 304
    # An event that is not to be seen is one of the future.
    assert [event["data"]["reason"] for event in future["events"]] == ["gap"] and future["eventId"] == 0
    assert (resumed.event, resumed.id, resumed.data["count"]) == ("state", "0", 0)
    assert several == {"events": [], "eventId": 0, "closed": False}
    # The point comes.
    answer = session.poll(0, wait=50)
    assert names(answer.json["events"]) == ["begin", "change"]
    assert session.state()["count"] == 2
    assert "2 of 6" in session.picture().text


def test_who_types_and_who_owns_see_it_at_once(server):
    def attempt():
        session = create(server)
        wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
        session.insert("123456")
        return (
            wait.answer().json, session.state(session.entry), session.picture(token=session.entry).text,
            session.state())

    redeemed, state, picture, watched = in_one_step(attempt)
    assert redeemed == {"text": "123456", "completion": 1}
    assert (state["held"], state["eventId"]) == (True, 4)
    assert "6 of 6" in picture
    assert (watched["count"], watched["held"]) == (0, False)


def test_events_keep_to_it_whether_with_a_token_or_without(server):
    def attempt():
        session = create(server)
        newest = session.insert("12").json["eventId"]
        polls = [session.poll(0, token=token).json for token in (None, session.entry, session.owner)]
        with session.events(last=0, token=session.entry) as stream:
            stream.line()
            return session, newest, polls, stream.line()

    session, newest, polls, line = in_one_step(attempt)
    assert polls == [{"events": [], "eventId": 0, "closed": False}] * 3
    # It is open, and there is nothing to tell.
    assert line == ""
    answer = session.poll(0, wait=50, token=session.entry)
    assert names(answer.json["events"]) == ["begin", "change"] and newest == 2


def test_who_types_may_go_on_from_what_an_answer_has_told(server):
    def attempt():
        session = create(server)
        newest = session.insert("12").json["eventId"]
        early = session.poll(newest, token=session.entry).json
        return session, newest, early, session.events(last=newest, token=session.entry)

    session, newest, early, stream = in_one_step(attempt)
    assert early == {"events": [], "eventId": newest, "closed": False}
    session.insert("3")
    assert [(event.event, event.id) for event in stream.until("change")] == [("change", str(newest + 1))]


def test_what_the_owner_changes_shows_at_the_point_too_and_not_under_the_old_tag(server):
    def attempt():
        session = create(server)
        before = session.get(), session.picture()
        session.insert("1")
        assert session.patch({"label": "Code", "length": 4, "style": {"dotColor": "red"}}).status == 200
        session.end()
        return session, before, (session.get(), session.picture()), session.poll(None)

    session, before, after, poll = in_one_step(attempt)
    for first, second in zip(before, after, strict=True):
        assert (first.header("ETag"), first.body) == (second.header("ETag"), second.body)
    assert poll.json["events"][0]["data"]["config"]["label"] == "PIN"
    assert names(session.poll(0, wait=50).json["events"]) == ["begin", "change", "configure", "end"]
    state = session.get()
    assert state.json["config"]["label"] == "Code" and state.json["length"] == 4
    assert "red" in session.picture().text


def test_more_events_than_are_kept_show_nothing_sooner(pinpad_binary):
    def look(session):
        return session.get().text, session.picture().text, session.poll(0).text, session.poll(None).text

    with running(pinpad_binary, config={"watch": {"grid": 10_000}}) as server, connect(server) as keypad:
        def attempt():
            session = create(server)
            seen = [look(session)]
            for _ in range(6):
                for _ in range(50):
                    keypad.sendall(request_bytes(server, "POST", session.path + "/delete-backward", "", session.entry))
                    assert receive(keypad).status == 200
                seen.append(look(session))
            return seen

        assert len(set(in_one_step(attempt, 10_000))) == 1


def test_a_timer_shows_at_the_point_too(server):
    session = create(server, timeouts={"total": 300, "interDigit": 1})
    inserted = now()
    session.insert("1")
    assert session.poll(0, wait=50).json["eventId"] == 2
    while session.state()["active"]:
        pass
    # It is due a second after the insert, which mostly lies between two points.
    assert now() + AHEAD >= math.ceil((inserted + 1000) / GRID) * GRID
    assert names(session.poll(2).json["events"]) == ["end"]


def test_the_place_of_an_owner_who_waited_is_free_at_the_point_only(pinpad_binary):
    with running(pinpad_binary, config={"watch": {"grid": 5000}}) as server:
        def attempt():
            session = create(server)
            wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
            streams = [session.events() for _ in range(63)]
            for stream in streams:
                stream.line()
            before = session.poll(0, wait=0.01).status
            session.insert("123456")
            assert wait.answer().status == 200
            return session, streams, before, session.poll(0, wait=0.01).status

        session, streams, *statuses = in_one_step(attempt, 5000)
        assert statuses == [429, 429]
        for stream in streams:
            stream.until("hold")
        while (answer := session.poll(4, wait=0.01).status) != 200:
            assert answer == 429


def test_a_close_is_seen_at_the_point_and_ends_the_stream(server):
    def attempt():
        session = create(server)
        session.insert("12")
        # All that was is to be seen.
        while session.state()["count"] == 0:
            pass
        streams = [session.events(), session.events(last=2)]
        assert streams[0].next().event == "state"
        before = step()
        session.cancel()
        assert session.state()["status"] == "open" or step() > before
        return streams, before

    streams, before = attempt()
    for stream in streams:
        assert names(stream.rest()) == ["end", "close"]
        assert now() + AHEAD >= (before + 1) * GRID


def test_several_sessions_on_one_stream_keep_to_it_too(server):
    first, second = create(server), create(server)
    stream = connect(server)
    stream.sendall(request_bytes(server, "GET", f"/v1/events?sessions={first.id},{second.id}"))
    said = b""
    while said.count(b"event: state") < 2:
        said += stream.recv(65536)
    before = step()
    first.insert("1")
    second.insert("2")
    with stream:
        while said.count(b"event: change") < 2:
            said += stream.recv(65536)
            if b"event: begin" in said:
                assert now() + AHEAD >= (before + 1) * GRID


def test_what_waits_for_its_point_is_told_before_the_end(start_pinpad):
    server = start_pinpad(config={"watch": {"grid": 10_000}})
    session = create(server)
    stream = session.events()
    stream.next()
    session.insert("12")
    server.process.send_signal(signal.SIGTERM)
    told = names(stream.rest())
    # With a Redis another node tells it at the point, which may have come.
    assert told == ["begin", "change"] or (IS_REDIS and told == [])


def test_a_session_that_shows_its_characters_shows_its_picture_at_once(server):
    def attempt():
        session = create(server, style="code")
        before = session.picture().text
        session.insert("12")
        return before, session.picture().text

    before, after = in_one_step(attempt)
    assert before != after
