"""api.md, Events: `ping`, after 15 s without an event. These tests wait for it together."""

import time

from client import EventStream, create


def test_a_ping_comes_after_15_seconds_without_an_event(pinpad):
    first, second = create(pinpad), create(pinpad)
    first.insert("1234")
    first.end()
    opened = time.monotonic()
    with first.events() as stream, EventStream(pinpad, f"/v1/events?sessions={first.id},{second.id}") as both:
        assert stream.next(pings=True).event == "state"
        states = both.take(2)
        assert {event.event for event in states} == {"state"}
        ping = stream.next(pings=True)
        assert time.monotonic() - opened >= 14.9
        assert ping.raw == 'event: ping\ndata: {"eventId":3}'
        ping = both.next(pings=True)
        assert ping.event == "ping" and ping.id is None
        # What it says resumes the stream as the last event's id does.
        assert list(ping.data) == ["eventId"]
        cursor = str(ping.data["eventId"])
        assert cursor == states[-1].id
        second.begin()
        assert both.next().data["id"] == second.id
    with EventStream(pinpad, f"/v1/events?sessions={first.id},{second.id}", headers={"Last-Event-ID": cursor}) as again:
        event = again.next()
        assert (event.event, event.data["id"]) == ("begin", second.id)
