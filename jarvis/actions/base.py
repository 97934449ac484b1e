"""The base of all actions: the model's description, fields, the parts that allow it, and its services.

Each other module in this folder is an action, except fields.py. This module imports in milliseconds and knows
nothing of the loop.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

from ..config.services import KEYS
from ..core.errors import ActionFailed, JarvisError
from ..core.types import EFFECTS, Effect, Facts, Found, Outcome, ParsedWords, unknown
from ..desktop.desktop import Desktop, Platform, own_platform

SEARCH = "search"  # the service that looks up what is on the web
# What looks that up: a query, and the name whose own site it is to find, if any → addresses, best first.
Search: TypeAlias = Callable[[str, str], Awaitable[tuple[Found, ...]]]
OPEN_SITE = "open_site"  # the action that opens the own site of a name
OPEN_WEBSITE = "open_website"  # the one that opens an address
READ = "read"  # the action that reads a page or a file, and the service that makes text of it
Reader: TypeAlias = Callable[[Effect], Awaitable[Outcome]]  # of what an effect is about; raises JarvisErrors
ENGINES = "engines"  # the service that asks the search engines of shops and the like: search/serpapi.py
_NO_ACTIONS = {"__init__", "base", "fields"}
_SLOW = {"arrange"}  # tables are slow to import, and most plain commands have none


class Field(NamedTuple):
    """One field of the Plan that an action fills."""

    name: str
    meaning: str  # for the model
    offered: bool = False  # one of the offered addresses' ids, not free text
    optional: bool = False  # may be null: then `resolve` gets no such argument
    kind: str = "text"  # one of KINDS in fields.py, which says what value `resolve` gets
    choices: tuple[str, ...] = ()  # what a choice may be
    stated: bool = False  # the person has to have said it, else it is left out and told


class Want(NamedTuple):
    """A part of an intent that lets an action act."""

    form: str  # as in core/intent.py; a word in capitals at its end stands for what the person named
    meaning: str  # for the model


class Service(NamedTuple):
    """A service for an action in the brain, passed to its `perform` by name."""

    name: str
    # Makes it when first needed, of the PackContext; None: it is given.
    make: Callable[[Any], Any] | None = None


class Services:
    """The services for actions in the brain: those passed in, and those that a pack makes once."""

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


class Action:
    """A kind of step that can be planned. One instance per file, named ACTION."""

    name: ClassVar[str]
    description: ClassVar[str]  # for the model: when to choose it
    verb: ClassVar[str] = ""  # what it does to its target, as people say it; empty: its name
    fields: ClassVar[tuple[Field, ...]] = ()
    wants: ClassVar[tuple[Want, ...]] = ()  # the parts of an intent that let it act; none: it needs none
    name_arg: ClassVar[str] = ""  # the argument for what the person named, or said to look at; empty: none
    effect: ClassVar[str] = "reads"  # one of EFFECTS; of what asks the search service: searches
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
        """Return the effect of the model's *arguments*, with Python's own value.

        Raises Refused if the arguments name nothing known, ActionFailed if the target isn't available.
        """
        raise NotImplementedError

    @property
    def needed(self) -> frozenset[str]:
        """The names of the services that it works with."""
        return frozenset(service.name for service in self.services)

    @property
    def searches(self) -> bool:
        """Whether it uses the search service, which needs a key and counts requests."""
        return self.effect == "searches"

    @property
    def argument(self) -> str:
        """The name of the argument with its target, or ""."""
        return next((field.name for field in self.fields), self.name_arg)

    def not_done(self, target: str) -> str:
        """Return the sentence for a failed or refused action."""
        return f"Did not {self.verb or self.name.replace('_', ' ')} {target}".rstrip()

    def cut_off(self, target: str) -> Outcome:
        """Return the outcome of a step that was cut off in the middle: not known, unless it left a proof."""
        return unknown(self.name, target)


class BrainAction(Action):
    """An action that is performed in the brain, where the planning is."""

    answers = False
    attempts = 1
    order = ""  # a pattern of all the words that plainly order this of a pack's; its groups are arguments

    async def perform(self, effect: Effect, *args: Any, **services: Any) -> Outcome:
        """Look it up, with the services that it declares. Failures are JarvisErrors."""
        raise NotImplementedError


class WriteAction(BrainAction):
    """An action that changes something in the user's own service. The user approves exactly that data.

    It sends once at most, with a key that finds the data again.
    """

    effect = "writes"
    answers = True

    def cut_off(self, target: str) -> Outcome:
        outcome = super().cut_off(target)
        return outcome._replace(text=f"{outcome.text} Your next request looks for it again.")

    async def preview(self, effect: Effect, key: str, *args: Any, **services: Any) -> Effect:
        """Return *effect* with its lines, and as arguments all that is sent, under *key*. It only reads."""
        raise NotImplementedError

    async def read_back(self, key: str, *args: Any, **services: Any) -> Outcome:
        """Return the outcome of a possible send under *key*, perhaps still unknown. Raises JarvisErrors."""
        raise NotImplementedError


class DesktopAction(Action):
    """An action that is performed in the person's own session."""

    verbs: Collection[str] = ("",)  # the kinds of verbs that plainly ask for it, of VERBS; "": of no kind

    def plain(self, words: ParsedWords) -> Mapping[str, str] | None:
        """Return the arguments if all of *words* plainly request this action, else None.

        For an offered field: an address, or a line number of the last list.
        """
        return None

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        """Do it. Failures are raised as ActionFailed."""
        raise NotImplementedError

    def act(self, effect: Effect, platform: Platform) -> Outcome:
        """Perform it, once. A failure is an outcome that says what did not happen, and why."""
        try:
            return self.perform(effect, platform)
        except ActionFailed as error:
            return failed(self.not_done(effect.formatted), error)

    def would(self, target: str) -> str:
        """Return the text for a dry run."""
        return f"Would {self.verb or self.name.replace('_', ' ')} {target}".rstrip()


def reason(error: JarvisError) -> str:
    """Return the message of *error* as it continues after a colon."""
    first, space, rest = error.message.partition(" ")
    # A name such as SerpAPI or Brave keeps its capital.
    is_name = not (first == "A" or first[1:].islower()) or first in {key.service for key in KEYS.values()}
    return f"{first if is_name else first.lower()}{space}{rest}"


def failed(text: str, error: JarvisError) -> Outcome:
    """Return the outcome of an action that did not work. text: what did not happen."""
    return Outcome("failed", f"{text}: {reason(error)}", "", error.code, error.hint, error.exit_status)


# Which there are.


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
    modules = [__import__(f"{__package__}.{name}", fromlist=["ACTION"]) for name in names]
    actions: list[Action] = [module.ACTION for module in modules]
    # What is done with an address stands behind what finds one.
    order = sorted(actions, key=lambda a: (EFFECTS.index(a.effect), a.argument == "address", a.name))
    return {action.name: action for action in order}


def desktop_actions() -> dict[str, DesktopAction]:
    """Return the actions that the desktop performs, by their names."""
    return {name: action for name, action in catalogue().items() if isinstance(action, DesktopAction)}


def desktop_for(environment: Mapping[str, str], *, dry_run: bool = False, cache: str = "") -> Desktop:
    """Return the desktop of this session. cache: a folder of ours."""
    # What they start gets the person's own environment, of which a session strikes some.
    own = own_platform(dict(environment), cache=cache)
    return Desktop(own, desktop_actions(), dry_run=dry_run)
