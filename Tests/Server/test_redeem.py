"""api.md, Owning: redeem, hold, wait, accept, reject, cancel."""

import pytest

from client import UNSENT, create, names, pointers, problem


def full(pinpad, text="123456", **members):
    session = create(pinpad, length=len(text), **members)
    assert session.insert(text).status == 200
    return session


def held(pinpad, text="123456", **members):
    session = full(pinpad, text, **members)
    assert session.hold().status == 200
    return session


# redeem


def test_redeem_gives_the_text_and_the_completion(pinpad):
    session = full(pinpad, "012345")
    answer = session.redeem()
    assert answer.status == 200
    assert (answer.json["text"], answer.json["completion"]) == ("012345", 1)
    assert answer.header("Cache-Control") == "no-store"


def test_redeem_tells_which_completion_it_is(pinpad):
    session = full(pinpad, "12")
    session.set("34")
    session.delete_backward()
    session.insert("5")
    assert session.redeem().json == {"text": "35", "completion": 3}


def test_redeem_before_complete_is_incomplete(pinpad):
    session = create(pinpad, length=2)
    for body in (UNSENT, {}, {"hold": False}, {"hold": True}):
        problem(session.redeem(body), "incomplete")
    session.insert("1")
    problem(session.redeem(), "incomplete")
    problem(session.hold(), "incomplete")
    assert session.state()["revision"] == 1
    session.insert("2")
    assert session.redeem().json["text"] == "12"


def test_a_plain_redeem_closes_and_cannot_be_retried(pinpad):
    session = full(pinpad)
    assert session.redeem().status == 200
    assert session.state()["status"] == "redeemed"
    for body in (UNSENT, {"hold": True}, {"hold": True, "wait": 1}):
        answer = session.redeem(body)
        problem(answer, "closed")
        assert "123456" not in answer.text
    events = session.log(3)
    assert names(events) == ["end", "close"]
    assert events[0]["data"]["reason"] == "closed"
    assert events[1]["data"]["status"] == "redeemed"


def test_a_key_does_not_repeat_a_redeem(pinpad):
    session = full(pinpad)
    key = {"Idempotency-Key": "r"}
    assert session.redeem(headers=key).status == 200
    answer = session.redeem(headers=key)
    problem(answer, "closed")
    assert "123456" not in answer.text


def test_a_redeem_of_an_inactive_entry_fires_only_close(pinpad):
    session = full(pinpad)
    session.end()
    session.redeem()
    assert names(session.log(4)) == ["close"]


def test_a_plain_redeem_while_held_closes_as_well(pinpad):
    session = held(pinpad, "2718")
    assert session.redeem().json["text"] == "2718"
    state = session.state()
    assert (state["status"], state["held"]) == ("redeemed", False)


def test_a_redeem_with_hold_keeps_the_session_open_and_held(pinpad):
    session = full(pinpad, "2718")
    answer = session.hold()
    assert answer.json == {"text": "2718", "completion": 1}
    state = session.state()
    assert (state["status"], state["held"], state["active"]) == ("open", True, True)
    assert names(session.log(3)) == ["hold"]


def test_a_redeem_with_hold_may_be_repeated_and_answers_the_same(pinpad):
    session = full(pinpad, "2718")
    answers = [session.hold().json for _ in range(5)]
    assert answers == [{"text": "2718", "completion": 1}] * 5
    assert session.hold(wait=5).json == answers[0]
    assert names(session.log(3)) == ["hold"]
    assert session.state()["revision"] == 2


@pytest.mark.parametrize("body, where", [
    ({"hold": 1}, "#/hold"), ({"hold": "true"}, "#/hold"), ({"hold": None}, "#/hold"),
    ({"hold": True, "wait": -1}, "#/wait"), ({"hold": True, "wait": 50.5}, "#/wait"),
    ({"hold": True, "wait": 51}, "#/wait"), ({"hold": True, "wait": "5"}, "#/wait"), ({"wait": 5}, "#/wait"),
    ({"hold": False, "wait": 5}, "#/wait"), ({"more": 1}, "#/more")])
