"""api.md, Events: polling, and several sessions on one connection."""

import time

import pytest

from client import EventStream, create, names, pointers, problem, request

JSON = {"Accept": "application/json"}


def test_accept_json_asks_for_one_answer(pinpad):
    session = create(pinpad)
    session.insert("1")
    answer = session.get(headers=JSON, action="/events")
    assert answer.status == 200 and answer.header("Content-Type") == "application/json"
    assert answer.header("Cache-Control") == "no-store"
    body = answer.json
    assert list(body) == ["events", "eventId", "closed"]
    assert (body["eventId"], body["closed"]) == (2, False)
    assert [(event["id"], event["event"], event["data"]["reason"]) for event in body["events"]] == [(2, "state", "start")]
    assert body["events"][0]["data"] == {**session.state(), "reason": "start"}


@pytest.mark.parametrize("accept, media", [
    ("application/json", "application/json"), ("application/json;q=0.9, */*", "application/json"),
    ("APPLICATION/JSON", "application/json"), ("text/event-stream, application/json", "text/event-stream"),
    ("application/json, text/event-stream;q=0.1", "text/event-stream"), ("*/*", "text/event-stream"),
    ("text/html", "text/event-stream"), (None, "text/event-stream")])
def test_accept_decides_unless_it_names_an_event_stream(pinpad, accept, media):
    with EventStream(pinpad, create(pinpad).path + "/events", headers={"Accept": accept}) as stream:
        assert (stream.status, stream.headers["Content-Type"]) == (200, media)


@pytest.mark.parametrize("query", ["?after=0", "?after=0&wait=0", "?wait=0&after=0"])
def test_the_query_wins_over_accept(pinpad, query):
    answer = create(pinpad).get(headers={"Accept": "text/event-stream"}, action="/events" + query)
    assert answer.header("Content-Type") == "application/json"
    assert answer.json == {"events": [], "eventId": 0, "closed": False}


def test_after_gives_the_events_after_it(pinpad):
    session = create(pinpad)
    session.insert("1")
    session.insert("2")
    body = session.poll(2).json
    assert [(event["id"], event["event"]) for event in body["events"]] == [(3, "change")]
    data = {**session.state(), "eventId": 3}
    data.pop("config")
    assert body == {"events": [{"id": 3, "event": "change", "data": data}], "eventId": 3, "closed": False}
    assert session.poll(3).json == {"events": [], "eventId": 3, "closed": False}


@pytest.mark.parametrize("after", ["3", "-1", "abc", "1.5", "", "99999999999999999999999"])
def test_an_after_that_cannot_be_honoured_gives_the_state_with_gap(pinpad, after):
    session = create(pinpad)
    session.insert("1")
    for query in (f"?after={after}", f"?after={after}&wait=50"):
        events = session.get(action="/events" + query).json["events"]
        assert [(event["id"], event["event"], event["data"]["reason"]) for event in events] == [(2, "state", "gap")]
        assert events[0]["data"]["config"] == session.created.json["config"]


def test_wait_holds_the_answer_until_there_is_an_event(pinpad):
    session = create(pinpad)
    waiting = session.waiting("GET", "/events?after=0&wait=50")
    # Another request's answer shows that the server has had the time to answer this one.
    session.state()
    assert not waiting.answered()
    session.insert("1")
    body = waiting.answer().json
    assert names(body["events"]) == ["begin", "change"]
    assert (body["eventId"], body["closed"]) == (2, False)


def test_wait_holds_the_answer_for_so_many_seconds(pinpad):
    started = time.monotonic()
    answer = create(pinpad).poll(0, wait=1)
    assert time.monotonic() - started >= 0.99
    assert answer.json == {"events": [], "eventId": 0, "closed": False}
    assert answer.header("Content-Length") == str(len(answer.body))
    assert answer.header("X-Content-Type-Options") == "nosniff" and answer.header("Cache-Control") == "no-store"


def test_wait_may_have_a_fraction(pinpad):
    started = time.monotonic()
    assert create(pinpad).poll(0, wait=0.25).json["events"] == []
    assert time.monotonic() - started >= 0.24


def test_wait_does_not_hold_when_there_is_an_event(pinpad):
    session = create(pinpad)
    session.begin()
    assert names(session.poll(0, wait=50).json["events"]) == ["begin"]


def test_wait_never_holds_once_closed(pinpad):
    session = create(pinpad)
    session.cancel()
    assert session.poll(1, wait=50).json == {"events": [], "eventId": 1, "closed": True}


def test_closing_ends_a_wait(pinpad):
    session = create(pinpad)
    waiting = session.waiting("GET", "/events?after=0&wait=50")
    session.cancel()
    body = waiting.answer().json
    assert (names(body["events"]), body["closed"]) == (["close"], True)


@pytest.mark.parametrize("query, parameter", [
    ("?wait=1", "wait"), ("?after=0&wait=50.1", "wait"), ("?after=0&wait=-1", "wait"), ("?after=0&wait=abc", "wait"),
    ("?after=0&wait=", "wait"), ("?after=0&wait=1e1", "wait"), ("?after=0&wait=nan", "wait")])
def test_a_wait_out_of_range_or_without_after_is_invalid(pinpad, query, parameter):
    assert pointers(create(pinpad).get(action="/events" + query)) == [parameter]


