"""The page at `/` in a browser."""

from page import HANG
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait


class Demonstration:
    def __init__(self, browser, url):
        self.browser = browser
        self.url = url
        self.open()

    def open(self):
        self.browser.get(self.url + "/")
        self.until("return window.field?.state && window.display?.state && field.shadowRoot.querySelector('svg')")
        self.browser.execute_script("field.focus()")

    def until(self, script):
        WebDriverWait(self.browser, HANG, poll_frequency=0.02).until(
            lambda _: self.browser.execute_script(script), script)

    def type(self, keys):
        ActionChains(self.browser, duration=0).send_keys(keys).perform()

    def until_status(self, text):
        self.until(f"return document.getElementById('status').textContent === '{text}'")

    def choose(self, style):
        self.browser.execute_script(
            "document.querySelector(`[name=style][value=${arguments[0]}]`).click()", style)
        self.until(f"return field.config.style.name === '{style}' && display.config.style.name === '{style}'")
        self.until("return field.shadowRoot.querySelector('svg')?.outerHTML"
                   " === display.shadowRoot.querySelector('svg')?.outerHTML")
