"""api.md, The service: CORS, API keys, and who may create without them."""

import subprocess

import pytest

from client import EventStream, HANG, connect, create, problem, receive, request, request_bytes

ALLOWED, OTHER = "https://shop.example", "https://evil.example"
ASKED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.fixture
def sharing(start_pinpad):
    return start_pinpad(config={"cors": {"allowedOrigins": [ALLOWED, "http://localhost:3000"]}})


def cors(answer):
    return {name: value for name, value in answer.headers.items() if name.lower().startswith("access-control-")}


def answers(pinpad, session, headers):
    """One answer of each kind."""
    events = f"/v1/events?sessions={session.id},{create(pinpad).id}"
    return {
        "state": session.get(headers=headers), "edit": session.begin(headers=headers),
        "refused": session.insert("x", headers=headers), "poll": session.get(headers=headers, action="/events?after=0"),
        "long poll": session.get(headers=headers, action="/events?after=99&wait=0.01"),
        "held poll": session.get(headers=headers, action=f"/events?after={session.state()['eventId']}&wait=0.01"),
        "picture": session.picture(headers=headers), "not found": request(pinpad, "GET", "/nowhere", headers=headers),
        "page": request(pinpad, "GET", "/", headers=headers), "script": request(pinpad, "GET", "/pin-entry.js", headers=headers),
        "livez": request(pinpad, "GET", "/livez", headers=headers),
        "large": request(pinpad, "POST", "/v1/sessions", "x" * 20_000, headers=headers),
        "created": request(pinpad, "POST", "/v1/sessions", headers=headers),
        "options": request(pinpad, "OPTIONS", session.path, headers=headers),
        "stream": EventStream(pinpad, session.path + "/events", headers=headers),
        "several": EventStream(pinpad, events, headers=headers)}


def test_cors_is_off(pinpad):
    session = create(pinpad)
    for headers in ({"Origin": OTHER}, {"Origin": OTHER, **ASKED}):
        for answer in (session.get(headers=headers), request(pinpad, "OPTIONS", session.path, headers=headers)):
            assert cors(answer) == {}
    with EventStream(pinpad, session.path + "/events", headers={"Origin": OTHER}) as stream:
        assert cors(stream) == {}


def test_an_allowed_origin_is_echoed_on_every_answer(sharing):
    session = create(sharing)
    for origin in (ALLOWED, "http://localhost:3000"):
        for name, answer in answers(sharing, session, {"Origin": origin}).items():
            assert answer.headers["Access-Control-Allow-Origin"] == origin, name
            assert "Access-Control-Allow-Credentials" not in cors(answer), name


def test_vary_is_on_every_answer_whatever_the_origin(sharing):
    session = create(sharing)
    for headers in ({}, {"Origin": ALLOWED}):
        for name, answer in answers(sharing, session, headers).items():
            vary = ", ".join(answer.headers.get_all("Vary", []))
            assert "Origin" in [part.strip() for part in vary.split(",")], (name, headers)
            if name == "state":
                assert "Authorization" in vary


@pytest.mark.parametrize("origin", [
    OTHER, "https://shop.example.evil.example", "https://shop.example:8443", "http://shop.example", "null",
    "https://evil.example/https://shop.example", "https://SHOP.example", "*", "https://shop.example/"])
def test_another_origin_gets_nothing(sharing, origin):
    session = create(sharing)
    assert cors(session.get(headers={"Origin": origin})) == {}
    assert cors(request(sharing, "OPTIONS", session.path, headers={"Origin": origin, **ASKED})) == {}


def test_a_preflight_allows_what_the_contract_uses_for_600_seconds(sharing):
    for path in (create(sharing).path + "/insert", "/v1/sessions", "/v1/sessions/" + "A" * 22):
        answer = request(sharing, "OPTIONS", path, headers={"Origin": ALLOWED, **ASKED})
        assert answer.status in (200, 204)
        assert answer.header("Access-Control-Allow-Origin") == ALLOWED
        split = lambda name: sorted(part.strip().lower() for part in answer.header(name).split(","))
        assert split("Access-Control-Allow-Methods") == ["delete", "get", "patch", "post"]
        assert split("Access-Control-Allow-Headers") == [
            "authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id"]
        assert answer.header("Access-Control-Max-Age") == "600"


def test_what_is_exposed(sharing):
    session = create(sharing)
    for name, answer in answers(sharing, session, {"Origin": ALLOWED}).items():
        if name != "options":
            exposed = sorted(part.strip() for part in answer.headers["Access-Control-Expose-Headers"].split(","))
            assert exposed == ["ETag", "Idempotency-Replayed", "Location", "Retry-After"], name


def test_api_keys_are_needed_for_creation_and_for_nothing_else(start_pinpad):
    pinpad = start_pinpad(env={"PINPAD_API_KEYS": "key-one-0123456789abcdef,key-two-0123456789abcdef"})
    answer = request(pinpad, "POST", "/v1/sessions")
    problem(answer, "unauthorized")
    assert answer.header("WWW-Authenticate") == "Bearer"
    for key in ("key-three", "key-one", "key-one-0123456789abcdef,key-two-0123456789abcdef", "KEY-ONE-0123456789ABCDEF"):
        answer = request(pinpad, "POST", "/v1/sessions", token=key)
        problem(answer, "unauthorized")
        assert 'error="invalid_token"' in answer.header("WWW-Authenticate")
    for key in ("key-one-0123456789abcdef", "key-two-0123456789abcdef"):
        session = create(pinpad, key)
        assert session.insert("1").status == session.get().status == session.picture().status == 200
        assert session.cancel().status == 204
    for path in ("/livez", "/metrics", "/", "/v1/cells.svg"):
        assert request(pinpad, "GET", path).status == 200
    problem(session.begin(token="key-one-0123456789abcdef"), "unauthorized")


