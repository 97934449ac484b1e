"""Look something up on the web. Python extracts addresses from what is found."""

from collections.abc import Mapping

from ..core.text import fold_case, pluralize
from ..core.types import Effect, Facts, Outcome
from .base import SEARCH, BrainAction, Field, Search, Service


class WebSearch(BrainAction):
    name = "search"
    description = (
        "search the web for `query`. Choose it for facts that may be new or that you are unsure of, "
        "and to find an address."
    )
    fields = (Field("query", "what to type into a web search: a few words"),)
    effect = "searches"
    services = (Service(SEARCH),)

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        query = str(arguments["query"])
        parts = facts.intent.parts if facts.intent else ()
        # Only what is searched for by its name alone says whose site it is.
        name = next(
            (part.value for part in parts if part.is_name and fold_case(part.value) == fold_case(query)), ""
        )
        return Effect("searches", query, {"name": name})

    def not_done(self, target: str) -> str:
        return f"The search for “{target}” failed"

    async def perform(self, effect: Effect, search: Search) -> Outcome:
        query = effect.target
        found = await search(query, effect.arguments["name"])
        many = pluralize(len(found), "results") if found else "nothing found"
        return Outcome("done", f"Searched for “{query}”: {many}.", value=query, found=found)


ACTION = WebSearch()
