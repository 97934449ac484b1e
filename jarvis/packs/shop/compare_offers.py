"""Compare what chosen offers cost in all, in each shop that has them. Nothing is bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...actions.base import ENGINES, BrainAction, Service, failed, reason
from ...actions.kinds.ids import Ranked
from ...core.errors import JarvisError, Refused
from ...core.text import counted
from ...core.types import Effect, Facts, Outcome
from ...search.serpapi import Engines
from .compare import Looked, compared
from .looking_up import looked_up
from .markets import HOME
from .priced import COUNTRY, OFFERS, Chosen, chosen, priced, target

_MOST = 5  # offers of one step: each is a search


class CompareOffers(BrainAction):
    name = "compare_offers"
    description = (
        "look up who sells chosen offers and what each shop asks in all, as a table that the person sees; "
        f"`offers` says which of the tables' lines, {_MOST} at most. It answers by itself."
    )
    fields = (OFFERS,)
    services = (Service(ENGINES),)
    answers = True
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        named = chosen(arguments["offers"], facts, _MOST)
        for each in named:
            if priced(each.row) is None:
                raise Refused(f"{each.told} has no price to compare.")
        ids, country = arguments["offers"], next(filter(None, map(_country, named)), facts.country or HOME)
        picked = f" ({ids.by})" if isinstance(ids, Ranked) else ""
        needed = {"chosen": named, "country": country}
        return Effect("reads", f"{target(named)}{picked}", needed, credits=len(named))

    def not_done(self, target: str) -> str:
        return f"Could not compare {target}".rstrip()

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        named, country = effect.arguments["chosen"], effect.arguments["country"]
        answers = await looked_up([each.row for each in named], country, engines)
        failures = [answer for answer in answers if isinstance(answer, JarvisError)]
        if len(failures) == len(answers):
            return failed(self.not_done(effect.target), failures[0])
        looked = [
            Looked(offer, answer[0].read(answer[1]))
            for each, answer in zip(named, answers, strict=True)
            if not isinstance(answer, JarvisError) and (offer := priced(each.row, each.seen_at))
        ]
        table = compared(looked, datetime.now(UTC).isoformat(timespec="seconds"), country)
        told = _not_looked_up(named, answers)
        kept = ["What was found before is kept: jarvis back."] if told else []
        text = f"Compared {counted(len(looked), 'offers')}: {counted(len(table.rows), 'lines')}."
        return Outcome("done", text, value=effect.target, table=table._replace(failures=(*told, *kept)))


def _country(named: Chosen) -> str:
    """Return where it was asked for when it was found, of two letters."""
    return named.row.private.get(COUNTRY, "")


def _not_looked_up(named: Sequence[Chosen], answers: Sequence[object]) -> list[str]:
    return [
        f"{each.told} could not be looked up: {reason(answer)}"
        for each, answer in zip(named, answers, strict=True)
        if isinstance(answer, JarvisError)
    ]


ACTION = CompareOffers()
