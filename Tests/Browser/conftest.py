"""One headless Chromium for all tests."""

import os
import pathlib

import pytest
from demonstration import Demonstration
from emulation import stop_emulating
from page import Page, Session
from relay import Relay
from selenium import webdriver
from selenium.webdriver.chrome.service import Service


@pytest.fixture(scope="session")
def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en-US",
                     "--force-device-scale-factor=1", "--window-size=1000,800", "--disable-background-networking",
                     "--font-render-hinting=none", "--disable-lcd-text", "--hide-scrollbars",
                     "--force-color-profile=srgb"):
        options.add_argument(argument)
    # Its sandbox refuses to run as root.
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    # The language, the time and the fonts of the machine are not the tests'.
    environment = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC",
                   "FONTCONFIG_FILE": str(pathlib.Path(__file__).with_name("fonts.conf"))}
    driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver", env={**os.environ, **environment}))
    driver.set_script_timeout(30)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium):
    """The browser with one empty tab."""
    yield chromium
    stop_emulating(chromium)
    for tab in chromium.window_handles[1:]:
        chromium.switch_to.window(tab)
        chromium.close()
    chromium.switch_to.window(chromium.window_handles[0])
    chromium.get("about:blank")


@pytest.fixture
def session(pinpad):
    return Session(pinpad, timeouts={"total": 600})


@pytest.fixture
def page(browser, pinpad, session):
    """A page with one field, with the focus in it."""
    page = Page(browser, pinpad.url, (session, session.entry))
    page.click()
    page.until("document.activeElement === field(0)")
    return page


@pytest.fixture
def relay(pinpad):
    relay = Relay(pinpad)
    yield relay
    relay.close()


@pytest.fixture
def demonstration(browser, pinpad):
    """The page at `/`, with the focus in its field."""
    browser.get_log("browser")
    demonstration = Demonstration(browser, pinpad.url)
    yield demonstration
    # The policy's reports and scripts' errors are here.
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert [entry for entry in severe if "409" not in entry["message"]] == []
