"""Put offers on one of the person's own lists, with what they cost now. Nothing is bought."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...actions.base import KEPT, BrainAction, Field, Service
from ...core.errors import Refused
from ...core.text import one_line
from ...core.types import Effect, Facts, Outcome
from ...store.kept import Kept
from . import KEEP
from .things import WISHLIST, named, thing_of, told

_LONGEST = 60  # characters of a list's name


class Keep(BrainAction):
    name = "keep"
    description = (
        "put offers on one of the person's own lists, such as their wishlist, with what they cost now, once "
        "they ask for that; `offers` says which. Nothing is bought."
    )
    fields = (
        Field("offers", "ids or lines: o3 o7; cheapest", kind="ids"),
        Field("list", "the name of the list, if they say one other than wishlist", optional=True, said=True),
    )
    wants = (KEEP,)
    effect = "keeps"
    services = (Service(KEPT),)
    answers = True
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        rows = {row.id: (row, table.kind) for table in facts.tables for row in table.rows}
        ids = tuple(arguments["offers"])
        if gone := [id_ for id_ in ids if id_ not in rows]:
            raise Refused(f"{gone[0]} is in no list at hand.", hint="Search for it again.")
        list_ = one_line(str(arguments.get("list") or WISHLIST), _LONGEST).casefold()
        chosen = tuple(rows[id_][0] for id_ in ids)
        target = f"{', '.join(named(row) for row in chosen)} in {list_}"
        kinds = tuple(rows[id_][1] for id_ in ids)
        return Effect("keeps", target, {"list": list_, "offers": ids, "kinds": kinds}, rows=chosen)

    def not_done(self, target: str) -> str:
        return f"Did not keep {target}".rstrip()

    async def perform(self, effect: Effect, kept: Kept) -> Outcome:
        list_, kinds = effect.arguments["list"], effect.arguments["kinds"]
        things = [thing_of(row, kind) for row, kind in zip(effect.rows, kinds, strict=True)]
        written = await kept.add_all(list_, things)
        new = [told(item) for item, is_new in written if is_new]
        there = [told(item) for item, is_new in written if not is_new]
        said = [f"Kept in {list_}: {'; '.join(new)}."] if new else []
        said += [f"In {list_} already, its price is noted: {'; '.join(there)}."] if there else []
        return Outcome("done", " ".join(said))


ACTION = Keep()
