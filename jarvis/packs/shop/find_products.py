"""Find things for sale: in shops, used ones on eBay, and on Mercari if the user names it. Nothing is bought.

All results become one table, with a share for each search.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

from ...actions.base import ENGINES, BrainAction, Field, Service, reason
from ...core import urls
from ...core.errors import JarvisError, Refused
from ...core.tables import EXTRA, MONEY, RATING, STATE, Column, Row, Table
from ...core.text import one_line
from ...core.types import Effect, Facts, Outcome
from ...search.serpapi import Engines
from ..entries import MERCHANT, MOST, outcome_of, table_of
from .markets import MARKETS, MERCARI, Answer, MarketQuery, answers_to, searches
from .offers import DELIVERY, FOR, NEW, REFURBISHED, USED, Limits, Offers, tax_in, within
from .readers import MERCARI_HOST, ON_MERCARI

KIND = "product"
_MOST_QUERIES = 4  # of one step
_BETWEEN = " · "
_COLUMNS = (
    Column("product", "product", rank=0),
    Column("price", "price", MONEY, 0),
    Column("state", "state", STATE, 2),
    Column("store", "store", rank=1),
    Column("rating", "rating", RATING, 4),
    Column(DELIVERY, "delivery", MONEY, 3, EXTRA),
)
_FOR = Column(FOR, "for", rank=1)


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
        # Not required in their words, which differ. The table shows how many it leaves out.
        Field("state", "as they want it", kind="choice", choices=(NEW, USED, REFURBISHED), optional=True),
        Field("most", "the highest price they named, as 150 USD", kind="money", optional=True, stated=True),
        Field("least", "the lowest price they named, as 50 USD", kind="money", optional=True, stated=True),
    )
    effect = "searches"
    services = (Service(ENGINES),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        queries = [one_line(each) for each in str(arguments.get("queries") or "").split(";")]
        queries = list(dict.fromkeys(filter(None, queries)))
        if not 0 < len(queries) <= _MOST_QUERIES:
            raise Refused(f"One step finds one to {_MOST_QUERIES} things.", hint="Ask for fewer at once.")
        most, least, state, market = (arguments.get(name) for name in ("most", "least", "state", "market"))
        limits = Limits(most, least, (USED, REFURBISHED) if state == USED else (state,) if state else ())
        parts = [
            ", ".join(queries),
            market,
            state,
            most and f"at most {most.formatted}",
            least and f"at least {least.formatted}",
        ]
        wanted = searches(queries, limits, facts.country, market or "")
        given = {"asked": wanted, "limits": limits, "is_live": market == MERCARI}
        return Effect("searches", _BETWEEN.join(filter(None, parts)), given, credits=len(wanted))

    def not_done(self, target: str) -> str:
        return f"Could not look for {target}"

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        wanted, limits, is_live = (effect.arguments[name] for name in ("asked", "limits", "is_live"))
        answers = await answers_to(wanted, engines)
        failures = [answer for answer in answers if isinstance(answer, JarvisError)]
        if len(failures) == len(answers) and not is_live:  # the live search is there without any answer
            raise failures[0]
        found = [answer for answer in answers if isinstance(answer, Offers)]
        applied = limits._replace(states=()) if is_live else limits  # an index tells no states
        table = product_table(found, applied, wanted[0].country)
        if is_live:
            table = _with_live_search(table, [each.query for each in wanted], limits)
        unanswered = _unanswered(wanted, answers)
        outcome = outcome_of(table._replace(failures=unanswered), effect.target, "offers")
        return outcome if table.rows else outcome._replace(text=" ".join([outcome.text, *unanswered]))


def product_table(answers: Sequence[Offers], limits: Limits, country: str) -> Table:
    """Return the table of the offers in *answers* within *limits*. Its rows have no ids yet.

    The answers take turns. country: of the search, two letters.
    """
    found = [within(answer, limits) for answer in answers]
    turns = zip_longest(*(each.offers for each in found))
    offers = [offer for turn in turns for offer in turn if offer]
    columns = (*_COLUMNS, _FOR) if len({each.query for each in offers}) > 1 else _COLUMNS
    rows = [each.row_in(columns, **{FOR: each.query}) for each in offers]
    left_out = sum((Counter(each.left_out) for each in found), Counter[str]())
    tax = " before sales tax" if tax_in(country).is_apart else ""
    return table_of(KIND, columns, rows, left_out, f"{country.upper()} prices{tax}, delivery apart.")


def _unanswered(wanted: Sequence[MarketQuery], answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return a sentence for each search that failed: its place, its query, and the reason."""
    several = len({each.query for each in wanted}) > 1
    return tuple(
        f"{each.place} could not be asked{f' for {each.query}' if several else ''}: {reason(answer)}"
        for each, answer in zip(wanted, answers, strict=True)
        if isinstance(answer, JarvisError)
    )


# What only Mercari's own page can show: a link to its live search, made here.


def _with_live_search(table: Table, queries: Sequence[str], limits: Limits) -> Table:
    """Return *table*, from an index, after rows that lead to each query's live search."""
    live = tuple(_live(query, limits, table.columns) for query in queries)
    read = ", ".join(f"“{query}”" for query in queries)
    lines = "line 1 shows" if len(live) == 1 else f"lines 1 to {len(live)} show"
    note = f"From Google's index, read as {read}. Only {lines} what is on sale. {table.note}"
    return table._replace(rows=(*live, *table.rows)[:MOST], note=note)


def _live(query: str, limits: Limits, columns: Iterable[Column]) -> Row:
    bounds = {"price_min": limits.least, "price_max": limits.most}
    in_yen = {name: each for name, each in bounds.items() if each and each.currency == "JPY"}
    most = f", up to {in_yen['price_max'].formatted}" if "price_max" in in_yen else ""
    limited = {name: f"{each.amount:f}" for name, each in in_yen.items()}
    params = {"keyword": query, **limited, "status": "on_sale"}
    product = f"live search on {ON_MERCARI}{most}"
    cells = {"product": product, "state": "on sale", "store": ON_MERCARI, FOR: query}
    url = urls.canon(f"https://{MERCARI_HOST}/search?{urlencode(params)}").url
    return Row("", {column.key: cells.get(column.key) for column in columns}, url, MERCHANT)


ACTION = FindProducts()
