"""The service's pictures, rendered by librsvg, against an independent drawing of the same formulas."""

import json
import pathlib
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree

import pytest
from formulas import LAYOUTS, paint
from render import differences, render

STYLES = pathlib.Path(__file__).parents[2] / "Config" / "styles"
SVG = "{http://www.w3.org/2000/svg}"

# Each with the options that are not as in the style's file.
CASES = [
    ("boxes", {}),
    ("boxes", {"cellSize": 30, "dotRadius": 5, "edgeSpacing": 1}),
    ("boxes", {"edgeSpacing": 0, "dotRadius": 3.5, "dotColor": "red", "borderColor": "teal"}),
    ("boxes", {"dotRadius": 40, "cellColor": "#fe9", "backgroundColor": "rebeccapurple"}),
    ("boxes", {"edgeSpacing": 0.37, "cellSize": 20.25, "dotRadius": 0}),
    ("grid", {}),
    ("grid", {"lineColor": "#123456", "dotColor": "Navy", "backgroundColor": "#aaaaaa"}),
    ("strip", {}),
    ("strip", {"cellSize": 20, "dotRadius": 15, "dotColor": "red"}),
    ("strip", {"cellSize": 33.3, "dotRadius": 4.44, "backgroundColor": "teal"}),
    ("code", {}),
    ("code", {"spacing": 0}),
    ("code", {"spacing": 2.5, "emptyColor": "#ddd", "filledColor": "Navy", "backgroundColor": "white"}),
    ("underline", {}),
    ("underline", {"spacing": 3, "lineWidth": 0.5, "dotRadius": 2}),
    ("underline", {"groups": [3, 3]}),
    ("underline", {"groups": [1, 2, 3], "groupSpacing": 5, "spacing": 6.5}),
    ("rounded", {}),
    ("rounded", {"groups": [3, 3]}),
    ("rounded", {"groups": [2, 2, 2], "spacing": 0, "cornerRadius": 4, "lineWidth": 3}),
    ("rounded", {"spacing": 1.5, "cornerRadius": 0, "lineWidth": 1, "dotRadius": 4}),
    ("rounded", {"cornerRadius": 100, "spacing": 2}),
]
# Width and height; None: none asked for.
SIZES = [(None, None), (300, 60), (360, 38), (241, 31), (77, 97)]
# By how much of 255 a pixel may differ: cairo takes some 15 samples across one, and the two draw curves by different
# points, which turns a sample or two over. The numbers themselves are compared more closely.
ALIKE = 40
LENGTHS = [1, 2, 4, 6, 8, 13]


def defaults(style):
    return json.loads((STYLES / f"{style}.json").read_text())["options"]


def fetch(pinpad, **query):
    values = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in query.items() if value is not None}
    with urllib.request.urlopen(f"{pinpad.url}/v1/cells.svg?{urllib.parse.urlencode(values)}", timeout=20) as answer:
        assert answer.headers["Content-Type"] == "image/svg+xml"
        return answer.read()


def places(svg):
    """Every shape of a document with its numbers, the background excepted."""
    shapes = []
    for element in ElementTree.fromstring(svg).find(f"{SVG}g").iter():
        names = {
            "rect": ["x", "y", "width", "height"], "line": ["x1", "y1", "x2", "y2"], "circle": ["cx", "cy", "r"],
        }.get(element.tag.removeprefix(SVG))
        if names:
            shapes.append((element.tag.removeprefix(SVG), *(float(element.get(name)) for name in names)))
    return shapes


def agree(svg, drawn, w, h, background):
    """Asserts that a document has these shapes and that both look alike."""
    found = places(svg)
    assert [place[0] for place in found] == [shape.place[0] for shape in drawn]
    for place, shape in zip(found, drawn):
        # Half a thousandth may be rounded to either side.
        assert place[1:] == pytest.approx(shape.place[1:], abs=0.00101, rel=0), (place, shape.place)
    differing = differences(render(svg), paint(drawn, w, h, background))
    assert max(differing, default=0) <= ALIKE, sorted(differing)[-5:]


def lengths(options):
    return [sum(options["groups"])] if "groups" in options else LENGTHS


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("style, options", CASES, ids=str)
def test_a_picture_is_what_the_formulas_say(pinpad, style, options, size):
    resolved = defaults(style) | options
    for n in lengths(options):
        w, h = size[0] or 60 * n, size[1] or (38 if style == "code" else 60)
        for k in sorted({0, n // 2 + 1, n}):
            if style in ("code", "underline", "rounded") and w < n * 10:
                # Too narrow for the default gaps: what is drawn then is not by the formulas.
                continue
            svg = fetch(pinpad, style=style, length=n, count=k, width=size[0], height=size[1], **options)
            drawn = LAYOUTS[style](w, h, n, k, resolved)
            agree(svg, drawn, w, h, resolved["backgroundColor"])


def test_one_box_without_a_margin_is_in_the_middle(pinpad):
    svg = fetch(pinpad, style="boxes", length=1, count=1, edgeSpacing=0, width=200)
    drawn = LAYOUTS["boxes"](200, 60, 1, 1, defaults("boxes") | {"edgeSpacing": 0})
    assert drawn[0].place == ("rect", 75, 5, 50, 50)
    agree(svg, drawn, 200, 60, "white")


@pytest.mark.parametrize("style", [
    "boxes-dark", "code-dark", "grid-dark", "rounded-dark", "strip-dark", "underline-dark"])
def test_a_dark_variant_is_the_same_drawing_in_other_colours(pinpad, style):
    layout = style.removesuffix("-dark")
    resolved = defaults(layout) | defaults(style)
    svg = fetch(pinpad, style=style, length=6, count=3, width=360, height=60)
    agree(svg, LAYOUTS[layout](360, 60, 6, 3, resolved), 360, 60, resolved["backgroundColor"])


def test_the_comparison_sees_a_third_of_a_pixel():
    drawn = LAYOUTS["boxes"](360, 60, 6, 3, defaults("boxes"))
    shifted = LAYOUTS["boxes"](361, 60, 6, 3, defaults("boxes"))
    assert shifted[0].place[1] - drawn[0].place[1] == pytest.approx(1 / 3, abs=0.001)
    assert max(differences(paint(drawn, 360, 60, "white"), paint(shifted, 360, 60, "white"))) > ALIKE
