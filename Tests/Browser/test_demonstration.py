"""The page at `/`: what it shows works, and nothing is against its own policy."""

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
