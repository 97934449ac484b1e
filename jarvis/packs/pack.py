"""A pack, described without loading its actions, the list of all packs, and their settings.

Also which packs are open in a turn: the model is offered their actions with the core's.
"""

import functools
import os
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from .. import packs
from ..actions.base import Action, BrainAction, Field, Want
from ..config.keys import API_KEY, ENDINGS, Key
from ..config.services import KEYS
from ..config.settings import KEY, SERVER, Budgets, Setting, Settings, unknown_setting
from ..core.text import one_line
from ..core.types import Effect, Facts, Outcome, Plan

MOST = 2  # packs in a turn: of more actions a weak model chooses worse, and the schema has little room
USE = "more_actions"  # the action that opens another one
BASE_URL = "base_url"  # the setting that says where the host of a pack is
_LONGEST = 40  # characters of a name to show
# What a file raises whose writer made a mistake.
_MISTAKES = (ImportError, SyntaxError, NameError, AttributeError, TypeError, ValueError, LookupError)


class Pack(NamedTuple):
    """Actions that belong together, and are open to the model when the words are about them.

    It may have commands of its own: `app`, a Typer, in the commands.py of its folder (see context.py).
    """

    name: str  # as people type it, and that of its folder
    purpose: str  # for people, and for the model, in a line
    # Words that open it, by the language: whole ones in small letters, and signs such as $. They decide what
    # is offered to the model, never what may happen.
    words: Mapping[str, str]
    actions: tuple[str, ...]  # the names of the modules in its folder that have an ACTION
    tables: tuple[str, ...] = ()  # the kinds of tables that its actions make
    needs: tuple[str, ...] = ()  # the names of the keys without which it can't be used
    budgets: Mapping[str, float] = {}  # what a turn may use up where it is open, by the names of Budgets
    is_on: bool = False  # where config.toml does not say which are
    wants: tuple[Want, ...] = ()  # the parts of an intent that its actions need and the core's don't have
    # For `resolve`, in `facts.settings[NAME]`. Those that are called as the fields of Market count for all.
    settings: tuple[Setting, ...] = ()
    key: Key | None = None  # of the service that it asks, without which it can't be used
    host: str = ""  # the one server that it asks, as https://api.example.com
    server: str = ""  # the setting that says where that is, if each person has one of their own
    since: str = ""  # which versions of that will do, as “3.5 or newer”
    # For `jarvis doctor`, by what is looked at: what tells of it, of a PackContext, or raises a JarvisError.
    checks: Mapping[str, Callable[[Any], Awaitable[str]]] = {}

    @property
    def all_settings(self) -> dict[str, Setting]:
        """Its settings by their names below [packs.NAME], with the one that says where its host is."""
        host = (Setting(BASE_URL, SERVER, default=self.host),) if self.host else ()
        return {
            each.name: each._replace(name=f"packs.{self.name}.{each.name}")
            for each in (*self.settings, *host)
        }


class PackState(NamedTuple):
    """A pack, and whether it is there for the user."""

    pack: Pack
    is_on: bool
    missing: str = ""  # what it needs and lacks, in words, or ""
    hint: str = ""  # what to type to have that

    @property
    def is_ready(self) -> bool:
        return self.is_on and not self.missing


class Market(NamedTuple):
    """Where the user buys: it says what $ means."""

    country: str = ""  # as hosts end there: uk, or "" if unset
    currency: str = ""  # the code of the one to ask prices in, or "" for the country's


def pack_names() -> list[str]:
    """Return the names of all packs."""
    names = {(folder, name) for folder in packs.__path__ for name in os.listdir(folder)}
    return sorted(
        {name for folder, name in names if os.path.isfile(os.path.join(folder, name, "__init__.py"))}
    )


def all_packs() -> dict[str, Pack]:
    """Return all packs by name, without broken ones. `warnings` reports those."""
    found = {name: _loaded(name) for name in pack_names()}
    return {name: pack for name, pack in found.items() if isinstance(pack, Pack)}


def known_keys() -> dict[str, Key]:
    """Return every key by its name: ours, and then those of packs."""
    own = [pack.key for pack in all_packs().values() if pack.key]
    return KEYS | {key.name: key for key in own if key.name not in KEYS}


def states(settings: Settings) -> list[PackState]:
    """Return every pack as the settings have it."""
    return [_state(pack, settings) for pack in all_packs().values()]


def ready(settings: Settings) -> list[Pack]:
    """Return the packs that are on and have everything they need, in the order of the settings.

    A budget that the user set applies, even if a pack has a larger one.
    """
    found = {state.pack.name: state.pack for state in states(settings) if state.is_ready}
    some = [found[name] for name in names_on(settings) if name in found]
    own = settings.set_budgets
    return [each._replace(budgets={k: v for k, v in each.budgets.items() if k not in own}) for each in some]


