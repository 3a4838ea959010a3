"""Two nodes over a cluster of three, of which slots move while people type into their sessions."""

import random

import pytest

from client import EventStream, create, names, problem, request
from redis import until
from redis_cluster import Cluster
from redis_support import PATIENCE, SEED, at, number
from redis_typing import LOGGING, Typist, Watcher, check_times


@pytest.fixture(scope="module")
def cluster():
    servers = Cluster(PATIENCE)
    yield servers
    servers.stop()


@pytest.fixture
def nodes(start_pinpad, cluster):
    return [start_pinpad(env={**cluster.environment, **LOGGING}) for _ in range(2)]


def test_a_user_who_may_do_what_the_readme_says_is_enough(start_pinpad, cluster):
    rules = (
        "+@read", "+@write", "+@scripting", "+@pubsub", "+ping", "+info", "+role", "+time", "+cluster|slots", "+asking")
    for server in cluster.servers:
        server.command("ACL", "SETUSER", "keypad", "reset", "on", ">pass", "~pinpad:*", "&pinpad:*", *rules)
    store = cluster.environment["PINPAD_STORE"].replace("://", "://keypad:pass@")
    node = start_pinpad(env={**cluster.environment, "PINPAD_STORE": store})
    assert request(node, "GET", "/readyz").status == 200
    # Of all three servers.
    for _ in range(12):
        session = create(node, length=4)
        with session.events(last=0) as stream:
            assert session.insert("1234").status == 200
            assert names(stream.take(3)) == ["begin", "change", "complete"]
            # While its slot moves.
            cluster.move(cluster.slot(session))
            assert session.redeem().json["text"] == "1234"
            assert names(stream.rest()) == ["end", "close"]
    assert '"warning"' not in node.stderr


def cancel(session):
    """Also while the cluster's servers do not agree yet on who has the slot."""
    answers = []
    until(lambda: answers.append(session.cancel().status) or answers[-1] != 503)
    # One that was answered 503 may have been made.
    assert answers[-1] == 204 or (answers[-1] == 410 and len(answers) > 1), answers


def test_who_types_while_slots_are_moved_loses_nothing_and_does_not_wait(nodes, cluster):
    print(f"PINPAD_SEED={SEED}")
    chance = random.Random(SEED)
    codes = ["".join(chance.choice("0123456789") for _ in range(6)) for _ in range(4)]
    typists = [Typist(nodes, code, index) for index, code in enumerate(codes)]
    # At the same node and at the other one.
    watchers = [Watcher(typist.session, node) for typist in typists for node in nodes]
    slots = [cluster.slot(typist.session) for typist in typists]
    for _ in range(number("PINPAD_REDIS_MOVES", 3)):
        for typist, slot in zip(typists, slots):
            before = cluster.holder(slot)
            # A record, events, and mostly a text.
            assert cluster.move(slot) >= 2
            assert cluster.holder(slot) is not before
            typist.wait_for_codes(1)
    for typist in typists:
        typist.stop()
        assert typist.surprises == []
        cancel(typist.session)
    for watcher in watchers:
        watcher.wait()
        assert watcher.gaps == 0
        assert watcher.seen > 3 * 6
    for node in nodes:
        until(lambda: request(node, "GET", "/readyz").status == 200)
        check_times(node)


def test_sessions_of_all_servers_are_made_typed_watched_and_redeemed(nodes, cluster):
    used = set()
    while len(used) < 3:
        session = create(nodes[0], length=4)
        used.add(cluster.holder(cluster.slot(session)).port)
        with at(session, nodes[1]).events(last=0) as stream:
            session.insert("12")
            at(session, nodes[1]).insert("34")
            assert session.redeem().json == {"text": "1234", "completion": 1}
            assert names(stream.rest()) == ["begin", "change", "change", "complete", "end", "close"]


def test_64_sessions_of_all_servers_are_told_of_on_one_stream_also_after_slots_have_moved(start_pinpad, cluster):
    patient = {**cluster.environment, "PINPAD_REDIS_PATIENCE": "10000"}
    nodes = [start_pinpad(env=patient) for _ in range(2)]
    sessions = [create(nodes[0], length=4) for _ in range(64)]
    path = "/v1/events?sessions=" + ",".join(session.id for session in sessions)
    for node, events in zip(nodes, (["begin", "change"], ["change"])):
        with EventStream(node, path) as stream:
            assert names(stream.take(64)) == ["state"] * 64
            for session in sessions[:4]:
                # What the node knows of this slot is old then.
                cluster.move(cluster.slot(session))
            with EventStream(node, path) as other:
                assert names(other.take(64)) == ["state"] * 64
            for session in sessions[:8]:
                assert session.insert("1").status == 200
                told = stream.take(len(events))
                assert names(told) == events
                assert told[0].data["id"] == session.id


def test_while_the_cluster_is_down_a_node_is_not_ready_and_all_is_503_and_then_all_goes_on(nodes, cluster):
    session = create(nodes[0], length=4)
    session.insert("1")
    # Nobody has one of the slots: so the cluster is down as a whole.
    server = cluster.servers[0]
    slot = next(slot for slot in range(16384) if cluster.holder(slot) is server and slot != cluster.slot(session))
    for other in cluster.servers:
        other.command("CLUSTER", "DELSLOTS", slot)
    for node in nodes:
        until(lambda: request(node, "GET", "/readyz").status == 503)
        answer = at(session, node).insert("2")
        problem(answer, "unavailable")
    server.command("CLUSTER", "ADDSLOTS", slot)
    for node in nodes:
        until(lambda: request(node, "GET", "/readyz").status == 200)
    until(lambda: session.insert("34", headers={"Idempotency-Key": "again"}).status == 200)
    assert session.state()["count"] == 3