def test_a_poll_shows_the_text_with_reveal_and_a_token(pinpad):
    session = create(pinpad, reveal=True)
    session.insert("12")
    assert session.log(token=session.entry)[-1]["data"]["text"] == "12"
    assert "text" not in session.log()[-1]["data"]
    state = session.get(token=session.owner, headers=JSON, action="/events").json["events"][0]["data"]
    assert state["text"] == "12"


def test_one_poll_gives_at_most_what_a_session_keeps(pinpad):
    session = create(pinpad, length=1)
    for _ in range(150):
        session.set("1")
    assert [event["id"] for event in session.log(301 - 256)] == list(range(46, 302))
    assert [event["data"]["reason"] for event in session.log(44)] == ["gap"]


def path(*sessions):
    return "/v1/events?sessions=" + ",".join(getattr(session, "id", session) for session in sessions)


def test_several_sessions_come_on_one_connection_each_with_its_id(pinpad):
    sessions = [create(pinpad) for _ in range(3)]
    with EventStream(pinpad, path(*sessions)) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        assert stream.headers["Cache-Control"] == "no-store, no-transform"
        states = stream.take(3)
        assert {(event.event, event.data["reason"], event.data["id"]) for event in states} == {
            ("state", "start", session.id) for session in sessions}
        assert all("config" in event.data for event in states)
        for session in reversed(sessions):
            session.begin()
            event = stream.next()
            assert (event.event, event.data["id"], event.data["eventId"]) == ("begin", session.id, 1)
        assert 1000 <= stream.retry <= 3000


def test_the_order_holds_within_each_session(pinpad):
    first, second = create(pinpad, length=2), create(pinpad, length=2)
    with EventStream(pinpad, path(first, second)) as stream:
        stream.take(2)
        for digit in "12":
            first.insert(digit)
            second.insert(digit)
        events = stream.take(8)
    for session in (first, second):
        own = [event for event in events if event.data["id"] == session.id]
        assert names(own) == ["begin", "change", "change", "complete"]
        assert [event.data["eventId"] for event in own] == [1, 2, 3, 4]


def test_a_cursor_resumes_all_of_them(pinpad):
    first, second = create(pinpad), create(pinpad)
    with EventStream(pinpad, path(first, second)) as stream:
        cursor = stream.take(2)[-1].id
    first.begin()
    second.begin()
    first.end()
    with EventStream(pinpad, path(first, second), headers={"Last-Event-ID": cursor}) as stream:
        events = stream.take(3)
        assert sorted((event.data["id"], event.data["eventId"], event.event) for event in events) == sorted(
            [(first.id, 1, "begin"), (first.id, 2, "end"), (second.id, 1, "begin")])
        second.delete_backward()
        assert stream.next().event == "delete"
    with EventStream(pinpad, path(first, second) + "&lastEventId=" + events[1].id) as stream:
        assert {(event.event, event.data["id"]) for event in stream.take(2)} == {
            (events[2].event, events[2].data["id"]), ("delete", second.id)}


def test_a_cursor_of_other_sessions_gets_states_with_gap(pinpad):
    first, second = create(pinpad), create(pinpad)
    for cursor in ("abc", "7", "999999999999999999999999"):
        with EventStream(pinpad, path(first, second), headers={"Last-Event-ID": cursor}) as stream:
            assert [(event.event, event.data["reason"]) for event in stream.take(2)] == [("state", "gap")] * 2


def test_the_number_of_sessions_is_2_to_64_each_once(pinpad):
    session, *others = (create(pinpad) for _ in range(65))
    for list_of in ([session], [session, *others], [session, session], [session, others[0], session]):
        assert pointers(request(pinpad, "GET", path(*list_of))) == ["sessions"]
    assert pointers(request(pinpad, "GET", "/v1/events")) == ["sessions"]
    with EventStream(pinpad, path(*others)) as stream:
        assert {event.data["id"] for event in stream.take(64)} == {other.id for other in others}


def test_an_unknown_one_is_not_found(pinpad):
    problem(request(pinpad, "GET", path(create(pinpad), "A" * 22)), "not-found")


def test_a_token_must_fit_one_of_them_and_shows_the_text_of_that_one_only(pinpad):
    first, second, other = (create(pinpad, reveal=True) for _ in range(3))
    problem(request(pinpad, "GET", path(first, second), token=other.entry), "unauthorized")
    with EventStream(pinpad, path(first, second), first.entry) as stream:
        assert {event.data["id"]: event.data.get("text") for event in stream.take(2)} == {first.id: "", second.id: None}
        second.insert("2")
        first.insert("1")
        events = stream.take(4)
    assert {(event.data["id"], event.data.get("text")) for event in events} == {(first.id, "1"), (second.id, None)}


def test_the_stream_of_several_ends_when_all_have_closed(pinpad):
    first, second = create(pinpad), create(pinpad)
    with EventStream(pinpad, path(first, second)) as stream:
        stream.take(2)
        first.cancel()
        assert stream.next().event == "close"
        second.begin()
        assert stream.next().event == "begin"
        second.cancel()
        assert names(last := stream.rest()) == ["end", "close"]
    answer = request(pinpad, "GET", path(first, second), headers={"Last-Event-ID": last[-1].id})
    assert (answer.status, answer.body) == (204, b"")


def test_several_sessions_are_not_polled(pinpad):
    first, second = create(pinpad), create(pinpad)
    for query, headers in (("", JSON), ("&after=0", {}), ("&after=0&wait=1", {})):
        with EventStream(pinpad, path(first, second) + query, headers=headers) as stream:
            assert stream.headers["Content-Type"] == "text/event-stream"
            assert names(stream.take(2)) == ["state", "state"]
