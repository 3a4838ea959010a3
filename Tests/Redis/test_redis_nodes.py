"""Two nodes that share a Redis are one service."""

import random
import re
import threading

from client import (
    EventStream, Waiting, at_once, connect, create, names, problem, receive, request, request_bytes)
from redis_proxy import SlowWay
from redis_support import at, number


def test_a_session_made_on_one_node_is_typed_on_the_other_and_redeemed_on_the_first(nodes):
    session = create(nodes[0])
    other = at(session, nodes[1])
    assert other.insert("123").json["count"] == 3
    assert session.insert("45").json["count"] == 5
    assert other.delete_backward().json["count"] == 4
    assert session.insert("99").json["count"] == 6
    assert other.redeem().json == {"text": "123499", "completion": 1}
    problem(session.redeem(), "closed")


def test_a_token_is_right_on_both_nodes_and_a_wrong_one_on_none(nodes):
    session = create(nodes[0])
    for node in nodes:
        assert at(session, node).state(session.owner)["count"] == 0
        problem(at(session, node).get("pinent_" + "A" * 43), "unauthorized")
        problem(at(session, node).redeem(token=session.entry), "forbidden")


def test_what_was_typed_on_one_node_is_watched_on_the_other_in_order_without_a_gap_or_a_double(nodes):
    edits = number("PINPAD_REDIS_EDITS", 3000)
    session = create(nodes[0], length=32, timeouts={"total": 86400})
    seen = []
    with at(session, nodes[1]).events(last=0) as stream:
        def watch():
            while len(seen) < 2 * edits + 1:
                event = stream.next()
                if event is None:
                    return
                # Else it keeps all that has come, and each event takes longer than the one before.
                stream.raw = b""
                seen.append((int(event.id), event.event, event.data["count"], event.data["revision"]))
        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        with connect(nodes[0]) as keypad:
            for number_of_edit in range(edits):
                # A digit, then it is deleted again: `change`, and `change` and `delete`, in turn.
                if number_of_edit % 2 == 0:
                    content = session.bytes("POST", "/insert", {"text": "7"}, session.entry, close=False)
                else:
                    content = session.bytes("POST", "/set", {"text": "12"}, session.entry, close=False)
                keypad.sendall(content)
                answer = receive(keypad)
                assert answer.status == 200, answer
                # A watcher that is more than 256 events behind would be cut off, as on one node.
                while answer.json["eventId"] - len(seen) > 200 and watcher.is_alive():
                    watcher.join(0.001)
            newest = answer.json["eventId"]
        while len(seen) < newest and watcher.is_alive():
            watcher.join(0.01)
    assert [id for id, *_ in seen] == list(range(1, newest + 1))
    revisions = [revision for *_, revision in seen]
    assert all(b in (a, a + 1) for a, b in zip(revisions, revisions[1:]))
    assert [event for _, event, *_ in seen[:4]] == ["begin", "change", "change", "change"]
    assert at(session, nodes[1]).log(newest - 1)[0]["id"] == newest


def test_eight_writers_on_two_nodes_make_one_order_that_all_who_watch_on_both_see(nodes):
    session = create(nodes[0], length=8)
    streams = [at(session, node).events(last=0) for node in nodes for _ in range(2)]
    each = 25

    def write(writer):
        mine = at(session, nodes[writer % 2])
        for edit in range(each):
            answer = mine.insert(str(writer)) if edit % 2 == 0 else mine.delete_backward()
            assert answer.status in (200, 409), answer
        return answer

    at_once(8, write)
    session.cancel()
    logs = [[(event.id, event.event, event.text) for event in stream.rest()] for stream in streams]
    for stream in streams:
        stream.close()
    assert [int(id) for id, *_ in logs[0]] == list(range(1, len(logs[0]) + 1))
    assert logs[0][-1][1] == "close"
    for log in logs[1:]:
        assert log == logs[0]


def test_six_digits_sent_to_both_nodes_at_once_each_to_its_place_end_in_order(nodes):
    for _ in range(5):
        session = create(nodes[0])

        def press(place):
            while True:
                answer = at(session, nodes[place % 2]).insert(str(place + 4), at=place)
                if answer.status == 200:
                    return
                assert answer.status == 409, answer

        at_once(6, press)
        assert session.redeem().json["text"] == "456789"


