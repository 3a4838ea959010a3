"""api.md, Sessions: creation and its members."""

import pathlib
import re
from email.utils import parsedate_to_datetime
from datetime import datetime

import pytest

from client import UNSENT, create, pointers, problem, request

STYLES = sorted(path.stem for path in (pathlib.Path(__file__).parents[2] / "Config/styles").glob("*.json"))
COLOURS = {"black": {"black", "#000", "#000000"}, "white": {"white", "#fff", "#ffffff"}}


def post(pinpad, body=UNSENT, **options):
    return request(pinpad, "POST", "/v1/sessions", body, **options)


def refused(pinpad, *where, **members):
    """Asserts that creation with these members is refused and names exactly these places."""
    answer = post(pinpad, members)
    assert pointers(answer) == sorted(where), answer


def style_with_groups(pinpad):
    for name in STYLES:
        answer = post(pinpad, {"style": {"name": name, "groups": [3, 3]}})
        if answer.status == 201:
            return name
    raise AssertionError(f"none of {STYLES} has groups")


def test_a_session_is_created_at_a_location_with_an_id(pinpad):
    answer = post(pinpad, {})
    assert answer.status == 201
    assert re.fullmatch(r"[A-Za-z0-9_-]{22,40}", answer.json["id"])
    assert answer.header("Location") == f"/v1/sessions/{answer.json['id']}"
    assert request(pinpad, "GET", answer.header("Location")).status == 200


def test_ids_and_tokens_are_never_the_same(pinpad):
    created = [create(pinpad) for _ in range(20)]
    secrets = [secret for session in created for secret in (session.id, session.entry, session.owner)]
    assert len(set(secrets)) == 60


def test_a_creation_without_a_body_has_the_defaults(pinpad):
    config = post(pinpad).json["config"]
    style = config.pop("style")
    timeouts = {name: value for name, value in config.pop("timeouts").items() if value is not None}
    assert timeouts == {"total": 300}
    assert config == {
        "length": 6, "alphabet": "digits", "reveal": False, "endsOnComplete": False, "overflow": "truncate",
        "maxAttempts": 0, "label": "PIN"}
    assert style["name"] == "boxes"
    assert (style["cellSize"], style["dotRadius"], style["edgeSpacing"]) == (50, 9, 5)
    assert style["dotColor"] in COLOURS["black"]
    assert style["borderColor"] == "#aaaaaa"
    assert style["cellColor"] in COLOURS["white"]


def test_an_empty_body_and_an_empty_object_create_the_same(pinpad):
    assert post(pinpad).json["config"] == post(pinpad, {}).json["config"] == post(pinpad, "").json["config"]


def test_the_answer_is_the_state_with_tokens_config_metadata_and_links(pinpad):
    created = post(pinpad, {"metadata": {"order": "17"}}).json
    state = request(pinpad, "GET", f"/v1/sessions/{created['id']}").json
    state.pop("config")
    assert list(created)[:len(state)] == list(state)
    assert {name: created[name] for name in state} == state
    assert set(created) - set(state) == {"tokens", "config", "metadata", "links"}
    assert set(created["tokens"]) == {"entry", "owner"}
    assert created["metadata"] == {"order": "17"}


def test_the_links_lead_to_the_session_its_events_and_its_picture(pinpad):
    created = post(pinpad, {}).json
    assert set(created["links"]) == {"self", "events", "cells"}
    assert created["links"]["self"] == f"/v1/sessions/{created['id']}"
    assert request(pinpad, "GET", created["links"]["events"], headers={"Accept": "application/json"}).status == 200
    assert request(pinpad, "GET", created["links"]["cells"]).header("Content-Type").startswith("image/svg+xml")


def test_the_tokens_are_shown_once(pinpad):
    session = create(pinpad)
    for token in (None, session.entry, session.owner):
        shown = session.get(token).text + session.poll(token=token).text + session.begin().text
        assert "tokens" not in shown and session.entry not in shown and session.owner not in shown


def test_config_holds_every_member_resolved_but_metadata(pinpad):
    given = {
        "length": 4, "alphabet": "alphanumeric", "reveal": True, "endsOnComplete": True, "overflow": "reject",
        "maxAttempts": 3, "timeouts": {"total": 60, "firstInput": 20, "interDigit": 10}, "label": "Code"}
    session = create(pinpad, style="strip", metadata={"a": "b"}, **given)
    config = session.state()["config"]
    style = config.pop("style")
    assert config == given
    assert isinstance(style, dict) and style["name"] == "strip"


@pytest.mark.parametrize("member, values", [
    ("length", [1, 6, 32]),
    ("alphabet", ["digits", "alphanumeric"]),
    ("reveal", [True, False]),
    ("endsOnComplete", [True, False]),
    ("overflow", ["truncate", "reject"]),
    ("maxAttempts", [0, 1, 100]),
    ("label", ["P", "Ä" * 200, "\U0001F511" * 200, "<b>&\"'"]),
])
def test_a_member_has_any_value_of_its_range(pinpad, member, values):
    for value in values:
        assert create(pinpad, **{member: value}).state()["config"][member] == value


