"""Foreign text, made safe."""

import os
import random
import re
import unicodedata

import pytest

from jarvis.core.text import clean, one_line, piped_in, redact, words_in
from jarvis.core.urls import typed_addresses
from tests.house import understood

EVIL = {
    "a\x1b[31mred\x1b[0m": "ared",
    "\x1b]0;title\x07x": "x",
    "\x1b]52;c;aGk=\x1b\\x": "x",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\": "link",
    "\x9b2Jx": "x",
    "a\x1b]0;title\x1b[31mb": "ab",
    "a\x9dtitle\x9dof\x1b[mb\nc": "ab\nc",
    "a\x9dtitle\nb": "a\nb",
    "a\x00b\x08c\x7f": "abc",
    "a\rb\r\nc": "ab\nc",
    "a\u202eb\u2066c\u200dd\ufeff": "abcd",
    "a\u2028b\u2029c\x85d": "a\nb\nc\nd",
    "tab\there": "tab here",
    "\ud800x": "x",
    "\x1bPq#0\x1b\\x": "x",
    "\x1b": "",
    "\x1b[": "",
    "naïve ünïcödé 日本語 🎉": "naïve ünïcödé 日本語 🎉",
}


JOINED = ("می\u200cخواهم", "क्\u200dष", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "👩🏽\u200d💻")
HIDING = (
    "a\u200cb",
    "я\u200dя",
    "日\u200d本",
    "\u200dم",
    "م\u200c",
    "م\u200c\u200cم",
    "م\u200ca",
    "1\u200c2",
)


def test_joiners_stay_where_they_are_spelling_and_go_where_they_would_only_hide():
    assert [clean(text) for text in JOINED] == [*JOINED]
    assert [clean(text) for text in HIDING] == [re.sub("[\u200c\u200d]", "", text) for text in HIDING]


def test_nothing_that_steers_a_terminal_is_left():
    assert {raw: clean(raw) for raw in EVIL} == EVIL


def test_ten_thousand_random_strings_come_out_clean_and_a_long_one_at_once():
    assert (
        clean("\x90" * 100_000 + "\x1bAx") == "x"
    )  # looked for from each of its signs anew, it takes minutes
    chance = random.Random(7)
    alphabet = "\x1b[]0;m\x07\x9b\x9d\x90\\ab\n\r\t\u202e\u2028\ufeff\x00\x7f🎉é"
    for _ in range(10_000):
        text = clean("".join(chance.choices(alphabet, k=chance.randrange(40))))
        assert all(c == "\n" or unicodedata.category(c)[0] != "C" for c in text), repr(text)


def test_a_line_is_cut_to_its_limit():
    assert one_line(" a\n b  c ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert len(one_line("word " * 100, 20)) <= 20


def test_keys_are_struck_out():
    text = "GET https://s.example/search?q=x&api_key=SECRET1&y=1 key=SECRET2 and a long secret"

    assert redact(text, ("a long secret",)) == (
        "GET https://s.example/search?q=x&api_key=[key]&y=1 key=[key] and [key]"
    )


def test_bytes_that_are_no_text_leave_a_mark():
    """Or what is left of `m\\xfcnchen.de` would be another host."""
    assert words_in(os.fsdecode(b"open m\xfcnchen.de")) == "open m\ufffdnchen.de"
    assert words_in("open \ud800.example") == "open \ufffd.example"
    assert words_in(os.fsdecode("öffne".encode())) == "öffne"


# Each is read as another address, name or command without what can't be seen in it.
HIDING_IN_A_WORD = {
    "a.example\u202e/gpj.exe": "a.example\ufffd/gpj.exe",
    "a.exa\u200bmple": "a.exa\ufffdmple",
    "a.exa\u00admple": "a.exa\ufffdmple",
    "a.example\u2060.evil.example": "a.example\ufffd.evil.example",
    "https://a.example\ufeff@b.example/": "https://a.example\ufffd@b.example/",
    "a.exa\U000e0061\U000e0062mple": "a.exa\ufffdmple",
    "a.exa\x1b[31mmple": "a.exa\ufffdmple",
    "a.exa\x1b]8;;https://b.example\x07mple": "a.exa\ufffdmple",
    "a.exa\x08\x08mple": "a.exa\ufffdmple",
    "a.example\ue000b": "a.example\ufffdb",
    "git\u200bhub": "git\ufffdhub",
    "\u202emoc.elpmaxe": "\ufffdmoc.elpmaxe",
}
# What stands at an end of a word, or is spelling, joins nothing to anything.
HIDING_NOTHING = {
    "\ufeffopen a.example\u200b": "open a.example",
    "\x1b[1mopen\x1b[0m a.example": "open a.example",
    "open\u200e a.example \x07": "open a.example",
    "می\u200cخواهم": "می\u200cخواهم",
    "ខ្ញុំ\u200bចង់": "ខ្ញុំចង់",
    "ไท\u200bย.ไทย": "ไทย.ไทย",  # as browsers read it
    "one\ttwo\r\nthree": "one two\nthree",
}


@pytest.mark.parametrize("sign", ["\n", "\r", "\v", "\f", *"\x1c\x1d\x1e\x85\u2028\u2029", "\r\n"])
def test_whatever_ends_a_line_ends_it(sign):
    """Else what was pasted would be one line, as if it had been typed."""
    assert words_in(f"open a.example{sign}b.example{sign}") == "open a.example\nb.example"
    assert piped_in(f"one{sign}\ttwo{sign}") == "one\n\ttwo"


def test_what_hides_in_a_word_of_theirs_leaves_a_mark():
    kept = HIDING_IN_A_WORD | HIDING_NOTHING

    assert {typed: words_in(typed) for typed in kept} == kept
    assert piped_in("Ver\u00adsicherung \x1b[31mred\x1b[0m") == "Versicherung red"  # none in material


def test_a_word_in_which_something_hides_is_no_address_and_nothing_plain(house):
    for word in HIDING_IN_A_WORD:
        words = words_in(f"open {word}")

        assert (word, typed_addresses(words)) == (word, [])
        assert (word, understood(words, house.names)) == (word, None)
