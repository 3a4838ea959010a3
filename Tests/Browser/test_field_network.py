"""What the field does when the way to the service is slow, cut or gone, and when others type too."""

import signal

import pytest
from page import Page, Session
from redis import Redis
from selenium.webdriver.common.keys import Keys

PICTURES = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('count=')).length"

SAID = "field(0).shadowRoot.querySelector('[role=status]').textContent"


def test_two_pages_on_one_session_stay_the_same(browser, pinpad, session):
    first = Page(browser, pinpad.url, (session, session.entry))
    browser.switch_to.new_window("tab")
    second = Page(browser, pinpad.url, (session, session.entry))
    second.click()
    second.type("12")
    first.until_settled(2)
    first.click()
    first.type("345")
    second.until_settled(5)
    session.insert("6")
    assert session.redeem() == "123456"


def test_two_fields_of_one_session_type_in_turn(browser, pinpad, session):
    page = Page(browser, pinpad.url, (session, session.entry), (session, session.entry))
    for turn, digit in enumerate("534418"):
        page.click(turn % 2)
        page.type(digit)
        page.until_settled(turn + 1, 0)
        page.until_settled(turn + 1, 1)
    assert session.redeem() == "534418"


def test_seven_fields_share_one_stream(browser, pinpad):
    sessions = [Session(pinpad) for _ in range(7)]
    page = Page(browser, pinpad.url, *((session, None) for session in sessions))
    for count, session in enumerate(sessions):
        session.insert("123456"[:count] or "-")
    for index in range(7):
        page.until_settled(index, index)
    streams = page.run("performance.getEntriesByType('resource').filter(({ name }) => /events/.test(name)).length")
    assert streams <= 1


def test_what_is_typed_without_a_network_arrives_later(browser, relay, session):
    page = Page(browser, relay.url, (session, session.entry))
    page.click()
    page.type("12")
    page.until_settled(2)
    relay.is_down = True
    relay.cut()
    page.type("345")
    page.until("input().value.length === 5")
    page.until("field(0).matches(':state(lost)')")
    assert "lost" in page.seen()
    relay.is_down = False
    page.until_settled(5)
    page.until("!field(0).matches(':state(lost)')")
    page.type("6")
    page.until_settled(6)
    page.until("seen.some(([name]) => name === 'complete')")
    names = [name for name in page.seen() if name not in ("lost", "begin")]
    assert names == ["change"] * (len(names) - 1) + ["complete"]
    assert session.redeem() == "123456"


def test_an_edit_whose_answer_was_lost_is_made_once(browser, relay, session):
    page = Page(browser, relay.url, (session, session.entry))
    page.click()
    page.until("field(0).state.active && !field(0).matches(':state(sending)')")
    relay.loses_answers = True
    page.type("5")
    page.until("field(0).state.count === 1")
    relay.loses_answers = False
    page.type("34418")
    page.until_settled(6)
    assert relay.lost_answers > 0
    assert session.redeem() == "534418"


def test_typing_while_the_server_stands_still(page, pinpad, session):
    page.until(f"field(0).state.active && {PICTURES} === 7")
    pinpad.process.send_signal(signal.SIGSTOP)
    try:
        page.type("534418")
        # Its cells fill all the same.
        page.until("filled() === 6 && input().value.length === 6 && field(0).state.count === 0")
    finally:
        pinpad.process.send_signal(signal.SIGCONT)
    page.until_settled(6)
    # One was under way, and what was typed meanwhile went in the next.
    assert page.edits() == ["insert"] * 2
    assert session.redeem() == "534418"


def test_events_missed_while_away_are_told_each(browser, relay, session):
    page = Page(browser, relay.url, (session, session.entry))
    relay.is_down = True
    relay.cut()
    for digit in "1234":
        session.insert(digit)
    relay.is_down = False
    page.until("field(0).state.count === 4 && seen.filter(([name]) => name === 'change').length === 4")
    assert [count for name, count, _ in page.run("seen") if name == "change"] == [1, 2, 3, 4]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_answers_that_come_slowly_and_out_of_order(browser, relay, session, seed):
    page = Page(browser, relay.url, (session, session.entry))
    page.click()
    print("seed", seed)
    relay.random.seed(seed)
    relay.lag = 0.15
    page.type("12", Keys.BACKSPACE, "3", "4")
    page.until("field(0).state.count > 0")
    page.type(Keys.BACKSPACE, Keys.BACKSPACE, "5", "6789", Keys.BACKSPACE, "0")
    page.until_settled(6)
    # The page is told what the service did, in its order, and nothing twice.
    happened = session.events()
    page.until(f"seen.length === {len(happened)}")
    assert page.seen() == happened
    assert session.redeem() == "156780"


