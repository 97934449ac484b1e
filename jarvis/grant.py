"""What do the person's words allow? Read from their own text alone, before anything foreign is near.

Negation comes first. What can't be read, other languages included, allows nothing: then they are asked.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from . import phrases
from .search.wanted import wanted_site
from .sites import site
from .turn import FORBIDDEN, SAID, UNSAID, Grant
from .urls import typed, typed_addresses
from .words.asked import asked
from .words.clauses import Clause
from .words.counting import counted
from .words.loosely import SITES, ends_in_opening
from .words.named import named_in
from .words.pictures import asks_for_picture
from .words.pointed import is_a_line, lines_in

_SITE = re.compile(rf"(?i){SITES}")
# What “show me” means to have opened, and not told: a site, or nothing but “it”.
_SHOWN = re.compile(
    r"(?i)\b(?:web ?sites?|(?:home|web|landing|main) ?-?pages?|page|sites?|urls?|browser|web ?shops?|tab)\b"
    r"|\A\W*(?:it|that|this|them|there|(?:the|that|this) link)\W*(?:please|now|to me|for me|again)?\W*\Z"
)
# No site and no app: the door, the next song.
_NO_SITE = re.compile(
    r"(?i)(?:(?!in\b)\w+ ){0,3}?(?:doors?|the windows?|garage|gates?|curtains?|blinds?|valves?|vacuum|"
    r"cleaner|car|engine|oven|"
    r"washing machine|dishwasher|coffee (?:maker|machine)|heating|lights?|whisper|sleep|"
    r"(?:mode|voice|songs?|tracks?|episodes?|chapters?|playlists?|volume|insurance plan)(?: (?:on|in) .+)?|"
    r"(?:factory|original|default|initial|normal|manufacturers'?) (?:settings?|state)(?: \w+)?|"
    r"(?:an?|new|the) (?:\w+ ){0,2}?(?:accounts?|timers?|alarms?|countdown|stopwatch|calls?|reply)|"
    r"an? (?:\w+ ){0,2}?(?:shop|company|business|restaurant|family|conversation|(?:business|bank) account|"
    r"start-?up)(?: .+)?|"
    r"(?:an?|new) (?:\w+ ){0,2}?accounts? (?:at|on|with) .+|"
    r"(?:an?|new) (?:\w+ ){0,2}?lists?)"
    r"(?: (?:please|now|for me|for now))*\W*"
)
# “I'll go with the first one”.
_CHOOSES = re.compile(r"(?i)(?:i'?ll |i will )?(?:go with|take|try|pick|choose) ")
_PICK = re.compile(
    r"(?i)(?:(?:the|that) (?:[\w.'’-]+ ){1,3}(?:one|link|page|article|video|web ?site|site|result)|"
    r"[\w.'’-]+ one)"
    r"(?:\W+(?:please|pls|plz|thanks|then|instead))*\W*"
)
# It is asked whether they can be opened at all: “can you open websites?”
_ANY_OF_THEM = re.compile(
    r"(?i)(?:any |some |several |\w*(?:ous|nown|ge) )?(?:web ?sites|sites|web ?pages|pages|links)"
    r"(?: (?:by yourself|on (?:my|this) \w+|in the background|at once|too))?\W*"
)
_PLEASE = re.compile(r"(?i)(?:\W+(?:please|pls|plz|thx|now|open(?: it)?|for me|thanks))+\W*\Z")
_ASKS = re.compile(
    r"(?i)\b(?:(?:do|should|can) (?:i|we) |is (?:it|that|this|there) |what|how (?:much|many|long|far))\b"
)
# So does this beside a wish: “I'd love to visit Iceland, tell me the best season”.
_WISHES = re.compile(
    r"(?i)\bi(?:'d| would|'m| am)? (?:\w+ )?(?:like|love|want|wanna|need|wish|plan\w*|going|have)\b"
)
_WONDERS = re.compile(r"(?i)(?:which|where|when|who|how|any (?:tips|ideas|advice|recommendations)|tell me)\b")
# It is the word that they ask about, not a thing.
_OF_WORDS = re.compile(
    r"(?i).*\b(?:meanings?|definition|synonyms?|etymology|lyrics|explained|pronunciation|in a sentence)\W*"
)
_DETERMINED = re.compile(r"(?i)(?:the|an?|my|some|their|its|this|that)\b")
_AGAIN = re.compile(
    r"(?i)\W*(?:(?:ok|okay|please|now|just|and|then)\W+)*"
    r"(?:(?:(?:try|do)|(?P<opens>open|run|start|launch))(?: it| that| this)? )?"
    r"(?:again|once more|one more time|re-?try|repeat)(?: it| that)?(?: please| now)?\W*"
)


def grant_of(words: str, before: str = "") -> Grant:
    """What *words* allow. Those on several lines are pasted, at least in part: they allow nothing.

    before: what they asked last, which is what “try again” means.
    """
    if earlier := _repeated(words, before):
        return earlier
    said_now = asked(words)
    found = said_now.clauses
    opening = [clause for clause in found if _opens(clause, is_last=clause is found[-1])]
    if any(clause.kind == "goes" for clause in opening) and _asks_after(found, said_now.text):
        opening = []
    opening = opening or _nothing_but_a_place(found)
    picking = [] if opening or said_now.forbids_opening else _picking(found)
    opening = opening or picking
    loosely = [clause for clause in found if ends_in_opening(clause)]
    said = bool(opening or loosely)
    opens = _settled(said, forbids=said_now.forbids_opening)
    return Grant(
        words,
        opens,
        captures=_settled(any(map(asks_for_picture, found)), forbids=said_now.forbids_pictures),
        most=counted(found, words),
        named=frozenset(_addresses(found, opening, loosely)),
        sites=_sites(opening) if opens == SAID else (),
        things=tuple(clause.thing for clause in opening) or ((words,) if said else ()),
        objects=_objects(found, opening),
        runs=tuple(clause.thing for clause in opening if clause.kind == "runs"),
        lines=_lines(found, opening, loosely),
        site=_site(words, opening) if said_now.readable else "",
        is_pick=bool(picking),
    )


def _sites(opening: list[Clause]) -> tuple[str, ...]:
    """The addresses of the known sites that are to be opened by their names: “open gmail and …”."""
    named = [phrases.called(phrases.said(f"open {clause.thing}")) for clause in opening]
    urls = [site(name) for each in named if each and each.kind != "app" for name in each.names]
    return tuple(dict.fromkeys(filter(None, urls)))


def _repeated(words: str, before: str) -> Grant | None:
    """What was asked *before*, where *words* only ask for it again.

    “Open it again” is an order of its own where there was none to open before.
    """
    if not before or not (again := _AGAIN.fullmatch(words)):
        return None
    earlier = grant_of(before)
    asked_for = (earlier.opens,) if again["opens"] else (earlier.opens, earlier.captures)
    return earlier if SAID in asked_for else None


def _settled(said: bool, *, forbids: bool) -> str:
    """Both at once can't be read: “open the one, but don't open the other”."""
    return UNSAID if said == forbids else FORBIDDEN if forbids else SAID


def _opens(clause: Clause, *, is_last: bool) -> bool:
    if clause.framed or not clause.kind:
        return False
    if clause.kind == "shows":  # “show me the weather” asks for an answer
        is_bare = not clause.thing and is_last
        return is_bare or bool(
            _SHOWN.search(clause.thing) or typed_addresses(clause.thing) or lines_in(clause.thing)
        )
    no_site = _NO_SITE.fullmatch(clause.thing) or _ANY_OF_THEM.fullmatch(clause.thing)
    return not (no_site or _is_of_words(clause))


def _is_of_words(clause: Clause) -> bool:
    """“Open marriage meaning”, “take me to the river lyrics”; but “open the lyrics of …” is an order."""
    if not _OF_WORDS.fullmatch(clause.thing):
        return False
    return clause.kind == "goes" or not _DETERMINED.match(clause.thing)


def _asks_after(found: Sequence[Clause], text: str) -> bool:
    """“I want to go to Portugal, do I need a visa?” is a question; not “do I need one? Go to their site”."""
    first = next(n for n, clause in enumerate(found) if clause.kind == "goes")
    things = [clause for clause in found[first:] if clause.thing]
    if _WISHES.search(text) and any(_WONDERS.match(clause.thing) for clause in things):
        return True
    return any(_ASKS.search(c.thing) if c.kind else _ASKS.match(c.thing) for c in things)


def _addresses(found: Sequence[Clause], opening: list[Clause], loosely: list[Clause]) -> list[str]:
    """The addresses in what is to be opened; “open it” means those in what stands right before it."""
    things = (clause.thing for clause in (*opening, *loosely, *_meant_by_it(found, opening)))
    return [address for thing in things for address in named_in(thing)]


def _lines(found: Sequence[Clause], opening: list[Clause], loosely: list[Clause]) -> tuple[int, ...]:
    pointing = (*opening, *loosely, *_meant_by_it(found, opening))
    return tuple(dict.fromkeys(line for clause in pointing for line in lines_in(clause.thing)))


def _nothing_but_a_place(found: Sequence[Clause]) -> list[Clause]:
    """“Yes, the second one please”, to a list; “a.example please”."""
    said = [clause for clause in found if clause.thing]
    if len(said) == 1 and (chosen := _CHOOSES.match(said[0].thing)):
        bare = said[0].thing[chosen.end() :]
        said = [said[0]._replace(thing=bare)] if is_a_line(bare) else said
    if len(said) != 1 or said[0].kind or said[0].framed:
        return []
    address = _PLEASE.sub("", said[0].thing)
    is_place = is_a_line(said[0].thing) or (" " not in address and typed(address) is not None)
    return [said[0]._replace(kind="goes")] if is_place else []


def _picking(found: Sequence[Clause]) -> list[Clause]:
    """“The wikipedia one please”, to a list."""
    said = [clause for clause in found if clause.thing]
    is_pick = len(said) == 1 and not (said[0].kind or said[0].framed) and _PICK.fullmatch(said[0].thing)
    return [said[0]._replace(kind="goes")] if is_pick else []


def _objects(found: Sequence[Clause], opening: list[Clause]) -> tuple[str, ...]:
    starting = [clause for clause in opening if clause.kind in ("starts", "runs")]
    return tuple(clause.thing for clause in (*starting, *_meant_by_it(found, starting)))


def _meant_by_it(found: Sequence[Clause], opening: list[Clause]) -> list[Clause]:
    """What stands right before each of *opening* that only says “it”."""
    return [
        before
        for before, clause in itertools.pairwise(found)
        if clause in opening and not before.kind and (_SITE.match(clause.thing) or not clause.thing)
    ]


def _site(words: str, opening: list[Clause]) -> str:
    """The name of what they want the own website of."""
    asked = (*(f"open {clause.thing}" for clause in opening), words)
    return next((site for some in asked if (site := wanted_site(some, ""))), "")
