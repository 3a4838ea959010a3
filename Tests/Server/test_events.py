"""api.md, Events: what a stream is, and which events there are in which order."""

import json
import subprocess
import threading
import time

import sseclient

from client import HANG, at_once, connect, create, names, problem, read_all, receive, request, request_bytes
from figures import until_figure

EVENTS_OF_A_STATE = [
    "id", "length", "count", "hasText", "active", "complete", "held", "completion", "attempts", "error", "status",
    "revision", "eventId", "expiresAt"]


def test_a_stream_has_the_head_of_an_event_stream(pinpad):
    with create(pinpad).events() as stream:
        assert stream.status == 200
        assert stream.headers["Content-Type"] == "text/event-stream"
        assert stream.headers["Content-Length"] is None
        assert stream.headers["Cache-Control"] == "no-store, no-transform"
        assert stream.headers["X-Accel-Buffering"] == "no"
        assert stream.headers["X-Content-Type-Options"] == "nosniff"
        assert stream.headers["Date"]


def test_the_first_bytes_come_at_once_on_a_session_where_nothing_happens(pinpad):
    session = create(pinpad)
    with session.events() as stream:
        assert stream.next().event == "state"
    with session.events(last=0) as stream:
        assert stream.line().startswith("retry: ")
        stream.line()
        assert stream.line().startswith(":")


def test_an_event_is_an_id_a_name_and_a_line_of_json(pinpad):
    session = create(pinpad)
    with session.events() as stream:
        first = [stream.line() for _ in range(2)]
        assert first[0].startswith("retry: ") and first[1] == ""
        state = [stream.line() for _ in range(4)]
        assert state[:2] == ["id: 0", "event: state"]
        assert state[2].startswith('data: {"id":"' + session.id + '",') and state[3] == ""
        session.insert("7")
        lines = [stream.line() for _ in range(8)]
    data = (
        '{"id":"%s","length":6,"count":1,"hasText":true,"active":true,"complete":false,"held":false,"completion":0,'
        '"attempts":0,"error":null,"status":"open","revision":1,"eventId":%d,"expiresAt":"%s"}')
    expires = session.created.json["expiresAt"]
    assert lines == [
        "id: 1", "event: begin", "data: " + data % (session.id, 1, expires), "",
        "id: 2", "event: change", "data: " + data % (session.id, 2, expires), ""]


def test_retry_is_between_1000_and_3000_and_chosen_per_stream(pinpad):
    session = create(pinpad)
    times = []
    for _ in range(12):
        with session.events() as stream:
            stream.next()
            times.append(stream.retry)
    assert all(1000 <= time <= 3000 for time in times)
    assert len(set(times)) > 1


def test_a_stream_without_a_resume_point_begins_with_the_state(pinpad):
    session = create(pinpad)
    session.insert("12")
    with session.events() as stream:
        event = stream.next()
    assert (event.id, event.event, event.data["reason"]) == ("2", "state", "start")
    state = session.state()
    assert event.data == {**state, "reason": "start"}
    assert list(event.data)[:14] == EVENTS_OF_A_STATE
    assert event.data["config"] == session.created.json["config"]
    assert "metadata" not in event.data


def test_the_state_event_is_not_stored(pinpad):
    session = create(pinpad)
    session.insert("1")
    with session.events() as stream:
        stream.next()
    assert [(event["id"], event["event"]) for event in session.log()] == [(1, "begin"), (2, "change")]


def test_begin_fires_when_the_entry_was_not_active(pinpad):
    session = create(pinpad)
    session.begin()
    session.begin()
    assert names(session.log()) == ["begin"]


def test_change_fires_when_the_text_changed(pinpad):
    session = create(pinpad)
    session.clear()
    session.insert("-")
    assert session.log() == []
    session.insert("1")
    session.clear()
    assert names(session.log()) == ["begin", "change", "change"]


def test_delete_fires_with_each_delete_backward_after_its_change(pinpad):
    session = create(pinpad)
    session.insert("1")
    last = session.state()["eventId"]
    session.delete_backward()
    session.delete_backward()
    assert names(session.log(last)) == ["change", "delete", "delete"]