@pytest.mark.parametrize("member, values", [
    ("length", [0, -1, 33, 178, 6.5, 6.0, "4", True, [], 10**30]),
    ("alphabet", ["", "Digits", "letters", 1, True, []]),
    ("reveal", ["true", 0, 1, []]),
    ("endsOnComplete", ["true", 0, 1, {}]),
    ("overflow", ["", "Reject", "drop", 0, False]),
    ("maxAttempts", [-1, 101, 1.5, 1.0, "3", False]),
    ("label", ["", "x" * 201, "\U0001F511" * 201, 1, [], True]),
    ("timeouts", [300, "300", [300], True]),
    ("metadata", ["a", 1, [], [["a", "b"]], True]),
    ("style", ["", "Boxes", "nothing", 1, True, []]),
])
def test_a_value_out_of_range_or_of_a_wrong_type_is_invalid(pinpad, member, values):
    for value in values:
        refused(pinpad, f"#/{member}", **{member: value})


@pytest.mark.parametrize("name", ["total", "firstInput", "interDigit"])
def test_a_timeout_is_whole_seconds_of_a_day_at_most(pinpad, name):
    for value in (1, 86400):
        assert create(pinpad, timeouts={name: value}).state()["config"]["timeouts"][name] == value
    for value in (0, -1, 86401, 1.5, 1.0, "300", True, []):
        refused(pinpad, f"#/timeouts/{name}", timeouts={name: value})


def test_timeouts_without_a_total_keep_its_default(pinpad):
    assert create(pinpad, timeouts={"interDigit": 30}).state()["config"]["timeouts"]["total"] == 300


