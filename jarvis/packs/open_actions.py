"""The actions that there are: the core's at once, those of a pack once it is open."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..actions.base import Action, Want, wants_of
from ..config.settings import Budgets
from . import actions_of, budgets_with
from .opening import opened
from .pack import Pack
from .soundness import BrokenPack
from .use import USE, use_of


class OpenActions:
    """Offers the core's actions and those of the packs that are open."""

    def __init__(self, core: Mapping[str, Action], packs: Sequence[Pack] = ()) -> None:
        """packs: those that are ready. Of two that have an action of one name, the second is left out."""
        self.core = core
        self.every = dict(core)  # that was ever offered
        self._packs = {pack.name: pack for pack in packs}
        self._of: dict[str, dict[str, Action]] = {}  # loaded
        self._broken: dict[str, BrokenPack] = {}  # that could not be

    @property
    def wants(self) -> tuple[Want, ...]:
        """What a reading may say: also for packs that are not open, since it is made once in a turn."""
        return (*wants_of(self.core), *(want for pack in self._packs.values() for want in pack.wants))

    def opened(self, words: str, tables: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the packs that *words* open. tables: the kinds of those shown last."""
        return opened(words, tables, [*self._packs.values()])

    def load(self, name: str) -> dict[str, Action]:
        """Return the actions of a pack, loaded once. Raises BrokenPack where it is to be left out."""
        if name in self._broken:
            raise self._broken[name]
        if name not in self._of:
            try:
                self._of[name] = actions_of(self._packs[name], self._taken(name))
            except BrokenPack as error:
                self._broken[name] = error
                raise
        return self._of[name]

    def fault(self, name: str) -> str:
        """Return why a pack is left out; empty: it is not."""
        try:
            self.load(name)
        except BrokenPack as error:
            return error.message
        return ""

    def sound(self, packs: Iterable[str], tell: Callable[[str], None]) -> tuple[str, ...]:
        """Return those of *packs* that can be used. tell: is told why each of the others is left out."""
        faults = {name: self.fault(name) for name in packs}
        for fault in filter(None, faults.values()):
            tell(fault)
        return tuple(name for name in faults if not faults[name])

    def beside_core(self, packs: Iterable[str]) -> dict[str, Action]:
        """Return the actions that are offered besides where these *packs* are open: where none is, `use`."""
        names = [name for name in packs if name in self._packs and not self.fault(name)]
        beside = {key: each for name in names for key, each in self.load(name).items()}
        sound = [pack for name, pack in self._packs.items() if name not in self._broken]
        if not names and sound:
            beside = {USE: use_of(sound, self.load)}
        self.every.update(beside)
        return beside

    def budgets(self, packs: Iterable[str], own: Budgets) -> Budgets:
        """Return what a turn may use up where these *packs* are open. own: the settings'."""
        return budgets_with([self._packs[name] for name in packs if name in self._packs], own)

    def _taken(self, name: str) -> set[str]:
        """Return the names of the core's actions, and of those of the packs before it."""
        before = itertools.takewhile(lambda pack: pack.name != name, self._packs.values())
        return {*self.core, USE, *(action for pack in before for action in pack.actions)}
