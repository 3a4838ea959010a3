"""The page at `/`: what it shows works, and nothing is against its own policy."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

HANG = 30
STYLES = ["boxes", "boxes-dark", "code", "code-dark", "grid", "rounded", "rounded-dark", "strip", "underline",
          "underline-dark"]


class Demonstration:
    def __init__(self, browser, url):
        self.browser = browser
        browser.get_log("browser")
        browser.get(url + "/")
        self.until("return window.field?.state && window.display?.state && field.shadowRoot.querySelector('svg')")
        browser.execute_script("field.focus()")

    def until(self, script):
        WebDriverWait(self.browser, HANG, poll_frequency=0.02).until(
            lambda _: self.browser.execute_script(script), script)

    def type(self, keys):
        ActionChains(self.browser, duration=0).send_keys(keys).perform()

    def until_status(self, text):
        self.until(f"return document.getElementById('status').textContent === '{text}'")


@pytest.fixture
def demonstration(browser, pinpad):
    demonstration = Demonstration(browser, pinpad.url)
    yield demonstration
    # The policy's reports and scripts' errors are here. A browser asks for an icon by itself.
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert [entry for entry in severe if "favicon.ico" not in entry["message"] and "409" not in entry["message"]] == []


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
    demonstration.browser.execute_script(
        "const style = document.getElementById('style'); style.value = arguments[0];"
        " style.dispatchEvent(new Event('change'))", style)
    demonstration.until(f"return field.config.style.name === '{style}' && display.config.style.name === '{style}'")
    demonstration.until("return field.shadowRoot.querySelector('svg')?.outerHTML"
                        " === display.shadowRoot.querySelector('svg')?.outerHTML")


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_is_wider_than_the_window(demonstration, width):
    demonstration.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
    try:
        assert demonstration.browser.execute_script(
            "return document.documentElement.scrollWidth <= window.innerWidth")
    finally:
        demonstration.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