def test_redeem_refuses_what_it_does_not_know(pinpad, body, where):
    session = full(pinpad)
    assert pointers(session.redeem(body)) == [where]
    assert session.state()["revision"] == 1


# wait


def test_a_redeem_with_wait_waits_until_the_entry_is_complete(pinpad):
    session = create(pinpad, length=6)
    waiting = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    for digit in "01234":
        assert session.insert(digit).status == 200
        assert not waiting.answered()
    assert session.insert("5").status == 200
    answer = waiting.answer()
    assert answer.status == 200
    assert answer.json == {"text": "012345", "completion": 1}
    assert session.state()["held"] is True
    assert names(session.log())[-2:] == ["complete", "hold"]


def test_a_redeem_with_wait_on_a_complete_entry_answers_at_once(pinpad):
    assert full(pinpad, "12").hold(wait=50).json == {"text": "12", "completion": 1}


@pytest.mark.parametrize("wait", [0, 1])
def test_a_redeem_whose_wait_ends_is_incomplete(pinpad, wait):
    session = create(pinpad, length=2)
    session.insert("1")
    state = problem(session.hold(wait=wait), "incomplete")["state"]
    assert (state["count"], state["held"]) == (1, False)
    session.insert("2")
    assert session.state()["held"] is False


def test_a_redeem_with_wait_ends_when_the_session_closes(pinpad):
    session = create(pinpad, length=2)
    waiting = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    session.insert("1")
    assert not waiting.answered()
    session.cancel()
    problem(waiting.answer(), "closed")


def test_two_redeems_with_wait_get_the_same_answer(pinpad):
    session = create(pinpad, length=2)
    body = {"hold": True, "wait": 50}
    waiting = [session.waiting("POST", "/redeem", body, session.owner) for _ in range(2)]
    session.insert("12")
    assert [one.answer().json for one in waiting] == [{"text": "12", "completion": 1}] * 2
    assert names(session.log()).count("hold") == 1


def test_a_wait_whose_client_has_left_does_not_hold_the_entry(pinpad):
    session = create(pinpad, length=2)
    waiting = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    waiting.close()
    session.insert("12")
    assert session.hold().json["text"] == "12"


def test_one_request_creates_and_one_waits_and_that_is_a_whole_back_end(pinpad):
    session = create(pinpad, length=2)
    for text, verdict in (("12", "no"), ("34", None)):
        waiting = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
        for at, digit in enumerate(text):
            session.insert(digit, at=at)
        assert waiting.answer().json["text"] == text
        answer = session.accept() if verdict is None else session.reject(verdict)
        assert answer.status == 200
    assert session.state()["status"] == "accepted"


# held


@pytest.mark.parametrize("action, body", [
    ("begin", UNSENT), ("insert", {"text": "1"}), ("insert", {"text": ""}), ("delete-backward", UNSENT),
    ("clear", UNSENT), ("set", {"text": "1"}), ("set", {"text": ""}), ("end", UNSENT)])
def test_while_held_every_edit_is_held(pinpad, action, body):
    session = held(pinpad)
    before = session.state()
    for token in (session.entry, session.owner):
        state = problem(session.request("POST", f"/{action}", body, token), "held")["state"]
        assert state["held"] is True
    assert session.state() == before
    assert session.redeem().json["text"] == "123456"


def test_while_held_a_patch_is_held(pinpad):
    session = held(pinpad)
    for patch in ({"label": "Other"}, {}):
        problem(session.patch(patch), "held")


def test_held_comes_before_out_of_position(pinpad):
    session = held(pinpad)
    problem(session.insert("1", at=0), "held")


def test_while_held_the_session_can_be_watched_and_cancelled(pinpad):
    session = held(pinpad)
    assert session.get().status == session.picture().status == session.poll().status == 200
    assert session.cancel().status == 204


# accept and reject


