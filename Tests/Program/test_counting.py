"""What /metrics says of streams and waits: the status that they really had, and once."""

from client import UNSENT, create, request
from figures import samples, until_figure


def statuses(pinpad, route):
    """How many requests of a route had which status."""
    return {
        labels["status"]: value for name, labels, value in samples(pinpad)
        if name == "pinpad_http_requests_total" and labels["route"] == route}


EVENTS, REDEEM = "/v1/sessions/{id}/events", "/v1/sessions/{id}/redeem"


def test_a_stream_counts_when_it_is_opened_and_a_refused_one_as_what_it_got(start_pinpad):
    pinpad = start_pinpad(config={"streams": {"maximum": 1}})
    session = create(pinpad)
    stream = session.events()
    stream.next()
    assert statuses(pinpad, EVENTS) == {"200": 1}
    refused = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner).answer()
    assert refused.status == 503 and int(refused.header("Retry-After")) > 0
    assert statuses(pinpad, REDEEM) == {"503": 1}
    stream.close()


def test_a_wait_counts_when_it_is_answered_as_what_it_got(start_pinpad):
    pinpad = start_pinpad()
    session = create(pinpad, length=1)
    wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    until_figure(pinpad, 1, "pinpad_streams")
    assert statuses(pinpad, REDEEM) == {}
    session.cancel()
    assert wait.answer().status == 410
    assert statuses(pinpad, REDEEM) == {"410": 1}
    poll = create(pinpad).waiting("GET", "/events?after=0&wait=0.01", UNSENT)
    assert poll.answer().status == 200
    assert statuses(pinpad, EVENTS) == {"200": 1}


def test_a_wait_whose_client_leaves_is_no_answered_request(start_pinpad):
    pinpad = start_pinpad()
    session = create(pinpad)
    wait = session.waiting("POST", "/redeem", {"hold": True, "wait": 50}, session.owner)
    until_figure(pinpad, 1, "pinpad_streams")
    wait.close()
    until_figure(pinpad, 0, "pinpad_streams")
    assert statuses(pinpad, REDEEM) == {}
    head = request(pinpad, "HEAD", session.path + "/events")
    assert head.status == 200
    assert statuses(pinpad, EVENTS) == {"200": 1}
