"""The page and every style, in light and dark, from right to left and narrow, beside pictures that were looked at."""

import cairo
import io
import pytest
from emulation import emulate
from page import Page, Session
from screenshots import FOLDER, TOLERATED, compare, difference, take

STYLES = ["boxes", "boxes-dark", "code", "code-dark", "grid", "grid-dark", "rounded", "rounded-dark", "strip",
          "strip-dark", "underline", "underline-dark"]
LOOKS = {
    "light": {}, "dark": {"scheme": "dark"}, "right-to-left": {}, "narrow": {"width": 320},
    "forced": {"forced": True, "scheme": "dark"}, "zoomed": {"zoom": 2},
}
# What differs from run to run, as long as it is.
STEADY = """
for (const code of document.querySelectorAll('#curl code')) {
  code.textContent = code.textContent.replace(/127.0.0.1:\\d+/, '127.0.0.1:8080')
    .replace(/after=\\d+/, 'after=12').replace(/(?<=sessions\\/|pin(ent|own)_)[\\w-]+/g, (secret) => 'x'.repeat(secret.length));
}
return Promise.all([...document.images].map((image) => image.decode())).then(() => true);
"""
# A section for each style, with a field for each of its sessions.
SHEET = """
const [script, styles, direction, done] = arguments;
document.documentElement.dir = direction;
document.documentElement.style.colorScheme = 'light dark';
document.body.replaceChildren();
const element = document.createElement('script');
element.src = script;
element.onload = () => {
  let index = 0;
  for (const [name, paths] of styles) {
    const section = document.createElement('section');
    section.id = name;
    section.append(name);
    Object.assign(section.style, { font: '14px sans-serif', padding: '12px', maxInlineSize: '380px' });
    for (const path of paths) {
      const field = document.createElement('pin-entry');
      field.id = 'field' + index++;
      field.src = path;
      Object.assign(field.style, { display: 'block', marginBlock: '12px' });
      section.append(field);
    }
    document.body.append(section);
  }
  done();
};
document.head.append(element);
"""


@pytest.mark.parametrize("look", LOOKS)
def test_the_page_looks_as_it_did(demonstration, look, tmp_path):
    emulate(demonstration.browser, **LOOKS[look])
    demonstration.open()
    if look == "right-to-left":
        demonstration.browser.execute_script("document.documentElement.dir = 'rtl'")
    demonstration.type("111111")
    demonstration.until("return display.state.attempts === 1 && field.state.count === 0")
    for count in (1, 2, 3):
        demonstration.type(str(count))
        demonstration.until(f"return field.state.count === {count} && display.state.count === {count} && "
                            "[field, display].every((one) => !one.matches(':state(sending)')"
                            f" && one.shadowRoot.querySelectorAll('circle').length === {count})")
    demonstration.until_status("Wrong code number 1.")
    # The six ones may have come in one request or in several.
    demonstration.browser.execute_script(
        "log.replaceChildren(...[...log.children].slice(-3)); [...log.children].forEach((line, index) => {"
        " line.firstChild.textContent = 10 + index; line.lastChild.textContent = `${index + 1} of 6`; })")
    assert demonstration.browser.execute_script(STEADY)
    # Enlarged, the whole page would be a large file.
    clip = {"x": 0, "y": 0, "width": 640, "height": 800} if look == "zoomed" else None
    compare(take(demonstration.browser, clip), f"page-{look}", tmp_path)


@pytest.fixture(scope="module")
def states(pinpad):
    """For each style sessions in five states: empty, partly filled, complete, rejected, accepted."""
    def made(style):
        sessions = [Session(pinpad, style={"name": style, "caret": True}, endsOnComplete=False) for _ in range(5)]
        for session, text in zip(sessions, ("", "534", "534418", "111111", "534418")):
            session.set(text)
        sessions[3].redeem(hold=True)
        sessions[3].reject(message="That is not the code.")
        sessions[4].redeem(hold=True)
        sessions[4].accept()
        return sessions
    return {style: made(style) for style in STYLES}


@pytest.mark.parametrize("look", ["light", "dark", "right-to-left", "narrow", "forced"])
def test_every_style_looks_as_it_did(browser, pinpad, states, look, tmp_path):
    emulate(browser, **LOOKS[look], motion=False)
    page = Page.at(browser, pinpad.url + "/problems/full")
    browser.execute_async_script(SHEET, "/pin-entry.js", [[style, [session.path for session in sessions]]
                                                          for style, sessions in states.items()],
                                 "rtl" if look == "right-to-left" else "ltr")
    page.until("[...document.querySelectorAll('pin-entry')].every((field) => field.shadowRoot.querySelector('svg'))")
    different = []
    for style in STYLES:
        clip = page.run(f"(({{ x, y, width, height }}) => ({{ x, y, width, height }}))"
                        f"(document.getElementById('{style}').getBoundingClientRect())")
        try:
            compare(take(browser, clip), f"{style}-{look}", tmp_path)
        except AssertionError as error:
            different.append(str(error))
    assert different == []


def test_the_comparison_sees_a_missing_dot():
    kept = (FOLDER / "rounded-light.png").read_bytes()
    image = cairo.ImageSurface.create_from_png(io.BytesIO(kept))
    context = cairo.Context(image)
    context.set_source_rgb(0, 0.5, 0)
    context.arc(40, 130, 7, 0, 7)
    context.fill()
    changed = io.BytesIO()
    image.write_to_png(changed)
    assert difference(kept, kept) == 0
    assert difference(changed.getvalue(), kept) > TOLERATED
