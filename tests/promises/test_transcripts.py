"""What a person sees, whole: command, screen, end; on a wide and on a narrow terminal.

A row of SEEN is a transcript. Seconds are any; where a narrow terminal breaks lines is its own affair, but
no letter may be lost, doubled or left over from a line that has passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.person import ENTER, TAB, Person
from tests.twins.serpapi import results

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

pytestmark = pytest.mark.slow

SIZES = [(80, 24), (40, 20), (200, 50)]
MIT = ("MIT - Massachusetts Institute of Technology", "https://web.mit.edu/", "The Institute.")
WAYLAND = [
    ("BoboTiG/python-mss#155", "https://github.com/BoboTiG/python-mss/issues/155", "Wayland is open."),
    ("Screenshot portal", "https://flatpak.github.io/xdg-desktop-portal/", "Asks once."),
]
IMITATING = ("Tickets", "https://münchen-ticket.example/", "Tickets.")
MUNICH = ("Official", "https://www.muenchenticket.example/", "The official one.")
HOST_KEYS = (
    "  y yes, once   a always for this host   n no   N never for this host   ? more",
    "    Tab say what to do instead   Enter = no",
)
SEARCH = {"action": "search", "query": "MIT official website", "text": "I need its address."}
OPEN = {"action": "open_website", "address": "r1", "finish": True, "text": "It was found."}
ABOUT_WAYLAND = {
    "action": "reply",
    "text": "Not **directly**: it reads the X11 display [1].\n\n- The portal `Screenshot` does [2].",
    "finish": True,
}


class Seen(NamedTuple):
    """A transcript: what is typed, what the services answer, and what then stands on the screen."""

    argv: tuple[str, ...]
    lines: tuple[str, ...]
    plans: tuple[Mapping[str, Any], ...] = ()
    page: Mapping[str, Any] | None = None
    opened: tuple[str, ...] = ()
    narrow: tuple[str, ...] = ()  # where a narrow terminal gets less: what is cut ends in …
    keys: tuple[tuple[str, str], ...] = ()  # each a prompt, and what is typed there
    apps: tuple[str, ...] = ()  # that are installed
    readings: tuple[str, ...] = ()  # of their words, after the first
    status: int = 0


SEEN = {
    "a site by its name": Seen(
        ("open", "github"), ("Sent https://github.com to your browser.",), opened=("https://github.com",)
    ),
    "a name of one's own": Seen(
        ("open", "mit"), ("Sent https://www.mit.edu to your browser.",), opened=("https://www.mit.edu",)
    ),
    "a dry run": Seen(("-n", "open", "mit"), ("Would open https://www.mit.edu.",)),
    "find and open": Seen(
        ("-t", "mit", "find the MIT website and open it"),
        ("Sent https://web.mit.edu/ to your browser.",),
        (SEARCH, OPEN),
        results([MIT], website=("MIT", MIT[1])),
        (MIT[1],),
    ),
    "several of that name": Seen(
        ("-n", "open", "spotify"),
        (
            "Which one do you mean?",
            "  why asked: “spotify” can mean each of these",
            "  1-2 or arrows, then Enter this once or ! from now on   n none of them   ? more",
            "    Tab say what to do instead   Enter = none",
            "  1  https://open.spotify.com",
            "› 2  Spotify  app",
            "> 2!",
            "“spotify” means this from now on. To undo it: jarvis alias rm spotify",
            "Would start Spotify.",
        ),
        keys=((">", "2!"),),
        apps=("Spotify",),
    ),
    "not installed": Seen(
        ("open", "gimp"),
        (
            "jarvis: GIMP is not installed. Nothing was opened.",
            "  hint: What comes near: gimp.org, Gimpy.",
        ),
        apps=("Gimpy",),
        status=1,
    ),
    "a doubt": Seen(
        ("-t", "tickets", "find the münchen ticket shop and open it"),
        (
            "Open website https://xn--mnchen-ticket-wob.example/ ?",
            "  why asked: its name has letters that can imitate others (it reads",
            "    münchen-ticket.example)",
            *HOST_KEYS,
            "instead: the official one, munich's own",
            "Not opened. You said instead: the official one, munich's own",
            "Sent https://www.muenchenticket.example/ to your browser.",
        ),
        ({**SEARCH, "query": "münchen ticket shop"}, OPEN, {**OPEN, "address": "r2"}),
        results([IMITATING, MUNICH]),
        opened=(MUNICH[1],),
        keys=((">", TAB), ("instead:", "the official one, munich's own" + ENTER)),
        readings=("open found 1",),
    ),
    "a question": Seen(
        ("-t", "wayland", "is python-mss usable on Wayland?"),
        (
            "Not directly: it reads the X11 display [1].",
            "",
            "• The portal Screenshot does [2].",
            "",
            "[1] BoboTiG/python-mss#155  https://github.com/BoboTiG/python-mss/issues/155",
            "[2] Screenshot portal  https://flatpak.github.io/xdg-desktop-portal/",
            "jarvis open 1 opens the first",
        ),
        ({**SEARCH, "query": "python-mss Wayland"}, ABOUT_WAYLAND),
        results(WAYLAND),
        narrow=(
            "Not directly: it reads the X11 display",
            "[1].",
            "• The portal Screenshot does [2].",
            "[1] BoboTiG/pyt…  https://github.com/BoboTiG/python-mss/issues/155",
            "[2] Screenshot…  https://flatpak.github.io/xdg-desktop-portal/",
            "jarvis open 1 opens the first",
        ),
    ),
}


@pytest.fixture
def person(shell):
    """A home whose services answer as *seen* says; a plain command has names of the person's own."""
    names = {"mit": "https://www.mit.edu", "gh": "https://github.com/search?q={query}"}

    def sees(seen: Seen, size: tuple[int, int]) -> tuple[list[str], int]:
        for name, url in () if seen.plans else names.items():  # the model would be told of them
            assert shell.jarvis("alias", "add", name, url).status == 0
        shell.gemini.plans(*seen.plans)
        shell.gemini.reading = "open found 1" if seen.opened else "nothing"
        if seen.page:
            shell.serpapi.finds(seen.page)
        shell.gemini.readings += seen.readings
        with Person(shell.program(**shell.installed(*seen.apps)), *seen.argv, size=size) as person:
            for prompt, typed in seen.keys:
                person.at_prompt(prompt)
                person.type(typed)
            status = person.finish().status
            return person.lines, status

    return sees