def test_a_copy_that_is_old_refuses_nothing_and_allows_nothing(nodes):
    session = create(nodes[0], length=2)
    other = at(session, nodes[1])
    session.insert("12")
    problem(other.insert("3"), "full")
    session.clear()
    # The other node still has the full one.
    assert other.insert("34").status == 200
    problem(session.insert("5"), "full")
    assert session.state()["revision"] == other.state()["revision"]
    other.cancel()
    problem(session.insert("5"), "closed")
    assert session.state()["status"] == "cancelled"


def test_a_key_used_on_one_node_is_a_replay_on_the_other(nodes):
    session = create(nodes[0])
    first = session.insert("1", headers={"Idempotency-Key": "press-1"})
    for node in nodes:
        again = at(session, node).insert("1", headers={"Idempotency-Key": "press-1"})
        assert again.header("Idempotency-Replayed") == "true"
        assert again.json == first.json
        problem(at(session, node).insert("2", headers={"Idempotency-Key": "press-1"}), "idempotency-key-reused")
    assert session.state()["count"] == 1


def test_a_creation_with_a_key_makes_one_session_on_both_nodes_however_it_is_sent(nodes):
    headers = {"Idempotency-Key": "create-1"}
    answers = at_once(8, lambda index: request(nodes[index % 2], "POST", "/v1/sessions", {"length": 5}, None, headers))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert sum(answer.header("Idempotency-Replayed") is None for answer in answers) == 1
    problem(request(nodes[1], "POST", "/v1/sessions", {"length": 6}, None, headers), "idempotency-key-reused")


def test_a_stream_resumes_on_the_other_node_by_the_last_id(nodes):
    session = create(nodes[0])
    session.insert("12")
    with session.events(last=0) as stream:
        assert names(stream.take(2)) == ["begin", "change"]
    session.insert("3")
    session.delete_backward()
    with at(session, nodes[1]).events(last=2) as stream:
        assert [(event.id, event.event) for event in stream.take(3)] == [
            ("3", "change"), ("4", "change"), ("5", "delete")]
        session.insert("4")
        assert stream.next().id == "6"


def test_several_sessions_on_one_stream_are_told_of_whichever_node_types(nodes):
    sessions = [create(nodes[index % 2]) for index in range(3)]
    ids = ",".join(session.id for session in sessions)
    with EventStream(nodes[0], f"/v1/events?sessions={ids}") as stream:
        assert names(stream.take(3)) == ["state"] * 3
        for index, session in enumerate(sessions):
            at(session, nodes[(index + 1) % 2]).insert("1")
            told = stream.take(2)
            assert names(told) == ["begin", "change"]
            assert told[0].data["id"] == session.id
            last = told[1].id
    at(sessions[0], nodes[0]).insert("2")
    with EventStream(nodes[1], f"/v1/events?sessions={ids}", headers={"Last-Event-ID": last}) as stream:
        event = stream.next()
        assert (event.event, event.data["count"]) == ("change", 2)


def test_a_redeem_waits_on_one_node_for_what_is_typed_on_the_other(nodes):
    session = create(nodes[0], length=4)
    waiting = at(session, nodes[1]).waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    session.insert("1234")
    assert waiting.answer().json == {"text": "1234", "completion": 1}
    assert session.state()["held"]
    assert session.reject("No").json["error"] == "No"
    assert at(session, nodes[1]).state()["error"] == "No"


def test_a_poll_waits_on_one_node_for_what_is_typed_on_the_other(nodes):
    session = create(nodes[0], length=4)
    waiting = Waiting(nodes[1], "GET", f"{session.path}/events?after=0&wait=50")
    session.insert("1")
    assert names(waiting.answer().json["events"]) == ["begin", "change"]


