"""api.md, Owning: PATCH."""

import json

import pytest

from client import UNSENT, create, names, pointers, problem
from test_creation import style_with_groups


def config(session):
    return session.state()["config"]


def test_a_patch_merges_into_the_resolved_config(pinpad):
    session = create(pinpad, length=4, timeouts={"total": 100, "interDigit": 20}, style={"name": "strip", "cellSize": 30})
    before = config(session)
    answer = session.patch({"label": "Code", "timeouts": {"interDigit": 30}, "style": {"dotRadius": 4}})
    assert answer.status == 200
    assert config(session) == {
        **before, "label": "Code", "timeouts": {**before["timeouts"], "interDigit": 30},
        "style": {**before["style"], "dotRadius": 4}}
    assert config(session)["style"]["cellSize"] == 30


@pytest.mark.parametrize("patch", [
    {"length": 4}, {"alphabet": "alphanumeric"}, {"style": "grid"}, {"reveal": True}, {"endsOnComplete": True},
    {"overflow": "reject"}, {"maxAttempts": 3}, {"timeouts": {"total": 200}}, {"timeouts": {"firstInput": 20}},
    {"timeouts": {"interDigit": 20}}, {"label": "Code"}, {"metadata": {"a": "b"}}, {"style": {"caret": True}}])
def test_any_member_can_be_patched_and_fires_configure_once(pinpad, patch):
    session = create(pinpad)
    answer = session.patch(patch)
    assert answer.status == 200, answer
    assert answer.json["revision"] == 1
    events = session.log()
    assert names(events) == ["configure"]
    assert events[0]["data"]["config"] == config(session) == answer.json["config"]


def test_a_patch_answers_the_owners_state(pinpad):
    session = create(pinpad, reveal=True, metadata={"a": "b"})
    session.insert("12")
    answer = session.patch({"label": "Code"})
    assert answer.json == session.state(session.owner)
    assert (answer.json["text"], answer.json["metadata"]) == ("12", {"a": "b"})


@pytest.mark.parametrize("patch", [
    {}, {"label": "PIN"}, {"length": 6}, {"style": {}}, {"style": {"name": "boxes"}}, {"timeouts": {}},
    {"style": {"dotRadius": 9}}, {"reveal": None}, {"metadata": {}}, {"metadata": {"absent": None}},
    {"timeouts": {"firstInput": None}}, {"metadata": {"kept": "1"}}])
def test_a_patch_that_changes_nothing_fires_nothing(pinpad, patch):
    session = create(pinpad, metadata={"kept": "1"})
    answer = session.patch(patch)
    assert (answer.status, answer.json["revision"], answer.json["eventId"]) == (200, 0, 0)


@pytest.mark.parametrize("content_type", [
    "application/merge-patch+json", "application/json", "application/x-www-form-urlencoded", None,
    "application/merge-patch+json; charset=utf-8", "Application/Merge-Patch+JSON"])
def test_a_patch_has_one_of_these_types(pinpad, content_type):
    session = create(pinpad)
    answer = session.patch({"label": "Code"}, headers={"Content-Type": content_type})
    assert answer.status == 200, answer
    assert config(session)["label"] == "Code"


@pytest.mark.parametrize("content_type", ["application/json-patch+json", "text/plain", "application/xml"])
def test_a_patch_of_another_type_is_told_which_are_accepted(pinpad, content_type):
    session = create(pinpad)
    answer = session.patch({"label": "Code"}, headers={"Content-Type": content_type})
    problem(answer, "unsupported-media-type")
    assert "application/merge-patch+json" in answer.header("Accept-Patch")
    assert config(session)["label"] == "PIN"


def test_only_a_patch_is_a_merge_patch(pinpad):
    session = create(pinpad)
    answer = session.insert("1", headers={"Content-Type": "application/merge-patch+json"})
    problem(answer, "unsupported-media-type")
    assert answer.header("Accept-Patch") is None


