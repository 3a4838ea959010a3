"""api.md, Owning: timers.

The clock that says what must not have come yet is read before the request that starts a timer, so a slow machine
fails nothing. Where a test needs some time to pass, it waits for another session to expire.
"""

import time

import pytest

from client import create, names, problem

TOLERANCE = 0.02


def wait_for_one_second(pinpad):
    """Returns when a session that was created after this call has lived for its one second."""
    with create(pinpad, timeouts={"total": 1}).events() as stream:
        assert stream.rest()[-1].event == "close"


def test_first_input_runs_from_begin_and_ends_the_entry(pinpad):
    session = create(pinpad, timeouts={"firstInput": 1})
    with session.events(last=0) as stream:
        started = time.monotonic()
        session.begin()
        events = stream.until("end")
        assert time.monotonic() - started >= 1 - TOLERANCE
    assert names(events) == ["begin", "end"]
    assert events[1].data["reason"] == "timeout"
    state = session.state()
    assert (state["active"], state["status"], state["revision"]) == (False, "open", 2)


def test_first_input_does_not_run_before_begin_nor_after_the_first_change(pinpad):
    not_begun = create(pinpad, timeouts={"firstInput": 1})
    not_begun.delete_backward()
    changed = create(pinpad, timeouts={"firstInput": 1})
    changed.insert("1")
    wait_for_one_second(pinpad)
    assert names(not_begun.log()) == ["delete"]
    assert names(changed.log()) == ["begin", "change"]


def test_first_input_runs_again_from_the_next_begin(pinpad):
    session = create(pinpad, timeouts={"firstInput": 1})
    with session.events(last=0) as stream:
        session.begin()
        assert names(stream.until("end")) == ["begin", "end"]
        session.begin()
        assert names(stream.until("end")) == ["begin", "end"]


def test_inter_digit_runs_from_the_change_and_keeps_the_text(pinpad):
    session = create(pinpad, length=4, timeouts={"interDigit": 1})
    with session.events(last=0) as stream:
        started = time.monotonic()
        session.insert("12")
        events = stream.until("end")
        assert time.monotonic() - started >= 1 - TOLERANCE
    assert names(events) == ["begin", "change", "end"]
    assert events[2].data["reason"] == "timeout"
    state = session.state()
    assert (state["active"], state["count"], state["status"]) == (False, 2, "open")
    session.insert("34")
    assert session.redeem().json["text"] == "1234"


def test_inter_digit_runs_anew_from_each_change(pinpad):
    for _ in range(5):
        session = create(pinpad, length=8, timeouts={"interDigit": 2})
        with session.events(last=0) as stream:
            session.insert("1")
            wait_for_one_second(pinpad)
            changed = time.monotonic()
            session.insert("2")
            events = stream.until("end")
            if names(events) == ["begin", "change", "end"]:
                continue  # so slow a machine that the timer came before the second digit: again
            assert time.monotonic() - changed >= 2 - TOLERANCE
            assert names(events) == ["begin", "change", "change", "end"]
            return
    raise AssertionError("five times no second digit within two seconds")


def test_inter_digit_does_not_run_before_the_first_change_nor_while_full(pinpad):
    empty = create(pinpad, timeouts={"interDigit": 1})
    empty.begin()
    full = create(pinpad, length=2, timeouts={"interDigit": 1, "firstInput": 1})
    full.insert("12")
    wait_for_one_second(pinpad)
    assert names(empty.log()) == ["begin"]
    assert names(full.log()) == ["begin", "change", "complete"]


def test_inter_digit_runs_from_the_deletion_in_a_full_entry(pinpad):
    session = create(pinpad, length=2, timeouts={"interDigit": 1})
    session.insert("12")
    with session.events(last=3) as stream:
        started = time.monotonic()
        session.delete_backward()
        assert names(stream.until("end")) == ["change", "delete", "end"]
        assert time.monotonic() - started >= 1 - TOLERANCE


