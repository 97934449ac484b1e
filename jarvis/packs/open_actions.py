"""The packs that are open in a turn: those whose actions the model is offered beside the core's."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from ..actions import Action, BrainAction, Field, Want
from ..config.settings import Budgets
from ..core.types import Effect, Facts, Outcome
from .pack import Pack, actions_of

MOST = 2  # packs in a turn: of more actions a weak model chooses worse, and the schema has little room
USE = "use"  # the action that opens another one


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
        known: list[Action | Pack] = [*self.core.values(), *self._packs.values()]
        return tuple(want for each in known for want in each.wants)

    def opened(self, words: str, tables: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the packs that *words* open, two at most, the likeliest first.

        Those named by the first word come before those with most words in them, and these before those whose
        tables were shown last. tables: the kinds of those.
        """
        said, packs = _words(words), self._packs.values()
        if named := [pack.name for pack in packs if said[:1] == [pack.name]]:
            return tuple(named)
        hits = {pack.name: len(_listed(" ".join(pack.words.values())) & {*said}) for pack in packs}
        likely = sorted((name for name in hits if hits[name]), key=lambda name: -hits[name])
        shown = [pack.name for pack in packs if set(pack.tables) & set(tables)]
        return tuple((likely or shown)[:MOST])

    def load(self, name: str) -> dict[str, Action]:
        """Return the actions of a pack, loaded once."""
        if name not in self._of:
            self._of[name] = actions_of(self._packs[name])
        return self._of[name]

    def of_packs(self, packs: Iterable[str]) -> dict[str, Action]:
        """Return the actions that are offered besides where these *packs* are open: where none is, `use`."""
        names = [name for name in packs if name in self._packs]
        beside = {key: each for name in names for key, each in self.load(name).items()}
        if not names and self._packs:
            beside = {USE: use_of([*self._packs.values()], self.load)}
        self.every.update(beside)
        return beside

    def budgets(self, packs: Iterable[str], own: Budgets) -> Budgets:
        """Return what a turn may use up where these *packs* are open: of each the most that one of them may.

        own: the settings'. What the person changed there stays as they have it.
        """
        usual = Budgets()
        most: dict[str, float] = {}
        for pack in (self._packs[name] for name in packs if name in self._packs):
            for name, value in pack.budgets.items():
                if getattr(own, name) == getattr(usual, name):
                    most[name] = max(value, most.get(name, getattr(usual, name)))
        return own._replace(**most)  # type: ignore[arg-type]


def use_of(packs: Sequence[Pack], load: Callable[[str], object]) -> Action:
    """Return the action that opens one of *packs*, those that are ready: from then on in the turn.

    load: loads one by its name.
    """

    class Use(BrainAction):
        name = USE
        description = (
            "have more actions offered, where none that is open to you does what they ask; `pack` says of "
            f"which kind: {'; '.join(f'{pack.name} ({pack.purpose})' for pack in packs)}."
        )
        fields = (
            Field(
                "pack",
                "which actions to have offered",
                kind="choice",
                choices=tuple(pack.name for pack in packs),
            ),
        )

        def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
            return Effect("reads", str(arguments["pack"]))

        async def perform(self, effect: Effect) -> Outcome:
            load(effect.target)
            return Outcome("done", f"The actions of {effect.target} are open.", value=effect.target)

    return Use()


@cache
def _listed(words: str) -> frozenset[str]:
    """Return the words of a pack, which each turn looks for."""
    return frozenset(_words(words))


def _words(text: str) -> list[str]:
    """Return the words in *text*, in small letters, and each sign of a currency as one."""
    return "".join(map(_apart, unicodedata.normalize("NFC", text.casefold()))).split()


def _apart(sign: str) -> str:
    if sign.isalnum() or unicodedata.category(sign)[0] == "M":  # a vowel's mark is a part of its word
        return sign
    return f" {sign} " if unicodedata.category(sign) == "Sc" else " "
