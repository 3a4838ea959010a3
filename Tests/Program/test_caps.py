"""At its caps, and at the limit of descriptors: what is one too many is refused cleanly, everything else works, and all
comes right by itself. (Loopback is exempt from the caps of an address: those are in MicroHTTPTests.)"""

import os
import resource
import time

import pytest

from client import HANG, connect, create, problem, receive, request, request_bytes
from servers import running
from figures import figure, until_figure


@pytest.fixture
def start_with_files(pinpad_binary, tmp_path):
    """Starts the program with a limit of open files."""

    def start(files, **options):
        script = tmp_path / "limited"
        script.write_text(f'#!/bin/sh\nulimit -n {files}\nexec "{pinpad_binary}" "$@"\n')
        script.chmod(0o755)
        return running(script, **options)

    return start


def cpu_seconds(pinpad):
    """User and system time so far (proc(5): the fields after the name)."""
    with open(f"/proc/{pinpad.process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def assert_it_does_not_spin(pinpad):
    """It has nothing to do for a second; a loop that spins would take all of it."""
    before = cpu_seconds(pinpad)
    time.sleep(1)
    assert cpu_seconds(pinpad) - before < 0.5


def until_said(pinpad, text):
    """Waits for something in the log, which is written by a thread of its own."""
    deadline = time.monotonic() + HANG
    while text not in pinpad.stderr:
        assert time.monotonic() < deadline, pinpad.stderr
        time.sleep(0.01)


def asked(connection, pinpad, method, path, *arguments):
    """One request on a connection that is kept."""
    connection.sendall(request_bytes(pinpad, method, path, *arguments))
    return receive(connection, method)


def test_at_the_cap_of_streams_edits_work_and_one_more_stream_is_told_to_come_back(start_pinpad):
    pinpad = start_pinpad(config={"streams": {"maximum": 3}})
    session, other = create(pinpad), create(pinpad)
    streams = [session.events() for _ in range(3)]
    for stream in streams:
        assert stream.next().event == "state"
    refused = request(pinpad, "GET", session.path + "/events")
    assert (refused.status, refused.body) == (200, b"retry: 5000\n\n")
    assert refused.header("Content-Type") == "text/event-stream"
    assert refused.header("Cache-Control") == "no-store, no-transform"
    assert refused.header("Retry-After") == "5"
    several = request(pinpad, "GET", f"/v1/events?sessions={session.id},{other.id}")
    assert (several.status, several.body) == (200, b"retry: 5000\n\n")
    # A wait is asked by a program, which can read a status.
    for answer in (session.poll(0, wait=50), session.hold(wait=50)):
        problem(answer, "unavailable")
        assert answer.header("Retry-After") == "5"
    assert session.insert("12").json["count"] == 2
    for stream in streams:
        assert [event.event for event in stream.take(2)] == ["begin", "change"]
    assert session.poll(0).status == 200, "a poll that need not wait is a short request"
    assert figure(pinpad, "pinpad_requests_refused_total", reason="streams") == 4
    assert figure(pinpad, "pinpad_streams_limit") == 3
    # The refused ones have left nothing behind, and there is room again when one leaves.
    streams[0].close()
    until_figure(pinpad, 2, "pinpad_streams")
    with session.events() as again:
        assert again.next().event == "state"
    for stream in streams[1:]:
        stream.close()
    until_figure(pinpad, 0, "pinpad_streams")
    assert [session.events().next().event for _ in range(3)] == ["state"] * 3


def test_a_session_has_64_streams_at_most_and_the_refusal_is_counted(start_pinpad):
    pinpad = start_pinpad()
    session = create(pinpad)
    streams = [session.events() for _ in range(64)]
    refused = request(pinpad, "GET", session.path + "/events")
    problem(refused, "too-many")
    assert int(refused.header("Retry-After")) > 0
    assert figure(pinpad, "pinpad_requests_refused_total", reason="session-streams") == 1
    for stream in streams:
        stream.close()


def test_creation_at_the_maximum_of_sessions_is_counted_as_refused(start_pinpad):
    pinpad = start_pinpad(config={"sessions": {"maximum": 1}})
    create(pinpad)
    refused = request(pinpad, "POST", "/v1/sessions")
    problem(refused, "unavailable")
    assert int(refused.header("Retry-After")) > 0
    assert figure(pinpad, "pinpad_requests_refused_total", reason="sessions") == 1


def test_with_few_descriptors_streams_leave_enough_for_short_requests(start_with_files):
    # Of 160, 72 are the reserve: 22 connections and 66 streams.
    with start_with_files(160) as pinpad:
        until_said(pinpad, "the limit of open files is 160: there are at most 22 connections and 66 streams")
        sessions = [create(pinpad) for _ in range(8)]
        streams = [session.events() for session in sessions for _ in range(8)] + [sessions[0].events() for _ in range(2)]
        for stream in streams:
            assert stream.next().event == "state"
        for session in sessions:
            answer = request(pinpad, "GET", session.path + "/events")
            assert (answer.status, answer.body) == (200, b"retry: 5000\n\n")
        # With all connections taken too, those that are there are served, and the next waits for its turn.
        kept = [connect(pinpad) for _ in range(22)]
        for number, connection in enumerate(kept):
            session = sessions[number % 8]
            answer = asked(connection, pinpad, "POST", session.path + "/insert", {"text": "1"}, session.entry)
            assert answer.status == 200
        figures = asked(kept[0], pinpad, "GET", "/metrics").text
        found = dict(line.split(" ") for line in figures.splitlines() if not line.startswith("#") and "{" not in line)
        assert int(found["process_open_fds"]) < int(found["process_max_fds"]) == 160
        assert (found["pinpad_connections"], found["pinpad_streams"]) == ("22", "66")
        waiting = connect(pinpad)
        waiting.sendall(request_bytes(pinpad, "GET", "/livez"))
        assert_it_does_not_spin(pinpad)
        for connection in kept:
            connection.close()
        assert receive(waiting).status == 200
        waiting.close()
        for stream in streams:
            stream.close()
        until_figure(pinpad, 0, "pinpad_streams")
        with sessions[0].events() as again:
            assert again.next().event == "state"
        assert "descriptor" not in pinpad.stderr


def test_when_descriptors_run_out_it_refuses_does_not_spin_and_goes_on_when_there_are_some(start_pinpad):
    pinpad = start_pinpad()
    session = create(pinpad)
    with session.events() as stream, connect(pinpad) as kept:
        assert stream.next().event == "state"
        assert asked(kept, pinpad, "GET", "/livez").status == 200
        usual = resource.prlimit(pinpad.process.pid, resource.RLIMIT_NOFILE)
        # No descriptor is free below this.
        resource.prlimit(pinpad.process.pid, resource.RLIMIT_NOFILE, (3, usual[1]))
        answer = asked(kept, pinpad, "POST", session.path + "/insert", {"text": "1"}, session.entry)
        assert answer.json["count"] == 1
        assert [event.event for event in stream.take(2)] == ["begin", "change"]
        late = [connect(pinpad) for _ in range(4)]
        for connection in late:
            connection.sendall(request_bytes(pinpad, "GET", "/livez"))
        assert_it_does_not_spin(pinpad)
        answer = asked(kept, pinpad, "GET", session.path + "/events")
        assert (answer.status, answer.body) == (200, b"retry: 5000\n\n")
        resource.prlimit(pinpad.process.pid, resource.RLIMIT_NOFILE, usual)
        for connection in late:
            assert receive(connection).status == 200
            connection.close()
        assert figure(pinpad, "pinpad_requests_refused_total", reason="descriptors") == 1
        assert session.insert("2").json["count"] == 2
        assert stream.next().event == "change"
    assert len(pinpad.stderr.splitlines()) < 20, "it says so, but not each time"
