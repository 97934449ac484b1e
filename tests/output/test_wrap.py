"""A reply that is still being written is broken at words, and none of it is held back for long."""

from __future__ import annotations

import pytest

from jarvis.core.text import cells
from jarvis.output.wrap import Wrapper

URL = "https://example.org/a/very/long/address?with=a&query=of&its=own"


def wrapped(text, width, size=1):
    wrapper = Wrapper()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return "".join(wrapper.feed(piece, width) for piece in pieces) + wrapper.flush(width)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "three"]),
        ("one two thr", ["one two", "thr"]),
        ("eight888 two", ["eight888", "two"]),
        ("one  \ntwo", ["one", "two"]),
        ("one\n\n  two", ["one", "", "  two"]),
        ("    sevens7", [" sevens7"]),
        ("a four four", ["a four", "four"]),
        ("it is 大学です", ["it is 大", "学です"]),
        ("日本の大学。次", ["日本の大", "学。次"]),
        ("日本の大。", ["日本の", "大。"]),
        ("大「学」は", ["大「学」", "は"]),
        ("대학교는 크다", ["대학교는", "크다"]),
        ("cafe\u0301 cafe\u0301", ["cafe\u0301", "cafe\u0301"]),
        ("ab 👍🏽👍🏽", ["ab 👍🏽", "👍🏽"]),
    ],
)
def test_lines_end_between_words(text, lines):
    assert wrapped(text, 8) == "\n".join(lines)


@pytest.mark.parametrize("width", [2, 7, 20, 40, 80])
def test_the_pieces_make_no_difference_and_nothing_is_lost(width):
    text = f"Founded in 1861 (see {URL}), 大学は1861年に創立されました。\n- one  two\n" * 3
    whole = wrapped(text, width, len(text))

    for size in (1, 2, 3, 7):
        assert wrapped(text, width, size) == whole
    assert "".join(whole.split()) == "".join(text.split())
    assert URL in whole
    lines = [line for line in whole.split("\n") if URL not in line]
    assert width < 20 or all(sum(map(cells, line)) <= width for line in lines)


def test_an_address_that_is_longer_than_a_line_has_lines_of_its_own_and_is_left_whole():
    assert wrapped(f"See {URL} for more", 20) == f"See\n{URL} for more"


def test_only_the_word_in_progress_is_held_back():
    wrapper = Wrapper()

    said = [wrapper.feed(piece, 30) for piece in ("On", "e two", " ", "thr", "ee. 大学", "は")]

    assert said == ["", "One", " two", "", " three. 大", "学"]
    assert wrapper.flush(30) == "は"
