"""What is shown can be read on a dark and on a light terminal; links lead where their text says."""

from __future__ import annotations

import io
import re

import pytest

from jarvis.core.events import Replied, Source, StepFinished
from jarvis.core.types import Outcome
from jarvis.output.screen import Screen
from jarvis.output.styles import STYLES, linked, styled, takes_links
from jarvis.output.tellers import AnswerTeller
from tests.output.terminals import Terminal

LEVELS = (0, 95, 135, 175, 215, 255)  # of xterm's cube of colors
LONG = "https://accounts.bank.example.login.session.secure.elsewhere.example/a"  # its end says whose it is
URL = "https://user@www.shop.example/a/b?c=d#e"


def color_in(code):
    """The color of text in xterm's palette; None: the terminal's own, black on white or gray90 on black."""
    if not code.startswith("38;5;"):
        assert code in ("1", "3", "4", "9")  # they leave the color alone
        return None
    number = int(code.removeprefix("38;5;"))
    if number >= 232:
        return [8 + 10 * (number - 232)] * 3
    return [LEVELS[(number - 16) // place % 6] for place in (36, 6, 1)]


def contrast(one, other):
    """As WCAG 2 computes it."""

    def luminance(color):
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (x / 255 for x in color)
        ]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("style", STYLES)
def test_every_style_can_be_read_on_black_and_on_white(style):
    code = re.fullmatch(r"\x1b\[(.*)mx\x1b\[0m", styled("x", style, color=True))[1]
    for background, own in (([0] * 3, [229] * 3), ([255] * 3, [0] * 3)):
        assert contrast(color_in(code) or own, background) >= 4.5


@pytest.mark.parametrize(
    ("environment", "takes"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "foot-extra"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
        ({"WT_SESSION": "c0ffee"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4205"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "seven"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "tmux-256color", "VTE_VERSION": "7600"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600", "TMUX": "/tmp/tmux-0/default,1,0"}, False),
        ({"TERM": "screen", "WT_SESSION": "c0ffee"}, False),
        ({"TERM": "dumb", "WT_SESSION": "c0ffee"}, False),
        ({}, False),
    ],
)
def test_links_go_to_terminals_that_are_known_to_show_them(environment, takes):
    assert takes_links(environment) is takes


def tell(screen):
    teller = AnswerTeller(screen)
    outcome = Outcome("done", f"Sent {URL} to your browser.", URL)
    teller.tell(StepFinished(1, "open_website", "opens", outcome))
    teller.tell(
        Replied(
            "See [1].",
            sources=(
                Source("r1", "A shop", URL),
                Source("f1", "Notes", "notes.txt"),
                Source("r2", "Sign in", LONG),
            ),
        )
    )


def test_an_opening_and_a_source_are_links_that_show_their_host():
    terminal = Terminal(80, term="xterm-kitty")
    tell(terminal.screen)
    said = terminal.end()

    assert re.findall(r"\x1b]8;;(.+?)\x1b\\(.*?)\x1b]8;;\x1b\\", said) == [
        (URL, URL),
        (URL, "shop.example/a/b"),
        (LONG, "accounts.bank.example.login.session.secure.elsewhere.example…"),
    ]
    assert "notes.txt" in said


def test_elsewhere_and_on_a_pipe_the_whole_address_stands_there():
    terminal, out = Terminal(80, term="xterm"), io.StringIO()
    tell(terminal.screen)
    tell(Screen({"TERM": "xterm-kitty"}, io.StringIO(), out, io.StringIO()))

    for said in (terminal.end(), out.getvalue()):
        assert "\x1b]" not in said
        assert f"A shop  {URL}" in said


@pytest.mark.parametrize(
    "address", ["https://a.example/\x1b\\x", "https://a.example/\x07", "javascript:x", "a.txt"]
)
def test_no_address_ends_its_link_or_runs_anything(address):
    assert linked("a", address) == "a"
