"""What a turn costs in calls of the model and in searches, also where each comes from another process."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.planned import reply

MIT, ARTICLE = "https://www.mit.edu", "https://en.wikipedia.org/wiki/MIT"  # the site is a known one
INSTITUTE = "Massachusetts Institute of Technology"
SEARCH, OPEN_SITE = {"action": "search", "query": "MIT"}, {"action": "open_site", "finish": True}
LARGEST = 4300  # bytes of the small call's request


class Said(NamedTuple):
    """What somebody says, what it is read as, what the model plans for it, and what that costs."""

    words: str
    reads: str
    plans: tuple[object, ...]
    cost: tuple[int, int]  # calls and searches
    opens: str = ""
    piped: str = ""


FIND = Said("find the MIT website and open it", "open site MIT", (SEARCH, OPEN_SITE), (2, 1), MIT)
QUESTION = Said(
    "what is MIT known for?", "nothing", (SEARCH, reply("Its engineers [r1], and more [r2].")), (2, 1)
)
TALK = Said("hello there", "nothing", (reply("Hello."),), (1, 0))
LATER = FIND._replace(cost=(3, 1))
THEIRS = Said("open their website", "open site MIT", (OPEN_SITE,), (2, 0), MIT)
SUMMARY = Said("summarise that", "nothing", (reply("Engineers."),), (1, 0))
PIPED = Said("what does this say?", "nothing", (reply("That."),), (1, 0), piped="one line\nand another\n")

# What was said before in this process, and what is said now: here, or in a process of its own.
DIALOGUES = {
    "find and open, at first": ([], FIND),
    "find and open, later": ([TALK], LATER),
    "a question": ([], QUESTION),
    "a question, later": ([TALK], QUESTION),
    "small talk": ([], TALK),
    "small talk, later": ([TALK], TALK),
    "their website": ([QUESTION], THEIRS),
    "their website, once it was opened": ([QUESTION, THEIRS], THEIRS),
    "a summary": ([QUESTION], SUMMARY),
    "text piped in": ([], PIPED),
    "text piped in, later": ([QUESTION], PIPED),
}


def opened_by(shell, said):
    """Say it in a process of its own; what that opened."""
    before = len(shell.opened)
    done = shell.jarvis(said.words, *(["-"] if said.piped else []), stdin=said.piped or None)
    assert (done.status, "?" in done.stderr) == (0, False), done.stderr  # nobody is asked
    return shell.opened[before:]


def prepare(shell, said):
    """Script the services; what they have heard so far."""
    shell.gemini.reading = said.reads
    shell.gemini.plans(*said.plans)
    if SEARCH in said.plans:
        shell.search_finds(MIT, ARTICLE, website=(INSTITUTE, MIT))
    return shell.cost


def costs(before, after):
    return after[0] - before[0], after[1] - before[1]


@pytest.mark.parametrize("name", DIALOGUES)
def test_a_turn_costs_what_it_must_and_no_more(house, shell, name):
    earlier, now = DIALOGUES[name]
    for said in earlier:
        prepare(shell, said)
        house.ask(said.words, piped=said.piped)

    before = prepare(shell, now)
    opened = opened_by(shell, now)

    assert costs(before, shell.cost) == now.cost
    assert opened == ([now.opens] if now.opens else [])


@pytest.mark.slow
def test_the_small_call_is_small(house):
    for n in range(10):
        words = f"{n} find the website of a museum of modern or any other art and open it for me"
        house.gemini.reading = "open site Museum of Modern Art"
        house.search_finds(MIT, website=("Museum of Modern Art", MIT))
        house.model_plans(SEARCH, OPEN_SITE)
        house.ask(words.ljust(80, "."))
    house.search_finds(MIT, website=("Museum of Modern Art", MIT))
    house.model_plans(OPEN_SITE)

    house.ask("open it again")

    planning, small = house.gemini.requests[-2:]
    print(f"\nthe small call takes {len(small.raw)} bytes; the planner's {len(planning.raw)}")
    assert set(small.schema["properties"]) == {"wants"}
    assert small.prompt.count("\n- ") == 10
    assert len(small.raw) <= LARGEST
