"""api.md, Picture: headers, parameters, caching, titles and states. The geometry is drawn anew elsewhere."""

import base64
import hashlib
import re
import xml.etree.ElementTree as ElementTree

import pytest

from client import create, pointers, problem, request

SVG = "{http://www.w3.org/2000/svg}"
STYLES = ["boxes", "grid", "strip", "code", "underline", "rounded"]
LABELS = [
    "PIN", "a < b && c > d", "\"quoted\" and 'quoted'", "]]>", "<!-- -->", "&amp;", "</title></svg><script>1</script>", "קוד",
    "🔑 key", "two\nlines\tand a tab", "\x00\x01\x1f\x7f", "\ufffe\uffff", " ", "x" * 200]
COLORS = re.compile(r"#[0-9a-fA-F]{3,6}\b")


def drawn(answer):
    """The root of an answer's picture."""
    assert answer.status == 200, answer
    return ElementTree.fromstring(answer.body)


def title(answer):
    found = drawn(answer).findall(SVG + "title")
    assert len(found) == 1, answer
    return "".join(found[0].itertext())


def structure(answer):
    """All that is geometry in a picture: no colours, classes, groups, styles and titles."""
    shape = ("x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "x1", "y1", "x2", "y2", "d", "points", "viewBox")
    return [
        (element.tag, [(name, element.get(name)) for name in shape if element.get(name) is not None])
        for element in drawn(answer).iter()
        if element.tag.removeprefix(SVG) not in ("g", "style", "title")]


def test_the_picture_is_svg(pinpad):
    answer = create(pinpad).picture()
    assert answer.header("Content-Type") == "image/svg+xml"
    root = drawn(answer)
    assert (root.tag, root.get("role")) == (SVG + "svg", "img")


def test_its_view_box_is_of_the_size_asked_for(pinpad):
    session = create(pinpad)
    for width, height in ((360, 60), (1, 1), (4096, 4096), (300, 17)):
        root = drawn(session.picture(f"?width={width}&height={height}"))
        assert root.get("viewBox") == f"0 0 {width} {height}"


@pytest.mark.parametrize("style, length, size", [
    ("boxes", 6, "360 60"), ("boxes", 4, "240 60"), ("grid", 6, "360 60"), ("strip", 1, "60 60"), ("code", 6, "360 38"),
    ("code", 32, "1920 38")])
def test_its_size_is_60_for_each_cell_by_60_or_for_code_38(pinpad, style, length, size):
    session = create(pinpad, style=style, length=length)
    assert drawn(session.picture()).get("viewBox") == "0 0 " + size
    width, height = size.split()
    assert drawn(session.picture("?width=100")).get("viewBox") == "0 0 100 " + height
    assert drawn(session.picture("?height=100")).get("viewBox") == f"0 0 {width} 100"


@pytest.mark.parametrize("query, wrong", [
    ("?width=0", ["width"]), ("?width=4097", ["width"]), ("?height=0", ["height"]), ("?height=4097", ["height"]),
    ("?width=-1", ["width"]), ("?width=abc", ["width"]), ("?width=1.5", ["width"]), ("?width=", ["width"]),
    ("?width=99999999999999999999", ["width"]), ("?width=0&height=0", ["height", "width"]),
    ("?width=1&width=2", ["width"])])
def test_a_size_out_of_range_is_invalid(pinpad, query, wrong):
    assert pointers(create(pinpad).picture(query)) == wrong
    assert pointers(request(pinpad, "GET", "/v1/cells.svg" + query)) == wrong


def test_unknown_query_parameters_are_ignored(pinpad):
    session = create(pinpad)
    assert session.picture("?t=1700000000&_=x&width=60").body == session.picture("?width=60").body
    assert request(pinpad, "GET", "/v1/cells.svg?t=1&x").body == request(pinpad, "GET", "/v1/cells.svg").body


@pytest.mark.parametrize("style", STYLES)
def test_it_has_no_script_and_refers_to_nothing_outside(pinpad, style):
    session = create(pinpad, style=style, reveal=True)
    session.insert("123")
    for answer in (session.picture(), create(pinpad, style=style).picture()):
        text = answer.text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        for forbidden in ("<script", "http:", "https:", "@import", "<!DOCTYPE", "<!ENTITY", "<?xml-stylesheet", "<image",
                          "<foreignObject", "data:"):
            assert forbidden.lower() not in text.lower(), forbidden
        for element in drawn(answer).iter():
            for name, value in element.attrib.items():
                assert not name.lower().startswith("on"), name
                assert not name.endswith("href") or value.startswith("#"), (name, value)
        assert re.findall(r"url\((?!#)", text) == []


@pytest.mark.parametrize("label", LABELS)
def test_it_is_well_formed_for_any_label(pinpad, label):
    session = create(pinpad, label=label)
    session.insert("123")
    said = title(session.picture())
    allowed = "".join(
        character for character in label if character in "\t\n" or character >= " " and character not in "\x7f\ufffe\uffff")
    if allowed == label:
        assert label in said
    assert "3 of 6 entered" in said


def test_its_title_says_how_many_are_in(pinpad):
    session = create(pinpad, label="Door code", length=4)
    seen = [title(session.picture())]
    for digit in "1234":
        session.insert(digit)
        seen.append(title(session.picture()))
    for count, text in enumerate(seen):
        assert "Door code" in text and f"{count} of 4 entered" in text


def test_the_title_has_no_digits_when_masked(pinpad):
    session = create(pinpad, length=5, label="PIN")
    session.insert("98769")
    assert re.findall(r"\d+", title(session.picture())) == ["5", "5"]


@pytest.mark.parametrize("style", STYLES)
def test_masked_it_has_the_same_size_and_structure_whichever_digits_are_in(pinpad, style):
    session = create(pinpad, style=style, reveal=False)
    session.set("000000")
    first = session.picture()
    session.set("189345")
    second = session.picture()
    assert first.body == second.body
    assert len(first.headers.as_string()) == len(second.headers.as_string())


def test_with_reveal_it_shows_the_characters(pinpad):
    shown, masked = create(pinpad, style="code"), create(pinpad, style="code", reveal=False)
    pictures = []
    for text in ("111111", "222222"):
        shown.set(text)
        masked.set(text)
        pictures.append((shown.picture().body, masked.picture().body))
    assert pictures[0][0] != pictures[1][0]
    assert pictures[0][1] == pictures[1][1]


@pytest.mark.parametrize("style", STYLES)
def test_cells_go_from_left_to_right_on_any_page(pinpad, style):
    session = create(pinpad, style=style)
    before, places = drawn(session.picture()), []
    assert before.get("direction", "ltr") == "ltr"
    for digit in "123456":
        session.insert(digit)
        after = drawn(session.picture())
        known = [ElementTree.tostring(element) for element in before.iter()]
        new = [element for element in list(after.iter())[1:] if ElementTree.tostring(element) not in known]
        places.append(max(float(element.get(name)) for element in new for name in ("x", "cx") if element.get(name)))
        before = after
    assert places == sorted(set(places)), places


def test_the_etag_is_of_revision_style_and_size(pinpad):
    session = create(pinpad)
    tags = [session.picture().header("ETag")]
    assert re.fullmatch(r'"[!#-~]+"', tags[0])
    assert session.picture().header("ETag") == tags[0]
    for query in ("?width=100", "?height=100", "?width=100&height=100"):
        tags.append(session.picture(query).header("ETag"))
    session.insert("1")
    tags.append(session.picture().header("ETag"))
    session.patch({"style": "grid"})
    tags.append(session.picture().header("ETag"))
    session.patch({"style": {"lineColor": "red"}})
    tags.append(session.picture().header("ETag"))
    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_if_none_match_gives_304(pinpad, form):
    session = create(pinpad)
    first = session.picture()
    answer = session.picture(headers={"If-None-Match": form.format(first.header("ETag"))})
    assert (answer.status, answer.body) == (304, b"")
    for name in ("ETag", "Cache-Control"):
        assert answer.header(name) == first.header(name)
    assert session.picture(headers={"If-None-Match": '"other"'}).status == 200
    session.insert("1")
    assert session.picture(headers={"If-None-Match": first.header("ETag")}).status == 200


def test_caching_is_private_and_checked_and_with_reveal_none(pinpad):
    assert create(pinpad).picture().header("Cache-Control") == "private, no-cache"
    assert create(pinpad, reveal=True).picture().header("Cache-Control") == "no-store"
    assert create(pinpad, style="code").picture().header("Cache-Control") == "no-store"


@pytest.mark.parametrize("style", STYLES)
def test_its_policy_allows_nothing_but_its_own_style(pinpad, style):
    answer = create(pinpad, style=style).picture()
    policy = {
        name: values.split() for name, _, values in (
            part.strip().partition(" ") for part in answer.header("Content-Security-Policy").split(";") if part.strip())}
    assert policy.pop("default-src") == ["'none'"]
    sources = policy.pop("style-src")
    assert policy == {} or all(values == ["'none'"] for values in policy.values())
    assert "unsafe-inline" not in str(sources)
    for element in drawn(answer).iter(SVG + "style"):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in sources
    # A policy with a hash does not allow attributes of style.
    assert all(element.get("style") is None for element in drawn(answer).iter())


def test_a_rejection_shows_by_colours_and_in_the_title_and_by_no_other_geometry(pinpad):
    for style in STYLES:
        session = create(pinpad, style={"name": style, "errorColor": "#abcdef"}, length=3)
        before = session.picture()
        session.insert("123")
        session.hold()
        session.reject("Wrong <PIN>")
        rejected = session.picture()
        assert "#abcdef" in rejected.text and "#abcdef" not in before.text
        assert "Wrong <PIN>" in title(rejected)
        assert structure(rejected) == structure(before)
        session.insert("1")
        after = session.picture()
        assert "Wrong" not in title(after) and "#abcdef" not in after.text


def test_an_empty_message_shows_as_an_error_too(pinpad):
    session = create(pinpad, style={"name": "boxes", "errorColor": "#abcdef"}, length=1)
    session.insert("1")
    session.hold()
    session.reject()
    assert session.state()["error"] == ""
    assert "#abcdef" in session.picture().text


def test_a_patch_keeps_the_error_in_the_picture(pinpad):
    session = create(pinpad, style={"name": "boxes", "errorColor": "#abcdef"}, length=1)
    session.insert("1")
    session.hold()
    session.reject("No")
    session.patch({"label": "Code"})
    assert "#abcdef" in session.picture().text and "No" in title(session.picture())


@pytest.mark.parametrize("style", STYLES)
def test_a_closed_session_shows_filled_cells_without_characters(pinpad, style):
    masked = create(pinpad, style=style, reveal=False)
    shown = create(pinpad, style=style, reveal=True)
    empty = masked.picture().body
    for session in (masked, shown):
        session.insert("120")
        session.cancel()
    answer = shown.picture()
    assert "3 of 6 entered" in title(answer)
    assert answer.body == masked.picture().body != empty
    other = create(pinpad, style=style, reveal=True)
    other.insert("987")
    other.cancel()
    assert other.picture().body == answer.body


def test_caret_marks_the_next_cell_while_active(pinpad):
    for style in STYLES:
        session = create(pinpad, style={"name": style, "caret": True})
        plain = create(pinpad, style=style)
        assert structure(session.picture()) == structure(plain.picture())
        session.begin()
        plain.begin()
        assert session.picture().body != plain.picture().body
        session.end()
        plain.end()
        assert structure(session.picture()) == structure(plain.picture())


def test_head_of_a_picture_has_its_headers(pinpad):
    session = create(pinpad)
    got, head = session.picture(), session.request("HEAD", "/cells.svg")
    assert (head.status, head.body) == (200, b"")
    for name in ("Content-Type", "ETag", "Cache-Control", "Content-Security-Policy"):
        assert head.header(name) == got.header(name)


def test_a_wrong_token_gets_no_picture(pinpad):
    problem(create(pinpad).picture(token=create(pinpad).entry), "unauthorized")


def free(pinpad, query, **options):
    return request(pinpad, "GET", "/v1/cells.svg" + query, **options)


@pytest.mark.parametrize("style", STYLES)
def test_without_a_session_it_draws_the_same(pinpad, style):
    session = create(pinpad, style=style, length=5, reveal=False)
    session.insert("123")
    session.end()
    answer = free(pinpad, f"?style={style}&length=5&count=3")
    assert answer.body == session.picture().body
    assert answer.header("Content-Type") == "image/svg+xml"


@pytest.mark.parametrize("style", STYLES)
def test_without_a_session_it_draws_a_verdict(pinpad, style):
    session = create(pinpad, style=style, length=4, reveal=False)
    session.insert("1234")
    session.hold()
    session.accept()
    accepted = free(pinpad, f"?style={style}&length=4&count=4&accepted=true")
    assert accepted.body == session.picture().body != free(pinpad, f"?style={style}&length=4&count=4").body
    rejected = free(pinpad, f"?style={style}&length=4&error=true")
    assert rejected.body not in (accepted.body, free(pinpad, f"?style={style}&length=4").body)


def test_without_a_session_and_parameters_it_draws_six_empty_boxes(pinpad):
    assert free(pinpad, "").body == create(pinpad).picture().body


def test_without_a_session_it_takes_style_options_by_their_names(pinpad):
    plain, red = free(pinpad, "?count=1"), free(pinpad, "?count=1&dotColor=%23ff0011")
    assert "#ff0011" in red.text and "#ff0011" not in plain.text
    options = {"name": "rounded", "groups": [3, 3], "cornerRadius": 4.5, "dotColor": "navy"}
    session = create(pinpad, style=options)
    query = "?style=rounded&groups=3,3&cornerRadius=4.5&dotColor=navy"
    assert free(pinpad, query).body == session.picture().body
    assert free(pinpad, "?caret=false").body == free(pinpad, "").body


def test_without_a_session_it_takes_a_size(pinpad):
    assert drawn(free(pinpad, "?width=300&height=50")).get("viewBox") == "0 0 300 50"
    assert drawn(free(pinpad, "?style=code&length=2")).get("viewBox") == "0 0 120 38"


@pytest.mark.parametrize("query, wrong", [
    ("?style=none", ["style"]), ("?length=0", ["length"]), ("?length=33", ["length"]), ("?count=7", ["count"]),
    ("?count=-1", ["count"]), ("?length=2&count=3", ["count"]), ("?dotColor=nocolor", ["dotColor"]),
    ("?cellSize=-1", ["cellSize"]), ("?caret=1", ["caret"]), ("?style=rounded&groups=3,4", ["groups"]),
    ("?length=x&width=0&dotColor=%22", ["dotColor", "length", "width"])])
def test_without_a_session_a_parameter_out_of_range_is_invalid(pinpad, query, wrong):
    assert pointers(free(pinpad, query)) == wrong


def test_without_a_session_it_has_the_same_headers(pinpad):
    answer = free(pinpad, "?count=2")
    assert answer.header("Cache-Control") == "private, no-cache"
    assert "default-src 'none'" in answer.header("Content-Security-Policy")
    assert free(pinpad, "?count=3").header("ETag") != answer.header("ETag")
    again = free(pinpad, "?count=2", headers={"If-None-Match": answer.header("ETag")})
    assert (again.status, again.body) == (304, b"")