def test_inter_digit_runs_from_the_patch_that_makes_a_full_entry_not_full(pinpad):
    session = create(pinpad, length=2, timeouts={"interDigit": 1})
    session.insert("12")
    with session.events(last=3) as stream:
        started = time.monotonic()
        session.patch({"length": 3})
        events = stream.until("end")
        assert time.monotonic() - started >= 1 - TOLERANCE
    assert names(events) == ["configure", "end"]
    assert events[1].data["reason"] == "timeout"


def test_timers_stand_still_while_held_and_total_runs(pinpad):
    session = create(pinpad, length=2, timeouts={"firstInput": 1, "interDigit": 1, "total": 3})
    session.insert("12")
    session.hold()
    with session.events(last=4) as stream:
        events = stream.rest()
    assert names(events) == ["end", "close"]
    assert events[0].data["reason"] == "timeout"
    assert events[1].data["status"] == "expired"
    assert events[1].data["held"] is False


def test_inter_digit_runs_on_after_a_reject(pinpad):
    session = create(pinpad, length=2, timeouts={"interDigit": 1})
    session.insert("12")
    session.hold()
    with session.events(last=4) as stream:
        started = time.monotonic()
        session.reject()
        assert names(stream.until("end")) == ["change", "reject", "end"]
        assert time.monotonic() - started >= 1 - TOLERANCE


def test_no_timer_runs_once_the_entry_has_ended(pinpad):
    session = create(pinpad, timeouts={"firstInput": 1, "interDigit": 1})
    session.begin()
    session.end()
    typed = create(pinpad, timeouts={"firstInput": 1, "interDigit": 1})
    typed.insert("1")
    typed.end()
    wait_for_one_second(pinpad)
    assert names(session.log()) == ["begin", "end"]
    assert names(typed.log()) == ["begin", "change", "end"]


@pytest.mark.parametrize("active, expected", [(True, ["end", "close"]), (False, ["close"])])
def test_total_runs_from_creation_and_closes_as_expired(pinpad, active, expected):
    started = time.monotonic()
    session = create(pinpad, length=4, timeouts={"total": 1})
    if active:
        session.begin()
    with session.events(last=1 if active else 0) as stream:
        events = stream.rest()
        assert time.monotonic() - started >= 1 - TOLERANCE
    assert names(events) == expected
    if active:
        assert events[0].data["reason"] == "timeout"
    assert events[-1].data["status"] == "expired"
    problem(session.insert("1"), "closed")


def test_an_expired_session_keeps_its_count_and_wipes_its_text(pinpad):
    session = create(pinpad, length=4, reveal=True, timeouts={"total": 1})
    session.insert("12")
    with session.events(token=session.entry) as stream:
        assert stream.next().data["text"] == "12"
        events = stream.rest()
    assert names(events) == ["end", "close"]
    state = session.state(session.owner)
    assert (state["status"], state["count"]) == ("expired", 2)
    assert "text" not in state and all("text" not in event.data for event in events)


def test_a_late_request_sees_timers_as_if_they_had_fired_on_time(pinpad):
    expired = create(pinpad, length=4, timeouts={"total": 1})
    ended = create(pinpad, length=4, timeouts={"interDigit": 1})
    ended.insert("1")
    wait_for_one_second(pinpad)
    problem(expired.insert("1"), "closed")
    assert expired.state()["status"] == "expired"
    state = ended.insert("2").json
    assert (state["revision"], state["active"]) == (3, True)
    assert names(ended.log()) == ["begin", "change", "end", "begin", "change"]


def test_a_redeem_that_waits_learns_of_the_expiry(pinpad):
    session = create(pinpad, length=4, timeouts={"total": 1})
    problem(session.hold(wait=50), "closed")


def test_a_patched_total_counts_from_creation(pinpad):
    started = time.monotonic()
    session = create(pinpad, timeouts={"total": 300})
    session.patch({"timeouts": {"total": 1}})
    with session.events(last=1) as stream:
        events = stream.rest()
        assert time.monotonic() - started >= 1 - TOLERANCE
    assert names(events) == ["close"]
    assert events[0].data["status"] == "expired"