def half_ready(settings: Settings) -> list[PackState]:
    """Return the packs of one service that the user set up, or turned on, and that lack something."""
    own = [state for state in states(settings) if state.pack.key and state.missing]
    return [each for each in own if each.is_on or (each.pack.key and settings.key(each.pack.key))]


def names_on(settings: Settings) -> tuple[str, ...]:
    """Return the names that are on, known or not, in the order of the settings."""
    if settings.packs is not None:
        return settings.packs
    return tuple(pack.name for pack in all_packs().values() if pack.is_on and _has_server(pack, settings))


def warnings(settings: Settings) -> tuple[str, ...]:
    """Return the settings' own warnings, and a line on each broken pack, and each name that no pack has."""
    there, wrong = all_packs(), [_loaded(name) for name in pack_names()]
    strange = [one_line(name, _LONGEST) for name in settings.packs or () if name not in pack_names()]
    not_there = "config.toml turns on an unknown pack: {}. Packs: " + ", ".join(there) + "."
    # Of an unknown pack only its table.
    own = pack_settings()
    parts = [name.split(".", 2) for name in settings.of_packs if name not in own]
    unread = dict.fromkeys(".".join(each if each[1] in there else each[:2]) for each in parts)
    unknown = map(unknown_setting, unread)
    broken = [each for each in wrong if isinstance(each, str)]
    return (*settings.warnings, *settings.endings(), *broken, *unknown, *map(not_there.format, strange))


def actions_of(pack: Pack) -> dict[str, Action]:
    """Return the actions of *pack* by their names. Loads them."""
    actions = {name: import_module(f".{pack.name}.{name}", __package__).ACTION for name in pack.actions}
    for each in actions.values():
        each.pack = pack.name
    return actions


def commands_of(name: str) -> Any:
    """Return the Typer app with the commands of the pack of that *name*. Loads them."""
    return import_module(f".{name}.commands", __package__).app


def settings_of(pack: Pack, settings: Settings) -> dict[str, str]:
    """Return the value of each setting of *pack*, or "" if unset. The country defaults to the locale's.

    Raises SettingsError.
    """
    values = {name: each.value_of(settings.found(each)) for name, each in pack.all_settings.items()}
    return {name: value or {"country": settings.country}.get(name, "") for name, value in values.items()}


def _has_server(pack: Pack, settings: Settings) -> bool:
    """Return whether it is said where the server of *pack* is, if each person has one of their own."""
    return not pack.server or settings.found(pack.all_settings[pack.server]) is not None


def pack_settings() -> dict[str, Setting]:
    """Return each setting of a pack, by its whole name. Their keys are not among them."""
    return {each.name: each for pack in all_packs().values() for each in pack.all_settings.values()}


def key_settings() -> dict[str, Setting]:
    """Return the key of each pack as the setting that it is, by its whole name."""
    found = {f"{name}{API_KEY}": key.variables for name, key in known_keys().items() if name not in KEYS}
    return {name: Setting(name, KEY, variables, is_secret=True) for name, variables in found.items()}


def market(settings: Settings) -> Market:
    """Return where the user buys, as the settings of a pack say. Raises SettingsError."""
    values = [settings_of(pack, settings) for pack in all_packs().values()]
    found = {name: next((each[name] for each in values if each.get(name)), "") for name in Market._fields}
    return Market(**found)._replace(country=found["country"] or settings.country)


def _loaded(name: str) -> Pack | str:
    """Return the pack in the folder *name*, or an error message if it is broken."""
    head = f"The pack {name} is broken, and left out:"
    try:
        pack: Pack = import_module(f".{name}", __package__).PACK
        key, names = pack.key, [("it", pack.name, name)]
        for variable in key.variables if key else ():  # by which it is found, and kept from other programs
            stem = variable.lower().removesuffix(ENDINGS[0]).removesuffix(ENDINGS[1])
            names.append((variable, stem, key.name if key else ""))
    except _MISTAKES as error:
        return one_line(f"{head} {type(error).__name__}: {error}.")
    wrong = [f"{what} is called {called}, not {wanted}" for what, called, wanted in names if called != wanted]
    return f"{head} {wrong[0]}." if wrong else pack


def _state(pack: Pack, settings: Settings) -> PackState:
    is_on, keys = pack.name in names_on(settings), known_keys()
    for name in (*pack.needs, pack.key.name) if pack.key else pack.needs:
        secret = settings.key(keys[name])
        if not secret and not secret.origin:  # the keyring's is not asked for here
            return PackState(pack, is_on, f"a {keys[name].service} key", f"jarvis keys set {name}")
    if not _has_server(pack, settings):
        return PackState(pack, is_on, "the address of its server", server_hint(pack))
    return PackState(pack, is_on)


def server_hint(pack: Pack) -> str:
    """Return the command that sets the server of *pack*."""
    return f"jarvis config set packs.{pack.name}.{pack.server or BASE_URL} https://…"


# Which are open in a turn.