def test_a_session_expires_after_its_total(pinpad):
    for total in (300, 60, 86400):
        answer = post(pinpad, {"timeouts": {"total": total}})
        expires = answer.json["expiresAt"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", expires)
        left = datetime.fromisoformat(expires.replace("Z", "+00:00")) - parsedate_to_datetime(answer.header("Date"))
        assert total - 2 <= left.total_seconds() <= total + 2


def test_metadata_is_up_to_sixteen_pairs(pinpad):
    pairs = {f"k{index}": "v" for index in range(16)}
    session = create(pinpad, metadata=pairs)
    assert session.state(session.owner)["metadata"] == pairs
    refused(pinpad, "#/metadata", metadata={**pairs, "one": "more"})


def test_metadata_is_at_most_4096_bytes_of_utf8_in_all(pinpad):
    create(pinpad, metadata={"ab": "x" * 4094})
    create(pinpad, metadata={"é": "é" * 2047})
    create(pinpad, metadata={"ab": "x" * 2046, "cd": "y" * 2046})
    refused(pinpad, "#/metadata", metadata={"ab": "x" * 4095})
    refused(pinpad, "#/metadata", metadata={"é": "é" * 2048})
    refused(pinpad, "#/metadata", metadata={"ab": "x" * 2046, "cd": "y" * 2047})


@pytest.mark.parametrize("value", [1, True, None, {}, ["v"]])
def test_metadata_is_strings(pinpad, value):
    refused(pinpad, "#/metadata/k", metadata={"k": value})


def test_metadata_is_shown_to_the_owner_only(pinpad):
    session = create(pinpad, metadata={"customer": "c-8472"})
    assert session.state(session.owner)["metadata"] == {"customer": "c-8472"}
    for token in (None, session.entry):
        shown = session.get(token).text + session.poll(token=token).text + session.picture(token=token).text
        assert "metadata" not in shown and "c-8472" not in shown
    assert "c-8472" not in session.begin(token=session.entry).text


def test_an_unknown_member_is_invalid_and_named(pinpad):
    refused(pinpad, "#/colour", colour="red")
    refused(pinpad, "#/Length", Length=4)
    refused(pinpad, "#/timeouts/minutes", timeouts={"minutes": 5})
    refused(pinpad, "#/a~1b~0c", **{"a/b~c": 1})


def test_every_mistake_is_named_at_once(pinpad):
    refused(
        pinpad, "#/length", "#/alphabet", "#/overflow", "#/timeouts/total", "#/style/cellSize", "#/more",
        length=0, alphabet="x", overflow=1, timeouts={"total": 0}, style={"name": "boxes", "cellSize": -1}, more=1)


def test_a_style_is_a_name_or_an_object(pinpad):
    by_name = create(pinpad, style="strip").state()["config"]["style"]
    by_object = create(pinpad, style={"name": "strip"}).state()["config"]["style"]
    assert by_name == by_object
    changed = create(pinpad, style={"name": "strip", "cellSize": 30}).state()["config"]["style"]
    assert changed == {**by_name, "cellSize": 30}


def test_a_style_object_without_a_name_has_the_default_style(pinpad):
    style = create(pinpad, style={"cellSize": 30}).state()["config"]["style"]
    assert (style["name"], style["cellSize"]) == ("boxes", 30)


@pytest.mark.parametrize("style, reveal, ends", [
    ("boxes", False, False), ("grid", False, True), ("strip", False, False), ("code", True, False)])
def test_reveal_and_ends_on_complete_have_the_styles_default(pinpad, style, reveal, ends):
    config = create(pinpad, style=style).state()["config"]
    assert (config["reveal"], config["endsOnComplete"]) == (reveal, ends)
    config = create(pinpad, style=style, reveal=not reveal, endsOnComplete=not ends).state()["config"]
    assert (config["reveal"], config["endsOnComplete"]) == (not reveal, not ends)


@pytest.mark.parametrize("style, options", [
    ("boxes", {"cellSize": 50, "dotRadius": 9, "edgeSpacing": 5}),
    ("grid", {"lineColor": "#00ff00"}),
    ("strip", {"cellSize": 45, "dotRadius": 9, "borderColor": "#aaaaaa"}),
    ("code", {"spacing": 9, "cellHeight": 38, "emptyColor": "#f5f5f5", "filledColor": "#2fc312",
              "readyColor": "#199301"}),
])
def test_a_style_has_the_options_of_its_reference_view(pinpad, style, options):
    config = create(pinpad, style=style).state()["config"]["style"]
    assert {name: config[name] for name in options} == options


@pytest.mark.parametrize("style", STYLES)
def test_every_style_has_a_background_an_error_colour_and_a_caret(pinpad, style):
    config = create(pinpad, style=style).state()["config"]["style"]
    assert isinstance(config["errorColor"], str)
    assert "backgroundColor" in config
    assert config["caret"] is False
    changed = {"name": style, "backgroundColor": "#abc", "errorColor": "tomato", "caret": True}
    assert create(pinpad, style=changed).state()["config"]["style"] == {**config, **changed}


@pytest.mark.parametrize("value", [0, 1, 0.5, 17.25, 4096])
def test_a_style_option_is_a_number_up_to_4096(pinpad, value):
    assert create(pinpad, style={"name": "boxes", "dotRadius": value}).state()["config"]["style"]["dotRadius"] == value


@pytest.mark.parametrize("value", [-1, -0.001, 4096.5, 4097, 1e300, "9", True, [], {}, "red"])
def test_a_style_option_that_is_no_such_number_is_invalid(pinpad, value):
    refused(pinpad, "#/style/dotRadius", style={"name": "boxes", "dotRadius": value})


@pytest.mark.parametrize("value", ["#abc", "#A1b2C3", "red", "rebeccapurple", "lightgray"])
def test_a_colour_is_hexadecimal_or_a_css_name_and_drawn_as_given(pinpad, value):
    session = create(pinpad, style={"name": "boxes", "dotColor": value})
    session.insert("1")
    assert session.state()["config"]["style"]["dotColor"] == value
    assert value in session.picture().text


@pytest.mark.parametrize("value", [
    "", "#", "#ab", "#abcd", "#abcde", "#abcdefa", "#ggg", "reddish", "red;", "url(#a)", "rgb(1,2,3)", "\"/><script>",
    "#abc ", "var(--x)", 1, True, []])
def test_a_colour_that_is_none_is_invalid(pinpad, value):
    refused(pinpad, "#/style/dotColor", style={"name": "boxes", "dotColor": value})


@pytest.mark.parametrize("value", [0, 1, "true", []])
def test_a_caret_is_a_boolean(pinpad, value):
    refused(pinpad, "#/style/caret", style={"name": "boxes", "caret": value})


@pytest.mark.parametrize("style, option", [
    ("boxes", "spacing"), ("boxes", "lineColor"), ("grid", "cellSize"), ("strip", "edgeSpacing"),
    ("code", "dotRadius"), ("boxes", "length"), ("code", "length"), ("boxes", "colour")])
def test_an_option_of_another_style_is_refused_and_length_is_none(pinpad, style, option):
    refused(pinpad, f"#/style/{option}", style={"name": style, option: 4})


def test_groups_sum_up_to_the_length(pinpad):
    name = style_with_groups(pinpad)
    for length, groups in ((6, [3, 3]), (6, [2, 2, 2]), (6, [6]), (8, [4, 4]), (5, [1, 4])):
        style = create(pinpad, length=length, style={"name": name, "groups": groups}).state()["config"]["style"]
        assert style["groups"] == groups
    for groups in ([3, 4], [2, 2], [7], [0, 6], [-1, 7], [3.0, 3], ["3", "3"], "3,3", 6):
        answer = post(pinpad, {"length": 6, "style": {"name": name, "groups": groups}})
        assert all(pointer.startswith("#/style/groups") for pointer in pointers(answer)), answer


def test_where_the_reference_views_differ_this_contract_holds(pinpad):
    for style in ("boxes", "grid", "strip", "code"):
        session = create(pinpad, length=2, style=style)
        session.delete_backward()
        assert [event["event"] for event in session.log()] == ["delete"]
        session.set("12")
        problem(session.insert("3"), "full")


def test_a_creation_that_is_not_an_object_is_invalid(pinpad):
    for body in ("[]", "1", '"x"', "null", "true"):
        problem(post(pinpad, body), "invalid")
