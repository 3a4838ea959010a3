"""How often: creations of an address, wrong tokens for a session; and that nobody is kept out by another."""

import re

from client import create, problem, request
from figures import figure

PROXY = {"proxies": ["127.0.0.1"], "metrics": {"access": "anyone"}}
WRONG = "pinent_" + "A" * 43


def creation(pinpad, address):
    headers = {} if address is None else {"X-Forwarded-For": address}
    return request(pinpad, "POST", "/v1/sessions", headers=headers)


def rate(answer, name, quota):
    """What RateLimit says is left, after the fields were looked at."""
    assert answer.header("RateLimit-Policy") == f'"{name}";q={quota};w=60'
    found = re.fullmatch(rf'"{name}";r=(\d+);t=(\d+)', answer.header("RateLimit"))
    assert found and int(found[2]) <= 60
    return int(found[1])


def test_an_address_may_create_so_often_and_is_told_how_often(start_pinpad):
    pinpad = start_pinpad(config={**PROXY, "rates": {"creations": 3}})
    answers = [creation(pinpad, "192.0.2.1") for _ in range(3)]
    assert [answer.status for answer in answers] == [201] * 3
    assert [rate(answer, "creations", 3) for answer in answers] == [2, 1, 0]
    refused = creation(pinpad, "192.0.2.1")
    problem(refused, "too-many")
    assert rate(refused, "creations", 3) == 0
    assert 1 <= int(refused.header("Retry-After")) <= 20
    assert figure(pinpad, "pinpad_requests_refused_total", reason="creations") == 1
    # Others are not concerned; of IPv6 the network counts.
    assert creation(pinpad, "192.0.2.2").status == 201
    networks = [f"2001:db8:0:{network}::{host:x}" for network in (1, 2) for host in range(1, 4)]
    assert [creation(pinpad, address).status for address in networks] == [201] * 6
    problem(creation(pinpad, "2001:db8:0:1:ffff::"), "too-many")


def test_this_machine_may_create_as_often_as_it_likes(start_pinpad):
    pinpad = start_pinpad(config={"rates": {"creations": 1}})
    answers = [creation(pinpad, None) for _ in range(5)]
    assert [(answer.status, answer.header("RateLimit")) for answer in answers] == [(201, None)] * 5


def test_without_a_limit_there_is_none(start_pinpad):
    pinpad = start_pinpad(config={**PROXY, "rates": {"creations": 0, "wrongTokens": 0}})
    assert [creation(pinpad, "192.0.2.1").status for _ in range(50)] == [201] * 50
    session = create(pinpad)
    assert {session.insert("1", token=WRONG).status for _ in range(100)} == {401}


def test_wrong_keys_count_as_attempts_to_create(start_pinpad):
    pinpad = start_pinpad(config={**PROXY, "apiKeys": ["0123456789abcdef"], "rates": {"creations": 2}})
    answers = [
        request(pinpad, "POST", "/v1/sessions", token="f" * 16, headers={"X-Forwarded-For": "192.0.2.1"}) for _ in range(3)]
    assert [answer.status for answer in answers] == [401, 401, 429]


def test_many_wrong_tokens_are_refused_and_the_right_one_goes_on_working(start_pinpad):
    pinpad = start_pinpad(config={"rates": {"wrongTokens": 5}})
    session, other = create(pinpad), create(pinpad)
    answers = [session.insert("1", token=WRONG) for _ in range(5)]
    for answer in answers:
        problem(answer, "unauthorized")
    assert [rate(answer, "wrong-tokens", 5) for answer in answers] == [4, 3, 2, 1, 0]
    for method, action in (("POST", "/insert"), ("GET", ""), ("GET", "/events"), ("POST", "/redeem"), ("DELETE", "")):
        refused = session.request(method, action, token=WRONG)
        problem(refused, "too-many")
        assert rate(refused, "wrong-tokens", 5) == 0
        assert 1 <= int(refused.header("Retry-After")) <= 12
    # A token of another session is a wrong one as well, there and on a stream of both.
    problem(session.insert("1", token=other.entry), "too-many")
    problem(request(pinpad, "GET", f"/v1/events?sessions={session.id},{other.id}", token=WRONG), "too-many")
    assert figure(pinpad, "pinpad_requests_refused_total", reason="wrong-tokens") == 7
    # The right ones work as ever, and so does watching without one.
    assert session.insert("1").json["count"] == 1
    assert session.state(session.owner)["count"] == 1
    assert session.get().status == 200
    assert other.insert("1", token=WRONG).status == 401
