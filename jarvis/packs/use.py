"""Open a pack: offer the model its actions from then on in the turn. Nothing else comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..actions.base import Action, BrainAction, Field
from ..core.types import Effect, Facts, Outcome
from .pack import Pack

USE = "use"


def use_of(packs: Sequence[Pack], load: Callable[[str], object]) -> Action:
    """Return the action that opens one of *packs*, those that are ready. load: loads one by its name."""

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
