"""A reading that makes no sense, or means harm, comes to the parts that it names, and to no others."""

import pytest

from jarvis.actions.base import catalogue
from jarvis.core.errors import Unusable
from jarvis.core.intent import parsed

FORMS = [want.form for action in catalogue().values() for want in action.wants]
WORDS = "who runs Tesla? I saw it on https://a.example/x in Firefox, zip-code"

# What it says, and the parts that it comes to; none: it can't be read, which is `nothing` in the end.
READINGS = [
    ("nothing", ()),
    (" Nothing. ", ()),
    ("`nothing`", ()),
    ("open u1", ("open u1",)),
    ("OPEN U1;", ("open u1",)),
    ("open u1; open u1; open u01", ("open u1",)),
    ("open site a.example; open site https://a.example/x", ("open u1",)),
    ("open site https://evil.example/", ("open site https://evil.example/?",)),  # a name and no address
    ("open Tesla", ("open site Tesla",)),
    ("open site Tesla Motors", ("open site Tesla Motors",)),  # of a site, one word is enough
    ("open site MIT; start firefox", ("open site MIT?", "start firefox")),  # an example of the prompt
    *((f"open {name}", None) for name in ("it", "the second one", "la calculadora", "es", "tesla? No way")),
    *((wants, None) for wants in (WORDS, f"open site {WORDS}", f"start {WORDS.upper()}")),  # echoes
    *((wants, ()) for wants in ("none", "Null.")),
    ("start firefox", ("start firefox",)),
    ("start fire", ("start fire",)),
    ("start code", ("start code",)),
    ("start TERMINAL", ("start TERMINAL",)),  # a role
    ("start gimp", ("start gimp?",)),  # nobody said it
    ("start irefox", ("start irefox?",)),
    ("start a", ("start a",)),
    ("start q", ("start q?",)),
    ("start -", ("start -?",)),
    ("start \u0301", ("start \u0301?",)),
    ("start \u202exoferif", ("start xoferif?",)),
    ("start firefox --private https://b.example/", ("start firefox --private https://b.example/?",)),
    ("start /usr/bin/xterm", ("start /usr/bin/xterm?",)),
    ("start firefox\nopen u1", ("start firefox open u1?",)),
    ("open found 6", ("open found 1",)),  # that many were not said
    ("open found 99", ("open found 1",)),
    ("picture??", ("picture?",)),
    *((wants, None) for wants in ("", ";", " ; ;", "?", "open u1; nothing", "nothing?")),
    ("nothing; open site x", None),
    *((wants, None) for wants in ("open u0", "open u2", "open u9", "open u-1", "open u", "open u1 u2")),
    *((f"open line {number}", None) for number in ("0", "-1", "two", "²", "٣", "1e3", "99999", "1 2", "")),
    *((f"open found {number}", None) for number in ("0", "", "x", "1000000")),
    *((wants, None) for wants in ("open lines 2", "open lines?no", "picture of the campus", "picturesque")),
    *((wants, None) for wants in ("start", "start ?", "open site", 'open site "', "open https://evil.example/")),
    *((wants, None) for wants in ("open evil.example", "run id", "x" * 10_000, "{}", '{"wants": "x"}')),
    ('open site "Marks; Spencer"', None),
    ("start \u202e", None),
    ("start \x00", None),
    ("; ".join(f"open site s{n}" for n in range(50)), None),
    ("; ".join(f"start app{n}" for n in range(3000)), None),
    ("; ".join(f"open found {n}" for n in (6, 5, 4, 3, 2, 1)), ("open found 1",)),
    (";" * 10_000 + "open u1", ("open u1",)),
]  # fmt: skip


def read(wants, words=WORDS, before=()):
    try:
        return parsed(wants, FORMS, words, before).canonical_parts
    except Unusable as error:
        return None if 0 < len(str(error)) < 300 else str(error)


@pytest.mark.parametrize(("wants", "parts"), READINGS, ids=lambda value: str(value)[:40])
def test_a_reading_comes_to_the_parts_that_it_names_or_to_none(wants, parts):
    assert read(wants) == parts


def test_a_name_has_to_begin_a_word_of_what_the_call_saw():
    assert read("start signal", "open it", ("what is Signal?",)) == ("start signal",)
    assert read("start signal", "open it") == ("start signal?",)
    assert read("start cafe", "öffne Café!") == ("start cafe",)
    assert (
        read("start firefox", "firefoxを開いて") == read("start firefox", "今firefox") == ("start firefox",)
    )
    assert read("start term", "xterm, determine") == ("start term?",)
    assert read("start term", "xterm, term") == ("start term",)
    assert (
        read("open nasa", "he wrote “open nasa”")
        == read("open nasa", "say: open nasa")
        == ("open site nasa?",)
    )
    assert read("open nasa", "could you open nasa?") == ("open site nasa",)


def test_a_name_is_cut_and_has_nothing_that_steers_a_terminal():
    (told,) = read(f"start {'t' * 10_000}")
    assert len(told) < 90
    assert read("open site \x1b[31mTesla\x1b[0m\u202e") == ("open site Tesla",)
    assert read("open site «Tesla»") == ("open site Tesla",)
