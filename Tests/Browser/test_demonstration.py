"""The page at `/`: what it shows works, and nothing is against its own policy."""

import gzip
import re
import urllib.request

import pytest
from emulation import emulate

STYLES = ["boxes", "boxes-dark", "code", "code-dark", "grid", "grid-dark", "rounded", "rounded-dark", "strip",
          "strip-dark", "underline", "underline-dark"]


def test_a_wrong_code_and_then_the_right_one(demonstration):
    demonstration.type("111111")
    demonstration.until_status("Wrong code number 1.")
    demonstration.until("return field.state.count === 0")
    demonstration.type("534418")
    demonstration.until_status("The right code.")
    demonstration.until("return display.state.status === 'accepted'")
    log = demonstration.browser.execute_script("return log.textContent")
    assert "reject" in log and "close" in log and "534418" not in log


def test_three_wrong_codes_lock_it(demonstration):
    for attempt in (1, 2, 3):
        demonstration.type("000000")
        demonstration.until(f"return display.state.attempts === {attempt}")
    demonstration.until_status("Too many wrong codes: locked.")


@pytest.mark.parametrize("style", STYLES)
def test_each_style_shows_on_both_displays(demonstration, style):
    demonstration.type("12")
    demonstration.until("return display.state.count === 2")
    demonstration.choose(style)


@pytest.mark.parametrize("width,zoom", [(320, 1), (640, 2), (1280, 2), (1280, 1), (1920, 1)])
def test_nothing_is_wider_than_the_window(demonstration, width, zoom):
    emulate(demonstration.browser, width=width, zoom=zoom)
    assert demonstration.browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_without_javascript_a_sentence_says_what_is_needed(browser, pinpad):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(pinpad.url + "/")
        sentence = browser.find_element("css selector", "noscript p")
        assert sentence.is_displayed() and sentence.text.startswith("This page needs JavaScript.")
        assert not browser.find_element("tag name", "main").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_the_commands_on_the_page_are_those_of_the_session(demonstration):
    commands = demonstration.browser.execute_script("return document.getElementById('curl').innerText")
    address = re.search(r"U=(\S+)", commands)[1]
    assert address == demonstration.browser.execute_script("return location.origin + field.src")
    demonstration.type("1")
    demonstration.until("return document.querySelector('#curl .now')?.dataset.verb === 'insert'")
    demonstration.browser.execute_script(
        "const length = document.getElementById('length'); length.value = 8; length.dispatchEvent(new Event('change'))")
    demonstration.until("return document.querySelector('#curl .now')?.textContent"
                        " === `curl -X PATCH $U -H \"$O\" -d '{\"length\":8}'`")
    demonstration.until("return field.config.length === 8 && display.config.length === 8")


def test_the_page_follows_what_others_configure(demonstration, pinpad):
    owner = demonstration.browser.execute_script("return session")
    request = urllib.request.Request(
        pinpad.url + owner["links"]["self"], b'{"length":4,"style":{"name":"strip-dark"}}', method="PATCH",
        headers={"Authorization": "Bearer " + owner["tokens"]["owner"], "Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=20).close()
    demonstration.until("return document.getElementById('length').value === '4'"
                        " && document.querySelector('[name=style]:checked').value === 'strip-dark'")


def test_the_script_is_at_most_12_kb_packed(pinpad):
    with urllib.request.urlopen(pinpad.url + "/pin-entry.js", timeout=20) as answer:
        assert answer.headers["ETag"].startswith('"')
        assert len(gzip.compress(answer.read(), 9)) <= 12000
