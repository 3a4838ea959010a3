"""A digit is in exactly once, wherever the connection that brought it was cut."""

import pytest

from client import connect, create, problem, read_all, request_bytes
from proxy import Proxy, is_whole

PIN = "0123456789" * 3 + "01"


def press(pinpad, session, at, **headers):
    """Sends the digit at this position; returns all bytes that came back."""
    content = request_bytes(
        pinpad, "POST", f"{session.path}/insert", {"text": PIN[at]}, session.entry, headers, close=True)
    with connect(pinpad) as connection:
        connection.sendall(content)
        return len(content), read_all(connection)


def replay(session, at):
    return session.insert(PIN[at], headers={"Idempotency-Key": f"press-{at}"})


def test_with_a_key_a_digit_is_in_once_when_its_answer_was_cut_at_any_byte(pinpad):
    with Proxy(pinpad) as proxy:
        session, at, cut = create(pinpad, length=32), 0, 0
        while True:
            proxy.answer_bytes = cut
            _, received = press(proxy, session, at, **{"Idempotency-Key": f"press-{at}"})
            if is_whole(received):
                break
            assert len(received) == cut
            answer = replay(session, at)
            assert answer.status == 200, (cut, answer)
            assert answer.header("Idempotency-Replayed") == "true", cut
            assert answer.json["count"] == at + 1, cut
            at, cut = at + 1, cut + 1
            if at == 32:
                assert session.redeem().json["text"] == PIN
                session, at = create(pinpad, length=32), 0
        assert session.state()["count"] == at + 1
        assert cut > 400


def test_with_a_key_a_digit_is_in_once_when_its_request_was_cut_at_any_byte(pinpad):
    with Proxy(pinpad) as proxy:
        session, at, cut, length = create(pinpad, length=32), 0, 0, 1
        while cut < length:
            proxy.request_bytes = cut
            length, received = press(proxy, session, at, **{"Idempotency-Key": f"press-{at}"})
            assert received == b""
            answer = replay(session, at)
            assert answer.status == 200, (cut, answer)
            assert answer.header("Idempotency-Replayed") is None, cut
            assert answer.json["count"] == at + 1, cut
            at, cut = at + 1, cut + 1
            if at == 32:
                assert session.redeem().json["text"] == PIN
                session, at = create(pinpad, length=32), 0


@pytest.mark.parametrize("cut", [0, 1, 17, 100, 300])
def test_with_at_a_digit_is_in_once_and_the_sender_learns_it_from_the_conflict(pinpad, cut):
    session = create(pinpad, length=32)
    with Proxy(pinpad) as proxy:
        proxy.answer_bytes = cut
        content = request_bytes(
            proxy, "POST", f"{session.path}/insert", {"text": "1", "at": 0}, session.entry, close=True)
        with connect(proxy) as connection:
            connection.sendall(content)
            assert not is_whole(read_all(connection))
    assert problem(session.insert("1", at=0), "out-of-position")["state"]["count"] == 1
    assert session.state()["count"] == 1


@pytest.mark.parametrize("cut", [0, 1, 50, 200, 400])
def test_a_creation_whose_answer_was_cut_can_be_repeated_with_its_key(pinpad, cut):
    with Proxy(pinpad) as proxy:
        key = {"Idempotency-Key": f"cut-{cut}"}
        content = request_bytes(proxy, "POST", "/v1/sessions", {"length": 4}, headers=key, close=True)
        proxy.answer_bytes = cut
        with connect(proxy) as connection:
            connection.sendall(content)
            assert len(read_all(connection)) == cut
        proxy.answer_bytes = 100_000
        with connect(proxy) as connection:
            connection.sendall(content)
            again = read_all(connection)
    assert is_whole(again)
    assert b"Idempotency-Replayed: true" in again


def test_a_held_redeem_whose_answer_was_cut_can_be_repeated(pinpad):
    session = create(pinpad, length=6)
    session.insert("271828")
    with Proxy(pinpad) as proxy:
        for cut in range(0, 400, 7):
            proxy.answer_bytes = cut
            content = request_bytes(
                proxy, "POST", f"{session.path}/redeem", {"hold": True}, session.owner, close=True)
            with connect(proxy) as connection:
                connection.sendall(content)
                read_all(connection)
            assert session.hold().json == {"text": "271828", "completion": 1}