def test_a_new_style_name_starts_from_that_styles_options(pinpad):
    session = create(pinpad, style={"name": "boxes", "dotRadius": 4, "backgroundColor": "#123456"})
    fresh = create(pinpad, style="strip").state()["config"]["style"]
    session.patch({"style": {"name": "strip", "cellSize": 30}})
    assert config(session)["style"] == {**fresh, "cellSize": 30}
    session.patch({"style": "boxes"})
    assert config(session)["style"] == create(pinpad, style="boxes").state()["config"]["style"]


def test_with_a_new_style_reveal_and_ends_on_complete_keep_their_values(pinpad):
    session = create(pinpad, style="boxes")
    session.patch({"style": "code"})
    assert config(session)["reveal"] is False
    session.patch({"style": {"name": "grid"}})
    assert config(session)["endsOnComplete"] is False
    session.patch({"style": {"name": "code"}, "reveal": None, "endsOnComplete": None})
    assert (config(session)["reveal"], config(session)["endsOnComplete"]) == (True, False)
    session.patch({"style": {"name": "grid"}, "endsOnComplete": None})
    assert (config(session)["reveal"], config(session)["endsOnComplete"]) == (True, True)


def test_null_restores_the_default(pinpad):
    session = create(
        pinpad, length=4, alphabet="alphanumeric", style={"name": "strip", "cellSize": 30, "caret": True},
        reveal=True, endsOnComplete=True, overflow="reject", maxAttempts=3,
        timeouts={"total": 60, "firstInput": 20, "interDigit": 10}, label="Code", metadata={"a": "b"})
    session.patch({"style": {"cellSize": None, "caret": None}})
    assert config(session)["style"] == create(pinpad, style="strip").state()["config"]["style"]
    session.patch({"timeouts": {"interDigit": None}})
    assert config(session)["timeouts"].get("interDigit") is None
    assert config(session)["timeouts"]["total"] == 60
    session.patch({name: None for name in (
        "length", "alphabet", "style", "reveal", "endsOnComplete", "overflow", "maxAttempts", "timeouts", "label",
        "metadata")})
    assert session.state()["config"] == create(pinpad).state()["config"]
    assert session.state(session.owner)["metadata"] == {}


def test_a_length_below_the_count_is_a_conflict(pinpad):
    session = create(pinpad, length=6)
    session.insert("123")
    assert problem(session.patch({"length": 2}), "conflict")["state"]["length"] == 6
    assert session.state()["revision"] == 1
    assert session.patch({"length": 4}).json["complete"] is False


def test_a_length_lowered_to_the_count_completes(pinpad):
    session = create(pinpad, length=6)
    session.insert("123")
    answer = session.patch({"length": 3}).json
    assert (answer["complete"], answer["completion"], answer["length"]) == (True, 1, 3)
    assert names(session.log(2)) == ["configure", "complete"]
    assert session.redeem().json["text"] == "123"


