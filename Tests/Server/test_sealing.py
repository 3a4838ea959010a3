"""Sealed delivery: a text that is sealed to somebody's key the moment it is complete."""

import base64

import nacl.exceptions
import nacl.public
import pytest

from client import create, names, pointers, problem, receive, request

KEY = nacl.public.PrivateKey.generate()


def encoded_key(key=KEY):
    return base64.urlsafe_b64encode(bytes(key.public_key)).rstrip(b"=").decode()


def opened(sealed, key=KEY):
    box = base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
    return nacl.public.SealedBox(key).decrypt(box).decode()


def sealing(pinpad, **members):
    return create(pinpad, sealTo=encoded_key(), **{"length": 4, **members})


def test_redeem_gives_the_sealed_text_only(pinpad):
    session = sealing(pinpad)
    assert session.created.json["config"]["sealTo"] == encoded_key()
    assert session.insert("12 34").json["complete"] is True
    answer = session.redeem()
    assert set(answer.json) == {"sealed", "completion"} and answer.json["completion"] == 1
    assert opened(answer.json["sealed"]) == "1234"
    with pytest.raises(nacl.exceptions.CryptoError):
        opened(answer.json["sealed"], nacl.public.PrivateKey.generate())
    assert session.state()["status"] == "redeemed"
    problem(session.redeem(), "closed")


def test_without_a_key_nothing_is_sealed(pinpad):
    session = create(pinpad, length=4)
    assert "sealTo" not in session.created.json["config"]
    session.set("1234")
    assert session.redeem().json == {"text": "1234", "completion": 1}


def test_while_incomplete_it_is_edited_like_any_other(pinpad):
    session = sealing(pinpad)
    session.insert("12")
    problem(session.redeem(), "incomplete")
    session.delete_backward()
    session.insert("5")
    session.insert("67")
    assert opened(session.redeem().json["sealed"]) == "1567"


def test_a_held_text_is_given_again_the_same_until_the_verdict(pinpad):
    session = sealing(pinpad)
    session.set("1234")
    first, second = session.hold(), session.hold()
    assert first.json == second.json and opened(first.json["sealed"]) == "1234"
    assert session.reject("no").json["count"] == 0
    problem(session.redeem(), "incomplete")
    session.set("5678")
    answer = session.hold()
    assert answer.json["completion"] == 2 and opened(answer.json["sealed"]) == "5678"
    assert session.accept().json["status"] == "accepted"


def test_a_wait_gives_the_sealed_text(pinpad):
    session = sealing(pinpad)
    with session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner).connection as waiting:
        session.set("1234")
        assert opened(receive(waiting).json["sealed"]) == "1234"


def test_no_character_of_a_sealed_text_can_be_taken_away(pinpad):
    session = sealing(pinpad)
    session.set("1234")
    before = session.state()
    assert problem(session.delete_backward(), "conflict")["state"]["count"] == 4
    problem(session.delete_backward(at=4), "conflict")
    problem(session.delete_backward(at=3), "out-of-position")
    problem(session.insert("5"), "full")
    problem(session.patch({"length": 5}), "conflict")
    problem(session.patch({"length": 3}), "conflict")
    assert session.state() == before
    assert opened(session.redeem().json["sealed"]) == "1234"


def test_a_sealed_text_can_be_set_anew_and_cleared(pinpad):
    session = sealing(pinpad)
    session.set("1234")
    session.set("5678")
    assert names(session.log()) == ["begin", "change", "complete", "change", "complete"]
    held = session.hold().json
    assert held["completion"] == 2 and opened(held["sealed"]) == "5678"
    session.reject()
    session.set("1111")
    assert session.clear().json["count"] == 0
    session.delete_backward()
    session.set("12")
    problem(session.redeem(), "incomplete")
    session.insert("34")
    assert opened(session.redeem().json["sealed"]) == "1234"


def test_a_length_lowered_to_the_count_seals(pinpad):
    session = sealing(pinpad)
    session.set("12")
    assert session.patch({"length": 2}).json["completion"] == 1
    problem(session.delete_backward(), "conflict")
    assert opened(session.redeem().json["sealed"]) == "12"


def test_each_seal_is_another(pinpad):
    session = sealing(pinpad)
    seals = set()
    for _ in range(3):
        session.set("1234")
        seals.add(session.hold().json["sealed"])
        session.reject()
    assert len(seals) == 3


def test_a_picture_of_a_sealed_text_shows_filled_cells(pinpad):
    sealed, plain = sealing(pinpad), create(pinpad, length=4)
    for session in (sealed, plain):
        session.set("1234")
    shown = [session.picture().body.replace(session.id.encode(), b"ID") for session in (sealed, plain)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("key", [
    "", "A" * 42, "A" * 44, encoded_key() + "=", encoded_key()[:-1] + "!", encoded_key()[:-1] + "B", 7, None, [], {},
    "+" + encoded_key()[1:], "/" + encoded_key()[1:],
], ids=lambda key: "")
def test_what_is_no_key_is_invalid(pinpad, key):
    answer = request(pinpad, "POST", "/v1/sessions", {"sealTo": key})
    assert pointers(answer) == ["#/sealTo"]


@pytest.mark.parametrize("point", [
    bytes(32), bytes([1]) + bytes(31), bytes([0xEC]) + bytes([0xFF] * 30) + bytes([0x7F]),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
], ids=["0", "1", "-1", "order 8", "order 8 too"])
def test_a_point_to_which_anybody_has_the_key_is_invalid(pinpad, point):
    key = base64.urlsafe_b64encode(point).rstrip(b"=").decode()
    answer = request(pinpad, "POST", "/v1/sessions", {"sealTo": key})
    assert pointers(answer) == ["#/sealTo"]
    assert "low order" in answer.json["errors"][0]["detail"]


def test_what_is_sealed_is_not_revealed(pinpad):
    for members in ({"reveal": True}, {"style": "code"}, {"reveal": True, "style": "code"}):
        answer = request(pinpad, "POST", "/v1/sessions", {"sealTo": encoded_key(), **members})
        assert pointers(answer) == ["#/reveal"]
    session = sealing(pinpad, style="code", reveal=False)
    session.set("12")
    assert pointers(session.patch({"reveal": True})) == ["#/reveal"]
    assert pointers(session.patch({"reveal": None})) == ["#/reveal"]
    for token in (session.entry, session.owner):
        assert "text" not in session.state(token)


def test_the_key_is_fixed_at_creation(pinpad):
    session, plain = sealing(pinpad), create(pinpad)
    other = encoded_key(nacl.public.PrivateKey.generate())
    for changed in ({"sealTo": other}, {"sealTo": None}, {"sealTo": "x"}):
        assert pointers(session.patch(changed)) == ["#/sealTo"]
    assert pointers(plain.patch({"sealTo": other})) == ["#/sealTo"]
    assert plain.patch({"sealTo": None}).json["revision"] == 0
    # A client may send back the whole configuration that it got.
    config = session.state()["config"]
    assert session.patch(config).json["revision"] == 0
    session.patch({"label": "Code"})
    session.set("1234")
    assert opened(session.redeem().json["sealed"]) == "1234"


def test_a_replayed_creation_shows_the_key_again(pinpad):
    key, members = {"Idempotency-Key": "sealed"}, {"sealTo": encoded_key()}
    first, second = (request(pinpad, "POST", "/v1/sessions", members, headers=key) for _ in range(2))
    assert first.body == second.body and second.json["config"]["sealTo"] == encoded_key()
