"""`watch.grid` with two nodes: who asks one does not see each digit that is typed at the other."""

import time

from servers import running
from client import create
from redis_support import at

GRID = 400


def step():
    """Between which two points of the nodes' clock we are."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1000 // GRID)


def test_who_asks_the_other_node_sees_a_session_once_between_two_points(pinpad_binary, redis):
    config = {"watch": {"grid": GRID}}
    with (
        running(pinpad_binary, env=redis.environment, config=config) as typed,
        running(pinpad_binary, env=redis.environment, config=config) as asked,
    ):
        for _ in range(50):
            session = create(typed)
            watched = at(session, asked)
            before = step()
            seen = []
            for digit in "123":
                seen.append((watched.state()["count"], watched.poll(0).json["eventId"]))
                assert session.insert(digit).status == 200
            seen.append((watched.state()["count"], watched.poll(0).json["eventId"]))
            if step() == before:
                break
        else:
            raise AssertionError(f"nothing gets done within {GRID} ms")
        assert seen == [(0, 0)] * 4
        # Who types sees it at once there too.
        assert watched.state(session.entry)["count"] == 3
        while watched.state()["count"] == 0:
            assert step() <= before + 1000
        assert watched.state()["count"] == 3