def test_a_longer_length_makes_a_full_entry_not_full(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    assert session.patch({"length": 3}).json["complete"] is False
    assert session.insert("3").json["completion"] == 2


def test_another_alphabet_with_text_in_is_a_conflict(pinpad):
    session = create(pinpad, length=4)
    session.insert("1")
    problem(session.patch({"alphabet": "alphanumeric"}), "conflict")
    assert session.patch({"alphabet": "digits", "label": "Code"}).status == 200
    session.clear()
    assert session.patch({"alphabet": "alphanumeric"}).status == 200
    assert session.insert("a").json["accepted"] == 1


def test_metadata_is_merged_and_fires_configure(pinpad):
    session = create(pinpad, metadata={"a": "1", "b": "2"})
    answer = session.patch({"metadata": {"a": None, "b": "3", "c": "4"}})
    assert answer.json["metadata"] == {"b": "3", "c": "4"}
    events = session.log()
    assert names(events) == ["configure"]
    assert "metadata" not in json.dumps(events)
    session.patch({"metadata": None})
    assert session.state(session.owner)["metadata"] == {}


def test_patched_metadata_has_the_limits_of_created(pinpad):
    session = create(pinpad, metadata={f"k{index}": "v" for index in range(16)})
    assert pointers(session.patch({"metadata": {"one": "more"}})) == ["#/metadata"]
    assert session.patch({"metadata": {"k0": None, "one": "more"}}).status == 200
    session.patch({"metadata": None})
    assert pointers(session.patch({"metadata": {"ab": "x" * 4095}})) == ["#/metadata"]
    assert pointers(session.patch({"metadata": {"ab": 1}})) == ["#/metadata/ab"]


@pytest.mark.parametrize("patch, where", [
    ({"length": 0}, "#/length"), ({"length": 6.0}, "#/length"), ({"length": "6"}, "#/length"),
    ({"alphabet": "letters"}, "#/alphabet"), ({"overflow": "drop"}, "#/overflow"),
    ({"maxAttempts": 101}, "#/maxAttempts"), ({"reveal": 1}, "#/reveal"), ({"label": ""}, "#/label"),
    ({"timeouts": {"total": 0}}, "#/timeouts/total"), ({"timeouts": {"more": 1}}, "#/timeouts/more"),
    ({"style": {"name": "nothing"}}, "#/style/name"), ({"style": {"spacing": 1}}, "#/style/spacing"),
    ({"style": {"name": "strip", "edgeSpacing": 1}}, "#/style/edgeSpacing"),
    ({"style": {"length": 4}}, "#/style/length"), ({"style": {"dotRadius": -1}}, "#/style/dotRadius"),
    ({"style": 1}, "#/style"), ({"id": "x"}, "#/id"), ({"status": "open"}, "#/status")])
def test_a_patch_has_the_ranges_of_creation(pinpad, patch, where):
    session = create(pinpad)
    assert pointers(session.patch({**patch})) == [where]
    assert session.state()["revision"] == 0


def test_a_patch_is_taken_whole_or_not_at_all(pinpad):
    session = create(pinpad)
    before = session.state()
    assert pointers(session.patch({"label": "Code", "length": 0, "maxAttempts": -1})) == ["#/length", "#/maxAttempts"]
    assert session.state() == before


def test_a_patch_that_is_not_an_object_is_invalid(pinpad):
    session = create(pinpad)
    for body in (b"[]", b"1", b"null", b'"x"'):
        problem(session.patch(body), "invalid")


def test_groups_have_to_fit_the_length_that_a_patch_leads_to(pinpad):
    name = style_with_groups(pinpad)
    session = create(pinpad, length=6, style={"name": name, "groups": [3, 3]})
    assert session.patch({"length": 8, "style": {"groups": [4, 4]}}).json["config"]["style"]["groups"] == [4, 4]
    problem(session.patch({"style": {"groups": [4, 5]}}), "invalid")
    assert config(session)["style"]["groups"] == [4, 4]


def test_reveal_can_be_patched_while_text_is_in(pinpad):
    session = create(pinpad)
    session.insert("12")
    assert session.patch({"reveal": True}).json["text"] == "12"
    assert session.state(session.entry)["text"] == "12"
    assert "text" not in session.patch({"reveal": False}).json
    assert "text" not in session.state(session.entry)


def test_ends_on_complete_counts_at_the_next_completion(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    assert session.patch({"endsOnComplete": True}).json["active"] is True
    assert session.set("34").json["active"] is False
    assert names(session.log(3)) == ["configure", "change", "complete", "end"]
    session.patch({"endsOnComplete": False})
    assert session.set("56").json["active"] is True


def test_max_attempts_counts_at_the_next_reject(pinpad):
    session = create(pinpad, length=2)
    for _ in range(3):
        session.set("12")
        session.hold()
        session.reject()
    assert session.patch({"maxAttempts": 2}).json["status"] == "open"
    session.set("34")
    session.hold()
    assert session.reject().json["status"] == "locked"


def test_overflow_and_total_are_patched_for_what_comes(pinpad):
    session = create(pinpad, length=2)
    session.patch({"overflow": "reject"})
    problem(session.insert("123"), "overflow")
    assert session.patch({"timeouts": {"total": 3600}}).json["expiresAt"] > session.created.json["expiresAt"]


def test_an_empty_body_is_an_empty_patch(pinpad):
    session = create(pinpad)
    answer = session.request("PATCH", "", UNSENT, session.owner)
    assert (answer.status, answer.json["revision"]) == (200, 0)
