"""Put offers on one of the person's own lists, with what they cost now. Nothing is bought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...actions.base import BrainAction, Field
from ...core.text import one_line
from ...core.types import Effect, Facts, Outcome
from . import KEEP
from .offers import OFFERS, chosen
from .saved import LISTS, WISHLIST, Lists, item_of, offer_name, told

_MOST = 10  # offers of one step
_LONGEST = 60  # characters of a list's name


class Keep(BrainAction):
    name = "keep"
    description = (
        "put chosen offers on one of the person's own lists, such as their wishlist, with what they cost "
        "now; `offers` says which of the tables' lines. Only once they ask for it; nothing is bought."
    )
    fields = (
        OFFERS,
        Field("list", "the name of the list, if they say one other than wishlist", optional=True, said=True),
    )
    wants = (KEEP,)
    effect = "keeps"
    services = (LISTS,)
    answers = True
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        rows = tuple(each.row for each in chosen(arguments["offers"], facts, _MOST))
        list_ = one_line(str(arguments.get("list") or WISHLIST), _LONGEST).casefold()
        given = {"list": list_, "offers": [row.id for row in rows]}
        return Effect("keeps", f"{', '.join(map(offer_name, rows))} in {list_}", given, rows=rows)

    def not_done(self, target: str) -> str:
        return f"Did not keep {target}".rstrip()

    async def perform(self, effect: Effect, lists: Lists) -> Outcome:
        list_ = effect.arguments["list"]
        written = await lists.add_all(list_, [item_of(row) for row in effect.rows])
        new = [told(item) for item, is_new in written if is_new]
        there = [told(item) for item, is_new in written if not is_new]
        said = [f"Kept in {list_}: {'; '.join(new)}."] if new else []
        said += [f"In {list_} already, its price is noted: {'; '.join(there)}."] if there else []
        return Outcome("done", " ".join(said))


ACTION = Keep()
