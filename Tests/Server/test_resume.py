"""api.md, Events: resuming by the id of the last event, and readers that leave or stall."""

import random
import re
import socket
import threading

import pytest

from client import EventStream, HANG, address, connect, create, names, read_all, receive, request_bytes
from figures import figure, until_figure


def test_last_event_id_replays_what_came_after_it_and_goes_on_live(pinpad):
    session = create(pinpad)
    session.insert("1")
    session.insert("2")
    session.insert("3")
    with session.events(last=2) as stream:
        assert [event.id for event in stream.take(2)] == ["3", "4"]
        session.insert("4")
        assert [(event.id, event.event) for event in stream.take(1)] == [("5", "change")]


def test_the_query_resumes_too(pinpad):
    session = create(pinpad)
    session.insert("1")
    session.insert("2")
    with session.events(query="?lastEventId=2") as stream:
        assert stream.next().id == "3"


def test_the_header_wins_over_the_query(pinpad):
    session = create(pinpad)
    session.insert("1")
    session.insert("2")
    with session.events(last=2, query="?lastEventId=0") as stream:
        assert stream.next().id == "3"


def test_zero_is_the_point_before_event_1(pinpad):
    session = create(pinpad)
    session.insert("1")
    with session.events(last=0) as stream:
        assert [event.id for event in stream.take(2)] == ["1", "2"]


def test_the_newest_id_gets_a_comment_at_once_and_then_what_is_new(pinpad):
    session = create(pinpad)
    session.insert("1")
    with session.events(last=2) as stream:
        assert stream.line().startswith("retry: ")
        assert stream.line() == ""
        assert stream.line().startswith(":")
        session.insert("2")
        assert stream.next().id == "3"


def test_a_session_keeps_its_newest_256_events(pinpad):
    session = create(pinpad, length=1)
    for _ in range(150):
        session.set("1")
    newest = session.state()["eventId"]
    assert newest == 301
    with session.events(last=newest - 256) as stream:
        assert [int(event.id) for event in stream.take(256)] == list(range(newest - 255, newest + 1))
    with session.events(last=newest - 257) as stream:
        event = stream.next()
        assert (event.event, event.data["reason"], event.id) == ("state", "gap", str(newest))


@pytest.mark.parametrize("id", ["3", "1000000", "99999999999999999999999", "-1", "abc", "1.5", "0x1", "1 2"])
def test_an_id_that_it_does_not_have_gets_the_state_with_gap(pinpad, id):
    session = create(pinpad)
    session.insert("1")
    with session.events(last=id) as stream:
        event = stream.next()
        assert (event.event, event.data["reason"], event.id) == ("state", "gap", "2")
        assert event.data["config"] == session.created.json["config"]
        session.insert("2")
        assert stream.next().id == "3"


def test_a_client_that_resumes_100_times_during_edits_misses_and_doubles_nothing(pinpad):
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    session = create(pinpad, length=32)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            session.set("12")
            session.delete_backward()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    seen = []
    try:
        for _ in range(100):
            with session.events(last=len(seen)) as stream:
                for event in stream.take(chance.randint(1, 8)):
                    assert event.event != "state", "it fell too far behind"
                    seen.append(event)
    finally:
        stop.set()
        writer.join(HANG)
    session.cancel()
    with session.events(last=len(seen)) as stream:
        seen += stream.rest()
    assert [int(event.id) for event in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].event == "close"
    assert len(seen) == session.state()["eventId"]


def test_a_client_that_leaves_is_gone_from_the_counts(pinpad):
    session = create(pinpad)
    before = figure(pinpad, "pinpad_streams")
    streams = [session.events() for _ in range(10)]
    for stream in streams:
        stream.next()
    assert figure(pinpad, "pinpad_streams") == before + 10
    for stream in streams:
        stream.close()
    # Without an event on any of them; the issue is that it happens at all, not how fast this machine is.
    until_figure(pinpad, before, "pinpad_streams")


def test_a_reader_that_stalls_for_10_000_edits_costs_nobody_anything_and_resumes_with_gap(pinpad):
    session = create(pinpad, length=1)
    cut = figure(pinpad, "pinpad_streams_cut_total")
    stalled = socket.socket(socket.AF_INET6 if ":" in address(pinpad)[0] else socket.AF_INET)
    stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.settimeout(HANG)
    stalled.connect(address(pinpad))
    events = session.path + "/events"
    stalled.sendall(request_bytes(pinpad, "GET", events, headers={"Last-Event-ID": "0"}))
    awake = connect(pinpad)
    awake.sendall(request_bytes(pinpad, "GET", events, headers={"Last-Event-ID": "0"}))
    received, progress = bytearray(), threading.Condition()

    def read():
        while part := awake.recv(65536):
            with progress:
                received.extend(part)
                progress.notify()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    edit = request_bytes(pinpad, "POST", session.path + "/set", {"text": "1"}, session.entry)
    with connect(pinpad) as writer:
        for index in range(10_000):
            writer.sendall(edit)
            answer = receive(writer)
            assert answer.status == 200
            if index % 50:
                continue
            # On a busy machine this reader, or who feeds it, may not have had its turn; it is not to be the slow one.
            newest = b"id: %d\n" % answer.json["eventId"]
            with progress:
                assert progress.wait_for(lambda: newest in received[-100_000:], HANG)
    session.cancel()
    reader.join(HANG)
    assert not reader.is_alive(), "it hangs"
    ids = [int(id) for id in re.findall(rb"^id: (\d+)$", received, re.MULTILINE)]
    assert ids == list(range(1, session.state()["eventId"] + 1))
    assert figure(pinpad, "pinpad_streams_cut_total") == cut + 1
    late = [int(id) for id in re.findall(rb"^id: (\d+)$", read_all(stalled), re.MULTILINE)]
    assert late == list(range(1, len(late) + 1))
    assert len(late) < len(ids) - 256
    stalled.close()
    awake.close()
    with session.events(last=late[-1] - 1) as stream:
        event = stream.next()
        assert (event.event, event.data["reason"], event.data["status"]) == ("state", "gap", "cancelled")
        assert names(stream.rest()) == []


def test_several_sessions_resume_by_their_cursor_100_times(pinpad):
    seed = random.SystemRandom().randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    first, second = create(pinpad), create(pinpad)
    path = f"/v1/events?sessions={first.id},{second.id}"
    with EventStream(pinpad, path) as stream:
        cursor = stream.take(2)[-1].id
    seen = {first.id: [], second.id: []}
    for _ in range(100):
        chance.choice([first, second]).delete_backward()
        with EventStream(pinpad, path, headers={"Last-Event-ID": cursor}) as stream:
            event = stream.next()
            assert event.event == "delete"
            seen[event.data["id"]].append(event.data["eventId"])
            cursor = event.id
    for session in (first, second):
        assert seen[session.id] == list(range(1, session.state()["eventId"] + 1))