def test_complete_fires_after_its_change_and_with_each_set_that_leaves_it_full(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    session.set("12")
    session.set("1")
    assert names(session.log()) == ["begin", "change", "complete", "change", "complete", "change"]


def test_end_says_why(pinpad):
    ended, complete, closed = create(pinpad), create(pinpad, length=1, endsOnComplete=True), create(pinpad)
    ended.begin()
    ended.end()
    complete.insert("1")
    closed.begin()
    closed.cancel()
    timed = create(pinpad, timeouts={"firstInput": 1})
    with timed.events(last=0) as stream:
        timed.begin()
        assert stream.until("end")[-1].data["reason"] == "timeout"
    assert [
        event["data"]["reason"] for session in (ended, complete, closed) for event in session.log()
        if event["event"] == "end"] == ["ended", "complete", "closed"]
    assert names(closed.log()) == ["begin", "end", "close"]


def test_hold_fires_when_the_owner_holds_the_text(pinpad):
    session = create(pinpad, length=1)
    session.insert("1")
    session.hold()
    event = session.log()[-1]
    assert (event["event"], event["data"]["held"]) == ("hold", True)


def test_configure_carries_the_config(pinpad):
    session = create(pinpad)
    session.patch({"label": "Code"})
    event = session.log()[-1]
    assert event["event"] == "configure"
    assert event["data"]["config"] == session.state()["config"]
    assert event["data"]["config"]["label"] == "Code"


def test_a_length_lowered_to_the_count_completes(pinpad):
    session = create(pinpad, endsOnComplete=True)
    session.insert("1234")
    last = session.state()["eventId"]
    session.patch({"length": 4})
    events = session.log(last)
    assert names(events) == ["configure", "complete", "end"]
    assert all(event["data"]["complete"] and event["data"]["length"] == 4 for event in events)


def test_reject_comes_after_the_change_that_clears(pinpad):
    session = create(pinpad, length=1)
    session.insert("1")
    session.hold()
    last = session.state()["eventId"]
    session.reject("No")
    events = session.log(last)
    assert names(events) == ["change", "reject"]
    assert [(event["data"]["count"], event["data"]["error"]) for event in events] == [(0, "No"), (0, "No")]


def test_close_is_the_last_event_and_fires_once(pinpad):
    session = create(pinpad, length=1)
    session.insert("1")
    session.redeem()
    session.cancel()
    problem(session.insert("1"), "closed")
    assert names(session.log()) == ["begin", "change", "complete", "end", "close"]


def test_the_events_of_one_edit_come_in_one_order(pinpad):
    grid = create(pinpad, length=2, style="grid")
    grid.insert("12")
    assert names(grid.log()) == ["begin", "change", "complete", "end"]
    last = grid.state()["eventId"]
    grid.delete_backward()
    assert names(grid.log(last)) == ["begin", "change", "delete"]
    locked = create(pinpad, length=1, maxAttempts=1)
    locked.insert("1")
    locked.hold()
    last = locked.state()["eventId"]
    locked.reject()
    assert names(locked.log(last)) == ["change", "end", "reject", "close"]


def test_all_events_of_an_edit_carry_the_state_after_it_each_with_its_own_event_id(pinpad):
    session = create(pinpad, length=1, style="grid")
    session.insert("1")
    events = session.log()
    for number, event in enumerate(events, 1):
        data = event["data"]
        assert (event["id"], data["eventId"]) == (number, number)
        assert (data["count"], data["complete"], data["active"], data["revision"]) == (1, True, False, 1)


def test_events_are_stored_before_the_request_is_answered(pinpad):
    session = create(pinpad)
    for number in range(100):
        answer = session.set(f"{number:06}").json
        assert session.log(answer["eventId"] - 1)[-1]["id"] == answer["eventId"]


def test_text_is_in_an_event_only_with_reveal_and_a_token_and_until_the_text_changes(pinpad):
    session = create(pinpad, reveal=True)
    with session.events(session.entry, 0) as shown, session.events(last=0) as plain:
        session.insert("1")
        assert [event.data.get("text") for event in shown.take(2)] == ["1", "1"]
        assert [event.data.get("text") for event in plain.take(2)] == [None, None]
        session.insert("2")
        assert shown.take(1)[0].data["text"] == "12"
    session.end()
    assert [event["data"].get("text") for event in session.log(token=session.owner)] == [None, None, "12", "12"]
    assert "text" not in session.log()[-1]["data"]
    masked = create(pinpad)
    masked.insert("1")
    assert all("text" not in event["data"] for event in masked.log(token=masked.owner))


def test_ids_are_integers_from_1_without_a_gap(pinpad):
    session = create(pinpad, length=3, style="grid")
    for _ in range(10):
        session.insert("12")
        session.insert("3")
        session.delete_backward()
        session.clear()
    ids = [event["id"] for event in session.log()]
    assert ids == list(range(1, len(ids) + 1))
    assert len(ids) == session.state()["eventId"]


def test_the_stream_ends_after_close(pinpad):
    session = create(pinpad)
    with session.events() as stream:
        stream.next()
        session.cancel()
        assert names(stream.rest()) == ["close"]


def test_a_closed_sessions_last_id_is_answered_with_204(pinpad):
    session = create(pinpad)
    session.begin()
    session.cancel()
    answer = session.get(headers={"Last-Event-ID": "3"}, action="/events")
    assert (answer.status, answer.body) == (204, b"")


def test_a_closed_session_without_an_id_gives_its_state_and_the_end(pinpad):
    session = create(pinpad)
    session.begin()
    session.cancel()
    with session.events() as stream:
        events = stream.rest()
    assert [(event.id, event.event, event.data["reason"]) for event in events] == [("3", "state", "start")]
    assert events[0].data["status"] == "cancelled"


def test_a_closed_session_replays_what_was_missed_and_ends(pinpad):
    session = create(pinpad)
    session.begin()
    session.cancel()
    with session.events(last=1) as stream:
        assert [(event.id, event.event) for event in stream.rest()] == [("2", "end"), ("3", "close")]


def stream_of_status(session, status):
    """Opens streams until one has this status; others are closed again, which the server may see a little later."""
    deadline = time.monotonic() + HANG
    while (stream := session.events()).status != status:
        stream.close()
        assert time.monotonic() < deadline, f"there is no {status}"
    return stream


def test_a_session_has_at_most_64_streams_and_waits(pinpad):
    # What earlier tests have closed may still be counted.
    until_figure(pinpad, 0, "pinpad_streams")
    session, other = create(pinpad), create(pinpad)
    streams = [session.events() for _ in range(62)]
    assert [stream.next().event for stream in streams] == ["state"] * 62
    poll = session.waiting("GET", "/events?after=0&wait=50")
    redeem = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    until_figure(pinpad, 64, "pinpad_streams")
    refused = [
        session.get(action="/events"), session.poll(0, wait=50),
        session.redeem({"hold": True, "wait": 50})]
    for answer in refused:
        problem(answer, "too-many")
        assert int(answer.header("Retry-After")) > 0
    assert session.poll(0).status == 200
    assert session.state()["status"] == "open"
    with other.events() as stream:
        assert stream.next().event == "state"
    streams.pop().close()
    for open_one in [*streams, stream_of_status(session, 200), poll, redeem]:
        open_one.close()


def test_eight_subscribers_see_the_same_events_in_the_same_order_while_four_type(pinpad):
    session = create(pinpad, length=32)
    streams = [session.events(last=0) for _ in range(8)]
    assert all(stream.status == 200 for stream in streams)
    seen = [None] * len(streams)

    def read(index):
        seen[index] = [(event.id, event.event, event.text) for event in streams[index].rest()]

    readers = [threading.Thread(target=read, args=(index,), daemon=True) for index in range(8)]
    for reader in readers:
        reader.start()

    def write(index):
        for number in range(50):
            (session.insert, session.set, session.delete_backward)[number % 3](*(("12",) if number % 3 < 2 else ()))

    at_once(4, write)
    session.cancel()
    for reader in readers:
        reader.join(HANG)
        assert not reader.is_alive(), "it hangs"
    assert seen[0][-1][1] == "close"
    assert [int(id) for id, _, _ in seen[0]] == list(range(1, len(seen[0]) + 1))
    assert all(events == seen[0] for events in seen)
    order = ["configure", "begin", "change", "delete", "complete", "end", "hold", "reject", "close"]
    edits = {}
    for _, name, text in seen[0]:
        edits.setdefault(json.loads(text)["revision"], []).append(name)
    revisions = [json.loads(text)["revision"] for _, _, text in seen[0]]
    # No edit's events stand between another's, and each edit's are in order.
    assert revisions == sorted(revisions)
    assert all(events == sorted(set(events), key=order.index) for events in edits.values())


def test_a_stream_stays_open_after_its_head_on_a_connection_used_before(pinpad):
    session = create(pinpad)
    with connect(pinpad) as connection:
        for _ in range(3):
            connection.sendall(request_bytes(pinpad, "GET", session.path))
            assert receive(connection).status == 200
        connection.sendall(request_bytes(pinpad, "GET", session.path + "/events"))
        assert b"event: state" in read_until(connection, b"event: state")
        session.insert("1")
        assert b"event: change" in read_until(connection, b"event: change")


def read_until(connection, text):
    received = b""
    while text not in received:
        part = connection.recv(65536)
        assert part, received
        received += part
    return received


def test_curl_follows_the_events(pinpad):
    session = create(pinpad, length=2)
    curl = subprocess.Popen(
        ["curl", "-sN", "--max-time", str(HANG), f"{pinpad.url}{session.path}/events"], stdout=subprocess.PIPE)
    lines = iter(curl.stdout.readline, b"")
    assert any(line == b"event: state\n" for line in lines)
    session.insert("12")
    assert any(line == b"event: complete\n" for line in lines)
    session.cancel()
    assert any(line == b"event: close\n" for line in lines)
    assert curl.wait(HANG) == 0


def test_a_common_client_library_reads_the_stream(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    session.cancel()
    with session.events(last=0) as stream:
        events = list(sseclient.SSEClient(stream.response).events())
    assert [(event.id, event.event) for event in events] == [
        ("1", "begin"), ("2", "change"), ("3", "complete"), ("4", "end"), ("5", "close")]
    assert json.loads(events[-1].data)["status"] == "cancelled"


def test_head_of_a_stream_is_its_head_at_once(pinpad):
    session = create(pinpad)
    with connect(pinpad) as connection:
        connection.sendall(request_bytes(pinpad, "HEAD", session.path + "/events", close=True))
        head, _, rest = read_all(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ") and rest == b""
    lines = head.lower().split(b"\r\n")
    assert b"content-type: text/event-stream" in lines
    assert b"cache-control: no-store, no-transform" in lines
    assert b"x-accel-buffering: no" in lines


def test_a_wrong_token_gets_no_stream(pinpad):
    session, other = create(pinpad), create(pinpad)
    problem(session.get(token=other.entry, action="/events"), "unauthorized")
    problem(request(pinpad, "GET", "/v1/sessions/" + "A" * 22 + "/events"), "not-found")
