"""What can't be read as HTTP, or could be read in two ways, is refused once and the connection closed."""

import re
import socket

import pytest

from client import at_once, connect, create, problem, raw, read_all, receive, request_bytes


def refused(pinpad, head, name, then=b""):
    """Sends a request and another right behind it: the first gets its one problem, the second no answer."""
    session = create(pinpad)
    smuggled = request_bytes(pinpad, "POST", session.path + "/insert", {"text": "7"}, session.entry)
    received = raw(pinpad, head.replace(b"PATH", session.path.encode()).replace(b"TOKEN", session.entry.encode()) + then + smuggled)
    answer = parse(received)
    problem(answer, name)
    assert answer.header("X-Content-Type-Options") == "nosniff" and answer.header("Cache-Control") == "no-store"
    assert (answer.header("Connection") or "").lower() == "close"
    assert session.state()["revision"] == 0, "the second request was carried out"


def parse(received):
    """The one answer in what came back."""
    assert received.count(b"HTTP/1.") == 1, received
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(received)
        theirs.shutdown(socket.SHUT_WR)
        answer = receive(ours)
        assert read_all(ours) == b""
    return answer


INSERT = b"POST PATH/insert HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer TOKEN\r\nContent-Type: application/json\r\n"
BODY = b'{"text":"1"}'


