"""The field in a form, to assistive technology, and to whoever looks for digits in the page."""

import json

from page import Page


def test_its_form_value_is_the_session_and_it_is_valid_when_complete(page, session):
    page.run("(window.form = document.createElement('form'), field(0).name = 'pin', document.body.append(form),"
             " form.append(field(0)))")
    page.until("field(0).state")
    assert page.run("[field(0).validity.tooShort, form.checkValidity(), field(0).value]") == [True, False, session.id]
    session.insert("534418")
    page.until("form.checkValidity()")
    assert page.run("[...new FormData(form)]") == [["pin", session.id]]


def test_a_disabled_or_read_only_field_types_nothing(page, session):
    page.run("field(0).readOnly = true")
    page.type("1")
    assert page.run("field(0).insertText('2')") is False
    page.run("(field(0).readOnly = false, field(0).disabled = true)")
    page.until("input().disabled")
    page.run("field(0).clear()")
    page.run("field(0).disabled = false")
    page.click()
    page.type("3")
    page.until_settled(1)
    assert page.edits() == ["insert"]


def test_the_token_is_taken_from_the_attribute(page):
    assert page.run("[field(0).hasAttribute('token'), field(0).token]") == [False, None]


def test_no_digit_is_in_the_page(page, session):
    page.type("534418")
    page.until_settled(6)
    content = page.run("[document.documentElement.outerHTML, field(0).shadowRoot.innerHTML, input().value,"
                       " JSON.stringify({ ...localStorage, ...sessionStorage }), JSON.stringify(field(0).state)]")
    assert "534418" not in json.dumps(content)
    assert content[2] == "••••••"


def test_the_accessibility_tree_has_one_text_field(page):
    page.type("123")
    page.until_settled(3)
    nodes = page.devtools("Accessibility.getFullAXTree")["nodes"]
    visible = [node for node in nodes if not node["ignored"]]
    fields = [node for node in visible if node["role"]["value"] == "textbox"]
    assert [field["name"]["value"] for field in fields] == ["PIN"]
    assert fields[0]["description"]["value"] == "3 of 6"
    assert not [node for node in visible if node["role"]["value"] in ("image", "SvgRoot", "graphics-document")]


def test_the_field_is_one_tab_stop(browser, pinpad, session):
    page = Page(browser, pinpad.url, (session, session.entry))
    page.run("document.body.append(document.createElement('button'))")
    page.click()
    page.type("\ue004")
    page.until("document.activeElement.localName === 'button'")
    # It was left: the entry ends.
    page.until("seen.some(([name]) => name === 'end')")


def test_on_a_right_to_left_page_the_cells_stay_left_to_right(page):
    page.run("document.documentElement.dir = 'rtl'")
    page.type("1")
    page.until_settled(1)
    assert page.run("getComputedStyle(input()).direction") == "ltr"


def test_a_custom_property_colours_the_cells(page):
    page.run("field(0).style.setProperty('--pin-dot-color', '#123456')")
    page.type("1")
    page.until_settled(1)
    page.until("field(0).shadowRoot.querySelector('[fill=\"#123456\"]')")


def test_the_field_fits_a_narrow_page(page):
    page.run("document.body.style.inlineSize = '200px'")
    assert page.run("field(0).getBoundingClientRect().width <= 200")


def test_keys_of_a_keypad_type_and_are_large_enough(page, session):
    page.run("(window.pad = document.createElement('pin-keypad'), pad.setAttribute('for', 'field0'),"
             " document.body.append(pad))")
    key = "[...pad.shadowRoot.querySelectorAll('button')].find(({ ariaLabel, textContent }) => (ariaLabel || textContent) === '%s')"
    for label in ("5", "3", "9", "Delete", "4", "4", "1", "8"):
        page.run("%s.click()" % (key % label))
    page.until_settled(6)
    sizes = page.run("[...pad.shadowRoot.querySelectorAll('button')].map((key) => key.getBoundingClientRect())"
                     ".map(({ width, height }) => Math.min(width, height))")
    assert len(sizes) == 12 and min(sizes) >= 44
    assert session.redeem() == "534418"


def test_a_shuffled_keypad_has_every_digit_once(page):
    page.run("(window.pad = document.createElement('pin-keypad'), pad.setAttribute('for', 'field0'),"
             " pad.setAttribute('shuffle', ''), document.body.append(pad))")
    faces = page.run("[...pad.shadowRoot.querySelectorAll('button')].map((key) => key.textContent)")
    assert sorted(face for face in faces if face.isdigit()) == list("0123456789")


def test_a_shuffled_keypad_deals_anew_after_each_entry(page, session):
    page.run("(window.pad = document.createElement('pin-keypad'), pad.setAttribute('for', 'field0'),"
             " pad.setAttribute('shuffle', ''), document.body.append(pad),"
             " window.faces = () => [...pad.shadowRoot.querySelectorAll('button')].map((key) => key.textContent).join(''),"
             " window.first = faces())")
    page.type("53441")
    page.until_settled(5)
    assert page.run("faces() === first")
    page.run("[...pad.shadowRoot.querySelectorAll('button')].find((key) => key.textContent === '8').click()")
    page.until_settled(6)
    # One deal in 3,628,800 is the same.
    page.until("faces() !== first")
    assert session.redeem() == "534418"


def test_a_label_element_names_the_field_and_leads_to_it(page):
    page.run("(window.label = document.createElement('label'), label.htmlFor = 'field0', label.textContent = ' Code ',"
             " document.body.prepend(label), input().blur(), field(0).readOnly = true, field(0).readOnly = false)")
    page.until("input().ariaLabel === 'Code'")
    page.browser.find_element("tag name", "label").click()
    page.until("document.activeElement === field(0)")


def test_what_stands_in_the_element_is_for_browsers_without_javascript(page):
    page.run("(window.sentence = document.createElement('p'), sentence.append('This needs JavaScript.'),"
             " field(0).append(sentence))")
    assert page.run("sentence.checkVisibility()") is False
