"""api.md, The service: the problems, and which comes first."""

import pytest

from client import connect, create, names, pointers, problem, receive, request, request_bytes

BIG = '{"text":"1' + " " * 16_384 + '"}'
UNKNOWN = "/v1/sessions/" + "A" * 22


def full(pinpad, **options):
    session = create(pinpad, length=2, **options)
    session.insert("12")
    return session


def held(pinpad):
    session = full(pinpad)
    session.hold()
    return session


def closed(pinpad):
    session = full(pinpad)
    session.cancel()
    return session


def test_each_problem_that_a_client_can_cause(pinpad):
    session = create(pinpad)
    session.insert("1", headers={"Idempotency-Key": "k"})
    refused = create(pinpad, overflow="reject", length=2)
    for name, answer in {
        "malformed": session.request("POST", "/insert", "{", session.entry),
        "unauthorized": session.request("POST", "/begin"),
        "forbidden": session.redeem(token=session.entry),
        "not-found": request(pinpad, "GET", UNKNOWN),
        "method-not-allowed": session.request("PUT"),
        "full": full(pinpad).insert("1"),
        "out-of-position": session.insert("1", at=3),
        "incomplete": session.redeem(),
        "held": held(pinpad).clear(),
        "not-held": session.accept(),
        "conflict": full(pinpad).patch({"length": 1}),
        "closed": closed(pinpad).insert("1"),
        "length-required": session.request("GET", headers={"Transfer-Encoding": "chunked"}),
        "precondition-failed": session.insert("1", headers={"If-Match": '"9"'}),
        "too-large": session.request("POST", "/insert", BIG, session.entry),
        "unsupported-media-type": session.request("POST", "/insert", "<x/>", session.entry, {"Content-Type": "text/xml"}),
        "invalid": session.request("POST", "/insert", {"text": 7}, session.entry),
        "invalid-character": session.insert("1x"),
        "overflow": refused.insert("123"),
        "idempotency-key-reused": session.insert("2", headers={"Idempotency-Key": "k"}),
    }.items():
        problem(answer, name)
    assert session.state()["count"] == 1


def test_a_problem_has_its_type_title_status_and_detail(pinpad):
    answer = request(pinpad, "GET", "/nowhere")
    assert answer.header("Content-Type") == "application/problem+json"
    assert list(answer.json) == ["type", "title", "status", "detail"]
    assert (answer.json["type"], answer.json["status"]) == ("/problems/not-found", 404)


def test_unauthorized_says_how_to_authenticate(pinpad):
    session = create(pinpad)
    assert session.request("POST", "/begin").header("WWW-Authenticate") == "Bearer"
    challenge = session.request("POST", "/begin", token="wrong").header("WWW-Authenticate")
    assert challenge.startswith("Bearer ") and 'error="invalid_token"' in challenge


def test_forbidden_says_that_the_scope_is_insufficient(pinpad):
    session = create(pinpad)
    challenge = session.redeem(token=session.entry).header("WWW-Authenticate")
    assert challenge.startswith("Bearer ") and 'error="insufficient_scope"' in challenge


@pytest.mark.parametrize("scheme", ["Basic", "Token", "Bearer:", ""])
def test_another_scheme_is_no_token(pinpad, scheme):
    session = create(pinpad)
    answer = session.request("POST", "/begin", headers={"Authorization": f"{scheme} {session.entry}".strip()})
    problem(answer, "unauthorized")


def test_method_not_allowed_says_what_is(pinpad):
    answer = request(pinpad, "GET", "/v1/sessions")
    problem(answer, "method-not-allowed")
    assert answer.header("Allow") == "POST, OPTIONS"


def test_a_conflict_carries_the_present_state(pinpad):
    for answer in (full(pinpad).insert("3"), full(pinpad).insert("3", at=1), create(pinpad).redeem(), held(pinpad).clear(),
                   create(pinpad).accept(), full(pinpad).patch({"length": 1}), full(pinpad).clear(headers={"If-Match": '"9"'})):
        state = answer.json["state"]
        assert state["status"] == "open" and "config" not in state and "text" not in state
        assert len(state) == 14


