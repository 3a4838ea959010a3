"""What answers tell browsers about pages that have them in them, or that are opened from them."""

import pytest

from client import EventStream, create, request


def policy(answer):
    return answer.headers.get_all("Cross-Origin-Resource-Policy")


def test_what_is_read_is_for_pages_of_the_same_origin(pinpad):
    session = create(pinpad)
    answers = [
        session.get(), session.poll(0), session.poll(0, wait=0.01), request(pinpad, "HEAD", session.path),
        session.get(headers={"If-None-Match": '"0"'}), session.get(token="wrong"), request(pinpad, "GET", "/nowhere"),
        request(pinpad, "GET", "/"), request(pinpad, "GET", "/metrics"), request(pinpad, "GET", "/problems/full")]
    for answer in answers:
        assert policy(answer) == ["same-origin"], answer
    for stream in (session.events(), EventStream(pinpad, f"/v1/events?sessions={session.id},{create(pinpad).id}")):
        assert stream.headers.get_all("Cross-Origin-Resource-Policy") == ["same-origin"]
        stream.close()


def test_pictures_and_the_component_may_be_in_any_page(pinpad):
    session = create(pinpad)
    picture = session.picture()
    unchanged = session.picture(headers={"If-None-Match": picture.header("ETag")})
    assert unchanged.status == 304
    for answer in (picture, unchanged, request(pinpad, "GET", "/v1/cells.svg"), request(pinpad, "GET", "/pin-entry.js"),
                   request(pinpad, "GET", "/openapi.json")):
        assert policy(answer) == ["cross-origin"], answer


def test_what_is_changed_says_nothing_of_it(pinpad):
    session = create(pinpad)
    for answer in (session.created, session.insert("1"), session.insert("x"), session.patch({"label": "A"})):
        assert policy(answer) is None


def test_no_address_of_a_session_goes_anywhere_as_a_referrer(pinpad):
    for answer in (create(pinpad).picture(), request(pinpad, "GET", "/v1/cells.svg"), request(pinpad, "GET", "/")):
        assert answer.header("Referrer-Policy") == "no-referrer"


def directives(answer):
    """The page's policy, by directive."""
    [policy] = answer.headers.get_all("Content-Security-Policy")
    return dict(directive.strip().split(" ", 1) for directive in policy.split(";"))


def test_the_page_is_in_no_frame_unless_it_is_said_in_which(start_pinpad):
    own = directives(request(start_pinpad(), "GET", "/"))
    assert own["frame-ancestors"] == "'none'" and own["default-src"] == "'none'"
    framed = start_pinpad(env={"PINPAD_PAGE_FRAME_ANCESTORS": "self, https://kiosk.example"})
    assert directives(request(framed, "GET", "/")) == {**own, "frame-ancestors": "'self' https://kiosk.example"}


@pytest.mark.parametrize("given,expected", [
    ("default-src 'self'", {"default-src": "'self'", "frame-ancestors": "https://kiosk.example"}),
    ("default-src 'self'; frame-ancestors *", {"default-src": "'self'", "frame-ancestors": "*"})])
def test_the_pages_policy_can_be_another(start_pinpad, given, expected):
    server = start_pinpad(
        config={"page": {"contentSecurityPolicy": given, "frameAncestors": ["https://kiosk.example"]}})
    assert directives(request(server, "GET", "/")) == expected
