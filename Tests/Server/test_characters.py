"""api.md, Editing: which characters count, which are dropped, which are refused."""

import random
import unicodedata

import pytest

from client import create, problem

WHITE_SPACE = [
    *range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
DASH = [
    0x2D, 0x58A, 0x5BE, 0x1400, 0x1806, *range(0x2010, 0x2016), 0x2053, 0x207B, 0x208B, 0x2212, 0x2E17, 0x2E1A,
    0x2E3A, 0x2E3B, 0x2E40, 0x2E5D, 0x301C, 0x3030, 0x30A0, 0xFE31, 0xFE32, 0xFE58, 0xFE63, 0xFF0D, 0x10EAD]
FORMAT = [code for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf"]
DECIMAL = [code for code in range(0x110000) if unicodedata.category(chr(code)) == "Nd"]
DROPPED = {*WHITE_SPACE, *DASH, *FORMAT, *map(ord, "._/")}


def entered(pinpad, text, **members):
    """The text that is in after inserting this one, which fills the session."""
    session = create(pinpad, **members)
    answer = session.insert(text)
    assert answer.status == 200, answer
    return session.redeem().json["text"]


@pytest.mark.parametrize("text, seen", [
    ("012345", "012345"),
    (" 123-456\n", "123456"),
    ("12 34 56", "123456"),
    ("１２３456", "123456"),
    ("٣۳３3३𝟛", "333333"),
    ("123.456", "123456"),
    ("1_2/3-4–5—6", "123456"),
    ("\ufeff123\u00ad456\u200b", "123456"),
    ("123\u00a0456\u3000", "123456"),
    ("(123)456"[1:4] + "\u2212456", "123456"),
])
def test_a_text_is_read_as_a_user_means_it(pinpad, text, seen):
    assert entered(pinpad, text) == seen


def test_each_decimal_digit_of_any_script_counts_as_that_digit(pinpad):
    assert len(DECIMAL) >= 650
    for start in range(0, len(DECIMAL), 32):
        chunk = DECIMAL[start:start + 32]
        expected = "".join(str(unicodedata.decimal(chr(code))) for code in chunk)
        assert entered(pinpad, "".join(map(chr, chunk)), length=len(chunk)) == expected


@pytest.mark.parametrize("kind, codes", [("white space", WHITE_SPACE), ("dash", DASH), ("format", FORMAT)])
def test_white_space_dashes_and_format_characters_are_dropped(pinpad, kind, codes):
    session = create(pinpad)
    for start in range(0, len(codes), 200):
        answer = session.insert("".join(map(chr, codes[start:start + 200])))
        assert answer.status == 200, (kind, answer)
        assert answer.json["accepted"] == 0
    between = "".join(f"{chr(code)}" for code in codes[:100])
    assert entered(pinpad, f"1{between}2", length=2) == "12"


def test_point_underscore_and_slash_are_dropped(pinpad):
    assert entered(pinpad, "._/1._/2._/", length=2) == "12"


@pytest.mark.parametrize("text, index", [
    ("²", 0), ("①", 0), ("一", 0), ("Ⅷ", 0), ("½", 0), ("1\u0301", 1), ("1\ufe0f\u20e3", 1), ("😀", 0), ("１²", 1),
    ("x", 0), ("1x", 1), ("12,34", 2), ("1'2", 1), ("+12", 0), ("12:34", 2), ("1e5", 1), ("#", 0), ("*", 0),
    ("O0", 0), ("l", 0), ("(12)", 0), ("1\u0000", 1), ("\u0007", 0), ("\u007f", 0), ("1\ufffd", 1), ("𝟙𝟚x", 2),
    ("\U0001D7D8😀", 1), ("-- 1x", 4), ("\ue000", 0), ("\U0010FFFF", 0), ("⁷", 0), ("₇", 0), ("٫", 0), ("万", 0),
    ("Ａ", 0), ("a", 0), ("Z", 0), ("🅰", 0), ("𐄇", 0), ("\u0378", 0), ("~", 0), ("‿", 0), ("·", 0),
])
def test_any_other_character_refuses_the_whole_insert_and_is_named(pinpad, text, index):
    session = create(pinpad)
    session.insert("9")
    before = session.state()
    for answer in (session.insert(text), session.set(text)):
        assert problem(answer, "invalid-character")["index"] == index
    assert session.state() == before


def test_a_random_character_that_is_no_digit_and_not_dropped_is_refused(pinpad):
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    session = create(pinpad)
    tried = 0
    while tried < 300:
        code = chance.choice([chance.randrange(0x800), chance.randrange(0x10000), chance.randrange(0x110000)])
        category = unicodedata.category(chr(code))
        # Characters that this Python's Unicode doesn't know yet may be digits or format characters in a newer one.
        if code in DROPPED or category in ("Nd", "Cs", "Cn", "Pd"):
            continue
        tried += 1
        body = problem(session.insert("1" + chr(code)), "invalid-character")
        assert body["index"] == 1, hex(code)


def test_the_index_counts_scalars_of_the_text_as_sent(pinpad):
    session = create(pinpad)
    assert problem(session.insert("\U0001D7CE\U0001D7CF😀"), "invalid-character")["index"] == 2
    assert problem(session.insert("\u200b\u200b - ٣x"), "invalid-character")["index"] == 6
    assert problem(session.insert("1" * 200 + "x" + "y"), "invalid-character")["index"] == 200


def test_escapes_in_the_json_are_the_characters_they_mean(pinpad):
    session = create(pinpad, length=4)
    answer = session.request("POST", "/insert", b'{"text":"\\u0031\\ud835\\udfd9\\n\\/2"}', session.entry)
    assert answer.json["accepted"] == 3
    body = problem(session.request("POST", "/insert", b'{"text":"1\\u0000"}', session.entry), "invalid-character")
    assert body["index"] == 1
    problem(session.request("POST", "/insert", b'{"text":"\\ud800"}', session.entry), "malformed")


def test_with_alphanumeric_letters_count_and_only_a_to_z_are_folded(pinpad):
    assert entered(pinpad, "aZ09zA", alphabet="alphanumeric") == "AZ09ZA"
    assert entered(pinpad, "abc-def-ghij-klmn-opqr-stuv-wxyz", length=26, alphabet="alphanumeric") == (
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    assert entered(pinpad, "a٣３-b", length=4, alphabet="alphanumeric") == "A33B"
    session = create(pinpad, alphabet="alphanumeric")
    for character in "\u00e9\u00df\u0131\u017f\u212a\u00c5\u03b1\u0430\uff21\uff41\u00aa\u24b6\U0001d400\u0130\u00b2":
        assert problem(session.insert(character), "invalid-character")["index"] == 0, character


def test_nothing_is_normalised_for_compatibility(pinpad):
    session = create(pinpad, alphabet="alphanumeric")
    for character in "²①Ⅷ½㈠⑴⒈🄁ｆﬁ㎏":
        assert unicodedata.normalize("NFKC", character) != character
        problem(session.insert(character), "invalid-character")
