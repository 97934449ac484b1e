"""Find things for sale: in shops, and used ones on eBay. Nothing is bought."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ...actions.base import ENGINES, BrainAction, Field, Service, failed
from ...core.errors import JarvisError, Refused
from ...core.tables import Table
from ...core.text import counted, one_line
from ...core.types import Effect, Facts, Outcome
from ...output.tables import told_reasons
from ...search.offers.offer import NEW, REFURBISHED, USED
from ...search.services import Engines
from .listing import Limits, Searched, product_table
from .markets import asked

_MOST = 4  # queries of one step
_BETWEEN = " · "


class FindProducts(BrainAction):
    name = "find_products"
    description = (
        "find things for sale with their prices, as a table that the person sees and can sort, narrow and "
        "open; `queries` says what, `most` and `least` the limits they named, `state` whether they want it "
        "new, used or refurbished. It answers by itself: finish is true where finding is all they want."
    )
    fields = (
        Field("queries", "what to type into a shop's search: a few words; several things joined by ;"),
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
        most, least, state = (arguments.get(name) for name in ("most", "least", "state"))
        states = (USED, REFURBISHED) if state == USED else (state,) if state else ()
        told = [
            ", ".join(queries),
            state,
            most and f"at most {most.told}",
            least and f"at least {least.told}",
        ]
        given = {
            "asked": asked(queries, states, most, facts.country),
            "limits": Limits(most, least, states),
        }
        target = _BETWEEN.join(filter(None, told))
        return Effect("reads", target, given, credits=len(given["asked"]))

    def not_done(self, target: str) -> str:
        return f"Could not look for {target}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        wanted, limits = effect.arguments["asked"], effect.arguments["limits"]
        answers = await engines.ask_all([(each.engine, each.params) for each in wanted])
        failures = [answer for answer in answers if isinstance(answer, JarvisError)]
        if len(failures) == len(answers):
            return failed(self.not_done(effect.target), failures[0])
        found = [
            Searched(each.query, each.read(answer))
            for each, answer in zip(wanted, answers, strict=True)
            if not isinstance(answer, JarvisError)
        ]
        table = product_table(
            found, datetime.now(UTC).isoformat(timespec="seconds"), limits, wanted[0].country
        )
        amiss = [failure.message for failure in failures]
        if not table.rows:
            return Outcome("done", " ".join([_nothing(effect.target, table), *amiss]), value=effect.target)
        text = f"Found {counted(len(table.rows), 'offers')} for {effect.target}."
        notes = [table.note, *amiss]
        return Outcome("done", text, value=effect.target, table=table._replace(note=" ".join(notes)))


def _nothing(target: str, table: Table) -> str:
    """Return what is said where no row is left: that nothing was found, or that all of it was left out."""
    if not table.left_out:
        return f"Nothing for sale was found for {target}."
    return f"Nothing of what was found fits {target}: {told_reasons(table.left_out)}."


ACTION = FindProducts()
