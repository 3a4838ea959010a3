"""A sentinel replaces the Redis that two nodes use, while people type."""

import random

import pytest

from client import request
from redis import until
from redis_sentinel import Sentinel
from redis_support import PATIENCE, SEED
from redis_typing import LOGGING, Typist, Watcher, check_times


@pytest.fixture
def sentinel():
    servers = Sentinel(PATIENCE)
    yield servers
    servers.stop()


def role(redis):
    try:
        return redis.command("ROLE")[0]
    except (OSError, EOFError):
        # The sentinel closes all connections of one whose role it changes.
        return None


@pytest.mark.parametrize("end", ["crashes", "hangs"])
def test_who_types_while_the_master_is_replaced_does_not_wait_and_gets_no_wrong_pin(
        start_pinpad, sentinel, end):
    print(f"PINPAD_SEED={SEED}")
    chance = random.Random(SEED)
    nodes = [start_pinpad(env={**sentinel.environment, **LOGGING}) for _ in range(2)]
    codes = ["".join(chance.choice("0123456789") for _ in range(6)) for _ in range(4)]
    typists = [Typist(nodes, code, index) for index, code in enumerate(codes)]
    # At the same node and at the other one.
    watchers = [Watcher(typist.session, node) for typist in typists for node in nodes]
    for typist in typists:
        typist.wait_for_codes(3)
    if end == "crashes":
        sentinel.master.kill()
    else:
        sentinel.master.hang()
    until(lambda: role(sentinel.replica) == b"master")
    for typist in typists:
        typist.wait_for_codes(3)
    # The old one comes back as a master that knows less; nobody may type there, until it is the new one's replica.
    if end == "crashes":
        sentinel.master.start()
    else:
        sentinel.master.go_on()
    until(lambda: role(sentinel.master) == b"slave")
    for typist in typists:
        typist.wait_for_codes(3)
    for typist in typists:
        typist.stop()
    for typist in typists:
        # Else nothing was tried.
        assert typist.unavailable > 0
        # What the replica had not got yet was acknowledged and is lost: the next press is told so, and only that one.
        assert len(typist.surprises) <= 1, typist.surprises
        assert typist.session.cancel().status == 204
    for watcher in watchers:
        watcher.wait()
        assert watcher.gaps <= 1
        assert watcher.seen > 6 * 6
    for node in nodes:
        assert request(node, "GET", "/readyz").status == 200
        check_times(node)
