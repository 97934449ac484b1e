"""What an action is, which there are, and the desktop that performs those of the person's session.

Each module beside this one is an action, but for fields.py: all that is known of it stands there. This starts
in milliseconds, and knows nothing of the loop.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cache
from json import dumps, loads
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from ..config.keys import KEYS
from ..core.errors import ActionFailed, JarvisError
from ..core.types import (
    DRY_RUN,
    EFFECTS,
    AppFound,
    AppsFound,
    Effect,
    Facts,
    Found,
    Outcome,
    Request,
    unknown,
)

HANDED_OVER = "handed_over"  # another program took it and said that all is well
RUNNING = "running"  # still running after the time we watch
# What the brain does once the desktop lets it, as it would be told.
IN_BRAIN = {"keeps": "keep", "writes": "send"}
SEARCH = "search"  # the service that looks up what is on the web
# What looks that up: a query, and the name whose own site it is to find, if any → addresses, best first.
Search: TypeAlias = Callable[[str, str], Awaitable[tuple[Found, ...]]]
OPEN_SITE = "open_site"  # the action that opens the own site of a name
OPEN_WEBSITE = "open_website"  # the one that opens an address
READ = "read"  # the action that reads a page or a file, and the service that makes text of it
Reader: TypeAlias = Callable[[Effect], Awaitable[Outcome]]  # of what an effect is about; raises JarvisErrors
ENGINES = "engines"  # the service that asks the search engines of shops and the like: search/serpapi.py


class Field(NamedTuple):
    """One field of the Plan that an action fills."""

    name: str
    meaning: str  # for the model
    offered: bool = False  # one of the offered addresses' ids, not free text
    optional: bool = False  # may be null: then `resolve` gets no such argument
    kind: str = "text"  # one of KINDS in fields.py, which says what value `resolve` gets
    choices: tuple[str, ...] = ()  # what a choice may be
    said: bool = False  # the person has to have said it, else it is left out and told


class Want(NamedTuple):
    """A part of an intent that lets an action act."""

    form: str  # as in core/intent.py; a word in capitals at its end stands for what the person named
    meaning: str  # for the model


class Service(NamedTuple):
    """What an action in the brain works with, given to its `perform` by name."""

    name: str
    # Makes it when first needed, of the PackContext; None: it is given.
    make: Callable[[Any], Any] | None = None


class Services:
    """What actions in the brain work with: what was given, and what is made once, by a pack."""

    def __init__(self, packs: Mapping[str, object], /, **there: object) -> None:
        """packs: what the services of each pack are made of, by its name."""
        self._packs = packs
        self._there = there
        self._made: dict[tuple[str, str], Any] = {}

    def of(self, action: Action) -> dict[str, Any]:
        """Return the services that *action* declares, by name."""
        return {service.name: self._of(action.pack, service) for service in action.services}

    def _of(self, pack: str, service: Service) -> Any:
        if not service.make:
            return self._there[service.name]
        if (pack, service.name) not in self._made:
            self._made[pack, service.name] = service.make(self._packs.get(pack))
        return self._made[pack, service.name]


class Launched(NamedTuple):
    """How a program that was started took it."""

    name: str
    state: str  # HANDED_OVER | RUNNING


class Platform(Protocol):
    """What the desktop can do in the person's session. Failures are ActionFailed."""

    def open_url(self, url: str) -> str:
        """Send *url* to the browser. Return HANDED_OVER or RUNNING."""

    def open_file(self, path: str) -> str:
        """Have the file or folder at *path*, absolute, shown by its app. Return HANDED_OVER or RUNNING."""

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* means, in whatever language. Nothing is started."""

    def launch_app(self, name: str) -> Launched:
        """Start the app that has the id *name*, or else the one that *name* means.

        name: an id of `find_apps`, in whose place nothing else is started; or a name that somebody said.
        """

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        """Save the screen as PNG at *path*. Return its size in pixels (width, height).

        is_part: what the person chooses of it, by the system's own means.
        """

    def clipboard(self, path: str) -> str:
        """Return the text on the clipboard; empty where that holds a picture, which is saved at *path*."""

    def pictures(self) -> str:
        """Return the folder for the person's pictures, absolute."""


