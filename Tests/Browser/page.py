"""A browser's page with fields in it, and what a test does to them."""

import json
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

# How long to wait for what must come: it says "it hangs", never "it is slow".
HANG = 30


def call(url, body=None, token=None, method="POST"):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, json.dumps(body or {}).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        content = answer.read()
    return json.loads(content) if content else None


class Session:
    """A session and its owner."""

    def __init__(self, pinpad, **members):
        answer = call(pinpad.url + "/v1/sessions", members)
        self.id = answer["id"]
        self.path = answer["links"]["self"]
        self.url = pinpad.url + self.path
        self.entry = answer["tokens"]["entry"]
        self.owner = answer["tokens"]["owner"]

    def state(self):
        with urllib.request.urlopen(self.url, timeout=20) as answer:
            return json.loads(answer.read())

    def events(self):
        """The names of all events so far."""
        with urllib.request.urlopen(self.url + "/events?after=0", timeout=20) as answer:
            return [event["event"] for event in json.loads(answer.read())["events"]]

    def insert(self, text):
        return call(self.url + "/insert", {"text": text}, self.entry)

    def set(self, text):
        return call(self.url + "/set", {"text": text}, self.entry)

    def redeem(self, **members):
        return call(self.url + "/redeem", members, self.owner)["text"]

    def accept(self):
        return call(self.url + "/accept", None, self.owner)

    def reject(self, **members):
        return call(self.url + "/reject", members, self.owner)


LOAD = """
const [script, fields, done] = arguments;
const element = document.createElement('script');
element.src = script;
element.onload = () => {
  fields.forEach(([src, token], index) => {
    const field = document.createElement('pin-entry');
    field.id = 'field' + index;
    field.setAttribute('src', src);
    if (token) field.setAttribute('token', token);
    document.body.append(field, document.createElement('br'));
  });
  done();
};
document.head.append(element);
"""


SEEN = """
window.seen = [];
for (const name of ['begin', 'change', 'delete', 'complete', 'end', 'hold', 'reject', 'close', 'lost', 'refused']) {
  document.addEventListener('pin-' + name, (event) => seen.push([name, event.detail?.count, event.target.id]));
}
"""


class Page:
    """A tab with `<pin-entry>` fields, on a page of the server's that has no script of its own."""

    def __init__(self, browser, url, *fields):
        """`fields`: pairs of a session and a token, or None for one that only watches."""
        self.browser = browser
        self.tab = browser.current_window_handle
        browser.get(url + "/problems/full")
        browser.execute_script(SEEN)
        browser.execute_async_script(LOAD, "/pin-entry.js", [[session.path, token] for session, token in fields])
        for index in range(len(fields)):
            self.until(f"field({index}).state && field({index}).shadowRoot.querySelector('svg') !== null")

    @classmethod
    def at(cls, browser, url):
        """A tab with a page that has its fields already."""
        page = cls.__new__(cls)
        page.browser = browser
        page.tab = browser.current_window_handle
        browser.get(url)
        browser.execute_script(SEEN)
        return page

    def run(self, expression):
        if self.browser.current_window_handle != self.tab:
            self.browser.switch_to.window(self.tab)
        return self.browser.execute_script(
            "const field = (index) => document.getElementById('field' + index);"
            "const input = (index = 0) => field(index).shadowRoot.querySelector('input');"
            # Dots are what a style without characters draws for each of them.
            "const filled = (index = 0) => field(index).shadowRoot.querySelectorAll('circle').length;"
            f"return {expression}")

    def until(self, expression):
        WebDriverWait(self.browser, HANG, poll_frequency=0.02).until(lambda _: self.run(expression), expression)

    def until_settled(self, count, index=0):
        """Waits until the service has everything, it is this many characters, and the field shows them."""
        self.until(f"!field({index}).matches(':state(sending)') && field({index}).state.count === {count} && filled({index}) === {count}"
                   f" && input({index}).value === '•'.repeat({count})")

    def click(self, index=0):
        self.run("window.focus()")
        ActionChains(self.browser).click(self.browser.find_element("id", f"field{index}")).perform()

    def type(self, *keys):
        """Presses keys one after the other, as fast as the browser takes them."""
        ActionChains(self.browser, duration=0).send_keys(*keys).perform()

    def paste(self, text):
        """Copies from another field and pastes into the one with the focus."""
        self.run("(window.origin = document.activeElement, window.other = document.createElement('textarea'),"
                 f" other.value = {json.dumps(text)}, document.body.append(other), other.select())")
        self.chord("c")
        self.run("(other.remove(), origin.focus())")
        self.chord("v")

    def chord(self, letters):
        """Presses keys with Control held."""
        ActionChains(self.browser, duration=0).key_down(Keys.CONTROL).send_keys(letters).key_up(Keys.CONTROL).perform()

    def autofill(self, text, times=1, apart=0):
        """Puts a whole code into the input, as a password manager does: one `input` event each time, `apart` ms after
        the last."""
        self.run("(async () => { for (let i = 0; i < %d; i += 1) { if (i > 0) await new Promise((go) => setTimeout(go, %d));"
                 " input().value = %s; input().dispatchEvent(new Event('input', { bubbles: true, composed: true })); } })()"
                 % (times, apart, json.dumps(text)))

    def press(self, key, code, times=1):
        """Holds a key down, so that it repeats, and lets it go."""
        for turn in range(times):
            self.devtools("Input.dispatchKeyEvent", type="rawKeyDown", key=key, code=key, windowsVirtualKeyCode=code,
                          autoRepeat=turn > 0)
        self.devtools("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def devtools(self, command, **parameters):
        self.run("0")
        return self.browser.execute_cdp_cmd(command, parameters)

    def seen(self):
        """The names of the `pin-` events so far."""
        return [name for name, _, _ in self.run("seen")]

    def edits(self):
        """How many editing requests the page has made, by verb."""
        return self.run(
            "performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))"
            ".filter((verb) => /^(insert|set|clear|delete-backward)$/.test(verb))")
