"""What may not go wrong when many requests come at once: redeem, If-Match, Idempotency-Key, `at`."""

import random

from client import connect, create, digits, names, problem, receive, request_bytes, salvo


def test_of_fifty_plain_redeems_at_once_one_gets_the_digits(pinpad):
    for _ in range(5):
        session = create(pinpad, length=6)
        session.insert("271828")
        answers = salvo(pinpad, [session.bytes("POST", "/redeem", token=session.owner)] * 50)
        winners = [answer for answer in answers if answer.status == 200]
        assert len(winners) == 1
        assert winners[0].json == {"text": "271828", "completion": 1}
        for answer in answers:
            if answer is not winners[0]:
                problem(answer, "closed")
                assert "271828" not in answer.text
        assert names(session.log()).count("close") == 1


def test_of_24_inserts_with_one_if_match_one_gets_in(pinpad):
    for _ in range(5):
        session = create(pinpad, length=32)
        requests = [
            session.bytes("POST", "/insert", {"text": str(index % 10)}, session.entry, {"If-Match": '"0"'})
            for index in range(24)]
        answers = salvo(pinpad, requests)
        assert sorted(answer.status for answer in answers) == [200] + [412] * 23
        for answer in answers:
            if answer.status == 412:
                assert problem(answer, "precondition-failed")["state"]["revision"] == 1
        assert (session.state()["count"], session.state()["revision"]) == (1, 1)


def test_two_equal_requests_at_once_with_one_key_make_one_edit_and_two_equal_answers(pinpad):
    for index in range(50):
        session = create(pinpad, length=6)
        content = session.bytes("POST", "/insert", {"text": "7"}, session.entry, {"Idempotency-Key": f"k{index}"})
        answers = salvo(pinpad, [content] * 2)
        assert [answer.status for answer in answers] == [200, 200]
        assert answers[0].json == answers[1].json
        assert sorted(str(answer.header("Idempotency-Replayed")) for answer in answers) == ["None", "true"]
        assert names(session.log()) == ["begin", "change"]


def test_two_equal_creations_at_once_with_one_key_make_one_session(pinpad):
    for index in range(20):
        content = request_bytes(
            pinpad, "POST", "/v1/sessions", {"length": 4}, headers={"Idempotency-Key": f"twice-{index}"}, close=True)
        answers = salvo(pinpad, [content] * 2)
        assert [answer.status for answer in answers] == [201, 201]
        assert answers[0].json == answers[1].json


def test_of_inserts_at_once_into_the_last_cell_one_gets_in(pinpad):
    session = create(pinpad, length=2)
    session.insert("1")
    answers = salvo(pinpad, [session.bytes("POST", "/insert", {"text": "2"}, session.entry)] * 24)
    assert sorted(answer.status for answer in answers) == [200] + [409] * 23
    assert names(session.log()) == ["begin", "change", "change", "complete"]


def test_accept_and_reject_at_once_give_one_verdict(pinpad):
    for _ in range(20):
        session = create(pinpad, length=2)
        session.insert("12")
        session.hold()
        answers = salvo(pinpad, [
            session.bytes("POST", action, token=session.owner) for action in ("/accept", "/reject")])
        accepted, rejected = (answer.status for answer in answers)
        assert (accepted, rejected) in ((200, 410), (409, 200)), answers
        assert session.state()["status"] == ("accepted" if accepted == 200 else "open")


def test_six_digits_over_six_connections_at_once_each_with_at_end_as_the_right_pin(pinpad):
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    connections = [connect(pinpad) for _ in range(6)]
    try:
        for shuffle in range(1000):
            pin = digits(6, chance.random())
            session = create(pinpad, length=6)
            left = list(enumerate(pin))
            while left:
                chance.shuffle(left)
                for at, digit in left:
                    connections[at].sendall(session.bytes(
                        "POST", "/insert", {"text": digit, "at": at}, session.entry, close=False))
                refused = []
                for at, digit in left:
                    answer = receive(connections[at])
                    if answer.status != 200:
                        problem(answer, "out-of-position")
                        refused.append((at, digit))
                assert len(refused) < len(left), "nobody gets on"
                left = refused
            assert session.redeem().json["text"] == pin, shuffle
    finally:
        for connection in connections:
            connection.close()


def test_a_pin_is_right_when_half_the_keypads_presses_are_sent_twice(pinpad):
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(50):
        pin = digits(6, chance.random())
        session = create(pinpad, length=6)
        for at, digit in enumerate(pin):
            content = session.bytes(
                "POST", "/insert", {"text": digit, "at": at}, session.entry, {"Idempotency-Key": f"press-{at}"})
            answers = salvo(pinpad, [content] * chance.choice([1, 2]))
            assert {answer.status for answer in answers} == {200}
        assert session.redeem().json["text"] == pin