def test_typing_while_the_server_is_stopped_and_started_again(browser, start_pinpad):
    redis = Redis()
    try:
        first = start_pinpad(env=redis.environment)
        session = Session(first)
        page = Page(browser, first.url, (session, session.entry))
        page.click()
        page.type("12")
        page.until_settled(2)
        page.type("3")
        first.stop()
        page.type("4")
        page.until("field(0).matches(':state(lost)')")
        page.type("5")
        page.until("input().value.length === 5")
        second = start_pinpad("--listen", f"127.0.0.1:{first.port}", env=redis.environment)
        page.until_settled(5)
        page.until("!field(0).matches(':state(lost)')")
        page.type("6")
        page.until_settled(6)
        page.until("seen.some(([name]) => name === 'complete')")
        assert page.seen().count("complete") == 1
        assert session.redeem() == "123456"
        second.stop()
    finally:
        redis.stop()


@pytest.mark.parametrize("woken", [True, False])
def test_a_stream_that_has_fallen_silent_is_noticed(browser, relay, session, woken):
    page = Page(browser, relay.url, (session, session.entry))
    relay.is_silent = True
    session.insert("12")
    # A minute passes at once: for a tab that was asleep, and for one that waits for pings.
    page.run("Date.now = ((now) => () => now.call(Date) + 60000)(Date.now)")
    if woken:
        page.run("document.dispatchEvent(new Event('visibilitychange'))")
    page.until("field(0).state.count === 2")
    relay.is_silent = False
    session.insert("3")
    page.until("field(0).state.count === 3 && !field(0).matches(':state(lost)')")


def test_a_frozen_tab_catches_up(page, session):
    page.devtools("Page.setWebLifecycleState", state="frozen")
    session.insert("12")
    page.devtools("Page.setWebLifecycleState", state="active")
    page.until_settled(2)
    assert [name for name in page.seen() if name == "change"] == ["change"]


def test_more_fields_than_a_stream_takes_are_all_live(browser, pinpad):
    sessions = [Session(pinpad, length=2) for _ in range(66)]
    page = Page(browser, pinpad.url, *((session, None) for session in sessions))
    for index in (0, 63, 64, 65):
        sessions[index].insert("1")
        page.until_settled(1, index)
    for session in sessions:
        session.insert("2")
    page.until("[...document.querySelectorAll('pin-entry')].every((field) => field.state.hasText)")


def test_a_session_that_the_server_has_forgotten_is_lost(browser, start_pinpad):
    first = start_pinpad()
    session = Session(first)
    page = Page(browser, first.url, (session, session.entry))
    page.click()
    page.type("12")
    page.until_settled(2)
    first.stop()
    start_pinpad("--listen", f"127.0.0.1:{first.port}")
    page.type("3")
    page.until("field(0).matches(':state(lost)') && input().readOnly")
    assert page.seen().count("lost") == 1
    page.until(f"{SAID} === 'This entry does not exist, or is over.'")
    assert page.run("field(0).validationMessage") == "This entry does not exist, or is over."


def test_a_session_that_never_was_is_not_called_a_lost_connection(browser, pinpad, session):
    page = Page(browser, pinpad.url)
    page.run("(window.told = [], ['lost', 'refused'].forEach((name) => document.addEventListener('pin-' + name,"
             " ({ type, detail }) => told.push([type, detail]))), document.body.append(Object.assign("
             "document.createElement('pin-entry'), { id: 'field0', src: '/v1/sessions/' + 'A'.repeat(22) })))")
    page.until(f"{SAID} === 'This entry does not exist, or is over.'")
    assert page.run("[told, field(0).validationMessage, field(0).matches(':state(lost)')]") == [
        [["pin-lost", None]], "This entry does not exist, or is over.", True]


def test_a_wrong_code_clears_and_is_announced(page, session):
    page.type("111111")
    page.until_settled(6)
    assert session.redeem(hold=True) == "111111"
    page.until("field(0).matches(':state(held)') && input().readOnly")
    page.type("9")
    session.reject(message="That is not the code.")
    page.until_settled(0)
    page.until("field(0).shadowRoot.querySelector('[role=status]').textContent === 'That is not the code.'")
    assert page.run("input().ariaInvalid || input().getAttribute('aria-invalid')") == "true"
    page.type("534418")
    page.until_settled(6)
    page.until("field(0).shadowRoot.querySelector('[role=status]').textContent === ''")
    assert session.redeem() == "534418"
    page.until("seen.some(([name]) => name === 'close')")


def test_a_wrong_token_types_nothing(browser, pinpad, session):
    page = Page(browser, pinpad.url, (session, "pinent_wrong"))
    page.click()
    page.until("field(0).matches(':state(lost)')")
    page.type("1")
    page.until("input().value === ''")
    assert session.state()["count"] == 0
    assert page.run(f"[{SAID}, field(0).validationMessage]") == ["Not allowed to type here."] * 2
    assert page.run("seen") == [["lost", 0, "field0"]]
    # Nothing is left of it with the right one.
    page.run(f"field(0).token = '{session.entry}'")
    page.until(f"{SAID} === '' && !field(0).matches(':state(lost)')")
    page.type("1")
    page.until_settled(1)