def test_timers_fire_once_however_many_nodes_watch_and_a_session_nobody_watches_has_expired_all_the_same(nodes):
    session = create(nodes[0], timeouts={"total": 2, "interDigit": 1})
    streams = [at(session, node).events(last=0) for node in nodes]
    session.insert("1")
    for stream in streams:
        events = stream.rest()
        assert names(events) == ["begin", "change", "end", "close"]
        assert events[2].data["reason"] == "timeout"
        stream.close()
    quiet = create(nodes[0], timeouts={"total": 1})
    quiet.insert("123")
    threading.Event().wait(1.1)
    assert at(quiet, nodes[1]).state()["status"] == "expired"
    problem(quiet.redeem(), "closed")


def test_options_are_changed_on_one_node_and_hold_on_the_other(nodes):
    session = create(nodes[0])
    other = at(session, nodes[1])
    assert other.state(session.owner)["metadata"] == {}
    patched = session.patch({"length": 4, "style": {"name": "strip"}, "metadata": {"order": "ü7"}, "label": "Code"})
    assert patched.status == 200, patched
    seen = other.state(session.owner)
    assert seen["metadata"] == {"order": "ü7"}
    assert seen["config"] == patched.json["config"]
    assert other.picture().text.count("Code") > 0
    configured = [event for event in other.log() if event["event"] == "configure"]
    assert configured[0]["data"]["config"] == patched.json["config"]


def test_an_edit_in_the_steady_state_is_one_call_of_redis(nodes, redis):
    session = create(nodes[0], length=32)
    session.insert("1")
    before = redis.calls()
    for _ in range(100):
        session.insert("1", headers={"Idempotency-Key": f"k{random.random()}"})
        session.delete_backward()
        session.set("12")
    after = redis.calls()
    assert after["evalsha"] - before["evalsha"] == 300
    # What a node does of its own accord is no edit: pings, and looking at sessions that somebody watches.
    outside = {"evalsha", "ping", "info", "subscribe", "unsubscribe", "role", "time"}
    # Now and then they compare the names of their keys.
    outside |= {"zadd", "zrange", "zremrangebyscore", "pexpire"}
    inside = {"getrange", "get", "set", "xadd", "pexpireat", "rpush", "ltrim", "publish", "del"}
    called = {name for name in after if after[name] != before.get(name, 0)}
    assert called <= outside | inside, called


def test_64_sessions_on_one_stream_are_looked_at_in_one_round_trip_and_not_two_each(start_pinpad, nodes, redis):
    way = SlowWay(redis)
    node = start_pinpad(env={**redis.environment, "PINPAD_STORE": way.store})
    sessions = [create(nodes[0]) for _ in range(64)]
    path = "/v1/events?sessions=" + ",".join(session.id for session in sessions)
    for session in sessions[::2]:
        # It has copies of these already, which get old, and of the others none.
        at(session, node).state()
    for session in sessions:
        session.cancel()
    with EventStream(nodes[0], path) as stream:
        last = stream.rest()[-1].id
    before = way.trips
    # All have been told, so there is no stream that would look at them again.
    assert request(node, "GET", path, headers={"Last-Event-ID": last}).status == 204
    # Besides, its connections are tried now and then.
    assert way.trips - before < 16
    way.close()


def test_a_wait_to_redeem_asks_redis_nothing_for_each_digit(nodes, redis):
    def asked(session, digits):
        before = scripts(redis)
        for digit in digits:
            assert session.insert(digit).status == 200
        return scripts(redis) - before

    alone = asked(create(nodes[0], length=32), "1" * 31)
    # A watched session is looked at besides, now more, now less often; a redeem for each digit would always be seen.
    for _ in range(20):
        session = create(nodes[0], length=32)
        wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
        while "\npinpad_streams 1\n" not in request(nodes[0], "GET", "/metrics").text:
            pass
        with_wait = asked(session, "1" * 31)
        session.insert("2")
        assert wait.answer().json == {"text": "1" * 31 + "2", "completion": 1}
        while "\npinpad_streams 0\n" not in request(nodes[0], "GET", "/metrics").text:
            pass
        if with_wait < alone + 25:
            return
    raise AssertionError(f"{with_wait} scripts with a wait, {alone} without")


def scripts(redis):
    """How many scripts it has run."""
    return sum(int(count) for count in re.findall(r"cmdstat_(?:eval|evalsha|fcall)\w*:calls=(\d+)", redis.command(
        "INFO", "commandstats").decode()))