@pytest.mark.parametrize("name, head, body", [
    ("two Content-Length that differ", INSERT + b"Content-Length: 12\r\nContent-Length: 0\r\n\r\n", BODY),
    ("two Content-Length that agree", INSERT + b"Content-Length: 12\r\nContent-Length: 12\r\n\r\n", BODY),
    ("a space before the colon of Content-Length", INSERT + b"Content-Length : 12\r\n\r\n", BODY),
    ("a tab before the colon of Content-Length", INSERT + b"Content-Length\t: 12\r\n\r\n", BODY),
    ("a space before the colon of Transfer-Encoding", INSERT + b"Transfer-Encoding : chunked\r\n\r\n", b"c\r\n" + BODY + b"\r\n0\r\n\r\n"),
    ("a name that is no token", INSERT + b"Content-Length: 12\r\nX Y: 1\r\n\r\n", BODY),
    ("a name with a bracket", INSERT + b"Content-Length: 12\r\n(x): 1\r\n\r\n", BODY),
    ("no Host", b"GET PATH HTTP/1.1\r\nAccept: */*\r\n\r\n", b""),
    ("two Hosts", b"GET PATH HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b""),
    ("two Hosts that differ", b"POST PATH/insert HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n", b""),
    ("a NUL in the path", b"GET PATH%00/events HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
])
def test_what_can_be_read_in_two_ways_is_malformed(pinpad, name, head, body):
    refused(pinpad, head, "malformed", body)


@pytest.mark.parametrize("name, head, body", [
    ("chunked", INSERT + b"Transfer-Encoding: chunked\r\n\r\n", b"c\r\n" + BODY + b"\r\n0\r\n\r\n"),
    ("another coding", INSERT + b"Transfer-Encoding: gzip\r\n\r\n", b""),
    ("two codings", INSERT + b"Transfer-Encoding: gzip, chunked\r\n\r\n", b"0\r\n\r\n"),
    ("identity", INSERT + b"Transfer-Encoding: identity\r\n\r\n", b""),
    ("in capitals", INSERT + b"TRANSFER-ENCODING: CHUNKED\r\n\r\n", b"0\r\n\r\n"),
    ("under HTTP/1.0", INSERT.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Transfer-Encoding: chunked\r\n\r\n", b"0\r\n\r\n"),
])
def test_any_transfer_encoding_is_length_required(pinpad, name, head, body):
    refused(pinpad, head, "length-required", body)


@pytest.mark.parametrize("head", [
    INSERT + b"Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n",
    INSERT + b"Transfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n",
    INSERT + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n",
    INSERT + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"])
def test_a_transfer_encoding_besides_anything_else_is_refused(pinpad, head):
    session = create(pinpad)
    answer = parse(raw(pinpad, head.replace(b"PATH", session.path.encode()).replace(b"TOKEN", session.entry.encode())
                       + b"0\r\n\r\n" + request_bytes(pinpad, "POST", session.path + "/insert", {"text": "7"}, session.entry)))
    assert answer.status in (400, 411)
    problem(answer, {400: "malformed", 411: "length-required"}[answer.status])
    assert session.state()["revision"] == 0


@pytest.mark.parametrize("length", ["1048577", "10000000", "18446744073709551615", "18446744073709551616", "9" * 40])
def test_a_content_length_far_over_the_limit_is_too_large_and_closes(pinpad, length):
    session = create(pinpad)
    received = raw(pinpad, request_bytes(
        pinpad, "POST", session.path + "/insert", b"", session.entry, {"Content-Length": None}
    ).replace(b"Content-Length: 0\r\n", b"").replace(b"\r\n\r\n", f"\r\nContent-Length: {length}\r\n\r\n".encode()))
    assert received.startswith(b"HTTP/1.1 413 "), received
    if len(length) < 20:
        problem(parse(received), "too-large")


# These the HTTP library refuses by itself, in its own words, before the service sees them.
@pytest.mark.parametrize("length", [b"abc", b"-1", b"+5", b"0x5", b"5, 5", b"", b"1e3", b"5 5"])
def test_a_content_length_that_is_no_number_is_refused_and_closes(pinpad, length):
    session = create(pinpad)
    smuggled = request_bytes(pinpad, "POST", session.path + "/insert", {"text": "7"}, session.entry)
    received = raw(pinpad, b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + b"\r\n\r\n" + smuggled)
    assert received.startswith(b"HTTP/1.1 400 "), received
    assert b" 200 " not in received and b" 201 " not in received
    assert session.state()["revision"] == 0


@pytest.mark.parametrize("request_line", [
    b"GET /livez HTTP/2.0", b"PRI * HTTP/2.0", b"GET /livez HTTP/3", b"GET /livez", b"GET", b"\x16\x03\x01\x02\x00\x01\x00\x01"])
def test_what_is_no_http_1_is_refused_and_closed(start_pinpad, request_line):
    pinpad = start_pinpad(config={"connections": {"requestSeconds": 1, "idleSeconds": 1}})
    received = raw(pinpad, request_line + b"\r\nHost: localhost\r\n\r\n")
    assert received == b"" or received.split(b" ")[1] in (b"400", b"505"), received


def test_a_head_that_is_too_large_is_refused_and_closed(pinpad):
    for head in (b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000 + b"\r\n\r\n", b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n\r\n"):
        with connect(pinpad) as connection:
            try:
                connection.sendall(head)
            except (BrokenPipeError, ConnectionResetError):
                pass
            received = read_all(connection)
        assert received == b"" or received.split(b" ")[1] in (b"414", b"431"), received


def test_an_unknown_method_is_a_problem(pinpad):
    for method in ("BREW", "get", "PUT", "TRACE", "CONNECT"):
        answer = parse(raw(pinpad, request_bytes(pinpad, method, "/livez", close=True)))
        problem(answer, "method-not-allowed")


def test_requests_sent_one_after_the_other_without_waiting_are_answered_in_order(pinpad):
    session = create(pinpad)
    received = raw(pinpad, b"".join(
        request_bytes(pinpad, "POST", session.path + "/insert", {"text": digit}, session.entry, close=digit == "6")
        for digit in "123456"))
    assert received.count(b"HTTP/1.1 200 ") == 6
    assert re.findall(rb'"count":(\d)', received) == [b"1", b"2", b"3", b"4", b"5", b"6"]


def test_a_body_in_pieces_is_one_body(pinpad):
    session = create(pinpad)
    whole = request_bytes(pinpad, "POST", session.path + "/insert", {"text": "123"}, session.entry)
    with connect(pinpad) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for index in range(len(whole)):
            connection.sendall(whole[index:index + 1])
        assert receive(connection).json["accepted"] == 3


def test_http_1_0_is_answered_and_closed(pinpad):
    received = raw(pinpad, b"GET /livez HTTP/1.0\r\n\r\n")
    assert received.endswith(b'{"status":"ok"}') and b" 200 " in received.split(b"\r\n")[0]


def test_expect_100_continue_gets_its_answer(pinpad):
    session = create(pinpad)
    with connect(pinpad) as connection:
        head = request_bytes(pinpad, "POST", session.path + "/insert", b"", session.entry, {"Expect": "100-continue"})
        connection.sendall(head.replace(b"Content-Length: 0", b"Content-Length: 12"))
        assert connection.recv(4096).startswith(b"HTTP/1.1 100 ")
        connection.sendall(BODY)
        assert receive(connection).json["accepted"] == 1


def drip(pinpad, at_once, slowly):
    """Sends something at once, then a byte a second until the server closes; returns how many it took."""
    with connect(pinpad) as connection:
        connection.sendall(at_once)
        connection.settimeout(1)
        for count in range(len(slowly)):
            try:
                connection.sendall(slowly[count:count + 1])
                connection.recv(4096)
                return count
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return count
    return len(slowly)


def test_a_head_and_a_body_that_drip_are_cut_off(start_pinpad):
    pinpad = start_pinpad(config={"connections": {"requestSeconds": 2}})
    session = create(pinpad)
    whole = request_bytes(pinpad, "POST", session.path + "/insert", {"text": "1" + "-" * 60}, session.entry)
    head, end, body = whole.partition(b"\r\n\r\n")
    parts = [(b"", whole[:60]), (head + end, body), (b"GET /", b"x" * 60), (head, end + body)]
    taken = at_once(len(parts), lambda index: drip(pinpad, *parts[index]))
    assert all(count < 60 for count in taken), taken
    assert session.state()["revision"] == 0


def test_a_connection_on_which_nothing_comes_is_closed(start_pinpad):
    pinpad = start_pinpad(config={"connections": {"idleSeconds": 1, "requestSeconds": 2}})
    with connect(pinpad) as silent, connect(pinpad) as used:
        used.sendall(request_bytes(pinpad, "GET", "/livez"))
        assert receive(used).status == 200
        assert read_all(used) == read_all(silent) == b""
