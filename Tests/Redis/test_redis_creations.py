"""Creations with a key, of which Redis's answers get lost: what was answered 201 is there, and is one session."""

import itertools

import pytest

from client import at_once, problem, request
from redis import until
from redis_proxy import SlowWay

# What each command of a creation is about: its own key, or its session's.
TOPIC = b"pinpad:"
# A creation is three: it looks for its key, makes the session, and remembers it. More follow when one is done again, or
# when a session is taken back.
MOST = 12
PARTS = ["command", "answer"]


@pytest.fixture
def ways(own_redis):
    ways = [SlowWay(own_redis) for _ in range(2)]
    yield ways
    for way in ways:
        way.close()


@pytest.fixture
def nodes(start_pinpad, own_redis, ways):
    nodes = [start_pinpad(env={**own_redis.environment, "PINPAD_STORE": way.store}) for way in ways]
    for node in nodes:
        # From now on Redis knows the scripts, and there is a connection.
        assert post(node, "warm").status == 201
    return nodes


def post(node, key):
    return request(node, "POST", "/v1/sessions", {}, None, {"Idempotency-Key": key})


def made(node, key):
    """Asks until it is made, as a client does that was answered 503."""
    answers = []

    def is_made():
        answers.append(post(node, key))
        if answers[-1].status == 201:
            return True
        problem(answers[-1], "unavailable")
        return False

    until(is_made)
    return answers[-1]


def check(nodes, key, answers):
    """All that were told 201 were told of the same session, which is there, and of which the tokens are right."""
    again = [post(node, key) for node in nodes]
    assert [answer.header("Idempotency-Replayed") for answer in again] == ["true"] * len(nodes)
    told = [(answer.json["id"], answer.json["tokens"]) for answer in answers + again]
    assert told == [told[0]] * len(told), told
    for node in nodes:
        for token in told[0][1].values():
            state = request(node, "GET", f"/v1/sessions/{told[0][0]}", token=token)
            assert state.status == 200, (key, state)


def test_a_creation_that_lost_one_answer_or_two_gives_a_session_that_is_there(nodes, ways):
    """The second one may be of the retry, or of the same request."""
    reached = set()
    for first in range(1, MOST):
        for second in range(first, MOST):
            for parts in itertools.product(PARTS, PARTS):
                # With the same number it is one loss, of the second part.
                losses = dict(zip((first, second), parts))
                key = "-".join(map(str, (first, second, *parts)))
                ways[0].lose(TOPIC, losses)
                answer = made(nodes[0], key)
                left = ways[0].lose(TOPIC, {})
                check(nodes, key, [answer])
                reached |= {(first, second, trip) for trip in losses if trip not in left}
            # Later trips are not reached either.
            if (first, second, second) not in reached:
                break
        if (first, first, first) not in reached:
            break
    else:
        assert False, f"a creation takes {MOST} trips or more"
    # Each alone, and then those of the retry.
    assert {(trip, trip, trip) for trip in (1, 2, 3)} <= reached
    assert (3, 4, 4) in reached


def test_two_creations_at_once_with_one_key_that_lose_answers_are_one_session(nodes, ways):
    for trips in itertools.product(range(1, 5), repeat=2):
        for parts in itertools.product(PARTS, repeat=2):
            key = "-".join(map(str, (*trips, *parts)))
            for way, trip, part in zip(ways, trips, parts):
                way.lose(TOPIC, {trip: part})
            answers = at_once(2, lambda index: made(nodes[index], key))
            for way in ways:
                way.lose(TOPIC, {})
            check(nodes, key, answers)


def test_a_session_that_is_not_remembered_is_taken_back(nodes, ways, own_redis):
    """Its creation met another one with its key."""
    # So that both have looked for the key before one of them is remembered.
    for way in ways:
        way.delay = 0.1
    before = len(records(own_redis))
    for number in range(3):
        answers = at_once(2, lambda index: post(nodes[index], f"{number}"))
        assert [answer.status for answer in answers] == [201, 201]
        check(nodes, f"{number}", answers)
    assert len(records(own_redis)) == before + 3


def records(own_redis):
    return own_redis.command("KEYS", "pinpad:{*}:record")
