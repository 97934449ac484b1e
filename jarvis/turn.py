"""The words of the house: what a turn is made of, as small immutable values."""

from __future__ import annotations

from collections.abc import Mapping

from .typed import NamedTuple

# What an action does to the world, from harmless to grave; policy speaks of these.
EFFECTS = ("reads", "opens", "launches", "captures", "writes", "spends")

# Whether words ask for an effect. Where they can't be read, it is unsaid.
SAID, UNSAID, FORBIDDEN = "said", "unsaid", "forbidden"

# By what kind of name something was asked for.
ALIAS, SITE, APP = "alias", "site", "app"

SEVERAL = "several of that name"  # the rule by which it is asked which one is meant

REPEATED = "repeated"  # the code of a step that was refused since it had been done
INSTEAD = "said_instead"  # the code of an outcome that the person did not say yes to, but what to do instead
DRY_RUN = "dry_run"  # the code of an outcome that only says what would be done


class Found(NamedTuple):
    """An address that Python took out of search results."""

    url: str
    title: str = ""
    snippet: str = ""
    section: str = ""  # the part of the results it stood in: organic, knowledge_graph, …
    official: str = ""  # why it is the official address of a name; empty: it isn't
    official_name: str = ""  # the name that it holds for: both, or neither


class Address(NamedTuple):
    """An address this thread knows, under an id that Python minted."""

    id: str  # u… typed, or piped in · r… found by a search · s… a known site, or an alias
    url: str
    title: str = ""
    snippet: str = ""
    source: str = "typed"  # typed | piped | found | site | alias, where they said its name
    official: str = ""
    official_name: str = ""


class Turn(NamedTuple):
    """A turn that has begun."""

    id: str
    thread: str
    n: int  # its number in the thread, from 1
    typed: tuple[Address, ...]  # the addresses in its own words


class Plan(NamedTuple):
    """The model's choice of exactly one next action."""

    action: str
    arguments: Mapping[str, object]
    finish: bool = False  # the goal is met once this action has succeeded
    text: str = ""


class Grant(NamedTuple):
    """What the words of this turn allow, read from the person's own text alone."""

    words: str = ""  # as they stand there
    opens: str = UNSAID  # whether something is to be opened or started: SAID | UNSAID | FORBIDDEN
    captures: str = UNSAID  # whether the screen is to be photographed
    most: int = 1  # how many things are to be opened
    named: frozenset[str] = frozenset()  # the addresses in what is to be opened
    sites: tuple[str, ...] = ()  # the addresses of known sites that are to be opened by their names
    things: tuple[str, ...] = ()  # what is to be opened, in the words' own words: “their website”
    objects: tuple[str, ...] = ()  # those of them that may be apps: “vs code”, but not what is to be visited
    runs: tuple[str, ...] = ()  # those of them that are apps and no sites: what is to be started or run
    lines: tuple[int, ...] = ()  # of the list last shown, that are pointed at; -1: the last one
    site: str = ""  # the name of what they want the own website of
    is_pick: bool = False  # whether only what was listed is meant: “the wikipedia one”, without a verb
    is_plain: bool = False  # whether the words are nothing but a command for this very effect


class Facts(NamedTuple):
    """What Python itself knows when it turns a plan into an effect."""

    addresses: Mapping[str, Address]
    pictures: str = ""  # the folder that screenshots go to
    shown: tuple[str, ...] = ()  # the ids in the list that the person saw last, in its order
    searches: tuple[frozenset[str], ...] = ()  # the ids of what each search of this turn found
    done: tuple[str, ...] = ()  # the effects that the steps of this turn had
    said_before: str = ""  # the conversation before this turn
    material: str = ""  # what they piped in
    opened: tuple[
        tuple[str, str], ...
    ] = ()  # what was opened last in this thread: (id, the words it was for)
    allowed: frozenset[tuple[str, str]] = frozenset()  # (effect, name) to which they said yes for this thread
    apps: Mapping[str, str] = {}  # what was said → the one app that goes by it, as its menu calls it
    said_no: bool = False  # whether they were asked in this turn, and did not say yes


class Effect(NamedTuple):
    """What would happen in the world: Python's own value, never the model's string."""

    kind: str  # one of EFFECTS
    target: str  # the URL, the app's name, the picture's path, the query
    address: Address | None = None  # where the URL is known from
    known_as: str = ""  # what the app is called, where they called it otherwise


class Request(NamedTuple):
    """One action, ready to be performed."""

    n: int  # the step's number in its turn, from 1
    action: str
    effect: str  # one of EFFECTS
    target: str
    address: str = ""  # the id of the address that it opens
    ask: str = ""  # why the person is asked first; empty: they need not be
    rule: str = ""  # which rule says so, or lets it pass
    choices: tuple[str, ...] = ()  # the ids of the addresses that they may mean, where they have to choose


class Outcome(NamedTuple):
    """What came of one action."""

    state: str  # approved (it may be done, and is not yet) | done | failed | declined | refused | unknown
    text: str  # one line for the person
    value: str = ""  # the bare result a script wants: the address, the path
    code: str = ""  # what kind of failure, as in errors.py
    hint: str = ""
    exit_status: int = 0
    found: tuple[Found, ...] = ()  # what a search found
    rule: str = ""  # which rule of the guard let it pass, or refused it

    @property
    def is_good(self) -> bool:
        """Whether it came out as it was meant to: done, or in a dry run told."""
        return self.state == "done" or self.code == DRY_RUN


class Step(NamedTuple):
    """One action of a turn and what came of it."""

    n: int
    action: str
    arguments: Mapping[str, object]
    state: str
    outcome: str
    value: str = ""
    code: str = ""
    hint: str = ""
    exit_status: int = 0
    rule: str = ""  # which rule of the guard let it pass, or refused it

    @property
    def is_good(self) -> bool:
        """Whether it came out as it was meant to."""
        return self.state == "done" or self.code == DRY_RUN


def step_of(n: int, plan: Plan, outcome: Outcome) -> Step:
    """Number *n* of a turn: what was planned, and what came of it."""
    return Step(n, plan.action, plan.arguments, *outcome[:6], outcome.rule)


def unknown(action: str, target: str) -> Outcome:
    """The outcome of what the hands were at when they were interrupted."""
    what = f"{action.replace('_', ' ')} {target}".strip()
    return Outcome(
        "unknown", f"It is not known whether this happened: {what}.", code="unknown", exit_status=1
    )
