"""The field, the keypad and the page, checked with axe and as a screen reader meets them."""

import importlib.resources

import pytest
from emulation import emulate

AXE = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(
  ({ violations, passes }) => done({
    passes: passes.map(({ id }) => id),
    violations: violations.map(({ id, help, nodes }) => [id, help, nodes.map(({ target }) => target.join(' '))]),
  }), (error) => done(String(error)));
"""
STATES = ["empty", "partly filled", "complete", "rejected", "disabled", "closed"]


def check(browser):
    """What axe finds. It has to have met the inputs, inside the fields' shadow trees."""
    browser.execute_script(AXE)
    found = browser.execute_async_script(RUN)
    assert {"label", "aria-hidden-focus"} <= set(found["passes"])
    return found["violations"]


def bring(page, session, state):
    if state == "empty":
        return
    if state == "disabled":
        page.run("field(0).disabled = true")
        return page.until("input().disabled")
    session.insert("12" if state == "partly filled" else "534418")
    page.until_settled(2 if state == "partly filled" else 6)
    if state == "rejected":
        session.redeem(hold=True)
        session.reject(message="That is not the code.")
        page.until("field(0).matches(':state(error)')")
    if state == "closed":
        session.redeem()
        page.until("field(0).state.status === 'redeemed'")


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing_in_a_field_and_its_keypad(page, session, state):
    page.run("(document.body.innerHTML = '<main><h1>Sign in</h1></main>', document.title = 'Sign in',"
             " document.documentElement.lang = 'en')")
    page.run("(window.main = document.querySelector('main'), window.made = document.createElement('pin-entry'),"
             f" made.id = 'field0', made.src = '{session.path}', made.token = '{session.entry}',"
             " window.pad = document.createElement('pin-keypad'), pad.setAttribute('for', 'field0'),"
             " main.append(made, pad))")
    page.until("field(0).state && field(0).shadowRoot.querySelector('svg') !== null")
    bring(page, session, state)
    assert check(page.browser) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_on_the_page(demonstration, scheme, width):
    emulate(demonstration.browser, scheme=scheme, width=width)
    demonstration.open()
    demonstration.type("111111")
    demonstration.until_status("Wrong code number 1.")
    assert check(demonstration.browser) == []
