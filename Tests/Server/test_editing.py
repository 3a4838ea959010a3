"""api.md, Editing: what each request does, its rules, `at` and `If-Match`."""

import pytest

from client import UNSENT, create, names, pointers, problem

EDITS = ["begin", "insert", "delete-backward", "clear", "set", "end"]


def text_of(session):
    """The text, by the only way there is; the session is closed after it."""
    return session.redeem().json["text"]


def body_of(action):
    return {"text": "1"} if action in ("insert", "set") else UNSENT


def state_without_config(session):
    state = session.state()
    state.pop("config")
    return state


# What each request does


def test_begin_makes_active_and_fires_once(pinpad):
    session = create(pinpad)
    assert session.begin().json["active"] is True
    assert session.begin().json["active"] is True
    assert names(session.log()) == ["begin"]


def test_insert_appends(pinpad):
    session = create(pinpad, length=6)
    for digit in "012345":
        assert session.insert(digit).status == 200
    assert text_of(session) == "012345"


def test_delete_backward_removes_the_last_character(pinpad):
    session = create(pinpad, length=4)
    session.insert("1234")
    assert session.delete_backward().json["count"] == 3
    assert session.delete_backward().json["count"] == 2
    assert names(session.log(3)) == ["change", "delete", "change", "delete"]
    session.insert("56")
    assert text_of(session) == "1256"


