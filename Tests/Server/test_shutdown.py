"""api.md, The service and Events: what happens when the server is told to stop."""

import signal

import pytest

from client import EventStream, HANG, connect, create, names, problem, receive, request_bytes


def kept(pinpad):
    """A connection on which one request was answered."""
    connection = connect(pinpad)
    connection.sendall(request_bytes(pinpad, "GET", "/livez"))
    assert receive(connection).status == 200
    return connection


def half(pinpad, session):
    """A connection on which half of a request is under way, and the other half."""
    whole = request_bytes(
        pinpad, "POST", session.path + "/insert", {"text": "12"}, session.entry, {"Expect": "100-continue"})
    head, body = whole.split(b"\r\n\r\n")
    connection = kept(pinpad)
    connection.sendall(head + b"\r\n\r\n")
    # The server says so when it has read the head.
    said = b""
    while not said.endswith(b"\r\n\r\n"):
        said += connection.recv(1)
    assert said.startswith(b"HTTP/1.1 100 ")
    connection.sendall(body[:-5])
    return connection, body[-5:]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_when_told_to_stop_it_ends_streams_and_waits_cleanly_finishes_requests_and_exits_with_0(start_pinpad, number):
    pinpad = start_pinpad()
    session, other = create(pinpad), create(pinpad)
    session.begin()
    stream, several = session.events(), EventStream(pinpad, f"/v1/events?sessions={session.id},{other.id}")
    assert stream.next().event == "state"
    assert names(several.take(2)) == ["state", "state"]
    poll = session.waiting("GET", "/events?after=1&wait=50")
    redeem = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    later = [kept(pinpad) for _ in range(4)]
    connection, rest = half(pinpad, session)
    pinpad.process.send_signal(number)
    # Open streams and waits end at once, as whole answers.
    assert stream.rest() == [] and several.rest() == []
    assert poll.answer().json == {"events": [], "eventId": 1, "closed": False}
    assert redeem.answer().status in (409, 503)
    # The process serves what it has: it says that it is not ready, and streams come back later.
    later[0].sendall(request_bytes(pinpad, "GET", "/readyz"))
    answer = receive(later[0])
    problem(answer, "unavailable")
    assert int(answer.header("Retry-After")) > 0
    later[1].sendall(request_bytes(pinpad, "GET", "/livez"))
    assert receive(later[1]).status == 200
    later[2].sendall(request_bytes(pinpad, "GET", session.path + "/events"))
    answer = receive(later[2])
    assert (answer.status, answer.header("Content-Type"), answer.body) == (200, "text/event-stream", b"retry: 5000\n\n")
    later[3].sendall(request_bytes(pinpad, "POST", "/v1/sessions"))
    problem(receive(later[3]), "unavailable")
    # The request under way is finished.
    connection.sendall(rest)
    assert receive(connection).json["accepted"] == 2
    for open_one in [connection, *later]:
        open_one.close()
    assert pinpad.process.wait(HANG) == 0


def test_with_nothing_under_way_it_stops_at_once(start_pinpad):
    pinpad = start_pinpad()
    create(pinpad).insert("1")
    pinpad.stop()
