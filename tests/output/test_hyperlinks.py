"""An address that is known becomes a hyperlink to itself, where the terminal knows hyperlinks."""

from __future__ import annotations

import re

import pytest

from jarvis.core.text import hyperlink, printable
from jarvis.output.markdown import ReplyStream
from jarvis.output.screen import knows_hyperlinks

KNOWN = "https://docs.example/install?x=1"
STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(
    ("reply", "told"),
    {
        "alone": (KNOWN, hyperlink(KNOWN)),
        "in a sentence": (f"See ({KNOWN}), then go.", f"See ({hyperlink(KNOWN)}), then go."),
        "of a link": (f"See [the page]({KNOWN}).", f"See the page ({hyperlink(KNOWN)})."),
        "in angle brackets": (f"See <{KNOWN}>.", f"See {hyperlink(KNOWN)}."),
        "longer than a known one": (f"See {KNOWN}2 now", f"See {KNOWN}2 now"),
        "of a stranger": ("See https://evil.example/", "See https://evil.example/"),
        "a link of a stranger": (
            f"[{KNOWN}](https://evil.example/)",
            f"{hyperlink(KNOWN)} (https://evil.example/)",
        ),
    }.values(),
)
@pytest.mark.parametrize("colour", [True, False])
def test_only_a_known_address_becomes_a_link_and_it_leads_where_it_says(reply, told, colour):
    markdown = ReplyStream(colour=colour, links=[KNOWN])
    drawn = [markdown.feed(reply, (80, 24)), markdown.end((80, 24))]

    assert [STYLE.sub("", each) for each in (drawn[0].picture, drawn[1].final)] == [told, told]


def test_a_link_whose_text_is_not_its_address_never_reaches_the_terminal():
    evil = "\x1b]8;;https://evil.example/\x1b\\https://good.example/\x1b]8;;\x1b\\"

    assert printable(evil, links=True) == "https://good.example/"
    assert printable(hyperlink(KNOWN), links=True) == hyperlink(KNOWN)
    assert printable(hyperlink(KNOWN)) == KNOWN


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "https://a.example/\x07", "https://a.example/ b", "https://ä.example/"]
)
def test_nothing_else_becomes_a_link(address):
    assert hyperlink(address) == address


@pytest.mark.parametrize(
    ("environment", "known"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, True),
        ({"TERM": "xterm-256color", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
        ({"TERM": "dumb", "FORCE_HYPERLINK": "1"}, False),
    ],
)
def test_the_terminal_is_known_by_its_variables(environment, known):
    assert knows_hyperlinks(environment) == known
