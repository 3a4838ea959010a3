"""What the field looks like: dark, with forced colours, in colours of the page's own, and how it moves."""

import json

import pytest
from emulation import emulate
from page import Page, Session

DARK = "document.documentElement.style.colorScheme = 'light dark'"


def colors(page):
    """Every colour in the picture."""
    return set(page.run(
        "[...field(0).shadowRoot.querySelectorAll('svg *')].flatMap((node) => [node.getAttribute('fill'),"
        " node.getAttribute('stroke')]).filter((color) => color && color !== 'none')"))


@pytest.mark.parametrize("style,light,dark", [
    ("boxes", {"white", "#aaaaaa", "black"}, {"#1c1c1e", "#2c2c2e", "#7c7c80", "white"}),
    ("grid", {"#00ff00", "black"}, {"#30d158", "white"}),
    ("rounded", {"#f8f8fa", "#8e8e93", "#48484a", "#1c1c1e"}, {"#2c2c2e", "#7c7c80", "#c7c7cc", "white"}),
])
def test_in_a_dark_colour_scheme_it_is_drawn_in_the_dark_variant(browser, pinpad, style, light, dark):
    session = Session(pinpad, style=style)
    page = Page(browser, pinpad.url, (session, session.entry))
    page.run(DARK)
    session.insert("12")
    page.until_settled(2)
    assert colors(page) == light
    emulate(browser, scheme="dark")
    page.until(f"field(0).shadowRoot.querySelector('circle').parentNode.getAttribute('fill') === 'white'")
    assert colors(page) == dark
    # What CSS says is light stays light.
    page.run("field(0).style.colorScheme = 'light'")
    session.insert("3")
    page.until_settled(3)
    assert colors(page) == light


def test_an_operators_style_is_drawn_in_its_dark_variant_if_it_has_one(browser, start_pinpad, tmp_path):
    for style, color in (("mine", "#112233"), ("mine-dark", "#ddeeff"), ("plain", "#332211")):
        (tmp_path / f"{style}.json").write_text(json.dumps({"layout": "boxes", "options": {"dotColor": color}}))
    pinpad = start_pinpad(config={"styles": {"directory": str(tmp_path)}})
    sessions = [Session(pinpad, style=style) for style in ("mine", "plain", "mine-dark")]
    page = Page(browser, pinpad.url, *((session, session.entry) for session in sessions))
    page.run(DARK)
    emulate(browser, scheme="dark")
    for count in (1, 2, 3):
        for index, color in enumerate(("#ddeeff", "#332211", "#ddeeff")):
            sessions[index].insert("1")
            page.until(f"filled({index}) === {count}")
            page.until(f"field({index}).shadowRoot.querySelector('circle').parentNode.getAttribute('fill') === '{color}'")
    asked = set(page.run("performance.getEntriesByType('resource').map(({ name }) => new URL(name).searchParams)"
                         ".map((query) => [query.get('style'), query.get('count')].join())"))
    # That there is none is learnt once.
    assert "plain-dark,0" in asked and not asked & {"plain-dark,2", "plain-dark,3", "mine-dark-dark,0"}


def test_a_custom_property_colours_the_cells_in_the_dark_too(page):
    page.run(DARK)
    emulate(page.browser, scheme="dark")
    page.run("field(0).style.setProperty('--pin-dot-color', '#123456')")
    page.type("1")
    page.until_settled(1)
    assert "#123456" in colors(page)


@pytest.mark.parametrize("style", ["boxes", "code", "grid", "rounded", "strip", "underline", "underline-dark"])
def test_with_forced_colours_it_is_drawn_in_the_text_colour_on_the_canvas(browser, pinpad, style):
    session = Session(pinpad, style=style, reveal=False)
    page = Page(browser, pinpad.url, (session, session.entry))
    page.run("document.documentElement.style.colorScheme = 'light'")
    emulate(browser, forced=True)
    session.insert("123")
    page.until("field(0).state.count === 3")
    # The canvas is white, and what stands on it black; cells that are nothing but a colour are grey while empty.
    page.until("[...field(0).shadowRoot.querySelectorAll('svg [fill]')].every((node) => "
               "/^(none|#000000|#808080|#ffffff)$/.test(node.getAttribute('fill')))")
    assert colors(page) == {"#000000", "#ffffff"} | ({"#808080"} if style == "code" else set())


@pytest.mark.parametrize("motion,animated", [(True, "shake"), (False, "none")])
def test_a_rejection_shakes_unless_motion_is_unwanted(page, session, motion, animated):
    emulate(page.browser, motion=motion)
    page.type("111111")
    page.until_settled(6)
    session.redeem(hold=True)
    session.reject()
    page.until("field(0).shadowRoot.querySelector('[class^=pinpad-shake]') !== null")
    assert page.run("getComputedStyle(field(0).shadowRoot.querySelector('[class^=pinpad-shake]')).animationName") == animated


def test_an_acceptance_is_drawn_in_its_colour(page, session):
    page.type("534418")
    page.until_settled(6)
    session.redeem(hold=True)
    session.accept()
    page.until("field(0).state.status === 'accepted'")
    page.until("field(0).shadowRoot.querySelector('circle').parentNode.getAttribute('fill') === '#199301'"
               " || field(0).shadowRoot.querySelector('[stroke=\"#199301\"]') !== null")


@pytest.mark.parametrize("look,color", [({"scheme": "dark"}, "white"), ({"forced": True}, "#000000")])
def test_revealed_characters_stand_in_the_colour_of_the_dots(browser, pinpad, look, color):
    session = Session(pinpad, style="underline", reveal=True)
    emulate(browser, **look)
    page = Page(browser, pinpad.url, (session, session.entry))
    page.run("document.documentElement.style.colorScheme = '" + ("dark" if look.get("scheme") else "light") + "'")
    session.insert("12")
    page.until("field(0).shadowRoot.querySelectorAll('svg path').length === 2")
    assert page.run("field(0).shadowRoot.querySelector('svg path').parentNode.getAttribute('stroke')") == color
    assert page.run("filled()") == 0


def test_with_reveal_it_shows_the_characters_and_speaks_of_their_number(browser, pinpad):
    session = Session(pinpad, style="code")
    page = Page(browser, pinpad.url, (session, session.entry))
    page.click()
    page.type("12")
    page.until("field(0).shadowRoot.querySelectorAll('svg path').length === 2")
    session.insert("3")
    page.until("field(0).shadowRoot.querySelectorAll('svg path').length === 3")
    assert page.run("field(0).shadowRoot.getElementById('hint').textContent") == "3 of 6"
    assert page.run("field(0).shadowRoot.querySelector('svg path').getAttributeNames().includes('aria-label')") is False
