"""api.md, Editing: Idempotency-Key."""

import pytest

from client import UNSENT, create, names, problem, request

KEY = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"


def keyed(key):
    return {KEY: key}


def fresh(answer):
    """Asserts that an answer was made by an edit, not by memory."""
    assert answer.status in (200, 201), answer
    assert answer.header(REPLAYED) is None, answer
    return answer


def replayed(answer, first):
    """Asserts that an answer is the first one again."""
    assert answer.header(REPLAYED) == "true", answer
    assert answer.status == first.status
    assert answer.json == {name: value for name, value in first.json.items() if name != "text"}
    return answer


def test_the_same_request_with_the_same_key_gives_the_first_answer_and_edits_nothing(pinpad):
    session = create(pinpad)
    first = fresh(session.insert("1", headers=keyed("a")))
    session.insert("23")
    again = replayed(session.insert("1", headers=keyed("a")), first)
    assert again.json["count"] == 1
    assert session.state()["count"] == 3
    assert names(session.log()) == ["begin", "change", "change"]


@pytest.mark.parametrize("action, body", [
    ("begin", UNSENT), ("insert", {"text": "123"}), ("delete-backward", UNSENT), ("delete-backward", {"at": 2}),
    ("clear", UNSENT), ("set", {"text": "9"}), ("end", UNSENT)])
def test_a_key_works_on_every_edit(pinpad, action, body):
    session = create(pinpad, length=6)
    session.insert("12")
    first = fresh(session.request("POST", f"/{action}", body, session.entry, keyed("a")))
    log = session.log()
    replayed(session.request("POST", f"/{action}", body, session.entry, keyed("a")), first)
    assert session.log() == log


def test_an_answer_with_accepted_and_truncated_is_replayed_with_them(pinpad):
    session = create(pinpad, length=2)
    first = fresh(session.insert("1234", headers=keyed("a")))
    assert (first.json["accepted"], first.json["truncated"]) == (2, 2)
    replayed(session.insert("1234", headers=keyed("a")), first)


def test_a_key_works_on_patch_and_answers_as_then(pinpad):
    session = create(pinpad, length=6)
    first = fresh(session.patch({"length": 4}, headers=keyed("a")))
    session.patch({"length": 5, "label": "Other"})
    again = session.patch({"length": 4}, headers=keyed("a"))
    assert (again.status, again.header(REPLAYED)) == (200, "true")
    assert again.json["revision"] == first.json["revision"] == 1
    assert again.json["length"] == 4
    assert session.state()["length"] == 5


def test_a_key_works_on_reject(pinpad):
    session = create(pinpad, length=2)
    session.insert("12")
    session.hold()
    first = fresh(session.reject("no", headers=keyed("a")))
    replayed(session.reject("no", headers=keyed("a")), first)
    assert session.state()["attempts"] == 1


def test_an_edit_that_fired_nothing_is_remembered_too(pinpad):
    session = create(pinpad)
    first = fresh(session.insert("-", headers=keyed("a")))
    session.insert("1")
    replayed(session.insert("-", headers=keyed("a")), first)


def test_a_replayed_answer_is_without_text(pinpad):
    session = create(pinpad, reveal=True)
    assert fresh(session.insert("1", headers=keyed("a"))).json["text"] == "1"
    again = session.insert("1", headers=keyed("a"))
    assert again.header(REPLAYED) == "true"
    assert "text" not in again.json


def test_a_quoted_key_and_a_bare_one_are_the_same(pinpad):
    session = create(pinpad)
    first = fresh(session.insert("1", headers=keyed('"k-1"')))
    replayed(session.insert("1", headers=keyed("k-1")), first)
    replayed(session.insert("1", headers=keyed('"k-1"')), first)
    assert session.state()["count"] == 1


@pytest.mark.parametrize("key", ["k", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "k" * 64, '"' + "k" * 64 + '"'])
def test_a_key_is_up_to_64_visible_characters(pinpad, key):
    session = create(pinpad)
    first = fresh(session.insert("1", headers=keyed(key)))
    replayed(session.insert("1", headers=keyed(key)), first)


@pytest.mark.parametrize("key", ["", '""', "k" * 65, '"' + "k" * 65 + '"', "a b", '"a b"', "k\xe9", "a\tb"])
def test_a_key_that_is_none_is_invalid(pinpad, key):
    session = create(pinpad)
    problem(session.insert("1", headers=keyed(key)), "invalid")
    problem(request(pinpad, "POST", "/v1/sessions", {}, headers=keyed(key)), "invalid")
    assert session.state()["revision"] == 0


def test_keys_have_a_case(pinpad):
    session = create(pinpad)
    fresh(session.insert("1", headers=keyed("k")))
    fresh(session.insert("1", headers=keyed("K")))
    assert session.state()["count"] == 2


@pytest.mark.parametrize("method, action, body", [
    ("POST", "/begin", UNSENT), ("POST", "/set", {"text": "1"}), ("POST", "/insert", {"text": "2"}),
    ("POST", "/insert", b'{"text": "1" }'), ("POST", "/insert", b'{"text":"\\u0031"}'), ("PATCH", "", {"text": "1"}),
    ("POST", "/insert", {"text": "1", "at": 0})])
def test_a_key_with_another_request_is_reused(pinpad, method, action, body):
    session = create(pinpad)
    fresh(session.insert("1", headers=keyed("a")))
    content = {"Content-Type": "application/json", **keyed("a")}
    problem(session.request(method, action, body, session.owner, content), "idempotency-key-reused")
    assert session.state()["count"] == 1


