"""Typing, deleting, pasting and filling in, in a real browser."""

import pytest
from page import Page, Session
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def test_typed_digits_arrive_in_order_for_one_request_each(page, session):
    for count, digit in enumerate("534418", 1):
        page.type(digit)
        page.until_settled(count)
    assert page.edits() == ["insert"] * 6
    page.until("seen.some(([name]) => name === 'complete')")
    assert page.seen() == ["begin"] + ["change"] * 6 + ["complete"]
    assert session.redeem() == "534418"


def test_typing_at_speed_loses_nothing_and_doubles_nothing(page, session):
    page.type("212121")
    page.until_settled(6)
    assert session.redeem() == "212121"


def test_the_same_two_digits_three_times_within_60_ms_are_six(page, session):
    # As an input method or a reader of cards may give them: two in one event.
    page.run("(() => { for (const part of ['21', '21', '21']) { input().value += part;"
             " input().dispatchEvent(new InputEvent('input', { data: part, inputType: 'insertText', bubbles: true })); } })()")
    page.until_settled(6)
    assert session.redeem() == "212121"


def test_holding_backspace_deletes_all_and_then_nothing(page, session):
    page.type("1234")
    page.until_settled(4)
    page.press("Backspace", 8, times=8)
    page.until_settled(0)
    assert page.edits().count("delete-backward") == 4
    page.type("56")
    page.until_settled(2)
    assert session.state()["count"] == 2


def test_the_input_asks_for_the_right_keyboard_and_for_codes(page):
    assert page.run("['type', 'inputmode', 'autocomplete', 'translate', 'spellcheck', 'autocapitalize']"
                    ".map((name) => input().getAttribute(name))") == [
                        "text", "numeric", "one-time-code", "no", "false", "off"]
    assert page.run("field(0).shadowRoot.querySelectorAll('input, button, [tabindex]').length") == 1


def test_a_character_that_cannot_be_entered_is_said(page, session):
    page.type("1")
    page.until_settled(1)
    page.type("x")
    page.until("field(0).shadowRoot.getElementById('message').textContent === 'Digits only.'")
    page.type("2")
    page.until_settled(2)
    assert page.run("field(0).shadowRoot.getElementById('message').textContent") == ""


def test_with_a_caret_too_a_digit_costs_one_request(browser, pinpad):
    session = Session(pinpad, style={"name": "rounded", "caret": True})
    page = Page(browser, pinpad.url, (session, session.entry))
    page.click()
    page.until("field(0).state.active")
    page.until("performance.getEntriesByType('resource').filter(({ name }) => name.includes('active=true')).length === 6")
    # Its answer may come after the event.
    page.until("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/begin'))")
    page.run("performance.clearResourceTimings()")
    for count, digit in enumerate("534418", 1):
        page.type(digit)
        page.until_settled(count)
    page.until("performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/insert')).length === 6")
    assert page.run("performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))") == ["insert"] * 6


def test_a_typed_cell_fills_at_once(page, pinpad, session):
    page.until("performance.getEntriesByType('resource').filter(({ name }) => name.includes('count=')).length === 7")
    # No answer can have come within the same task.
    shown = page.run("(input().value = '7', input().dispatchEvent(new Event('input')), [input().value, field(0).state.count])")
    assert shown == ["•", 0]
    page.until_settled(1)


def test_backspace_deletes_the_last_character(page, session):
    page.type("1234", Keys.BACKSPACE, Keys.BACKSPACE, "56")
    page.until_settled(4)
    session.insert("78")
    assert session.redeem() == "125678"


def test_backspace_in_an_empty_field_is_an_event_and_no_change(page, session):
    page.type(Keys.BACKSPACE)
    page.until("seen.some(([name]) => name === 'delete')")
    assert session.state()["count"] == 0


def test_selecting_all_and_deleting_clears(page, session):
    page.type("1234")
    page.until_settled(4)
    ActionChains(page.browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    page.type(Keys.BACKSPACE)
    page.until_settled(0)
    assert page.edits()[-1] == "clear"


@pytest.mark.parametrize("text", [" 123-456", "１２３４５６", "١٢٣٤٥٦", "123 456", "1234567890"])
def test_a_pasted_code_is_the_code(page, session, text):
    page.paste(text)
    page.until_settled(6)
    assert session.redeem() == "123456"
    assert page.edits() == ["insert"]


def test_pasted_words_are_refused(page, session):
    page.paste("code 123456")
    page.type("7")
    page.until_settled(1)
    assert session.state()["count"] == 1


def test_with_reject_a_paste_that_is_too_long_is_refused(browser, pinpad):
    session = Session(pinpad, overflow="reject")
    page = Page(browser, pinpad.url, (session, session.entry))
    page.click()
    page.paste("1234567")
    page.type("9")
    page.until_settled(1)
    assert page.edits() == ["insert"]


def test_an_autofilled_code_is_in_with_one_request(page, session):
    page.autofill("534418")
    page.until_settled(6)
    assert page.edits() == ["insert"]
    assert session.redeem() == "534418"


@pytest.mark.parametrize("apart", [0, 50])
def test_an_autofill_delivered_twice_is_in_once(page, session, apart):
    page.autofill("534418", times=2, apart=apart)
    page.until_settled(6)
    assert session.state()["completion"] == 1
    assert session.redeem() == "534418"


def test_an_autofill_replaces_what_was_typed(page, session):
    page.type("12")
    page.until_settled(2)
    page.autofill("534418")
    page.until_settled(6)
    assert session.redeem() == "534418"


def test_an_input_method_composes_undisturbed(page, session):
    page.type("1")
    page.until_settled(1)
    page.devtools("Input.imeSetComposition", text="２３", selectionStart=2, selectionEnd=2)
    page.until("input().value.endsWith('２３')")
    assert page.edits() == ["insert"]
    page.devtools("Input.insertText", text="２３")
    page.until_settled(3)
    session.insert("456")
    assert session.redeem() == "123456"


@pytest.mark.parametrize("x", [-140, 0, 140])
def test_a_click_on_any_cell_types_at_the_end(page, session, x):
    page.type("12")
    page.until_settled(2)
    ActionChains(page.browser).move_to_element_with_offset(
        page.browser.find_element("id", "field0"), x, 0).click().perform()
    page.type(Keys.BACKSPACE, "34567")
    page.until_settled(6)
    assert session.redeem() == "134567"


def test_letters_are_typed_into_an_alphanumeric_entry(browser, pinpad):
    session = Session(pinpad, alphabet="alphanumeric", length=4)
    page = Page(browser, pinpad.url, (session, session.entry))
    page.click()
    page.type("a7B9")
    page.until_settled(4)
    assert page.run("[input().inputMode, input().autocapitalize]") == ["text", "characters"]
    assert session.redeem() == "A7B9"
