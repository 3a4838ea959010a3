"""`watch.grid` with two nodes: who asks one does not see each digit that is typed at the other."""

import time

from servers import running
from client import create, names
from figures import until_figure
from redis_support import at

GRID = 400


def step():
    """Between which two points of Redis's clock, which is the nodes', we are."""
    return int(time.time() * 1000 // GRID)


def is_near_a_point():
    """Nodes know Redis's clock to some milliseconds, and a point may be over for them a little sooner or later."""
    return not 50 <= time.time() * 1000 % GRID <= GRID - 50


def test_who_asks_the_other_node_sees_a_session_once_between_two_points(pinpad_binary, redis):
    config = {"watch": {"grid": GRID}}
    with (
        running(pinpad_binary, env=redis.environment, config=config) as typed,
        running(pinpad_binary, env=redis.environment, config=config) as asked,
    ):
        for _ in range(50):
            session = create(typed)
            watched = at(session, asked)
            while is_near_a_point():
                pass
            before = step()
            seen = []
            for digit in "123":
                seen.append((watched.state()["count"], watched.poll(0).json["eventId"]))
                assert session.insert(digit).status == 200
            seen.append((watched.state()["count"], watched.poll(0).json["eventId"]))
            if step() == before and not is_near_a_point():
                break
        else:
            raise AssertionError(f"nothing gets done within {GRID} ms")
        assert seen == [(0, 0)] * 4
        # Who types sees it at once there too.
        assert watched.state(session.entry)["count"] == 3
        while watched.state()["count"] == 0:
            assert step() <= before + 1000
        assert watched.state()["count"] == 3


def test_all_nodes_show_what_it_was_at_the_last_point_whenever_they_come_to_know_of_it(pinpad_binary, redis):
    config = {"watch": {"grid": GRID}}
    with (
        running(pinpad_binary, env=redis.environment, config=config) as typed,
        running(pinpad_binary, env=redis.environment, config=config) as asked,
        running(pinpad_binary, env=redis.environment, config=config) as late,
    ):
        for _ in range(50):
            session = create(typed)
            before = step()
            while step() == before or is_near_a_point():
                pass
            before = step()
            assert session.insert("1").status == 200
            first = at(session, asked).get(), at(session, asked).picture(), at(session, asked).poll(0)
            assert session.patch({"label": "Code", "length": 3}).status == 200
            second = at(session, late).get(), at(session, late).picture(), at(session, late).poll(0)
            own = session.get(), session.picture(), session.poll(0)
            if step() == before and not is_near_a_point():
                break
        else:
            raise AssertionError(f"nothing gets done within {GRID} ms")
        for answers in (first, second):
            assert [answer.body for answer in answers] == [answer.body for answer in own]
            assert [answer.header("ETag") for answer in answers] == [answer.header("ETag") for answer in own]
        assert own[0].json["count"] == 0 and own[0].json["config"]["label"] == "PIN"
        while (state := at(session, late).get().json)["count"] == 0:
            pass
        assert state["length"] == 3 and state["config"]["label"] == "Code"
        assert names(at(session, late).poll(0).json["events"]) == ["begin", "change", "configure"]


def test_a_node_that_stops_has_shown_no_more_than_the_other_knows_of(pinpad_binary, redis):
    config = {"watch": {"grid": 3000}}
    with running(pinpad_binary, env=redis.environment, config=config) as other:
        with running(pinpad_binary, env=redis.environment, config=config) as node:
            session = create(node)
            watched = at(session, other)
            before = watched.get().json
            streams = [session.events(last=0), session.events(last=0, token=session.entry)]
            poll = session.waiting("GET", "/events?after=0&wait=50", headers={"Accept": "application/json"})
            until_figure(node, 3, "pinpad_streams")
            session.insert("12")
            assert names(streams[1].take(2)) == ["begin", "change"]
        shown = [names(streams[0].rest()), poll.answer().json["events"]]
        # Else a point has come.
        if watched.get().json == before:
            assert shown == [[], []]
        # It goes on there without a gap.
        with watched.events(last=len(shown[0])) as stream:
            watched.insert("3")
            expected = ["begin", "change", "change"][len(shown[0]):]
            assert names(stream.take(len(expected))) == expected