class Action:
    """A kind of step that can be planned. One instance per file, named ACTION."""

    name: ClassVar[str]
    description: ClassVar[str]  # for the model: when to choose it
    verb: ClassVar[str] = ""  # what it does to its target, as people say it; empty: its name
    fields: ClassVar[tuple[Field, ...]] = ()
    wants: ClassVar[tuple[Want, ...]] = ()  # the parts of an intent that let it act; none: it needs none
    named: ClassVar[str] = ""  # the argument that gets what the person named, or said to look at; empty: none
    effect: ClassVar[str] = "reads"  # one of EFFECTS
    services: ClassVar[tuple[Service, ...]] = ()  # what `perform` is given
    ends_turn: ClassVar[bool] = False
    answers: ClassVar[bool] = True  # its outcome is told and may be all they asked for; else a reply tells
    needs_table: ClassVar[bool] = False  # whether it works on the table listed last, without one on nothing
    is_planned: ClassVar[bool] = True  # whether the model may choose it; else it is for plain commands alone
    times: ClassVar[int] = 0  # how often it may be done in a turn; 0: that has no bound of its own
    attempts: ClassVar[int] = 2  # how often it may fail in a turn; then it is no longer offered
    pack: str = ""  # the one that it belongs to, which says so when it is loaded; empty: the core's
    sums_up: ClassVar[bool] = False  # its table takes the place of those found before it in its turn

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        """Return what would happen: Python's own value for the model's *arguments*.

        Raises Refused where the arguments name nothing that is known, ActionFailed where it can't be had.
        """
        raise NotImplementedError

    @property
    def needed(self) -> frozenset[str]:
        """The names of the services that it works with."""
        return frozenset(service.name for service in self.services)

    @property
    def searches(self) -> bool:
        """Whether it asks the search service, which has to have a key and counts what it is asked."""
        return bool(self.needed & {SEARCH, ENGINES})

    @property
    def argument(self) -> str:
        """The name of the argument that says what it acts on; empty: it takes none."""
        return next((field.name for field in self.fields), self.named)

    def not_done(self, target: str) -> str:
        """Return what did not happen, where it failed or was refused."""
        return f"Did not {self.verb or self.name.replace('_', ' ')} {target}".rstrip()

    def cut_off(self, target: str) -> Outcome:
        """Return the outcome of a step that was cut off in the middle: not known, unless it left a proof."""
        return unknown(self.name, target)

    def plain(self, words: str) -> Mapping[str, str] | None:
        """Return the arguments, if *words* as a whole plainly ask for this; else None.

        For an offered field: an address, or the number of a line of the list last shown.
        """
        return None


class BrainAction(Action):
    """An action that is performed in the brain, where the planning is."""

    answers = False
    attempts = 1

    async def perform(self, effect: Effect, *args: Any, **services: Any) -> Outcome:
        """Look it up, with the services that it declares. Failures are JarvisErrors."""
        raise NotImplementedError


class WriteAction(BrainAction):
    """An action that changes something in a service of the person's. They are asked, with what is sent.

    Whatever comes between, it is sent once at most, under a key by which it is found there again.
    """

    effect = "writes"
    answers = True

    def cut_off(self, target: str) -> Outcome:
        outcome = super().cut_off(target)
        return outcome._replace(text=f"{outcome.text} Your next request looks for it again.")

    async def preview(self, effect: Effect, key: str, *args: Any, **services: Any) -> Effect:
        """Return *effect* with its lines, and as arguments all that is sent, under *key*. It only reads."""
        raise NotImplementedError

    async def found(self, key: str, *args: Any, **services: Any) -> Outcome:
        """Return what came of what was perhaps sent under *key*; unknown: so far. Raises JarvisErrors."""
        raise NotImplementedError


class DesktopAction(Action):
    """An action that is performed in the person's own session."""

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        """Do it. Failures are raised as ActionFailed."""
        raise NotImplementedError

    def would(self, target: str) -> str:
        """Return what it would do, for a dry run."""
        return f"Would {self.verb or self.name.replace('_', ' ')} {target}".rstrip()


def sent(target: str, to: str, state: str) -> Outcome:
    """Return the outcome of an opening. to: what shows it, as “your browser”; state: how that took it."""
    text = f"{to[0].upper()}{to[1:]} is starting: {target}" if state == RUNNING else f"Sent {target} to {to}."
    return Outcome("done", text, value=target)