def test_clear_removes_all(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    answer = session.clear().json
    assert (answer["count"], answer["active"]) == (0, True)
    assert names(session.log(3)) == ["change"]
    session.insert("34")
    assert text_of(session) == "34"


def test_set_replaces_all_as_one_edit(pinpad):
    session = create(pinpad, length=4)
    session.insert("12")
    answer = session.set("3456").json
    assert (answer["count"], answer["complete"], answer["revision"]) == (4, True, 2)
    assert names(session.log(2)) == ["change", "complete"]
    assert text_of(session) == "3456"


def test_a_set_of_nothing_is_a_clear(pinpad):
    for text in ("", "-", " \n"):
        session = create(pinpad, length=4)
        session.insert("12")
        answer = session.set(text).json
        assert (answer["count"], answer["accepted"], answer["truncated"]) == (0, 0, 0)
        assert names(session.log(2)) == ["change"]


def test_end_makes_inactive_and_fires_once(pinpad):
    session = create(pinpad)
    session.begin()
    assert session.end().json["active"] is False
    assert session.end().json["active"] is False
    events = session.log()
    assert names(events) == ["begin", "end"]
    assert events[1]["data"]["reason"] == "ended"


def test_end_and_begin_keep_the_text(pinpad):
    session = create(pinpad, length=4)
    session.insert("12")
    session.end()
    session.begin()
    session.insert("34")
    assert text_of(session) == "1234"


@pytest.mark.parametrize("action", EDITS)
def test_each_edit_answers_the_state(pinpad, action):
    session = create(pinpad)
    answer = session.request("POST", f"/{action}", body_of(action), session.entry)
    assert answer.status == 200
    expected = state_without_config(session)
    if action in ("insert", "set"):
        expected |= {"accepted": 1, "truncated": 0}
    assert answer.json == expected


def test_accepted_and_truncated_are_numbers_of_characters(pinpad):
    session = create(pinpad, length=6)

    def counts(answer):
        return answer.json["accepted"], answer.json["truncated"]

    assert counts(session.insert("12345")) == (5, 0)
    assert counts(session.insert("6789")) == (1, 3)
    assert counts(session.set("1-2 3")) == (3, 0)
    assert counts(session.insert("-4-")) == (1, 0)
    assert counts(session.set("123-456-789")) == (6, 3)
    assert counts(session.set("٣۳𝟛")) == (3, 0)
    assert counts(session.set("")) == (0, 0)


def test_a_long_insert_fills_the_room_and_reports_the_rest(pinpad):
    session = create(pinpad, length=6)
    session.insert("12345")
    answer = session.insert("6789").json
    assert (answer["accepted"], answer["truncated"], answer["complete"]) == (1, 3, True)
    assert names(session.log(2)) == ["change", "complete"]
    assert text_of(session) == "123456"


def test_a_long_set_fills_the_cells_and_reports_the_rest(pinpad):
    session = create(pinpad, length=4)
    session.insert("9")
    answer = session.set("123456").json
    assert (answer["accepted"], answer["truncated"]) == (4, 2)
    assert text_of(session) == "1234"


# Rules


@pytest.mark.parametrize("action, body", [("insert", {"text": "1"}), ("set", {"text": "1"})])
def test_an_edit_that_changes_the_text_begins_first(pinpad, action, body):
    session = create(pinpad)
    assert session.request("POST", f"/{action}", body, session.entry).json["active"] is True
    assert names(session.log()) == ["begin", "change"]


@pytest.mark.parametrize("action, events", [
    ("delete-backward", ["begin", "change", "delete"]), ("clear", ["begin", "change"])])
def test_a_deletion_that_changes_the_text_begins_first(pinpad, action, events):
    session = create(pinpad)
    session.insert("1")
    session.end()
    answer = session.request("POST", f"/{action}", UNSENT, session.entry)
    assert answer.json["active"] is True
    assert names(session.log(3)) == events


def test_an_edit_that_is_refused_does_not_begin(pinpad):
    session = create(pinpad, length=2, overflow="reject")
    problem(session.insert("x"), "invalid-character")
    problem(session.insert("123"), "overflow")
    problem(session.insert("1", at=1), "out-of-position")
    problem(session.insert("1", headers={"If-Match": '"9"'}), "precondition-failed")
    session.insert("12")
    session.end()
    problem(session.insert("3"), "full")
    assert session.state()["active"] is False
    assert names(session.log()) == ["begin", "change", "complete", "end"]


def test_an_edit_that_changes_nothing_does_not_begin(pinpad):
    session = create(pinpad)
    for answer in (session.insert(""), session.insert(" - "), session.set(""), session.clear(), session.end()):
        assert answer.status == 200, answer
        assert (answer.json["active"], answer.json["revision"]) == (False, 0), answer
    answer = session.delete_backward()
    assert (answer.json["active"], answer.json["revision"]) == (False, 1)
    assert names(session.log()) == ["delete"]


def test_a_text_has_at_most_256_characters(pinpad):
    session = create(pinpad, length=4)
    assert session.insert("-" * 256).json["accepted"] == 0
    assert session.insert("\U000E0020" * 256).json["accepted"] == 0
    assert session.insert("1" * 256).json["truncated"] == 252
    assert session.set("2" * 256).json["truncated"] == 252
    for text in ("-" * 257, "1" * 257, "\U0001D7D8" * 257):
        assert pointers(session.insert(text)) == ["#/text"]
        assert pointers(session.set(text)) == ["#/text"]


@pytest.mark.parametrize("action", ["insert", "set"])
def test_a_text_is_a_string_and_has_to_be_there(pinpad, action):
    session = create(pinpad)
    for body in ({}, {"text": 1}, {"text": 1.5}, {"text": None}, {"text": ["1"]}, {"text": True}, {"text": {}}):
        answer = session.request("POST", f"/{action}", body, session.entry)
        assert pointers(answer) == ["#/text"], body
    assert session.state()["revision"] == 0


@pytest.mark.parametrize("action", EDITS)
def test_an_edit_refuses_a_member_it_does_not_know(pinpad, action):
    session = create(pinpad)
    body = {} if body_of(action) is UNSENT else body_of(action)
    answer = session.request("POST", f"/{action}", {**body, "colour": 1}, session.entry)
    assert pointers(answer) == ["#/colour"]
    if action in ("begin", "clear", "set", "end"):
        answer = session.request("POST", f"/{action}", {**body, "at": 0}, session.entry)
        assert pointers(answer) == ["#/at"]


def test_an_insert_from_which_nothing_is_left_changes_nothing(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    for text in ("", " ", "-", "\n\t", "...", "_/", "\u200b\ufeff"):
        answer = session.insert(text)
        assert answer.status == 200, answer
        assert (answer.json["accepted"], answer.json["truncated"], answer.json["revision"]) == (0, 0, 1)
    assert session.state()["eventId"] == 3


def test_a_delete_on_an_empty_entry_changes_nothing_but_fires_delete(pinpad):
    session = create(pinpad)
    session.begin()
    answer = session.delete_backward()
    assert answer.status == 200
    assert (answer.json["count"], answer.json["revision"], answer.json["eventId"]) == (0, 2, 2)
    assert names(session.log()) == ["begin", "delete"]


def test_a_delete_after_complete_and_complete_again(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    assert session.delete_backward().json["complete"] is False
    assert session.insert("3").json["completion"] == 2
    assert names(session.log()) == ["begin", "change", "complete", "change", "delete", "change", "complete"]
    assert text_of(session) == "13"


@pytest.mark.parametrize("overflow", ["truncate", "reject"])
def test_an_insert_into_a_full_entry_is_full(pinpad, overflow):
    session = create(pinpad, length=2, overflow=overflow)
    session.insert("12")
    for text in ("3", "345"):
        assert problem(session.insert(text), "full")["state"] == state_without_config(session)
    assert session.state()["revision"] == 1


def test_a_set_is_never_full(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    assert session.set("34").json["accepted"] == 2
    assert text_of(session) == "34"


def test_with_overflow_reject_a_longer_text_is_refused_whole(pinpad):
    session = create(pinpad, length=4, overflow="reject")
    session.insert("12")
    problem(session.insert("345"), "overflow")
    problem(session.set("12345"), "overflow")
    assert session.state()["revision"] == 1
    assert session.set("5678").json["accepted"] == 4
    assert session.set("56").json["count"] == 2
    assert session.insert("7-8-").json["accepted"] == 2
    assert text_of(session) == "5678"


def test_a_set_always_counts_as_a_change(pinpad):
    session = create(pinpad, length=2)
    assert [session.set("12").json["revision"] for _ in range(3)] == [1, 2, 3]
    assert [session.set("1").json["revision"] for _ in range(2)] == [4, 5]
    assert names(session.log()) == ["begin"] + ["change", "complete"] * 3 + ["change"] * 2


def test_a_set_of_nothing_on_an_empty_entry_is_no_change(pinpad):
    session = create(pinpad)
    session.begin()
    assert session.set("").json["revision"] == 1
    assert session.set("-").json["revision"] == 1
    session.insert("1")
    assert session.set("").json["revision"] == 3
    assert session.set("").json["revision"] == 3


# at


def test_at_is_the_count_that_the_sender_believes_is_in(pinpad):
    session = create(pinpad, length=4)
    for at, digit in enumerate("1234"):
        assert session.insert(digit, at=at).status == 200
    for at in (4, 3):
        assert session.delete_backward(at=at).status == 200
    assert session.insert("56", at=2).status == 200
    assert text_of(session) == "1256"


@pytest.mark.parametrize("at", [0, 1, 3, 32])
def test_at_another_count_is_out_of_position_and_nothing_changes(pinpad, at):
    session = create(pinpad, length=4)
    session.insert("12")
    before = state_without_config(session)
    assert problem(session.insert("3", at=at), "out-of-position")["state"] == before
    assert problem(session.delete_backward(at=at), "out-of-position")["state"] == before
    assert state_without_config(session) == before


def test_at_comes_before_nothing_left_full_and_overflow(pinpad):
    session = create(pinpad, length=2, overflow="reject")
    problem(session.insert("", at=1), "out-of-position")
    problem(session.insert("123", at=1), "out-of-position")
    session.insert("12")
    problem(session.insert("3", at=1), "out-of-position")
    problem(session.insert("3", at=2), "full")


@pytest.mark.parametrize("at", [-1, 1.5, 0.0, "0", True, None, [], 10**30])
def test_at_is_a_whole_number(pinpad, at):
    session = create(pinpad)
    assert pointers(session.request("POST", "/insert", {"text": "1", "at": at}, session.entry)) == ["#/at"]
    assert pointers(session.request("POST", "/delete-backward", {"at": at}, session.entry)) == ["#/at"]


def test_at_catches_swapped_and_doubled_digits(pinpad):
    session = create(pinpad, length=3)
    problem(session.insert("2", at=1), "out-of-position")
    session.insert("1", at=0)
    problem(session.insert("1", at=0), "out-of-position")
    session.insert("2", at=1)
    problem(session.insert("2", at=1), "out-of-position")
    session.insert("3", at=2)
    assert text_of(session) == "123"


def test_a_keypad_that_deletes_sends_a_key_as_well(pinpad):
    session = create(pinpad, length=3)
    session.insert("1", at=0, headers={"Idempotency-Key": "press-1"})
    session.insert("2", at=1, headers={"Idempotency-Key": "press-2"})
    session.delete_backward(at=2, headers={"Idempotency-Key": "press-3"})
    late = session.insert("2", at=1, headers={"Idempotency-Key": "press-2"})
    assert late.header("Idempotency-Replayed") == "true"
    assert session.state()["count"] == 1


# If-Match and conflicts


def changing(session):
    """Every changing request that is possible while a session of length 2 is held, or else open and full."""
    return {
        "begin": session.begin, "insert": lambda **more: session.insert("1", **more),
        "delete-backward": session.delete_backward, "clear": session.clear,
        "set": lambda **more: session.set("12", **more), "end": session.end,
        "redeem": session.redeem, "hold": lambda **more: session.redeem({"hold": True}, **more),
        "accept": session.accept, "reject": session.reject,
        "patch": lambda **more: session.patch({"label": "Other"}, **more), "delete": session.cancel,
    }


CHANGING = [
    "begin", "insert", "delete-backward", "clear", "set", "end", "redeem", "hold", "accept", "reject", "patch",
    "delete"]


def ready_for(pinpad, action):
    session = create(pinpad, length=2)
    if action != "insert":
        session.set("12")
    if action in ("accept", "reject"):
        session.hold()
    return session


@pytest.mark.parametrize("action", CHANGING)
def test_if_match_of_another_revision_fails_on_any_changing_request(pinpad, action):
    session = ready_for(pinpad, action)
    before = session.state()
    revision = before["revision"]
    for match in (revision + 1, revision + 100, 99999999999):
        answer = changing(session)[action](headers={"If-Match": f'"{match}"'})
        state = problem(answer, "precondition-failed")["state"]
        assert state["revision"] == revision
    assert session.state() == before


@pytest.mark.parametrize("action", CHANGING)
def test_if_match_of_the_present_revision_lets_the_request_through(pinpad, action):
    session = ready_for(pinpad, action)
    revision = session.state()["revision"]
    answer = changing(session)[action](headers={"If-Match": f'"{revision}"'})
    assert answer.status in (200, 204), answer


def test_if_match_fails_before_a_conflict(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    problem(session.insert("3", headers={"If-Match": '"0"'}), "precondition-failed")
    problem(session.insert("3", headers={"If-Match": '"1"'}), "full")
    problem(session.insert("3", at=0, headers={"If-Match": '"0"'}), "precondition-failed")


def test_a_conflict_carries_the_present_state(pinpad):
    session = create(pinpad, length=2)
    session.insert("1")
    state = state_without_config(session)
    for name, answer in (
        ("out-of-position", session.insert("1", at=0)),
        ("incomplete", session.redeem()),
        ("not-held", session.accept()),
        ("not-held", session.reject()),
        ("conflict", session.patch({"alphabet": "alphanumeric"})),
        ("precondition-failed", session.begin(headers={"If-Match": '"0"'})),
    ):
        carried = problem(answer, name)["state"]
        assert {key: carried[key] for key in state} == state
        assert "text" not in carried
    session.insert("2")
    state = state_without_config(session)
    assert problem(session.insert("3"), "full")["state"] == state
    session.hold()
    state = state_without_config(session)
    assert problem(session.insert("3"), "held")["state"] == state