def test_keys_of_two_sessions_have_nothing_to_do_with_each_other(pinpad):
    one, other = create(pinpad), create(pinpad)
    fresh(one.insert("1", headers=keyed("a")))
    fresh(other.insert("1", headers=keyed("a")))
    fresh(create(pinpad).insert("2", headers=keyed("a")))


def test_only_a_successful_answer_is_remembered(pinpad):
    session = create(pinpad, length=2)
    problem(session.insert("x", headers=keyed("a")), "invalid-character")
    fresh(session.insert("1", headers=keyed("a")))
    problem(session.insert("2", at=0, headers=keyed("b")), "out-of-position")
    session.delete_backward()
    fresh(session.insert("2", at=0, headers=keyed("b")))
    session.set("12")
    problem(session.insert("3", headers=keyed("c")), "full")
    session.clear()
    fresh(session.insert("3", headers=keyed("c")))
    problem(session.insert("4", headers={**keyed("d"), "If-Match": '"0"'}), "precondition-failed")
    fresh(session.insert("4", headers=keyed("d")))


def test_the_newest_32_keys_are_remembered(pinpad):
    session = create(pinpad, length=32)
    first = {f"k{index}": fresh(session.insert("1", headers=keyed(f"k{index}"))) for index in range(32)}
    for key, answer in first.items():
        replayed(session.insert("1", headers=keyed(key)), answer)
    session.clear()
    fresh(session.insert("1", headers=keyed("k32")))
    for index in range(1, 32):
        replayed(session.insert("1", headers=keyed(f"k{index}")), first[f"k{index}"])
    fresh(session.insert("1", headers=keyed("k0")))
    assert session.state()["count"] == 2


def test_a_replay_comes_before_the_conflicts(pinpad):
    session = create(pinpad, length=2)
    first = fresh(session.insert("12", at=0, headers={**keyed("a"), "If-Match": '"0"'}))
    replayed(session.insert("12", at=0, headers={**keyed("a"), "If-Match": '"0"'}), first)
    session.hold()
    replayed(session.insert("12", at=0, headers=keyed("a")), first)
    problem(session.insert("12", at=0, headers=keyed("b")), "held")


def test_a_replay_comes_after_the_token(pinpad):
    session = create(pinpad)
    fresh(session.insert("1", headers=keyed("a")))
    problem(session.insert("1", token="wrong", headers=keyed("a")), "unauthorized")
    problem(session.request("POST", "/insert", {"text": "1"}, headers=keyed("a")), "unauthorized")


def test_keys_are_forgotten_when_the_session_closes(pinpad):
    session = create(pinpad)
    fresh(session.insert("1", headers=keyed("a")))
    session.cancel()
    problem(session.insert("1", headers=keyed("a")), "closed")


def creation(pinpad, key, body=UNSENT, **more):
    return request(pinpad, "POST", "/v1/sessions", {} if body is UNSENT else body, headers=keyed(key), **more)


def test_a_repeated_creation_gives_the_same_session_with_its_tokens(pinpad):
    first = creation(pinpad, "create-1", {"length": 4, "metadata": {"a": "b"}})
    again = creation(pinpad, "create-1", {"length": 4, "metadata": {"a": "b"}})
    assert first.header(REPLAYED) is None
    replayed(again, first)
    assert again.status == 201
    assert again.header("Location") == first.header("Location")
    entry = again.json["tokens"]["entry"]
    assert request(pinpad, "POST", again.header("Location") + "/begin", token=entry).status == 200


def test_a_creation_is_replayed_as_it_was_answered(pinpad):
    first = creation(pinpad, "create-2")
    path, tokens = first.header("Location"), first.json["tokens"]
    request(pinpad, "POST", path + "/insert", {"text": "123"}, token=tokens["entry"])
    replayed(creation(pinpad, "create-2"), first)


def test_a_creation_key_with_another_body_is_reused(pinpad):
    assert creation(pinpad, "create-3", {"length": 4}).status == 201
    problem(creation(pinpad, "create-3", {"length": 5}), "idempotency-key-reused")
    problem(creation(pinpad, "create-3", b'{"length": 4 }'), "idempotency-key-reused")


def test_a_refused_creation_is_not_remembered(pinpad):
    problem(creation(pinpad, "create-4", {"length": 0}), "invalid")
    assert creation(pinpad, "create-4", {"length": 4}).status == 201


def test_without_api_keys_a_creation_key_belongs_to_the_clients_address(pinpad):
    first = creation(pinpad, "create-5")
    other = creation(pinpad, "create-5", source="127.0.0.2")
    assert other.header(REPLAYED) is None
    assert first.json["id"] != other.json["id"]
    replayed(creation(pinpad, "create-5"), first)
    replayed(creation(pinpad, "create-5", source="127.0.0.2"), other)


def test_a_creation_key_belongs_to_the_api_key(start_pinpad):
    pinpad = start_pinpad(env={"PINPAD_API_KEYS": "first-key-0123456789abcdef,second-key-0123456789abcdef"})
    one = creation(pinpad, "k", token="first-key-0123456789abcdef")
    other = creation(pinpad, "k", token="second-key-0123456789abcdef")
    assert (one.status, other.status) == (201, 201)
    assert one.json["id"] != other.json["id"]
    replayed(creation(pinpad, "k", token="first-key-0123456789abcdef", source="127.0.0.2"), one)
    problem(creation(pinpad, "k"), "unauthorized")
