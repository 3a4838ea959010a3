"""Every route × no token, a wrong one, another session's, the entry token, the owner token."""

import re

import pytest

from client import connect, create, request, request_bytes

PRESENTED = ("none", "wrong", "other", "entry", "owner")

# The status of each route for each token presented, on an open session of two cells with two characters in and held
# where the route judges. `{id}` is the session, `{other}` another one whose tokens nobody presents.
TABLE = [
    # method    path                                         none wrong other entry owner
    ("GET", "/v1/sessions/{id}", 200, 401, 401, 200, 200),
    ("HEAD", "/v1/sessions/{id}", 200, 401, 401, 200, 200),
    ("GET", "/v1/sessions/{id}/events", 200, 401, 401, 200, 200),
    ("HEAD", "/v1/sessions/{id}/events", 200, 401, 401, 200, 200),
    ("GET", "/v1/sessions/{id}/events?after=0", 200, 401, 401, 200, 200),
    ("GET", "/v1/sessions/{id}/cells.svg", 200, 401, 401, 200, 200),
    ("HEAD", "/v1/sessions/{id}/cells.svg", 200, 401, 401, 200, 200),
    ("GET", "/v1/events?sessions={id},{other}", 200, 401, 401, 200, 200),
    ("HEAD", "/v1/events?sessions={id},{other}", 200, 401, 401, 200, 200),
    ("POST", "/v1/sessions/{id}/begin", 401, 401, 401, 200, 200),
    ("POST", "/v1/sessions/{id}/insert", 401, 401, 401, 409, 409),
    ("POST", "/v1/sessions/{id}/delete-backward", 401, 401, 401, 200, 200),
    ("POST", "/v1/sessions/{id}/clear", 401, 401, 401, 200, 200),
    ("POST", "/v1/sessions/{id}/set", 401, 401, 401, 200, 200),
    ("POST", "/v1/sessions/{id}/end", 401, 401, 401, 200, 200),
    ("POST", "/v1/sessions/{id}/redeem", 401, 401, 401, 403, 200),
    ("POST", "/v1/sessions/{id}/accept", 401, 401, 401, 403, 200),
    ("POST", "/v1/sessions/{id}/reject", 401, 401, 401, 403, 200),
    ("PATCH", "/v1/sessions/{id}", 401, 401, 401, 403, 200),
    ("DELETE", "/v1/sessions/{id}", 401, 401, 401, 403, 204),
    # What belongs to no session asks for no token and looks at none.
    ("POST", "/v1/sessions", 201, 201, 201, 201, 201),
    ("GET", "/v1/cells.svg?style=boxes&length=2&count=1", 200, 200, 200, 200, 200),
    ("GET", "/livez", 200, 200, 200, 200, 200),
    ("GET", "/readyz", 200, 200, 200, 200, 200),
    ("GET", "/metrics", 200, 200, 200, 200, 200),
    ("GET", "/openapi.json", 200, 200, 200, 200, 200),
    ("GET", "/", 200, 200, 200, 200, 200),
    ("GET", "/pin-entry.js", 200, 200, 200, 200, 200),
    ("GET", "/problems/full", 200, 200, 200, 200, 200),
]

CELLS = [
    (method, path, presented, status)
    for method, path, *statuses in TABLE for presented, status in zip(PRESENTED, statuses, strict=True)]


def status_of(pinpad, method, path, body, token):
    """The status of a request, also of one whose body is a stream without an end."""
    options = {} if body is None else {"body": body}
    with connect(pinpad) as connection:
        connection.sendall(request_bytes(pinpad, method, path, token=token, **options))
        head = b""
        while b"\r\n\r\n" not in head:
            part = connection.recv(4096)
            assert part, head
            head += part
    headers = dict(
        line.lower().split(": ", 1) for line in head.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:])
    return int(head.split()[1]), headers


@pytest.mark.parametrize("method, path, presented, status", CELLS)
def test_each_route_answers_each_token_as_the_table_says(pinpad, method, path, presented, status):
    session, bystander, stranger = (create(pinpad, length=2) for _ in range(3))
    session.insert("12")
    if path.endswith(("/accept", "/reject")):
        session.hold()
    token = {
        "none": None, "wrong": "wrong-" + session.owner[6:], "other": stranger.owner, "entry": session.entry,
        "owner": session.owner}[presented]
    body = {"text": "34"} if path.endswith(("/insert", "/set")) else None
    before = session.state()
    seen, headers = status_of(pinpad, method, path.format(id=session.id, other=bystander.id), body, token)
    assert seen == status
    match seen:
        case 401:
            challenge = headers["www-authenticate"]
            assert challenge.lower().startswith("bearer")
            assert ('error="invalid_token"' in challenge) == (presented != "none")
            assert session.state() == before
        case 403:
            assert 'error="insufficient_scope"' in headers["www-authenticate"]
            assert session.state() == before
        case _:
            assert "www-authenticate" not in headers


@pytest.mark.parametrize("presented", ["entry", "owner"])
def test_another_sessions_token_opens_nothing_here(pinpad, presented):
    session, stranger = create(pinpad, reveal=True), create(pinpad, reveal=True)
    session.insert("12")
    token = getattr(stranger, presented)
    for answer in (session.get(token), session.insert("3", token=token), session.redeem(token=token)):
        assert answer.status == 401
    assert session.state()["count"] == 2


def test_the_table_has_every_route_of_the_openapi_document(pinpad):
    document = request(pinpad, "GET", "/openapi.json").json
    written = {
        (method.upper(), re.sub(r"\{[^}]*\}", "{}", path))
        for path, item in document["paths"].items() for method in item
        if method in ("get", "head", "post", "patch", "put", "delete")}
    tested = {(method, re.sub(r"/problems/full", "/problems/{}", re.sub(r"\{id\}", "{}", path.partition("?")[0])))
              for method, path, *_ in TABLE}
    assert {one for one in written if one[0] != "HEAD"} == {one for one in tested if one[0] != "HEAD"}
    assert {one for one in written if one[0] == "HEAD"} <= {("HEAD", path) for method, path in tested}


def test_with_api_keys_creation_needs_one_and_nothing_else_does(start_pinpad):
    keys = ["first-key-0123456789abcdef", "second-key-0123456789abcdef"]
    pinpad = start_pinpad(env={"PINPAD_API_KEYS": ",".join(keys)})
    for token in (None, "wrong", keys[0] + "0", keys[0][:-1]):
        answer = request(pinpad, "POST", "/v1/sessions", {}, token)
        assert answer.status == 401
        challenge = answer.header("WWW-Authenticate")
        assert challenge.lower().startswith("bearer") and ("invalid_token" in challenge) == (token is not None)
    for key in keys:
        session = create(pinpad, key, length=2)
        assert session.get().status == 200
        assert session.insert("12").status == 200
        assert session.insert("12", token=key).status == 401
        assert session.redeem().json["text"] == "12"
    for path in ("/livez", "/metrics", "/openapi.json", "/"):
        assert request(pinpad, "GET", path).status == 200
