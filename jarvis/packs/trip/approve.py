"""Keep the last trip that was worked out, once the user approves it. Nothing is booked."""

from collections.abc import Mapping
from typing import Any

from ...actions.base import BrainAction
from ...core.errors import Refused
from ...core.tables import cell_record
from ...core.text import digest
from ...core.types import Effect, Facts, Outcome
from ...store.items import SavedItem, SavedItems
from . import APPROVE, TRIP, TRIPS
from .finding import SAVED, format_day


class Approve(BrainAction):
    name = "approve"
    description = "keep the trip that was worked out last, once they say so; nothing is booked."
    wants = (APPROVE,)
    effect = "keeps"
    services = (SAVED,)
    answers = True
    needs_table = True
    order = r"(?:approve(?: it| this| that)?|(?:approve|keep|save) (?:the|this|that) trip)[.!]*"

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        if not (drafts := [table.found or table for table in facts.tables if table.kind == TRIP]):
            raise Refused("No trip was worked out here, so there is none to keep.")
        draft = drafts[-1]  # as it was worked out: narrowed since, it would have no checks
        unmet = [check.finding for check in draft.checks if check.is_met is False and check.name != "budget"]
        if unmet:
            raise Refused(f"This is not a sound trip, so it is not kept: {'; '.join(unmet)}.")
        flown, stayed = draft.rows[0].private, draft.rows[-1].private  # the same where there is but one
        first, last = stayed["first"], stayed["last"] or stayed["first"]
        route = " → ".join(filter(None, (flown.get("origin"), flown["destination"])))
        title = f"{route}, {format_day(first)} – {format_day(last)} {last[:4]}"
        given = {"title": title, "first": first, "last": last, "draft": draft.kept_record()}
        total = cell_record(draft.foot[0].cells["price"])
        return Effect("keeps", f"the trip “{title}”", {**given, "total": total})

    async def perform(self, effect: Effect, saved: SavedItems) -> Outcome:
        title, draft = effect.arguments["title"], effect.arguments["draft"]
        # What is approved twice is kept once.
        item = SavedItem(TRIPS, digest(str([draft["rows"], draft["foot"]])), effect.arguments)
        ((_, is_new),) = await saved.add([item])
        text = f"Kept as trip “{title}”." if is_new else f"The trip “{title}” is kept already."
        return Outcome("done", f"{text} Nothing is booked: jarvis trip show", effect.target)


ACTION = Approve()