class OpenActions:
    """Offers the core's actions and those of the packs that are open."""

    def __init__(
        self, core: Mapping[str, Action], packs: Sequence[Pack] = (), half: Sequence[PackState] = ()
    ) -> None:
        """packs: those that are ready. half: those that lack something."""
        self._half = half
        self.core = core
        self.every = dict(core)  # that was ever offered
        self._packs = {pack.name: pack for pack in packs}

    @property
    def wants(self) -> tuple[Want, ...]:
        """The parts that an intent may have. Packs that aren't open count, since it is built once a turn."""
        sources: list[Action | Pack] = [*self.core.values(), *self._packs.values()]
        return tuple(want for each in sources for want in each.wants)

    def packs_for(self, words: str, tables: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the packs that *words* open, two at most, the likeliest first.

        A pack that the first word names comes first. Then packs count by the number of their words, and last
        by their tables. tables: the kinds of the tables shown last.
        """
        tokens, packs = _words(words), self._packs.values()
        if called := [pack.name for pack in packs if tokens[:1] == [pack.name]]:
            return tuple(called)
        hits = {pack.name: len(_word_set(*pack.words.values()) & {*tokens}) for pack in packs}
        likely = sorted((name for name in hits if hits[name]), key=lambda name: -hits[name])
        shown = [pack.name for pack in packs if set(pack.tables) & set(tables)]
        return tuple(dict.fromkeys([*likely, *shown]))[:MOST]

    def lacks(self, words: str) -> list[str]:
        """Return the needs of each pack that *words* are about, in a sentence with a command."""
        tokens = {*_words(words)}
        about = [each for each in self._half if tokens & _word_set(*each.pack.words.values())]
        return [f"The pack {each.pack.name} lacks {each.missing}: {each.hint}" for each in about]

    def find_action(self, name: str) -> Action | None:
        """Return the action called *name*, even of a pack that isn't open, or None."""
        for pack in self._packs.values() if name not in self.every else ():
            if name in pack.actions:
                self.every.update(actions_of(pack))
        return self.every.get(name)

    def makes(self, action: Action, kind: str) -> bool:
        """Return whether the pack of *action* makes tables of that *kind*."""
        return action.pack in self._packs and kind in self._packs[action.pack].tables

    def of_packs(self, packs: Iterable[str]) -> dict[str, Action]:
        """Return the actions to offer with the core's if *packs* are open, or `use` without any."""
        of_each = [actions_of(self._packs[name]) for name in packs if name in self._packs]
        beside = {name: each for actions in of_each for name, each in actions.items()}
        if not of_each and self._packs:
            beside = {USE: use_of([*self._packs.values()])}
        self.every.update(beside)
        return beside

    def plan_from_words(self, words: str) -> Plan | None:
        """Return the plan that *words* plainly order of a pack."""
        for pack in self._packs.values():
            actions = actions_of(pack)
            orders = ((name, each.order) for name, each in actions.items() if isinstance(each, BrainAction))
            for name, order in orders:
                if order and (match := re.fullmatch(order, words.casefold().strip())):
                    self.every.update(actions)
                    return Plan(name, match.groupdict(), finish=True, text="As you said.")
        return None

    def budgets(self, packs: Iterable[str], own: Budgets) -> Budgets:
        """Return the limits of a turn with these *packs* open: the higher of theirs and *own*."""
        most: dict[str, float] = own._asdict()
        for pack in (self._packs[name] for name in packs if name in self._packs):
            most |= {name: max(value, most[name]) for name, value in pack.budgets.items()}
        return own._replace(**most)  # type: ignore[arg-type]


def use_of(packs: Sequence[Pack]) -> Action:
    """Return the action that opens one of *packs*, those that are ready: from then on in the turn."""
    by_name = {pack.name: pack for pack in packs}

    class Use(BrainAction):
        name = USE
        description = (
            "have more actions offered, where none that is open to you does what they ask; `pack` says of "
            f"which kind: {'; '.join(f'{pack.name} ({pack.purpose})' for pack in packs)}."
        )
        fields = (Field("pack", "whose to offer", kind="choice", choices=tuple(by_name)),)
        effect = "arranges"

        def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
            return Effect("arranges", str(arguments["pack"]))

        async def perform(self, effect: Effect) -> Outcome:
            actions_of(by_name[effect.target])  # one that can't be loaded fails this step
            return Outcome("done", f"The actions of {effect.target} are open.", value=effect.target)

    return Use()


@functools.cache
def _word_set(*texts: str) -> frozenset[str]:
    return frozenset(_words(" ".join(texts)))


def _words(text: str) -> list[str]:
    """Return the words in *text*, in small letters, and each sign of a currency as one."""
    return "".join(map(_apart, unicodedata.normalize("NFC", text.casefold()))).split()


def _apart(sign: str) -> str:
    if sign.isalnum() or unicodedata.category(sign)[0] == "M":  # a vowel's mark is a part of its word
        return sign
    return f" {sign} " if unicodedata.category(sign) == "Sc" else " "
