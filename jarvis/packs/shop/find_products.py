"""Find things for sale: in shops, used ones on eBay, and where it is named on Mercari. Nothing is bought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ...actions.base import ENGINES, BrainAction, Field, Service, failed, reason
from ...core.errors import JarvisError, Refused
from ...core.tables import Table
from ...core.text import one_line
from ...core.types import Effect, Facts, Outcome
from ...search.offers.offer import NEW, REFURBISHED, USED
from ...search.serpapi import Engines, Page
from ..outcome import outcome_of
from .listing import Limits, Searched, product_table
from .markets import MARKETS, MERCARI, Asked, asked, not_asked
from .mercari import with_live_search

_MOST = 4  # queries of one step
_BETWEEN, _LIST = " · ", ", "


class FindProducts(BrainAction):
    name = "find_products"
    description = (
        "find things for sale with their prices, as a table that the person sees and can sort, narrow and "
        "open; `queries` says what, `most` and `least` the limits they named, `state` whether they want it "
        "new, used or refurbished. It answers by itself: finish is true where finding is all they want."
    )
    fields = (
        Field(
            "market", "the market that they named, else null", kind="choice", choices=MARKETS, optional=True
        ),
        Field("queries", "what to type into a shop's search: a few words; several things joined by ;"),
        # Not one that they have to have said: the words for it differ, and what it leaves out is told.
        Field("state", "as they want it", kind="choice", choices=(NEW, USED, REFURBISHED), optional=True),
        Field("most", "the highest price they named, as 150 USD", kind="money", optional=True, said=True),
        Field("least", "the lowest price they named, as 50 USD", kind="money", optional=True, said=True),
    )
    services = (Service(ENGINES),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        queries = [one_line(each) for each in str(arguments.get("queries") or "").split(";")]
        queries = list(dict.fromkeys(filter(None, queries)))
        if not 0 < len(queries) <= _MOST:
            raise Refused(f"One step finds one to {_MOST} things.", hint="Ask for fewer at once.")
        most, least, state, market = (arguments.get(name) for name in ("most", "least", "state", "market"))
        states = (USED, REFURBISHED) if state == USED else (state,) if state else ()
        told = [
            ", ".join(queries),
            market,
            state,
            most and f"at most {most.told}",
            least and f"at least {least.told}",
        ]
        given = {
            "asked": asked(queries, states, most, facts.country, market or ""),
            "limits": Limits(most, least, states),
            "market": market or "",
            "note": not_asked(states, facts.country, market or ""),
        }
        target = _BETWEEN.join(filter(None, told))
        return Effect("reads", target, given, credits=len(given["asked"]))

    def not_done(self, target: str) -> str:
        return f"Could not look for {target}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        wanted, is_live = effect.arguments["asked"], effect.arguments["market"] == MERCARI
        answers = await _answers(wanted, engines, may_fail=is_live)
        failures = [answer for answer in answers if isinstance(answer, JarvisError)]
        if len(failures) == len(answers) and not is_live:
            return failed(self.not_done(effect.target), failures[0])
        table = _table(wanted, answers, effect.arguments["limits"], is_live=is_live)
        note, unanswered = effect.arguments["note"], _unanswered(wanted, answers)
        noted = table._replace(note=_joined(table.note, note), failures=tuple(unanswered))
        outcome = outcome_of(noted, effect.target, "offers")
        return outcome if table.rows else outcome._replace(text=_joined(outcome.text, note, *unanswered))


async def _answers(wanted: Sequence[Asked], engines: Engines, *, may_fail: bool) -> list[Page | JarvisError]:
    """Return what each of *wanted* was answered. may_fail: there is something to show without any."""
    try:
        return await engines.ask_all([(each.engine, each.params) for each in wanted])
    except JarvisError as error:
        if not may_fail:
            raise
        return [error] * len(wanted)


def _table(
    wanted: Sequence[Asked], answers: Sequence[Page | JarvisError], limits: Limits, *, is_live: bool
) -> Table:
    found = [
        Searched(each.query, each.read(answer))
        for each, answer in zip(wanted, answers, strict=True)
        if not isinstance(answer, JarvisError)
    ]
    known = limits._replace(states=()) if is_live else limits
    table = product_table(found, datetime.now(UTC).isoformat(timespec="seconds"), known, wanted[0].country)
    if not is_live:
        return table
    return with_live_search(table, [each.query for each in wanted], limits)


def _unanswered(wanted: Sequence[Asked], answers: Sequence[object]) -> list[str]:
    """Return what could not be looked for where, and why: a sentence for each place and reason."""
    failed_at: dict[tuple[str, str], list[str]] = {}
    for each, answer in zip(wanted, answers, strict=True):
        if isinstance(answer, JarvisError):
            failed_at.setdefault((each.place, reason(answer)), []).append(each.query)
    several = len({each.query for each in wanted}) > 1
    return [
        f"{place} could not be asked{f' for {_LIST.join(queries)}' if several else ''}: {why}"
        for (place, why), queries in failed_at.items()
    ]


def _joined(*sentences: str) -> str:
    """Return *sentences* as one text, each once."""
    return " ".join(filter(None, dict.fromkeys(sentences)))


ACTION = FindProducts()
