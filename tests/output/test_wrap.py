"""A reply that is still being written is broken at words, and none of it is held back for long."""

from __future__ import annotations

import itertools

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


def test_a_word_that_is_longer_than_a_line_is_shown_as_it_comes():
    wrapper = Wrapper()

    said = [wrapper.feed(character, 5) for character in "a 1234567"]

    assert said == ["", "a", "", "", "", "", "", "\n123456", "7"]


def test_a_word_that_was_flushed_goes_on_where_it_was():
    wrapper = Wrapper()

    assert wrapper.feed("one t", 8) + wrapper.flush(8) == "one t"
    assert wrapper.feed("wo three", 8) + wrapper.flush(8) == "wo\nthree"


def test_after_a_notice_there_is_a_whole_line():
    wrapper = Wrapper()
    assert wrapper.feed("one two", 8) + wrapper.flush(8) == "one two"

    wrapper.begin_line()

    assert wrapper.feed(" three four", 8) + wrapper.flush(8) == "three\nfour"


def test_another_width_holds_from_the_next_word_on():
    wrapper = Wrapper()
    said = [wrapper.feed("one two three ", 20), wrapper.feed("four five six", 9), wrapper.flush(9)]

    # Fourteen cells of the first line take two lines now.
    assert "".join(said) == "one two three four\nfive six"


def test_any_width_at_all_is_survived():
    for text, width in itertools.product(["大学 a\n\n", "", "\n", "   ", URL], [1, 2, 3]):
        assert "".join(wrapped(text, width).split()) == "".join(text.split())
