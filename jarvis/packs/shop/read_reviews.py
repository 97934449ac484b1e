"""Look up what buyers say of offers that were found: the model tells of it, and names its sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...actions.base import ENGINES, BrainAction, Service, failed, reason
from ...core.errors import JarvisError
from ...core.text import counted
from ...core.types import Effect, Facts, Found, Outcome
from ...search.extract import extract
from ...search.serpapi import Engines
from .looking_up import TOKEN, looked_up
from .markets import HOME, WEB
from .priced import OFFERS, Chosen, chosen, target, title_of
from .review_pages import once, review_pages

_MOST = 2  # offers of one step
_PAGES = 5  # of a web search
_WORD = r"[^\W_]+(?:[.'’-][^\W_]+)*"  # of a title: no sign that would steer a search
_QUERY = 100  # characters


class ReadReviews(BrainAction):
    name = "read_reviews"
    description = (
        "look up what buyers say of an offer in the tables: what they wrote is then among the addresses "
        f"found, for you to answer from; `offers` says of which, {_MOST} at most."
    )
    fields = (OFFERS,)
    services = (Service(ENGINES),)
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        named = chosen(arguments["offers"], facts, _MOST)
        needed = {"chosen": named, "country": facts.country or HOME}
        return Effect("reads", f"reviews of {target(named)}", needed, credits=2 * len(named))

    def not_done(self, target: str) -> str:
        return f"Could not look up {target or 'reviews'}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        named, country = effect.arguments["chosen"], effect.arguments["country"]
        pages = await _written(named, country, engines)
        elsewhere = [each for each in named if not pages[each.row.id]]
        failures = await _searched(elsewhere, country, engines, pages) if elsewhere else []
        found = once(page for each in named for page in pages[each.row.id])
        if not found and failures:
            return failed(self.not_done(effect.target), failures[0][1])
        told = [f"Found {counted(len(found), 'pages')} with {effect.target}."]
        told += [f"Of {each.told} none could be looked up: {reason(error)}" for each, error in failures]
        return Outcome("done", " ".join(told), value=effect.target, found=tuple(found))


async def _written(named: Sequence[Chosen], country: str, engines: Engines) -> dict[str, list[Found]]:
    """Return the pages with what the shopping service has of reviews, by the offer's id."""
    pages: dict[str, list[Found]] = {each.row.id: [] for each in named}
    known = [each.row for each in named if each.row.private.get(TOKEN)]
    answers = await looked_up(known, country, engines)
    for row, answer in zip(known, answers, strict=True):
        if not isinstance(answer, JarvisError):
            pages[row.id] = review_pages(row, answer[1])
    return pages


async def _searched(
    named: Sequence[Chosen], country: str, engines: Engines, pages: dict[str, list[Found]]
) -> list[tuple[Chosen, JarvisError]]:
    """Put into *pages* what a web search finds; return what could not be searched for, and why."""
    try:
        answers = await engines.ask_all([(WEB, {"q": _query(each), "gl": country}) for each in named])
    except JarvisError as error:  # none was sent; of another offer there may be reviews
        return [(each, error) for each in named]
    failures = []
    for each, answer in zip(named, answers, strict=True):
        if isinstance(answer, JarvisError):
            failures.append((each, answer))
        else:
            pages[each.row.id] = list(extract(answer, (), country)[:_PAGES])
    return failures


def _query(named: Chosen) -> str:
    """Return what to search the web for: words of its title alone, which a stranger wrote."""
    words = " ".join(re.findall(_WORD, title_of(named.row)[:_QUERY]))
    return f"{words} reviews".strip()


ACTION = ReadReviews()
