"""Change the table that was listed last, or tell all of a line of it. Nothing is looked up."""

from collections.abc import Mapping

from ..core.errors import Refused
from ..core.follow_ups import run_follow_up
from ..core.text import one_line
from ..core.types import Effect, Facts, Outcome
from ..language.follow_ups import change_in, to_follow_up
from .base import BrainAction, Field

_LONGEST = 100  # characters of what is asked


class Arrange(BrainAction):
    name = "arrange"
    description = (
        "sort, narrow or turn the pages of the table that they saw last, or tell all of a line of it. "
        "Choose it for what they ask of that table; nothing is looked up."
    )
    fields = (
        Field(
            "change",
            "one of: sort by COLUMN, cheapest first, dearest first, best rated first, newest first, "
            "only WORD, under AMOUNT, over AMOUNT, free delivery, first N, more, all, show N, undo",
            kind="change",
            stated=True,
        ),
    )
    effect = "arranges"
    answers = True
    needs_table = True
    sums_up = True

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        text = one_line(str(arguments["change"]), _LONGEST)
        if facts.table is None:
            raise Refused("no table was listed in this conversation.")
        change = change_in(text)
        follow_up = to_follow_up(facts.table, change, facts.country) if change and not change.opens else None
        if follow_up is None:
            raise Refused(f"a list can't do that: {text}.")
        return Effect("arranges", text, {"asked": follow_up, "table": facts.table, "shown": facts.shown})

    def not_done(self, target: str) -> str:
        return f"Did not change the list by “{target}”" if target else "Did not change the list"

    async def perform(self, effect: Effect) -> Outcome:
        given = effect.arguments
        return run_follow_up(given["table"], given["asked"], effect.target, given["shown"])


ACTION = Arrange()
