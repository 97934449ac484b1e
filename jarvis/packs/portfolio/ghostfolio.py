"""Reads the user's own Ghostfolio, and makes tables of its answers. Missing values are unknown."""

import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from ...actions.base import BrainAction, Service
from ...core.errors import RateLimited, ServiceUnreachable
from ...core.money import CURRENCIES, Money, number_of, totals
from ...core.tables import DATE, NAMES, NUMBER, PERCENT, Cell, Check, Column, Row, Table
from ...core.types import Effect, Facts, Outcome
from ...language.dates import DAY
from ..context import PackContext
from ..entries import at, entries_at, table_of, words_at
from . import ALL_TIME, BATCHES, RANGES, SEES, SENDING

Entry: TypeAlias = Mapping[str, Any]  # what it tells of one thing, in its own words
Columns: TypeAlias = Mapping[Column, str]  # each with the key of its cells in an entry
KINDS = ("BUY", "SELL", "DIVIDEND", "INTEREST", "FEE", "LIABILITY")  # of activities
NUMBERS = ("quantity", "unitPrice", "fee")  # of an activity
BASE = ("settings", "baseCurrency")  # where the page of the user has the currency of all sums
MEASURE = "net, after fees, with currency effect"  # of all gains
_NEWEST_FIRST = {"sortColumn": "date", "sortDirection": "desc"}
_PAGE = 200  # activities of one request, each of up to 12 kB
_LAG = 10  # seconds after a change in which its figures may be the old ones: 6 were measured
_DIGITS = 8  # after the point of a quantity or a price: the rest is a float's


class Ghostfolio(NamedTuple):
    """The user's own server. Failures are JarvisErrors."""

    context: PackContext

    async def activities(self) -> list[Entry]:
        """Return all activities, the newest first. An answer without a list isn't an empty list."""
        found: list[Entry] = []
        while True:
            paged = {**_NEWEST_FIRST, "take": f"{_PAGE}", "skip": f"{len(found)}"}
            some = at(await self.context.get("/api/v1/activities", paged), "activities")
            if not isinstance(some, list):
                message = f"The server at {self.context.host} has no list of activities in its answer."
                raise ServiceUnreachable(message, hint="Is it another version of Ghostfolio?")
            found += map(flat, some)
            if len(some) < _PAGE:
                return found

    async def figures(self, path: str, since: str = ALL_TIME) -> tuple[Any, str, list[Check]]:
        """Return the figures at *path*, the currency of its sums, and the checks it may not pass."""
        user, asked_at, checks = await self.context.get("/api/v1/user"), time.time(), list[Check]()
        page = await self.context.get(path, {"range": RANGES[since]})
        if False not in (at(page, "hasError"), at(page, "hasErrors")):  # it has one of them
            symbols = ", ".join(words_at(each, "symbol") for each in entries_at(page, "errors"))
            finding = f"incomplete: Ghostfolio lacks prices of {symbols or 'something'}"
            checks.append(Check("complete", None, finding))
        sent = [each.body for each in await self.context.items.all(BATCHES)]
        changed_at = max((number_of(at(each, "changed_at")) or 0 for each in sent), default=0)
        if changed_at > asked_at - _LAG or SENDING in [at(each, "state") for each in sent]:
            finding = "perhaps as of before your last change: Ghostfolio takes some seconds"
            checks.append(Check("fresh", None, finding))
        return page, words_at(user, *BASE), checks

    async def nothing(self, text: str) -> Outcome:
        """Return that there are no figures. Raises RateLimited if holdings have no figures yet."""
        there = await self.activities()
        if any(held(there, symbol) > 0 for symbol in {each["symbol"] for each in there}):
            why = "It is not worked out yet: Ghostfolio has activities, and no figures of them."
            raise RateLimited(why, hint="Try again in a few seconds.", code="not_ready")
        return Outcome("done", text)

    def table(self, kind: str, columns: Columns, rows: Sequence[Row], note: str) -> Table:
        """Return a table of private data. The model sees only the allowed part."""
        table = table_of(kind, tuple(columns), rows, {}, f"{note}; from {self.context.host}")
        return table._replace(model_sees=self.context.settings[SEES] or NAMES)


class GhostfolioAction(BrainAction):
    """An action that reads Ghostfolio and answers with a table. Its target is the plan's arguments."""

    services = (Service("ghostfolio", Ghostfolio),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        return Effect("reads", " ".join(arguments.values()), arguments)


def rows_of(entries: Iterable[Entry], columns: Columns, currency: str = "") -> list[Row]:
    """Return the rows of *entries*. currency: of all amounts except prices, or "" for each entry's own."""
    rows = []
    for entry in entries:
        cells = {column.key: _cell(entry, key, column, currency) for column, key in columns.items()}
        rows.append(Row("", cells, private=entry.get("profile", {})))
    return rows


def _cell(entry: Entry, key: str, column: Column, currency: str) -> Cell:
    """Return the cell in *entry* under *key*, or None if it is unknown."""
    if (number := number_of(entry.get(key))) is None:
        words = words_at(entry, key)
        return (words[:DAY] if column.kind == DATE else words) or None
    if column.kind == PERCENT:
        return round(number * 100, 1) + 0  # which makes 0 of -0
    exact = round(number, _DIGITS).normalize()
    if column.kind == NUMBER:
        return exact
    is_price = column.key == "price"  # of one, with more digits than can be paid
    unit = CURRENCIES.get(currency if currency and not is_price else words_at(entry, "currency"))
    return Money(exact if is_price else round(number, unit.digits), unit.code) if unit else None


# What entries say.


def flat(entry: Entry) -> Entry:
    """Return *entry* with the values of its symbol and its account at its top level."""
    own = {key: value for key, value in entry.items() if value is not None}
    profile = profile_in(own.get("SymbolProfile") or own.get("assetProfile"))
    return {**profile, **own, "account": words_at(entry, "account", "name"), "profile": profile}


def profile_in(entry: object) -> Mapping[str, str]:
    """Return the symbol in *entry*, and the source of its prices."""
    return {name: words_at(entry, name) for name in ("dataSource", "symbol", "name", "currency", "isin")}


def added_up(entries: Iterable[Entry], key: str) -> Decimal:
    """Return the sum of the values in *entries* under *key*. Unknown ones are left out."""
    return sum((number_of(each.get(key)) or Decimal(0) for each in entries), Decimal(0))


def held(activities: Iterable[Entry], symbol: str) -> Decimal:
    """Return the quantity of *symbol* that was bought and not sold."""
    own = [each for each in activities if each["symbol"] == symbol]
    bought, sold = ([each for each in own if each.get("type") == kind] for kind in ("BUY", "SELL"))
    return added_up(bought, "quantity") - added_up(sold, "quantity")


def paid_in(activities: Iterable[Entry]) -> tuple[Money, ...]:
    """Return the sum paid for *activities*, by currency, without fees."""
    amounts = ((added_up([each], "quantity") * added_up([each], "unitPrice"), each) for each in activities)
    return totals(Money(amount, each["currency"]) for amount, each in amounts)
