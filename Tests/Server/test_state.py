"""api.md, Sessions: State, and what closing does."""

import re
import xml.etree.ElementTree as ET

import pytest

from client import create, names, problem

ORDER = [
    "id", "length", "count", "hasText", "active", "complete", "held", "completion", "attempts", "error", "status",
    "revision", "eventId", "expiresAt"]


def close_as(session, status):
    """Closes a session of length 2 in this way."""
    session.insert("12")
    match status:
        case "redeemed":
            session.redeem()
        case "accepted":
            session.hold()
            session.accept()
        case "locked":
            session.hold()
            session.reject()
        case "cancelled":
            session.cancel()
    assert session.state()["status"] == status


CLOSINGS = ["redeemed", "accepted", "cancelled"]


def test_a_new_session_has_this_state(pinpad):
    session = create(pinpad)
    state = session.state()
    state.pop("config")
    assert state == {
        "id": session.id, "length": 6, "count": 0, "hasText": False, "active": False, "complete": False,
        "held": False, "completion": 0, "attempts": 0, "error": None, "status": "open", "revision": 0, "eventId": 0,
        "expiresAt": session.created.json["expiresAt"]}


def test_the_state_has_its_members_in_order(pinpad):
    session = create(pinpad)
    assert list(session.state())[:14] == ORDER
    assert list(session.created.json)[:14] == ORDER
    assert list(session.insert("1").json)[:14] == ORDER
    assert list(session.log()[0]["data"])[:14] == ORDER


def test_count_has_text_and_complete_follow_the_text(pinpad):
    session = create(pinpad, length=2)

    def seen(answer):
        return answer.json["count"], answer.json["hasText"], answer.json["complete"]

    assert seen(session.get()) == (0, False, False)
    assert seen(session.insert("1")) == (1, True, False)
    assert seen(session.insert("2")) == (2, True, True)
    assert seen(session.delete_backward()) == (1, True, False)
    assert seen(session.clear()) == (0, False, False)


def test_the_revision_goes_up_by_one_with_each_request_that_fires_events(pinpad):
    session = create(pinpad, length=2, style="grid")
    assert session.insert("12").json["revision"] == 1
    assert session.begin().json["revision"] == 2
    assert session.delete_backward().json["revision"] == 3
    assert session.insert("-").json["revision"] == 3
    assert session.begin().json["revision"] == 3
    problem(session.insert("x"), "invalid-character")
    assert session.patch({"label": "Other"}).json["revision"] == 4
    assert session.state()["revision"] == 4


def test_event_id_is_the_newest_events(pinpad):
    session = create(pinpad, length=2)
    assert session.begin().json["eventId"] == 1
    assert session.insert("12").json["eventId"] == 3
    assert session.delete_backward().json["eventId"] == 5
    assert session.insert("").json["eventId"] == 5
    assert [event["id"] for event in session.log()] == [1, 2, 3, 4, 5]


