"""The field on another origin's page, whose Content-Security-Policy is strict and asks for Trusted Types."""

import urllib.request

import pytest
from origin import origin
from page import Page, Session


@pytest.fixture
def elsewhere(browser, start_pinpad):
    """Makes another origin's page with a field for a session, and what the service says to that origin."""
    with origin() as other:
        def open_page(is_allowed):
            pinpad = start_pinpad(config={"cors": {"allowedOrigins": [other.url] if is_allowed else ["http://example.com"]}})
            other.service = pinpad.url
            session = Session(pinpad)
            session.server = pinpad
            other.fields = [session]
            browser.get_log("browser")
            page = Page.at(browser, other.url)
            page.until("customElements.get('pin-entry') !== undefined")
            return page, session
        yield open_page


def preflights(session, origin, method="POST"):
    request = urllib.request.Request(session.url + "/insert", method="OPTIONS", headers={
        "Origin": origin, "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return {name.lower(): value for name, value in answer.headers.items()}


def test_an_allowed_origin_types_watches_and_draws(elsewhere):
    page, session = elsewhere(is_allowed=True)
    page.until("field(0).state && filled(0) === 0 && field(0).shadowRoot.querySelector('svg') !== null")
    page.click()
    page.type("53441")
    page.until_settled(5)
    session.insert("8")
    page.until_settled(6)
    assert session.redeem() == "534418"
    page.until("field(0).state.status === 'redeemed'")
    # Nothing was against the page's policy, or refused between origins.
    assert [entry for entry in page.browser.get_log("browser") if "favicon.ico" not in entry["message"]] == []


def test_an_origin_that_is_not_allowed_learns_and_types_nothing(elsewhere):
    page, session = elsewhere(is_allowed=False)
    page.until("field(0).matches(':state(lost)')")
    page.click()
    page.type("534418")
    assert page.run("[field(0).state, field(0).insertText('1'), field(0).shadowRoot.querySelector('svg')]") == [None, False, None]
    assert (session.state()["count"], session.state()["revision"]) == (0, 0)
    assert "CORS policy" in "".join(entry["message"] for entry in page.browser.get_log("browser"))


def test_an_origin_that_is_not_allowed_is_told_so(elsewhere):
    page, session = elsewhere(is_allowed=False)
    page.until("field(0).matches(':state(refused)')")
    # In sight, and said by screen readers.
    said = "field(0).shadowRoot.querySelector('[role=status]')"
    assert page.run(f"{said}.textContent") == "Not allowed on this page."
    assert page.run(f"{said}.getBoundingClientRect().height > 0 && {said}.getBoundingClientRect().width > 0") is True
    assert page.run("[field(0).validationMessage, field(0).checkValidity()]") == [
        "Not allowed on this page.", False]
    # The page is told too, of one that comes later as well.
    page.run("document.querySelector('main').append(Object.assign(document.createElement('pin-entry'),"
             " { id: 'field1', src: field(0).src }))")
    page.until("field(1).matches(':state(refused)')")
    assert [name for name, _, target in page.run("seen") if target == "field1"] == ["lost", "refused"]


def test_a_service_that_is_away_does_not_refuse_the_page(elsewhere):
    page, session = elsewhere(is_allowed=True)
    page.until("field(0).state")
    session.server.stop()
    page.until("field(0).matches(':state(lost)')")
    page.until("field(0).shadowRoot.querySelector('[role=status]').textContent === 'No connection.'")
    assert page.run("field(0).matches(':state(refused)')") is False
    assert "refused" not in page.seen()


def test_the_preflight_of_a_key_press_is_right(elsewhere):
    page, session = elsewhere(is_allowed=True)
    allowed = preflights(session, page.run("location.origin"))
    assert allowed["access-control-allow-origin"] == page.run("location.origin")
    assert "POST" in allowed["access-control-allow-methods"]
    names = allowed["access-control-allow-headers"].lower()
    assert all(name in names for name in ("authorization", "content-type", "idempotency-key"))
    assert allowed["access-control-max-age"] == "600" and "access-control-allow-credentials" not in allowed
    assert "access-control-allow-origin" not in preflights(session, "http://127.0.0.1:1")


def test_an_allowed_origin_sends_one_request_for_each_key(elsewhere):
    page, session = elsewhere(is_allowed=True)
    page.until("field(0).state")
    page.click()
    for count, digit in enumerate("534418", 1):
        page.type(digit)
        page.until_settled(count)
    assert page.edits() == ["insert"] * 6
    assert session.redeem() == "534418"