def test_api_keys_come_from_a_file_too(start_pinpad, tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("first-key-0123456789abcdef\nsecond-key-0123456789abcdef\n")
    pinpad = start_pinpad(config={"apiKeysFile": str(keys)})
    problem(request(pinpad, "POST", "/v1/sessions"), "unauthorized")
    for key in keys.read_text().split():
        assert request(pinpad, "POST", "/v1/sessions", token=key).status == 201


def test_with_api_keys_host_and_origin_do_not_matter(start_pinpad):
    pinpad = start_pinpad(env={"PINPAD_API_KEYS": "key-one-0123456789abcdef"})
    headers = {"Host": "pin.example", "Origin": OTHER}
    assert request(pinpad, "POST", "/v1/sessions", token="key-one-0123456789abcdef", headers=headers).status == 201


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
def test_without_keys_it_listens_on_loopback_only_unless_told_so_by_name(pinpad_binary, listen):
    ended = subprocess.run([str(pinpad_binary), "--listen", listen], capture_output=True, text=True, timeout=HANG)
    assert ended.returncode == 78
    assert ended.stdout == "" and ended.stderr.strip()


@pytest.mark.parametrize("host", ["localhost", "localhost:80", "LOCALHOST", "127.0.0.1", "127.0.0.1:1234", "[::1]", "[::1]:8080"])
def test_without_keys_creation_takes_this_machines_names(pinpad, host):
    assert request(pinpad, "POST", "/v1/sessions", headers={"Host": host}).status == 201


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "[::2]", "10.0.0.1",
    "localhost@evil.example", "xlocalhost", "[::1].evil.example", "evil.example#localhost"])
def test_without_keys_creation_under_another_host_is_forbidden(pinpad, host):
    answer = request(pinpad, "POST", "/v1/sessions", headers={"Host": host})
    assert answer.status in (400, 403)
    problem(answer, "forbidden" if answer.status == 403 else "malformed")
    assert "example" not in host or "@" in host or "#" in host or answer.status == 403


@pytest.mark.parametrize("origin", [OTHER, "null", "http://localhost:1", "https://localhost.evil.example", "file://", "http://127.0.0.1"])
def test_without_keys_creation_from_another_origin_is_forbidden(pinpad, origin):
    problem(request(pinpad, "POST", "/v1/sessions", headers={"Origin": origin}), "forbidden")


def test_without_keys_creation_from_its_own_origin_is_taken(pinpad):
    assert request(pinpad, "POST", "/v1/sessions", headers={"Origin": pinpad.url}).status == 201
    own = {"Host": f"localhost:{pinpad.port}", "Origin": f"http://localhost:{pinpad.port}"}
    assert request(pinpad, "POST", "/v1/sessions", headers=own).status == 201


def test_without_keys_creation_from_an_allowed_origin_is_taken(sharing):
    assert request(sharing, "POST", "/v1/sessions", headers={"Origin": ALLOWED}).status == 201
    problem(request(sharing, "POST", "/v1/sessions", headers={"Origin": OTHER}), "forbidden")


def test_without_keys_creation_under_an_allowed_host_is_taken(start_pinpad):
    pinpad = start_pinpad(config={"allowedHosts": ["pin.example"]})
    for host in ("pin.example", "pin.example:8080", "localhost"):
        assert request(pinpad, "POST", "/v1/sessions", headers={"Host": host}).status == 201
    own = {"Host": "pin.example", "Origin": "http://pin.example"}
    assert request(pinpad, "POST", "/v1/sessions", headers=own).status == 201
    problem(request(pinpad, "POST", "/v1/sessions", headers={"Host": "evil.example"}), "forbidden")
    problem(request(pinpad, "POST", "/v1/sessions", headers={"Host": "pin.example", "Origin": OTHER}), "forbidden")


def test_only_creation_looks_at_host_and_origin(pinpad):
    session = create(pinpad)
    headers = {"Host": "evil.example", "Origin": OTHER}
    assert session.get(headers=headers).status == 200
    assert session.insert("1", headers=headers).status == 200
    assert session.picture(headers=headers).status == 200


def test_a_refused_origin_creates_nothing(start_pinpad):
    pinpad = start_pinpad(config={"sessions": {"maximum": 1}})
    for _ in range(3):
        problem(request(pinpad, "POST", "/v1/sessions", headers={"Origin": OTHER}), "forbidden")
    create(pinpad)
    problem(request(pinpad, "POST", "/v1/sessions"), "unavailable")


def test_an_absolute_target_does_not_get_around_the_host(pinpad):
    with connect(pinpad) as connection:
        connection.sendall(request_bytes(
            pinpad, "POST", f"http://localhost:{pinpad.port}/v1/sessions", headers={"Host": "evil.example"}))
        assert receive(connection).status in (400, 403)
