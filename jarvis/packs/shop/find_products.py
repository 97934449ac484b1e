"""Find things for sale: in shops, and used ones on eBay. Nothing is bought."""

from __future__ import annotations

import time
from collections.abc import Mapping

from ...actions.base import ENGINES, BrainAction, Field, Service, failed
from ...core.errors import JarvisError, Refused
from ...core.text import one_line
from ...core.types import Effect, Facts, Outcome
from ...search.offers.offer import NEW, REFURBISHED, USED, within
from ...search.services import Engines
from .listing import listing
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
        Field(
            "state", "the state they ask for", kind="choice", choices=(NEW, USED, REFURBISHED), optional=True
        ),
        Field("most", "the highest price they named, as 150 USD", kind="money", optional=True, said=True),
        Field("least", "the lowest price they named, as 50 USD", kind="money", optional=True, said=True),
    )
    services = (Service(ENGINES),)
    answers = True

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        queries = [one_line(each) for each in str(arguments.get("queries") or "").split(";")]
        queries = list(dict.fromkeys(filter(None, queries)))
        if not 0 < len(queries) <= _MOST:
            raise Refused(f"One step finds one to {_MOST} things.", hint="Ask for fewer at once.")
        known = {name: arguments[name] for name in ("most", "least") if name in arguments}
        state = str(arguments.get("state") or "")
        states = (USED, REFURBISHED) if state == USED else (state,) if state else ()
        told = [", ".join(queries), state, *(f"at {name} {_told(each)}" for name, each in known.items())]
        wanted = asked(queries, states, known.get("most"), facts.country)
        return Effect(
            "reads", _BETWEEN.join(filter(None, told)), {"asked": wanted, "states": states, **known}
        )

    def not_done(self, target: str) -> str:
        return f"Nothing could be looked up for {target}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        given = effect.arguments
        answers = await engines.ask_all([(each.engine, each.params) for each in given["asked"]])
        if all(isinstance(answer, JarvisError) for answer in answers):
            return failed(self.not_done(effect.target), answers[0])
        found = [
            (each, each.read(answer))
            for each, answer in zip(given["asked"], answers, strict=True)
            if not isinstance(answer, JarvisError)
        ]
        held = [
            (each, within(offers, given.get("most"), given.get("least"), given["states"]))
            for each, offers in found
        ]
        table = listing([(each.query, offers) for each, offers in held], time.time())
        return Outcome("done", f"Found {len(table.rows)}", value=effect.target, table=table)


ACTION = FindProducts()