def picture_path(facts: Facts, name: str) -> str:
    """Return the path of a picture of that *name* and this second, at which nothing is."""
    stem = os.path.join(facts.pictures, "Jarvis", time.strftime(f"{name} %Y-%m-%d %H-%M-%S"))
    path, n = f"{stem}.png", 2
    while os.path.lexists(path):
        path, n = f"{stem} ({n}).png", n + 1
    return path


def reason(error: JarvisError) -> str:
    """Return what *error* says, as it goes on behind a colon."""
    first, space, rest = error.message.partition(" ")
    # A name such as SerpAPI or Brave keeps its capital.
    is_name = not (first == "A" or first[1:].islower()) or first in {key.service for key in KEYS.values()}
    return f"{first if is_name else first.lower()}{space}{rest}"


def failed(said: str, error: JarvisError) -> Outcome:
    """Return the outcome of an action that did not work. said: what did not happen."""
    return Outcome("failed", f"{said}: {reason(error)}", "", error.code, error.hint, error.exit_status)


# Which there are, and what performs them.

FIND_APPS = "find_apps"  # asks the desktop which apps go by a name; no action, since nothing is done
_NO_ACTIONS = {"__init__", "fields"}
_SLOW = {"arrange"}  # tables are slow to import, and most plain commands have none


@cache
def catalogue() -> Mapping[str, Action]:
    """Return the actions that plain commands know by their names, harmless ones first."""
    return _actions_but(_SLOW)


def plannable() -> dict[str, Action]:
    """Return the actions that the model may plan, by their names."""
    return {name: action for name, action in _actions_but(()).items() if action.is_planned}


def _actions_but(left_out: Collection[str]) -> dict[str, Action]:
    # Listed by hand: pkgutil and importlib would cost a plain command more than it saves here.
    stems = {entry[:-3] for entry in os.listdir(os.path.dirname(__file__)) if entry.endswith(".py")}
    names = stems.difference(_NO_ACTIONS, left_out)
    modules = [__import__(f"{__name__}.{name}", fromlist=["ACTION"]) for name in names]
    actions: list[Action] = [module.ACTION for module in modules]
    # What is done with an address stands behind what finds one.
    order = sorted(actions, key=lambda a: (EFFECTS.index(a.effect), a.argument == "address", a.name))
    return {action.name: action for action in order}


class Desktop:
    def __init__(self, platform: Platform, actions: Mapping[str, Action], *, dry_run: bool = False) -> None:
        self._platform = platform
        self._actions = actions
        self._dry_run = dry_run

    def perform(self, request: Request) -> Outcome:
        """Carry out *request*, once. A failure is an outcome that says what did not happen, and why."""
        effect = request.effect
        if request.action == FIND_APPS:
            return Outcome("done", "", value=dumps([*self.find_apps(effect.target)]))
        action = self._actions.get(request.action)
        # The brain does that, unless it is only to be said what it would do.
        if effect.kind in IN_BRAIN and not isinstance(action, DesktopAction):
            told = f"Would {IN_BRAIN[effect.kind]} {effect.told}."
            would = Outcome("declined", told, effect.target, DRY_RUN)
            return would if self._dry_run else Outcome("approved", "")
        if not isinstance(action, DesktopAction):
            raise TypeError(f"{request.action} is not for the desktop")
        if self._dry_run:
            return Outcome("declined", f"{action.would(effect.told)}.", effect.target, DRY_RUN)
        try:
            return action.perform(effect, self._platform)
        except ActionFailed as error:
            return failed(action.not_done(effect.told), error)

    def pictures(self) -> str:
        """Return the folder for the person's pictures, absolute."""
        return self._platform.pictures()

    def find_apps(self, name: str) -> AppsFound:
        """Return the installed apps that *name* may mean; the name itself where that can't be told."""
        try:
            return self._platform.find_apps(name)
        except ActionFailed:
            return AppsFound((AppFound(name, name),), is_near=False)


def apps_in(text: str) -> AppsFound:
    """Return what `find_apps` found, from its form between processes. Raises ValueError or TypeError."""
    apps, is_near = loads(text)
    return AppsFound(tuple(AppFound(str(id_), str(title)) for id_, title in apps), bool(is_near))


def time_and_place() -> str:
    """Return the person's time and place, on one line, for the model."""
    return f"{time.strftime('%A %d %B %Y, %H:%M %Z')}; {sys.platform}"
