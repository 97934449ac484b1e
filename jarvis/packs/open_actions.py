"""The actions that there are: the core's at once, those of a pack once it is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..actions.base import Action, Want, wants_of
from ..config.settings import Budgets
from . import actions_of, budgets_with
from .opening import opened
from .pack import Pack
from .use import USE, use_of


class OpenActions:
    """Offers the core's actions and those of the packs that are open."""

    def __init__(self, core: Mapping[str, Action], packs: Sequence[Pack] = ()) -> None:
        """packs: those that are ready."""
        self.core = core
        self.every = dict(core)  # that was ever offered
        self._packs = {pack.name: pack for pack in packs}
        self._of: dict[str, dict[str, Action]] = {}  # loaded

    @property
    def wants(self) -> tuple[Want, ...]:
        """What a reading may say: also for packs that are not open, since it is made once in a turn."""
        return (*wants_of(self.core), *(want for pack in self._packs.values() for want in pack.wants))

    def opened(self, words: str, tables: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the packs that *words* open. tables: the kinds of those shown last."""
        return opened(words, tables, [*self._packs.values()])

    def load(self, name: str) -> dict[str, Action]:
        """Return the actions of a pack, loaded once."""
        if name not in self._of:
            self._of[name] = actions_of(self._packs[name])
        return self._of[name]

    def beside_core(self, packs: Iterable[str]) -> dict[str, Action]:
        """Return the actions that are offered besides where these *packs* are open: where none is, `use`."""
        names = [name for name in packs if name in self._packs]
        beside = {key: each for name in names for key, each in self.load(name).items()}
        if not names and self._packs:
            beside = {USE: use_of([*self._packs.values()], self.load)}
        self.every.update(beside)
        return beside

    def budgets(self, packs: Iterable[str], own: Budgets) -> Budgets:
        """Return what a turn may use up where these *packs* are open. own: the settings'."""
        return budgets_with([self._packs[name] for name in packs if name in self._packs], own)