def test_invalid_names_each_thing_that_is_wrong(pinpad):
    answer = request(pinpad, "POST", "/v1/sessions", {"length": 0, "alphabet": 1, "unknown": 1, "timeouts": {"total": 0, "x": 1},
                                                      "label": "", "style": {"name": "boxes", "lineColor": "red", "dotColor": "no"}})
    assert pointers(answer) == [
        "#/alphabet", "#/label", "#/length", "#/style/dotColor", "#/style/lineColor", "#/timeouts/total", "#/timeouts/x",
        "#/unknown"]
    assert all(error["detail"] for error in answer.json["errors"])
    assert pointers(request(pinpad, "POST", "/v1/sessions", {"a/b~c": 1})) == ["#/a~1b~0c"]


def test_invalid_names_parameters_of_the_query(pinpad):
    answer = create(pinpad).picture("?width=0&height=x")
    assert sorted(error["parameter"] for error in problem(answer, "invalid")["errors"]) == ["height", "width"]


def test_invalid_character_has_the_index(pinpad):
    assert problem(create(pinpad).insert("1-2x"), "invalid-character")["index"] == 3


def test_no_problem_repeats_what_was_sent(pinpad):
    session = create(pinpad, length=4)
    for body in ({"text": "84736251x"}, {"text": "1", "84736251": 1}, {"text": 84736251}, '{"text":"84736251', '{"text":"84736251"} 84736251'):
        answer = session.request("POST", "/insert", body, session.entry)
        assert answer.status in (400, 422), answer
        if not isinstance(body, dict) or "84736251" not in body:
            assert b"84736251" not in answer.body


def test_429_and_503_say_when_to_try_again(start_pinpad):
    pinpad = start_pinpad(config={"sessions": {"maximum": 2}})
    create(pinpad)
    create(pinpad)
    answer = request(pinpad, "POST", "/v1/sessions")
    problem(answer, "unavailable")
    assert int(answer.header("Retry-After")) > 0