def test_accept_closes_as_accepted(pinpad):
    session = held(pinpad)
    answer = session.accept()
    assert answer.status == 200
    assert (answer.json["status"], answer.json["held"], answer.json["active"]) == ("accepted", False, False)
    assert names(session.log(4)) == ["end", "close"]
    problem(session.accept(), "closed")
    problem(session.reject(), "closed")


def test_reject_ends_the_hold_clears_counts_and_sets_the_error(pinpad):
    session = held(pinpad)
    answer = session.reject("Wrong code")
    assert answer.status == 200
    state = answer.json
    assert (state["held"], state["count"], state["attempts"], state["error"], state["status"]) == (
        False, 0, 1, "Wrong code", "open")
    events = session.log(4)
    assert names(events) == ["change", "reject"]
    assert events[1]["data"]["error"] == "Wrong code"
    assert events[0]["data"]["revision"] == events[1]["data"]["revision"] == 3


def test_reject_leaves_active_as_it_is(pinpad):
    active, inactive = full(pinpad), full(pinpad)
    inactive.end()
    for session, expected in ((active, True), (inactive, False)):
        session.hold()
        assert session.reject().json["active"] is expected


def test_after_a_reject_the_entry_can_be_filled_anew(pinpad):
    session = held(pinpad, "1234")
    session.reject()
    assert session.insert("5678").json["completion"] == 2
    assert session.hold().json == {"text": "5678", "completion": 2}
    assert session.reject().json["attempts"] == 2


@pytest.mark.parametrize("message", ["x" * 200, "\U0001F511" * 200, "", "<script>"])
def test_a_message_is_up_to_200_characters(pinpad, message):
    assert held(pinpad).reject(message).json["error"] == message


@pytest.mark.parametrize("message", ["x" * 201, 1, True, [], {}])
def test_a_message_that_is_none_is_invalid(pinpad, message):
    session = held(pinpad)
    assert pointers(session.reject(message)) == ["#/message"]
    assert session.state()["held"] is True


def test_at_max_attempts_the_session_closes_as_locked(pinpad):
    session = held(pinpad, maxAttempts=2)
    assert session.reject().json["status"] == "open"
    session.insert("654321")
    session.hold()
    before = session.state()["eventId"]
    state = session.reject("Locked").json
    assert (state["status"], state["attempts"], state["error"]) == ("locked", 2, "Locked")
    assert (state["held"], state["active"]) == (False, False)
    events = session.log(before)
    assert names(events) == ["change", "end", "reject", "close"]
    assert events[-1]["data"]["status"] == "locked"
    problem(session.insert("1"), "closed")


def test_without_max_attempts_there_is_no_limit(pinpad):
    session = create(pinpad, length=1)
    for attempt in range(1, 120):
        session.set("1")
        session.hold()
        state = session.reject().json
        assert (state["attempts"], state["status"]) == (attempt, "open")


def test_accept_and_reject_without_a_hold_are_not_held(pinpad):
    session = full(pinpad)
    for answer in (session.accept(), session.reject(), session.reject("no")):
        assert problem(answer, "not-held")["state"]["held"] is False
    assert session.state()["revision"] == 1
    session.hold()
    session.reject()
    problem(session.reject(), "not-held")


# cancel


def test_delete_closes_as_cancelled_and_may_be_repeated(pinpad):
    session = full(pinpad)
    for _ in range(3):
        answer = session.cancel()
        assert (answer.status, answer.body) == (204, b"")
    assert session.state()["status"] == "cancelled"
    assert names(session.log(3)) == ["end", "close"]


@pytest.mark.parametrize("action", ["begin", "insert", "delete-backward", "clear", "set", "end", "redeem", "accept",
                                    "reject", "patch"])
def test_any_change_of_a_closed_session_is_closed(pinpad, action):
    session = create(pinpad, length=2)
    session.cancel()
    if action == "patch":
        problem(session.patch({"label": "Other"}), "closed")
    else:
        body = {"text": "1"} if action in ("insert", "set") else UNSENT
        problem(session.request("POST", f"/{action}", body, session.owner), "closed")
