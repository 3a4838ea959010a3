"""Where the characters of a code are not: the page, its storage, and the browser's heap."""

import json

import pytest
from devtools import heap_strings
from page import Page, Session

# Letters too, so that no other number looks like it.
CANARY = "Q7ZX4KW9"
# What would be left of it if it had been typed and sent in parts.
PARTS = [CANARY[start:start + 4] for start in range(len(CANARY) - 3)]


@pytest.fixture
def coded(browser, pinpad):
    """A page with a field for eight letters and digits."""
    session = Session(pinpad, alphabet="alphanumeric", length=8)
    page = Page(browser, pinpad.url, (session, session.entry))
    page.click()
    page.session = session
    return page


def found(strings):
    return [text[:200] for text in strings if any(part in text.upper() for part in PARTS)]


def enter(page, way):
    if way == "typed":
        page.type(CANARY)
    elif way == "pasted":
        # Copied in another tab, as this one's heap would have the script that copies.
        page.browser.switch_to.new_window("tab")
        page.browser.execute_script("document.body.append(document.createElement('textarea'))")
        page.browser.find_element("tag name", "textarea").send_keys(CANARY)
        page.chord("ac")
        page.browser.close()
        page.browser.switch_to.window(page.tab)
        page.click()
        page.chord("v")
    else:
        # An input method's text comes without a script that holds it.
        page.devtools("Input.insertText", text=CANARY)
    page.until_settled(8)


@pytest.mark.parametrize("way", ["typed", "pasted", "filled in"])
def test_after_completion_no_character_is_in_the_heap(coded, way):
    enter(coded, way)
    assert coded.session.redeem() == CANARY
    coded.until("field(0).state.status === 'redeemed'")
    strings = heap_strings(coded.browser)
    # The snapshot has what is in the page's heap.
    assert any("pin-entry" in text for text in strings) and coded.session.id in strings
    assert found(strings) == []


def test_the_search_of_the_heap_finds_what_is_there(coded):
    coded.run("window.kept = ['W9', 'KW', 'X4', 'Q7Z'].reverse().join('').replace('KWW', 'KW')")
    assert CANARY in heap_strings(coded.browser)


@pytest.mark.parametrize("way", ["typed", "pasted", "filled in"])
def test_no_character_is_in_the_page_its_storage_or_its_history(coded, way):
    before = set(coded.run("performance.getEntries().map(({ name }) => name)"))
    enter(coded, way)
    content = coded.run(
        "[document.documentElement.outerHTML, field(0).outerHTML, field(0).shadowRoot.innerHTML, input().value,"
        " field(0).value, JSON.stringify(field(0).state), JSON.stringify({ ...localStorage, ...sessionStorage }),"
        " document.cookie, location.href, JSON.stringify(history.state), document.title]")
    addresses = set(coded.run("performance.getEntries().map(({ name }) => name)")) - before
    assert addresses and found([*content, *addresses]) == []
    assert coded.browser.execute_async_script(
        "const done = arguments[0]; Promise.all([indexedDB.databases(), caches.keys()])"
        ".then((lists) => done(JSON.stringify(lists)))") == json.dumps([[], []], separators=(",", ":"))
    assert coded.session.redeem() == CANARY
