"""api.md, The service: what a body is."""

import subprocess

import pytest

from client import HANG, create, pointers, problem, request

JSON = {"Content-Type": "application/json"}


def insert(session, body, headers=JSON):
    return session.request("POST", "/insert", body, session.entry, headers)


def test_an_empty_body_is_an_empty_object(pinpad):
    session = create(pinpad)
    assert session.request("POST", "/begin", b"", session.entry).status == 200
    assert session.request("POST", "/begin", {}, session.entry).status == 200
    assert pointers(insert(session, b"")) == pointers(insert(session, {})) == ["#/text"]
    assert request(pinpad, "POST", "/v1/sessions").status == 201


@pytest.mark.parametrize("type", [
    "application/json", "application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8", None,
    "application/x-www-form-urlencoded"])
def test_its_type_is_json_or_none_or_curls_default(pinpad, type):
    answer = insert(create(pinpad), '{"text":"7"}', {"Content-Type": type})
    assert answer.status == 200, answer


@pytest.mark.parametrize("type", [
    "text/plain", "text/xml", "application/merge-patch+json", "application/jsonx", "multipart/form-data; boundary=x", "json", "*/*"])
def test_another_type_is_unsupported(pinpad, type):
    session = create(pinpad)
    answer = insert(session, '{"text":"7"}', {"Content-Type": type})
    problem(answer, "unsupported-media-type")
    assert session.state()["count"] == 0


def test_patch_takes_merge_patches_too_and_says_so(pinpad):
    session = create(pinpad)
    for type in ("application/merge-patch+json", "application/json", "application/x-www-form-urlencoded", None):
        assert session.request("PATCH", "", {"label": str(type)}, session.owner, {"Content-Type": type}).status == 200
    answer = session.request("PATCH", "", {}, session.owner, {"Content-Type": "application/json-patch+json"})
    problem(answer, "unsupported-media-type")
    assert "application/merge-patch+json" in answer.header("Accept-Patch")


def test_plain_curl_just_works(pinpad):
    session = create(pinpad)
    answer = subprocess.run(
        ["curl", "-s", "--max-time", str(HANG), "-w", "%{http_code}", "-H", f"Authorization: Bearer {session.entry}",
         "-d", '{"text":"7"}', f"{pinpad.url}{session.path}/insert"], capture_output=True, text=True, check=True)
    assert answer.stdout.endswith("}200")
    assert session.state()["count"] == 1


def test_a_form_that_is_not_json_is_malformed(pinpad):
    problem(insert(create(pinpad), "text=7", {"Content-Type": "application/x-www-form-urlencoded"}), "malformed")


@pytest.mark.parametrize("body", [
    b"{", b"}", b"text", b"'text'", b'{"text":}', b"{'text':'1'}", b'{"text":"1",}', b'{"text":"1"', b'{text:"1"}',
    b'{"text":"1"} x', b'{"text":"1"}{"text":"2"}', b'{"text":"1"},', b'{"text":"1","text":"1"}', b'{"text":"1","te\\u0078t":"2"}',
    b'{"x":{"a":1,"a":2}}', b'{"text":"\xff"}', b'{"text":"\xc0\xb1"}', b'{"text":"\xed\xa0\x80"}', b'{"text":"\\ud800"}',
    b'{"text":"\\x31"}', b'{"text":"1\n"}', b'{"text":01}', b'{"text":NaN}', b"\xff\xfe{\x00}\x00",
    '{"text":"1"}'.encode("utf-16"), b"\x00", b"nul", b"[" * 10_000, b'{"text":"1"}\x00'])
def test_what_is_not_one_json_text_in_utf_8_is_malformed(pinpad, body):
    session = create(pinpad)
    problem(insert(session, body), "malformed")
    assert session.state()["count"] == 0


@pytest.mark.parametrize("body", [b"[]", b'"1"', b"1", b"null", b"true", b'[{"text":"1"}]'])
def test_what_is_not_an_object_is_invalid(pinpad, body):
    assert pointers(insert(create(pinpad), body)) == ["#"]


@pytest.mark.parametrize("body, wrong", [
    ('{"text":"1","x":1}', ["#/x"]), ('{"text":"1","Text":"1"}', ["#/Text"]), ('{"text":1}', ["#/text"]),
    ('{"text":null}', ["#/text"]), ('{"text":["1"]}', ["#/text"]), ('{"text":"1","at":-1}', ["#/at"]),
    ('{"text":"1","at":"0"}', ["#/at"]), ('{"text":"1","at":0.0}', ["#/at"]), ('{"text":"1","at":1e0}', ["#/at"]),
    ('{"text":"1","at":null}', ["#/at"]), ('{"text":1,"at":true,"":2}', ["#/", "#/at", "#/text"]),
    ('{"at":99999999999999999999999999}', None), ('{"text":"%s"}' % ("1" * 257), ["#/text"])])
def test_an_unknown_member_a_wrong_type_and_a_value_out_of_range_are_invalid(pinpad, body, wrong):
    session = create(pinpad)
    named = pointers(insert(session, body))
    assert wrong is None or named == wrong
    assert session.state()["count"] == 0


def test_members_of_another_request_are_unknown(pinpad):
    session = create(pinpad)
    for action, body in (("/begin", {"text": "1"}), ("/set", {"text": "1", "at": 0}), ("/clear", {"at": 0}), ("/end", {"x": 1}),
                         ("/delete-backward", {"text": "1"})):
        unknown = sorted("#/" + name for name in body if (action, name) != ("/set", "text"))
        assert pointers(session.request("POST", action, body, session.owner)) == unknown
    for action, body in (("/redeem", {"message": "x"}), ("/accept", {"hold": True}), ("/reject", {"hold": True})):
        assert pointers(session.request("POST", action, body, session.owner)) == ["#/" + next(iter(body))]
    assert session.state()["revision"] == 0


def test_a_body_has_at_most_16_kib(pinpad):
    session = create(pinpad)
    body = '{"text":"7"}'
    answer = insert(session, body + " " * (16_384 - len(body)))
    assert answer.status == 200, answer
    problem(insert(session, body + " " * (16_385 - len(body))), "too-large")
    # Read to its end, so that who is still sending does not lose the answer to a reset connection.
    for size in (20_000, 300_000, 1_000_000):
        problem(insert(session, " " * size), "too-large")
    assert session.state()["count"] == 1


def test_white_space_around_and_escapes_in_it_are_json(pinpad):
    session = create(pinpad)
    assert insert(session, b' \r\n\t{ "te\\u0078t" : "\\u0037" } \n').json["accepted"] == 1


def test_a_nul_in_a_string_is_an_invalid_character(pinpad):
    assert problem(insert(create(pinpad), '{"text":"1\\u00002"}'), "invalid-character")["index"] == 1
