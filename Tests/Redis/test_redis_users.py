"""Users of Redis who may do all that is needed, or not."""

import pytest

from client import create, names, request
from redis import Redis
from redis_support import at
from servers import ends


@pytest.fixture(scope="module")
def redis():
    server = Redis()
    yield server
    server.stop()


def user(redis, *rules):
    """The environment of a node that is this user."""
    redis.command("ACL", "SETUSER", "keypad", "reset", "on", ">pass", "~pinpad:*", "&pinpad:*", *rules)
    return {**redis.environment, "PINPAD_STORE": redis.store.replace("://", "://keypad:pass@")}


def test_a_user_who_may_do_what_the_readme_says_is_enough(start_pinpad, redis):
    rules = ("+@read", "+@write", "+@scripting", "+@pubsub", "+ping", "+info", "+role", "+time")
    node = start_pinpad(env=user(redis, *rules))
    session = create(node, length=4)
    with session.events(last=0) as stream:
        session.insert("1234", headers={"Idempotency-Key": "1"})
        assert names(stream.take(3)) == ["begin", "change", "complete"]
        assert session.redeem().json["text"] == "1234"
        assert names(stream.rest()) == ["end", "close"]
    headers = {"Idempotency-Key": "2"}
    for _ in range(2):
        assert request(node, "POST", "/v1/sessions", {}, None, headers).status == 201
    assert request(node, "GET", "/readyz").status == 200
    assert '"warning"' not in node.stderr


@pytest.mark.parametrize("missing", ["evalsha", "eval", "xadd", "xrange", "set", "rpush", "del", "publish", "time"])
def test_one_who_may_not_do_something_that_edits_need_is_refused_at_the_start(pinpad_binary, redis, missing):
    before = redis.command("DBSIZE")
    said = ends(pinpad_binary, user(redis, "+@all", f"-{missing}"))
    assert "its user may not do all that is needed" in said
    assert redis.command("DBSIZE") <= before + 4


def test_without_a_right_to_listen_all_is_seen_within_a_second(start_pinpad, redis):
    deaf = start_pinpad(env=user(redis, "+@all", "-subscribe"))
    session = create(deaf, length=4)
    other = at(session, start_pinpad(env=redis.environment))
    with session.events(last=0) as stream:
        other.insert("1")
        assert names(stream.take(2)) == ["begin", "change"]
    assert "redis tells no events" in deaf.stderr


def test_a_wrong_password_is_said_at_the_start(pinpad_binary, redis):
    environment = user(redis, "+@all")
    environment["PINPAD_STORE"] = environment["PINPAD_STORE"].replace("pass", "wrong")
    said = ends(pinpad_binary, environment)
    assert "refuses the user or the password: WRONGPASS" in said
    assert len(said.splitlines()) == 1, said


def test_a_redis_that_wants_a_password_or_is_no_cluster_will_not_do(pinpad_binary):
    server = Redis(tcp=True)
    server.command("CONFIG", "SET", "requirepass", "secret")
    try:
        environment = server.environment
        assert "refuses the user or the password: NOAUTH" in ends(pinpad_binary, environment)
        store = f"127.0.0.1:{server.port}"
        environment["PINPAD_STORE"] = f"redis+cluster://:secret@{store}"
        assert f"{store}: is no cluster: give redis:// as its address" in ends(pinpad_binary, environment)
    finally:
        server.stop()


def test_a_redis_that_is_away_may_come_yet(pinpad_binary):
    server = Redis()
    server.kill()
    try:
        assert "Connection refused" in ends(pinpad_binary, server.environment, status=1)
    finally:
        server.stop()