@pytest.mark.parametrize(
    "size",
    [*SIZES[:2], pytest.param(SIZES[2], marks=pytest.mark.long)],
    ids=lambda size: f"{size[0]}x{size[1]}",
)
@pytest.mark.parametrize("name", SEEN)
def test_a_person_sees(shell, person, name, size):
    seen = SEEN[name]

    lines, status = person(seen, size)

    if size == SIZES[0]:
        assert stripped(lines) == [*seen.lines]
    assert letters(lines) == letters((seen.narrow if size[0] < 80 else ()) or seen.lines)
    assert status == seen.status
    assert tuple(shell.opened) == seen.opened


def test_on_a_pipe_it_is_the_address_alone(shell):
    shell.jarvis("alias", "add", "mit", "https://www.mit.edu")

    done = shell.jarvis("open", "mit")

    assert (done.stdout, done.stderr, done.status) == ("https://www.mit.edu\n", "", 0)
    assert shell.opened == ["https://www.mit.edu"]


def stripped(lines: list[str]) -> list[str]:
    """Without the empty lines that end a screen."""
    return "\n".join(lines).rstrip("\n").split("\n")


def letters(lines: Iterable[str]) -> str:
    """All that stands there, however it is broken into lines."""
    return "".join("\n".join(lines).split())