def test_an_error_stays_until_the_text_changes(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    session.hold()
    assert session.reject("Wrong code").json["error"] == "Wrong code"
    assert session.state()["error"] == "Wrong code"
    assert session.end().json["error"] == "Wrong code"
    assert session.begin().json["error"] == "Wrong code"
    assert session.delete_backward().json["error"] == "Wrong code"
    assert session.insert("-").json["error"] == "Wrong code"
    assert session.insert("1").json["error"] is None


def test_a_rejection_without_a_message_is_an_empty_error(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    session.hold()
    assert session.reject().json["error"] == ""
    assert session.state()["error"] == ""
    assert session.set("1").json["error"] is None


def shapes(svg):
    """The geometry of a picture: each drawn element with all that says where it is."""
    where = {"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "d", "points",
             "transform", "viewBox"}
    drawn = {"svg", "rect", "line", "circle", "path", "polyline", "text"}
    return [
        (element.tag, sorted((key, value) for key, value in element.attrib.items() if key in where))
        for element in ET.fromstring(svg).iter() if element.tag.rpartition("}")[2] in drawn]


@pytest.mark.parametrize("style", ["boxes", "grid", "strip", "code"])
def test_the_picture_shows_an_error_exactly_while_there_is_one(pinpad, style):
    session = create(pinpad, length=2, style={"name": style, "errorColor": "#ab1234"})

    def title():
        return re.search(r"<title[^>]*>([^<]*)</title>", session.picture().text)[1]

    empty, empty_title = session.picture().text, title()
    session.insert("12")
    session.hold()
    assert "#ab1234" not in empty and "#ab1234" not in session.picture().text
    session.reject("Wrong <code> & again")
    rejected = session.picture().text
    assert "#ab1234" in rejected
    assert "Wrong &lt;code&gt; &amp; again" in title()
    assert shapes(rejected) == shapes(empty)
    session.begin()
    session.insert("1")
    assert "#ab1234" not in session.picture().text
    session.delete_backward()
    assert title() == empty_title
    assert "#ab1234" not in session.picture().text


def test_the_picture_of_an_error_without_a_message_says_so_in_its_title(pinpad):
    session = create(pinpad, length=2)
    empty = session.picture().text
    session.insert("12")
    session.hold()
    session.reject()
    rejected = session.picture().text
    title = re.compile(r"<title[^>]*>([^<]*)</title>")
    assert title.search(rejected)[1] != title.search(empty)[1]
    assert shapes(rejected) == shapes(empty)


@pytest.mark.parametrize("status", CLOSINGS + ["locked"])
def test_a_session_is_open_and_then_closed_in_one_way(pinpad, status):
    session = create(pinpad, length=2, maxAttempts=1)
    assert session.state()["status"] == "open"
    close_as(session, status)


def test_config_is_in_the_state_and_not_in_the_answers_to_edits(pinpad):
    session = create(pinpad)
    config = session.created.json["config"]
    for token in (None, session.entry, session.owner):
        assert session.state(token)["config"] == config
    for answer in (
        session.begin(), session.insert("1"), session.delete_backward(), session.set("1"), session.clear(),
        session.end(),
    ):
        assert "config" not in answer.json and "metadata" not in answer.json


def test_the_text_is_shown_with_reveal_and_a_token(pinpad):
    session = create(pinpad, reveal=True)
    assert session.insert("2718").json["text"] == "2718"
    assert session.state(session.entry)["text"] == session.state(session.owner)["text"] == "2718"
    assert "text" not in session.state()
    masked = create(pinpad)
    assert "text" not in masked.insert("2718", token=masked.owner).json
    assert "text" not in masked.state(masked.owner)


def test_the_etag_is_the_revision(pinpad):
    session = create(pinpad)
    assert session.get().header("ETag") == '"0"'
    session.insert("1")
    answer = session.get()
    assert answer.header("ETag") == '"1"'
    assert "authorization" in answer.header("Vary").lower()


def test_an_unchanged_state_is_304(pinpad):
    session = create(pinpad)
    session.insert("1")
    for match in ('"1"', '"7", "1"', 'W/"1"', "*"):
        answer = session.get(headers={"If-None-Match": match})
        assert (answer.status, answer.body) == (304, b""), match
        assert answer.header("ETag") == '"1"'
    for match in ('"0"', '"10"', '"2"'):
        assert session.get(headers={"If-None-Match": match}).status == 200, match
    session.insert("2")
    assert session.get(headers={"If-None-Match": '"1"'}).status == 200
    problem(session.get("wrong", headers={"If-None-Match": '"2"'}), "unauthorized")


@pytest.mark.parametrize("status", CLOSINGS)
def test_closing_keeps_the_count_and_fires_no_change(pinpad, status):
    session = create(pinpad, length=2)
    session.insert("12")
    before = len(session.log())
    close_as_after_text(session, status)
    state = session.state()
    assert (state["count"], state["hasText"], state["complete"]) == (2, True, True)
    assert (state["active"], state["held"]) == (False, False)
    assert "change" not in names(session.log(before))
    assert names(session.log())[-2:] == ["end", "close"]


def close_as_after_text(session, status):
    match status:
        case "redeemed":
            assert session.redeem().status == 200
        case "accepted":
            assert session.hold().status == 200
            assert session.accept().status == 200
        case "cancelled":
            assert session.cancel().status == 204


def test_closing_ends_a_hold(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    session.hold()
    assert session.state()["held"] is True
    session.cancel()
    assert session.state()["held"] is False


@pytest.mark.parametrize("status", CLOSINGS)
def test_closing_wipes_the_text_at_once(pinpad, status):
    session = create(pinpad, length=2, reveal=True)
    session.insert("12")
    close_as_after_text(session, status)
    for token in (session.entry, session.owner):
        assert "text" not in session.state(token)
        assert all("text" not in event["data"] for event in session.log(token=token))
    problem(session.redeem(), "closed")


@pytest.mark.parametrize("style", ["code", "boxes"])
def test_the_picture_of_a_closed_session_has_filled_cells_without_characters(pinpad, style):
    def picture(text, close):
        session = create(pinpad, length=2, style=style, reveal=True)
        session.insert(text)
        if close:
            session.cancel()
        return session.picture().text

    assert picture("12", close=False) != picture("34", close=False)
    assert picture("12", close=True) == picture("34", close=True)
    assert picture("1", close=True) != picture("12", close=True)


@pytest.mark.parametrize("status", CLOSINGS)
def test_a_closed_session_still_answers(pinpad, status):
    session = create(pinpad, length=2)
    close_as(session, status)
    assert session.get().status == 200
    assert session.picture().status == 200
    assert names(session.log())[-1] == "close"
    with session.events() as stream:
        assert stream.next().event == "state"
        assert stream.next() is None
