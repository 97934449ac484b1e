"""What people ask for in ordinary words, with what an honest planner makes of it and how it is to be read.

The texts stand in `wordings/`. A line is the words, the steps, and the reading that a careful person would
make of the words and of nothing else, in the grammar of `wants`. A step is one of:

site NAME HOST     search, and open what the search knows as NAME's own site
any HOST           search for what is nobody's own, and open the first that is found
typed N            open the N-th address in the words
line N · the HOST  open what an earlier turn found: what was listed in line N, or its address on HOST
app NAME           start the app of that name, which is the reading's, as the person spelt it
picture · look · say   take a screenshot, search only, reply
"""

from __future__ import annotations

from pathlib import Path

_WORDINGS = Path(__file__).parent / "wordings"


def _text(name: str) -> str:
    return (_WORDINGS / f"{name}.txt").read_text("utf-8")


# In a thread in which nothing was said before. MORE: politely, with reasons, by lines.
FRESH, MORE = _text("fresh"), _text("more")

# After a turn that found MIT's own site, its article and its courses, and listed them in this order.
FOLLOWING, MORE_FOLLOWING = _text("following"), _text("more_following")

# In other languages than English, or misspelt; the second as FOLLOWING.
OTHER_LANGUAGES = _text("other_languages")
LANGUAGES, LANGUAGES_FOLLOWING = _text("languages"), _text("languages_following")

# Of these one is asked about: which app is meant is a guess.
MISSPELT_APPS = _text("misspelt_apps")

# What was said, its reply, what is asked then, the query that an honest planner makes of it, its reading.
ANSWERED = _text("answered")

# What was asked first, and what the same person asks next, for each of `first_words`, in that order.
SECOND = _text("second")


def requests(text: str) -> list[tuple[str, list[str], str]]:
    """The words of each line of *text*, with its steps and its reading."""
    return [(words, steps.split("; "), reading) for words, steps, reading in _columns(text)]


def answered_before() -> list[tuple[str, str, str, str, str]]:
    """What was said, its reply, what is asked then, its query, and its reading."""
    return [(before, reply, words, query, read) for before, reply, words, query, read in _columns(ANSWERED)]


def second_requests() -> list[tuple[str, str, list[str], str]]:
    """What was asked first, what is asked next, with its steps and its reading."""
    return [(first, words, steps.split("; "), reading) for first, words, steps, reading in _columns(SECOND)]


def first_words() -> list[str]:
    """The words that each of `second_requests` follows, in order."""
    texts = (FRESH, MORE, FOLLOWING, MORE_FOLLOWING)
    asked = [words for text in texts for words, *_ in requests(text)]
    asked += [words for _, _, words, *_ in answered_before()]
    return asked + [words for words, *_ in requests(OTHER_LANGUAGES)]


def _columns(text: str) -> list[list[str]]:
    return [line.split(" | ") for line in text.splitlines()]
