"""The field in a form that is submitted by a click and by the Enter key, while requests are on their way."""

import pytest
from page import Page
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ON_ITS_WAY = "field(0).matches(':state(sending)')"
FORM = """\
(() => {
  window.submitted = [];
  window.invalid = [];
  const form = document.createElement('form');
  for (const value of ['go', 'other']) form.append(Object.assign(document.createElement('button'),
    { id: value, name: 'button', value, textContent: value }));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submitted.push([...new FormData(form, event.submitter)]);
  });
  form.addEventListener('invalid', ({ target }) => invalid.push(target.validationMessage), true);
  document.body.append(form);
  field(0).name = 'pin';
  form.prepend(field(0));
})()
"""


@pytest.fixture
def form(browser, relay, session):
    """A page whose field, with the focus in it, is in a form with two buttons."""
    page = Page(browser, relay.url, (session, session.entry))
    page.run(FORM)
    page.until("field(0).state")
    page.click()
    page.until(f"document.activeElement === field(0) && field(0).state.active && !{ON_ITS_WAY}")
    return page


def press(page, button):
    ActionChains(page.browser).move_to_element(page.browser.find_element("id", button)).click_and_hold().perform()


def release(page):
    ActionChains(page.browser).release().perform()


def test_a_click_submits_a_complete_entry_while_its_end_is_on_its_way(form, relay, session):
    form.type("534418")
    form.until_settled(6)
    relay.passes_edits.clear()
    press(form, "go")
    form.until(f"document.activeElement.id === 'go' && {ON_ITS_WAY}")
    assert form.run("[field(0).matches(':state(complete)'), field(0).validationMessage]") == [True, ""]
    release(form)
    form.until("submitted.length === 1")
    # Nothing was waited for.
    assert form.run(ON_ITS_WAY) is True
    assert form.run("[submitted, invalid]") == [[[["pin", session.id], ["button", "go"]]], []]


def test_a_click_submits_when_the_last_digit_has_arrived(form, relay, session):
    form.type("53441")
    form.until_settled(5)
    relay.passes_edits.clear()
    form.type("8")
    press(form, "other")
    release(form)
    form.until("document.activeElement.id === 'other' && input().value.length === 6")
    assert form.run("[submitted, invalid, field(0).validity.tooShort]") == [[], [], True]
    relay.passes_edits.set()
    form.until("submitted.length === 1")
    assert form.run("[submitted, invalid]") == [[[["pin", session.id], ["button", "other"]]], []]
    assert session.redeem() == "534418"


def test_enter_submits_when_the_last_digit_has_arrived(form, relay, session):
    form.type("53441")
    form.until_settled(5)
    relay.passes_edits.clear()
    form.type("8", Keys.ENTER)
    form.until("input().value.length === 6")
    assert form.run("[submitted, invalid, field(0).validity.tooShort]") == [[], [], True]
    relay.passes_edits.set()
    form.until("submitted.length === 1")
    assert form.run("[submitted, invalid]") == [[[["pin", session.id]]], []]
    assert session.redeem() == "534418"


def test_a_submission_that_waited_is_refused_for_what_is_true_then(form, relay):
    form.type("53441")
    form.until_settled(5)
    relay.passes_edits.clear()
    form.type("8", Keys.ENTER, Keys.BACKSPACE)
    relay.passes_edits.set()
    form.until("invalid.length > 0")
    assert form.run("[submitted, invalid]") == [[], ["Enter all 6 characters; 5 are in."]]


def test_a_form_that_is_checked_too_early_says_so_and_is_not_submitted(form, relay):
    form.type("53441")
    form.until_settled(5)
    relay.passes_edits.clear()
    form.type("8")
    form.until("input().value.length === 6")
    assert form.run("document.forms[0].checkValidity()") is False
    assert form.run("invalid") == ["Not ready yet. Try again in a moment."]
    relay.passes_edits.set()
    form.until("document.forms[0].checkValidity()")
    assert form.run("submitted") == []


@pytest.mark.parametrize("typed,count", [("1", 1), ("12", 2)])
def test_a_click_or_enter_on_a_short_entry_says_how_much_is_in(form, relay, typed, count):
    relay.passes_edits.clear()
    form.type(typed)
    form.until(f"input().value.length === {count}")
    form.type(Keys.ENTER)
    press(form, "go")
    release(form)
    form.until("invalid.length === 2")
    assert form.run("[submitted, invalid]") == [[], [f"Enter all 6 characters; {count} are in."] * 2]
    relay.passes_edits.set()
    form.until_settled(count)
    assert form.run("submitted") == []


def test_a_page_that_stops_a_click_has_stopped_it(form, relay):
    form.type("53441")
    form.until_settled(5)
    form.run("document.getElementById('go').addEventListener('click', (event) => event.preventDefault())")
    relay.passes_edits.clear()
    form.type("8")
    press(form, "go")
    release(form)
    form.until("document.activeElement.id === 'go'")
    relay.passes_edits.set()
    form.until_settled(6)
    form.until(f"seen.some(([name]) => name === 'end') && !{ON_ITS_WAY}")
    assert form.run("[submitted, invalid]") == [[], []]


def test_a_code_that_is_filled_in_and_sent_before_the_session_is_known_is_submitted(form, session):
    form.run("(field(0).src = field(0).src + '?', input().value = '534418',"
             " input().dispatchEvent(new Event('input', { bubbles: true, composed: true })),"
             " input().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })))")
    form.until("submitted.length === 1")
    assert form.run("[submitted, invalid]") == [[[["pin", session.id]]], []]
    assert session.redeem() == "534418"


def test_without_a_connection_a_submission_is_refused_and_not_made_later(form, relay):
    form.type("53441")
    form.until_settled(5)
    relay.is_down = True
    relay.cut()
    form.type("8", Keys.ENTER)
    form.until("invalid.length > 0")
    relay.is_down = False
    form.until_settled(6)
    form.until("!field(0).matches(':state(lost)') && document.forms[0].checkValidity()")
    assert form.run("[submitted, invalid]") == [[], ["No connection."]]
