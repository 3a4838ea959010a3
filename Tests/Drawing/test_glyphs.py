"""Revealed characters: where they are and how large, as librsvg renders them."""

import json
import urllib.request

import pytest
from render import pixel, render

CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def post(url, body, token=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def picture(pinpad, text, width, height, **members):
    """A session's picture with this text in."""
    session = post(
        f"{pinpad.url}/v1/sessions", {"length": len(text), "alphabet": "alphanumeric", "reveal": True, **members})
    post(f"{pinpad.url}/v1/sessions/{session['id']}/insert", {"text": text}, session["tokens"]["entry"])
    url = f"{pinpad.url}/v1/sessions/{session['id']}/cells.svg?width={width}&height={height}"
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.read()


def box(surface, columns, shown):
    """Left, top, right, bottom of the pixels in these columns that `shown` says belong to the character."""
    pixels = [
        (x, y) for x in columns for y in range(surface.get_height()) if shown(pixel(surface, x, y))]
    assert pixels, "nothing is drawn"
    xs, ys = [x for x, _ in pixels], [y for _, y in pixels]
    return min(xs), min(ys), max(xs) + 1, max(ys) + 1


@pytest.mark.parametrize("width, height", [(60, 60), (100, 38), (44, 90)])
def test_each_character_is_in_the_middle_of_its_cell_and_half_as_high(pinpad, width, height):
    for part in (CHARACTERS[:32], CHARACTERS[32:]):
        options = {"name": "code", "spacing": 0, "filledColor": "black", "textColor": "white"}
        surface = render(picture(pinpad, part, width * len(part), height, style=options))
        for index, character in enumerate(part):
            columns = range(index * width, (index + 1) * width)
            left, top, right, bottom = box(surface, columns, lambda p: p[0] > 0)
            assert (left + right) / 2 == pytest.approx((index + 0.5) * width, abs=0.5), character
            assert (top + bottom) / 2 == pytest.approx(height / 2, abs=0.5), character
            # 14 units of height or 11 of width fit, and half a stroke of 1.6 on each side.
            scale = min(height * 0.5 / 14, width * 0.6 / 11)
            assert bottom - top == pytest.approx(15.6 * scale, abs=2), character
            assert right - left <= 12.6 * scale + 2, character


@pytest.mark.parametrize("style", ["boxes", "grid", "strip", "rounded", "underline"])
def test_every_style_can_reveal(pinpad, style):
    revealed = picture(pinpad, "42", 120, 60, style=style)
    masked = picture(pinpad, "42", 120, 60, style=style, reveal=False)
    assert revealed.count(b"<path") == 2 and b"<circle" not in revealed
    assert b"<path" not in masked and masked.count(b"<circle") == 2


def test_no_two_characters_look_alike(pinpad):
    drawn = {}
    for part in (CHARACTERS[:32], CHARACTERS[32:]):
        options = {"name": "code", "spacing": 0}
        surface = render(picture(pinpad, part, 40 * len(part), 40, style=options))
        for index, character in enumerate(part):
            cell = tuple(pixel(surface, x, y) for y in range(40) for x in range(index * 40, index * 40 + 40))
            assert cell not in drawn, f"{character} looks like {drawn[cell]}"
            drawn[cell] = character


def test_no_font_is_asked_for(pinpad):
    svg = picture(pinpad, "0A", 120, 60, style="code")
    assert b"<text" not in svg and b"font" not in svg


@pytest.mark.parametrize("reveal", [True, False])
@pytest.mark.parametrize("style", ["boxes", "code"])
def test_whichever_digits_are_in_a_picture_has_the_same_size(pinpad, style, reveal):
    texts = ["111111", "888888", "604917"]
    assert len({len(picture(pinpad, text, 360, 60, style=style, reveal=reveal)) for text in texts}) == 1
