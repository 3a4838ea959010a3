"""api.md, Ideas."""

import pytest

from client import create, names, problem

ACTIONS = ["begin", "insert", "delete-backward", "clear", "set", "end", "redeem", "accept", "reject"]


def test_an_edit_is_one_ordered_list_of_events_with_one_state(pinpad):
    session = create(pinpad, length=4, style="grid")
    assert session.insert("1234").json["revision"] == 1
    events = session.log()
    assert names(events) == ["begin", "change", "complete", "end"]
    assert [event["id"] for event in events] == [1, 2, 3, 4]
    assert [event["data"].pop("eventId") for event in events] == [1, 2, 3, 4]
    states = [dict(event["data"]) for event in events]
    assert states[3].pop("reason") == "complete"
    assert states[0] == states[1] == states[2] == states[3]
    assert states[0]["revision"] == 1


def test_each_way_of_editing_gives_the_same_events(pinpad):
    typed, pasted, replaced = (create(pinpad, length=2) for _ in range(3))
    typed.begin()
    typed.insert("1")
    typed.insert("2")
    assert names(typed.log()) == ["begin", "change", "change", "complete"]
    pasted.insert("12")
    replaced.set("12")
    assert names(pasted.log()) == names(replaced.log()) == ["begin", "change", "complete"]


def test_a_refused_edit_leaves_all_as_it_was(pinpad):
    session = create(pinpad)
    session.insert("12")
    before = session.state()
    problem(session.insert("34x"), "invalid-character")
    assert session.state() == before


def test_complete_fires_once_each_time_the_entry_becomes_full(pinpad):
    session = create(pinpad, length=2)
    session.insert("1")
    assert session.insert("2").json["completion"] == 1
    problem(session.insert("3"), "full")
    session.begin()
    session.end()
    assert session.state()["completion"] == 1
    session.delete_backward()
    assert session.state()["completion"] == 1
    assert session.insert("2").json["completion"] == 2
    assert names(session.log()).count("complete") == 2


def test_a_set_to_a_full_text_completes_anew(pinpad):
    session = create(pinpad, length=2)
    assert [session.set(text).json["completion"] for text in ("12", "34", "34", "5", "56")] == [1, 2, 3, 3, 4]
    assert names(session.log()).count("complete") == 4


def test_the_digits_leave_by_redeem_only_and_to_the_owner_only(pinpad):
    session = create(pinpad, length=6)
    session.insert("271828")
    for token in (None, session.entry, session.owner):
        assert "text" not in session.state(token)
        assert all("text" not in event["data"] for event in session.log(token=token))
        assert "271828" not in session.picture(token=token).text
    problem(session.redeem(token=session.entry), "forbidden")
    assert session.redeem().json["text"] == "271828"


def test_with_reveal_the_state_carries_the_digits(pinpad):
    session = create(pinpad, reveal=True)
    session.insert("271828")
    assert session.state(session.entry)["text"] == "271828"
    assert session.state(session.owner)["text"] == "271828"


def test_the_id_lets_its_holder_watch(pinpad):
    session = create(pinpad)
    session.insert("1")
    assert session.state()["count"] == 1
    assert session.picture().status == 200
    assert names(session.log()) == ["begin", "change"]
    with session.events() as stream:
        assert stream.next().event == "state"


@pytest.mark.parametrize("action", ACTIONS)
def test_the_id_alone_changes_nothing(pinpad, action):
    session = create(pinpad)
    answer = session.request("POST", f"/{action}", {"text": "1"} if action in ("insert", "set") else {})
    problem(answer, "unauthorized")
    assert answer.header("WWW-Authenticate") == "Bearer"
    assert session.state()["revision"] == 0


def test_the_entry_token_lets_a_keypad_type(pinpad):
    session = create(pinpad)
    for answer in (
        session.begin(token=session.entry), session.insert("12", token=session.entry),
        session.delete_backward(token=session.entry), session.clear(token=session.entry),
        session.set("123456", token=session.entry), session.end(token=session.entry),
    ):
        assert answer.status == 200, answer
    assert session.state()["complete"]


@pytest.mark.parametrize("method, action", [
    ("POST", "/redeem"), ("POST", "/accept"), ("POST", "/reject"), ("PATCH", ""), ("DELETE", "")])
def test_the_entry_token_owns_nothing(pinpad, method, action):
    session = create(pinpad, length=2)
    session.insert("12")
    answer = session.request(method, action, {}, token=session.entry)
    problem(answer, "forbidden")
    assert 'error="insufficient_scope"' in answer.header("WWW-Authenticate")
    assert session.state()["status"] == "open"


def test_the_owner_token_does_everything(pinpad):
    session = create(pinpad, length=2)
    owner = session.owner
    answers = [
        session.begin(token=owner), session.insert("1", token=owner), session.delete_backward(token=owner),
        session.set("12", token=owner), session.clear(token=owner), session.end(token=owner),
        session.patch({"label": "Code"}, token=owner), session.set("34", token=owner),
        session.hold(), session.reject("no"), session.set("56", token=owner), session.hold(), session.accept(),
    ]
    assert [answer.status for answer in answers] == [200] * 13


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
def test_the_scheme_of_a_token_has_any_case(pinpad, scheme):
    session = create(pinpad)
    answer = session.request("POST", "/begin", headers={"Authorization": f"{scheme} {session.entry}"})
    assert answer.status == 200, answer


@pytest.mark.parametrize("name", ["token", "access_token", "entry", "authorization"])
def test_a_token_in_a_url_is_no_token(pinpad, name):
    session = create(pinpad, reveal=True)
    session.insert("1")
    problem(session.request("POST", f"/begin?{name}={session.entry}"), "unauthorized")
    assert "text" not in session.get(action=f"?{name}={session.owner}").json


@pytest.mark.parametrize("method, action", [
    ("GET", ""), ("GET", "/events"), ("GET", "/events?after=0"), ("GET", "/cells.svg"), ("POST", "/begin"),
    ("HEAD", ""), ("HEAD", "/events"), ("HEAD", "/cells.svg"), ("POST", "/redeem"), ("PATCH", ""), ("DELETE", "")])
def test_a_wrong_token_is_unauthorized_also_where_none_is_needed(pinpad, method, action):
    session = create(pinpad)
    for token in ("wrong", session.owner[:-1], session.owner + "A", create(pinpad).owner):
        answer = session.request(method, action, token=token)
        assert answer.status == 401, answer
        assert 'error="invalid_token"' in answer.header("WWW-Authenticate"), answer
        if method != "HEAD":
            problem(answer, "unauthorized")
    assert session.state()["revision"] == 0