# Each line is a request to which two problems apply, and the one that must be answered.
def order(pinpad):
    session, wrong = create(pinpad), {"token": "wrong"}
    entry = {"token": session.entry}
    xml = {"headers": {"Content-Type": "text/xml"}}
    post = lambda target, action, body, **options: target.request("POST", action, body, **options)
    stale = {"headers": {"If-Match": '"99"'}}
    used = full(pinpad)
    used.clear(headers={"Idempotency-Key": "k"})
    used.insert("12")
    key = {"headers": {"Idempotency-Key": "k"}}
    return [
        ("413 before 404", "too-large", request(pinpad, "POST", UNKNOWN + "/insert", BIG)),
        ("413 before 405", "too-large", session.request("PUT", "", BIG)),
        ("413 before 401", "too-large", post(session, "/insert", BIG, **wrong)),
        ("404 before 405", "not-found", request(pinpad, "PUT", UNKNOWN)),
        ("404 before 401", "not-found", request(pinpad, "POST", UNKNOWN + "/insert", **wrong)),
        ("404 before 400", "not-found", request(pinpad, "POST", UNKNOWN + "/insert", "{")),
        ("405 before 401", "method-not-allowed", session.request("PUT", "", **wrong)),
        ("405 before 415", "method-not-allowed", session.request("PUT", "", "x", **xml)),
        ("401 before 415", "unauthorized", post(session, "/insert", "x", **wrong, **xml)),
        ("401 before 400", "unauthorized", post(session, "/insert", "{")),
        ("401 before 410", "unauthorized", post(closed(pinpad), "/insert", {"text": "1"}, **wrong)),
        ("403 before 415", "forbidden", session.request("PATCH", "", "x", **entry, **xml)),
        ("403 before 400", "forbidden", session.request("PATCH", "", "{", **entry)),
        ("403 before 409", "forbidden", post(session, "/accept", {}, **entry)),
        ("403 before 410", "forbidden", (gone := closed(pinpad)).request("PATCH", "", {}, token=gone.entry)),
        ("415 before 400", "unsupported-media-type", post(session, "/insert", "{", **entry, **xml)),
        ("415 before 410", "unsupported-media-type", post(gone, "/insert", "{", token=gone.entry, **xml)),
        ("400 before replay", "malformed", post(used, "/clear", "{", token=used.entry, **key)),
        ("400 before 410", "malformed", post(gone, "/insert", "{", token=gone.entry)),
        ("400 before 412", "malformed", post(session, "/insert", "{", **entry, **stale)),
        ("replay before 422", "idempotency-key-reused", post(used, "/insert", {"text": 7}, token=used.entry, **key)),
        ("replay before 409", "idempotency-key-reused", post(used, "/insert", {"text": "1"}, token=used.entry, **key)),
        ("422 before 410", "invalid", post(gone, "/insert", {"text": 7}, token=gone.entry)),
        ("422 before 410", "invalid-character", gone.insert("x")),
        ("422 before 412", "invalid", post(session, "/insert", {}, **entry, **stale)),
        ("422 before 412", "invalid-character", session.insert("x", **stale)),
        ("422 before held", "invalid-character", held(pinpad).insert("x")),
        ("422 before out-of-position", "invalid-character", session.insert("x", at=5)),
        ("422 before full", "invalid-character", full(pinpad).insert("x")),
        ("422 before incomplete", "invalid", session.redeem({"wait": 1})),
        ("422 before the other 409s", "invalid", full(pinpad).patch({"length": 1, "label": ""})),
        ("410 before 412", "closed", gone.insert("1", **stale)),
        ("410 before the other 409s", "closed", gone.accept()),
        ("412 before held", "precondition-failed", held(pinpad).insert("1", **stale)),
        ("412 before out-of-position", "precondition-failed", session.insert("1", at=5, **stale)),
        ("412 before full", "precondition-failed", full(pinpad).insert("1", **stale)),
        ("412 before the other 409s", "precondition-failed", session.accept(**stale)),
        ("412 before the other 409s", "precondition-failed", full(pinpad).patch({"length": 1}, **stale)),
        ("held before out-of-position", "held", held(pinpad).insert("1", at=0)),
        ("held before nothing left", "held", held(pinpad).insert(" ")),
        ("held before full", "held", held(pinpad).insert("1")),
        ("held before the other 409s", "held", held(pinpad).patch({"length": 1})),
        ("out-of-position before nothing left", "out-of-position", session.insert(" ", at=5)),
        ("out-of-position before full", "out-of-position", full(pinpad).insert("1", at=1)),
        ("out-of-position before overflow", "out-of-position", create(pinpad, overflow="reject").insert("1234567", at=1)),
        ("full before overflow", "full", full(pinpad, overflow="reject").insert("123")),
    ]


def test_the_first_that_applies_is_answered(pinpad):
    seen = order(pinpad)
    assert [(line, answer.json["type"]) for line, _, answer in seen] == [
        (line, "/problems/" + name) for line, name, _ in seen]


def test_nothing_left_is_accepted_before_full(pinpad):
    session = full(pinpad)
    last = session.state()["eventId"]
    answer = session.insert(" - ")
    assert (answer.status, answer.json["accepted"]) == (200, 0)
    assert session.log(last) == []


def test_a_replay_comes_before_what_has_become_of_the_session_since(pinpad):
    session = create(pinpad, length=2)
    key = {"Idempotency-Key": "k", "If-Match": '"0"'}
    first = session.insert("12", at=0, headers=key)
    for change in (session.begin, session.hold):
        change()
        again = session.insert("12", at=0, headers=key)
        assert (again.status, again.json, again.header("Idempotency-Replayed")) == (200, first.json, "true")


def test_a_refused_request_leaves_the_connection_in_order(pinpad):
    session = create(pinpad)
    with connect(pinpad) as connection:
        for body, status in (("{", 400), ({"text": "x"}, 422), ({"text": "1"}, 200)):
            connection.sendall(request_bytes(pinpad, "POST", session.path + "/insert", body, session.entry))
            assert receive(connection).status == status
    assert names(session.log()) == ["begin", "change"]
