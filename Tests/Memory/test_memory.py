"""Digits, tokens and API keys in the memory of a running service: there while they must be, and nowhere one second
after.

Searching it needs root: the process lets nobody look into it.
"""

import base64
import os
import random
import socket
import struct
import time

import nacl.public
import pytest

from client import Session, connect, create, read_all, receive, request, request_bytes
from memory import left, search

KEY = "key-" + "".join(random.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(40))


@pytest.fixture(scope="module", autouse=True)
def as_root():
    assert os.geteuid() == 0, "the memory of a process that nobody may look into is searched as root"


def canary():
    """32 characters that are nowhere else."""
    return "".join(random.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(32))


def new(pinpad, **members):
    return create(pinpad, length=32, alphabet="alphanumeric", **members)


def secrets(session, pin):
    return {"pin": pin, "entry": session.entry, "owner": session.owner}


def reset(connection):
    """Ends a connection as a client does that vanishes."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


# Ways to type


def set_at_once(session, pin):
    assert session.set(pin).status == 200


def insert_at_once(session, pin):
    assert session.insert(pin).status == 200


def insert_one_by_one(session, pin):
    for at, character in enumerate(pin):
        assert session.insert(character, at=at, headers={"Idempotency-Key": f"k{at}"}).status == 200


def insert_on_one_connection(session, pin):
    with connect(session.pinpad) as connection:
        for part in (pin[:5], pin[5:6], pin[6:20], pin[20:]):
            connection.sendall(session.bytes("POST", "/insert", {"text": part}, session.entry, close=False))
            assert receive(connection).status == 200


def insert_escaped(session, pin):
    body = '{"text":"' + "".join(f"\\u{ord(character):04x}" for character in pin) + '"}'
    assert session.request("POST", "/set", body, session.entry).status == 200


# Ways to end


def redeem(session, pin):
    assert session.redeem().json["text"] == pin


def accept(session, pin):
    assert session.hold().json["text"] == pin
    assert session.accept().status == 200


def wait_and_accept(session, pin):
    session.clear()
    with session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner).connection as waiting:
        session.set(pin)
        assert receive(waiting).json["text"] == pin
    assert session.accept().status == 200


def reject(session, pin):
    assert session.hold().json["text"] == pin
    assert session.reject("no").json["status"] == "open"


def lock(session, pin):
    session.patch({"maxAttempts": 1})
    session.hold()
    assert session.reject().json["status"] == "locked"


def cancel(session, pin):
    assert session.cancel().status == 204


def clear(session, pin):
    assert session.clear().json["count"] == 0


def delete_one_by_one(session, pin):
    for _ in pin:
        session.delete_backward()


def replace(session, pin):
    session.set("0")


def expire(session, pin):
    with session.events() as stream:
        session.patch({"timeouts": {"total": 1}})
        assert stream.rest()[-1].data["status"] == "expired"


TYPING = [set_at_once, insert_at_once, insert_one_by_one, insert_on_one_connection, insert_escaped]
ENDING = [redeem, accept, wait_and_accept, reject, lock, cancel, clear, delete_one_by_one, replace, expire]


@pytest.mark.parametrize("end", ENDING, ids=lambda end: end.__name__)
@pytest.mark.parametrize("enter", TYPING, ids=lambda enter: enter.__name__)
def test_digits_and_tokens_are_gone_a_second_after_the_end(pinpad, enter, end):
    pin = canary()
    session = new(pinpad)
    enter(session, pin)
    assert search(pinpad.process.pid, {"pin": pin}), "the search finds nothing while the session is open"
    end(session, pin)
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


@pytest.mark.parametrize("end", [redeem, cancel, clear], ids=lambda end: end.__name__)
def test_what_a_revealing_session_showed_is_gone_too(pinpad, end):
    pin = canary()
    session = new(pinpad, style="code")
    with session.events(session.entry) as stream:
        for part in (pin[:10], pin[10:]):
            assert session.insert(part).json["text"] in pin
            assert session.state(session.owner)["text"] in pin
            session.poll(0, token=session.owner)
            assert session.picture().status == session.picture("?width=900&height=90").status == 200
        assert pin in stream.until("complete")[-1].text
        for _ in range(3):
            session.set(pin, headers={"Idempotency-Key": "k"})
        end(session, pin)
        assert left(pinpad.process.pid, secrets(session, pin)) == {}


def test_a_sealed_text_is_gone_while_its_session_is_open(pinpad):
    pin, key = canary(), nacl.public.PrivateKey.generate()
    session = new(pinpad, sealTo=base64.urlsafe_b64encode(bytes(key.public_key)).rstrip(b"=").decode())
    session.insert(pin[:31])
    assert search(pinpad.process.pid, {"pin": pin}), "the search finds nothing while the text is not complete"
    session.insert(pin[31:])
    assert left(pinpad.process.pid, secrets(session, pin)) == {}
    sealed = session.hold().json["sealed"]
    assert nacl.public.SealedBox(key).decrypt(base64.urlsafe_b64decode(sealed + "=")).decode() == pin
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


def test_refused_requests_leave_nothing(pinpad):
    session, pin = new(pinpad), canary()
    for body in (
        {"text": pin + "!"}, {"text": pin, "at": 3}, {"text": pin, "x": pin}, {"text": pin * 9}, {"text": [pin]},
        {pin: pin}, pin, f'{{"text":"{pin}"', f'{{"text":"{pin}","text":"{pin}"}}', f'{{"text":"{pin}"}} {pin}',
        f'{{"text":"{pin}"}}'.encode() + b"\xff", {"text": pin, "n": 10**400}, {pin: {pin: pin}},
    ):
        for action in ("/insert", "/set", "/clear", "/redeem", "/reject", ""):
            for token in (session.entry, session.owner, None, session.owner[:-1] + "_"):
                method = "POST" if action else "PATCH"
                answer = session.request(method, action, body, token, {"Idempotency-Key": "refused"})
                assert answer.status >= 400, answer
    session.request("POST", "/insert", {"text": pin}, session.entry, {"If-Match": '"7"'})
    session.request("POST", "/insert", {"text": pin}, session.entry, {"Content-Type": "text/plain"})
    request(pinpad, "POST", f"/v1/sessions?{pin}", {"label": pin, "metadata": {pin: pin}, "length": 0}, pin)
    request(pinpad, "GET", f"/v1/{pin}/{session.owner}?{pin}={pin}", token=session.owner)
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


# Requests that do not end well


def half_a_request(session, pin, action="/set"):
    """A connection with a request under way: the whole head with a token, and most of the body."""
    whole = session.bytes("POST", action, f'{{"text":"{pin}"}}', session.owner)
    connection = connect(session.pinpad)
    connection.sendall(whole[:-2])
    return connection


@pytest.mark.parametrize("end", [reset, socket.socket.close], ids=["reset", "closed"])
def test_a_client_that_vanishes_in_the_middle_of_a_body_leaves_nothing(pinpad, end):
    session, pin = new(pinpad), canary()
    connection = half_a_request(session, pin)
    assert found_in_time(pinpad, {"pin": pin, "owner": session.owner}), "a request under way is not found"
    end(connection)
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


def found_in_time(pinpad, wanted, seconds=20):
    """Whether all of it comes up; the server may not have read it yet."""

    deadline = time.monotonic() + seconds
    while set(search(pinpad.process.pid, wanted)) != set(wanted):
        if time.monotonic() > deadline:
            return False
    return True


def test_a_client_that_vanishes_in_the_middle_of_a_head_leaves_nothing(pinpad):
    session, pin = new(pinpad), canary()
    whole = session.bytes("POST", "/set", {"text": pin}, session.owner)
    connection = connect(pinpad)
    connection.sendall(whole[:whole.index(b"\r\n\r\n")])
    assert found_in_time(pinpad, {"owner": session.owner})
    reset(connection)
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


def test_a_request_that_is_too_slow_leaves_nothing(start_pinpad):
    pinpad = start_pinpad(config={"connections": {"requestSeconds": 1}})
    session, pin = new(pinpad), canary()
    with half_a_request(session, pin) as connection:
        assert found_in_time(pinpad, {"pin": pin, "owner": session.owner})
        read_all(connection)
        assert left(pinpad.process.pid, secrets(session, pin)) == {}


def test_a_body_that_is_too_large_leaves_nothing(pinpad):
    session, pin = new(pinpad), canary()
    for body in (pin * 600, f'{{"text":"{pin}"}}' + " " * 17000):
        with connect(pinpad) as connection:
            connection.sendall(session.bytes("POST", "/insert", body, session.owner))
            read_all(connection)
    for framing in ("Transfer-Encoding: chunked", "Content-Length: 41, 41", "Content-Length : 41", "Content-Length: x"):
        with connect(pinpad) as connection:
            connection.sendall(
                f"POST {session.path}/insert HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {session.owner}\r\n{framing}"
                f"\r\n\r\n{{\"text\":\"{pin}\"}}".encode())
            read_all(connection)
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


def test_requests_sent_in_one_piece_leave_nothing(pinpad):
    session, pin = new(pinpad), canary()
    with connect(pinpad) as connection:
        edits = [("/set", {"text": pin}), ("/clear", {}), ("/insert", {"text": pin}), ("/clear", {})]
        connection.sendall(b"".join(session.bytes("POST", *edit, session.entry, close=False) for edit in edits))
        receive_several(connection, len(edits))
        # The connection stays open, and the end of one more request never comes.
        assert left(pinpad.process.pid, secrets(session, pin)) == {}
        connection.sendall(
            session.bytes("POST", "/clear", token=session.owner, close=False)
            + session.bytes("POST", "/set", {"text": pin}, session.entry)[:-2])
        receive_several(connection, 1)
        assert found_in_time(pinpad, {"pin": pin})
        reset(connection)
    assert left(pinpad.process.pid, secrets(session, pin)) == {}


def receive_several(connection, count):
    """Reads that many answers, which may come in one piece."""
    answers = b""
    while answers.count(b"HTTP/1.1 200 ") < count or not answers.endswith(b"}"):
        part = connection.recv(65536)
        assert part, answers
        answers += part


def test_what_follows_the_request_for_a_stream_leaves_nothing(pinpad):
    session, pin = new(pinpad), canary()
    with connect(pinpad) as connection:
        connection.sendall(
            session.bytes("GET", "/events", token=session.owner, close=False)
            + session.bytes("POST", "/set", {"text": pin}, session.entry))
        assert receive_head(connection).startswith(b"HTTP/1.1 200 ")
        assert left(pinpad.process.pid, secrets(session, pin)) == {}


def receive_head(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(4096)
        assert part, head
        head += part
    return head


def test_a_session_that_nobody_ends_leaves_no_token(pinpad):
    session, pin = new(pinpad), canary()
    session.set(pin, headers={"Idempotency-Key": "k"})
    for token in (session.entry, session.owner):
        session.state(token)
    assert left(pinpad.process.pid, {"entry": session.entry, "owner": session.owner}) == {}


# API keys


@pytest.mark.parametrize("place", ["environment", "file", "configuration"])
def test_api_keys_are_nowhere(start_pinpad, tmp_path, place):
    (tmp_path / "keys").write_text(f"{KEY}\n{KEY[::-1]}\n")
    keys = f"{KEY},{KEY[::-1]}"
    if place == "environment":
        pinpad = start_pinpad(env={"PINPAD_API_KEYS": keys})
    elif place == "file":
        pinpad = start_pinpad(config={"apiKeysFile": str(tmp_path / "keys")})
    else:
        pinpad = start_pinpad(config={"apiKeys": keys.split(",")})
    wanted = {"key": KEY, "other": KEY[::-1]}
    session = create(pinpad, token=KEY)
    create(pinpad, token=KEY[::-1], headers={"Idempotency-Key": "k"})
    assert request(pinpad, "POST", "/v1/sessions", {}, KEY[:-1] + "!").status == 401
    assert left(pinpad.process.pid, wanted) == {}
    # The search would find it.
    with connect(pinpad) as connection:
        connection.sendall(request_bytes(pinpad, "POST", "/v1/sessions", b"{}", KEY)[:-1])
        assert found_in_time(pinpad, {"key": KEY})
        reset(connection)
    assert left(pinpad.process.pid, wanted) == {}
    assert isinstance(session, Session)
    with open(f"/proc/{pinpad.process.pid}/environ", "rb") as environment:
        assert KEY.encode() not in environment.read()
