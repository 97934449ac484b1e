"""Reads the person's own Ghostfolio, and makes tables of what it says: what it does not know is unknown."""

import time
from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import count
from typing import Any, NamedTuple, TypeAlias

from ...actions import BrainAction, Service
from ...core.errors import RateLimited, ServiceUnreachable
from ...core.money import CURRENCIES, Money, number_of, totals
from ...core.tables import DATE, MONEY, NAMES, NUMBER, PERCENT, Cell, Check, Column, Row, Table, cell_in
from ...core.types import Effect, Facts, Outcome
from ..context import PackContext
from ..entries import at, table_of, words_at
from . import ALL_TIME, BATCHES, RANGES, SEES, SENDING

Entry: TypeAlias = Mapping[str, Any]  # what it tells of one thing, in its own words
Columns: TypeAlias = Mapping[Column, str]  # each with the key of its cells in an entry
KINDS = ("BUY", "SELL", "DIVIDEND", "INTEREST", "FEE", "LIABILITY")  # of activities
NUMBERS = ("quantity", "unitPrice", "fee")  # of an activity
BASE = ("settings", "baseCurrency")  # where the page of the user has the currency of all sums
MEASURE = "net, after fees, with currency effect"  # of all gains that are told
_PAGE = 200  # activities of one request, each of up to 12 kB
_LAG = 10.0  # seconds after a change in which its figures may be the old ones: 6 were measured
_SMALLEST = Decimal("1E-8")  # of quantities, and of prices


class Ghostfolio(NamedTuple):
    """The person's own server. Failures are JarvisErrors."""

    context: PackContext

    async def activities(self) -> list[Entry]:
        """Return all activities, the newest first. What is no list of them is no empty one."""
        found: list[Entry] = []
        for skip in count(0, _PAGE):
            paged = {"take": f"{_PAGE}", "skip": f"{skip}", "sortColumn": "date", "sortDirection": "desc"}
            some = at(await self.context.get("/api/v1/activities", paged), "activities")
            if not isinstance(some, list):
                told = f"The server at {self.context.host} has no list of activities in its answer."
                raise ServiceUnreachable(told, hint="Is it another version of Ghostfolio?")
            found += map(flat, some)
            if len(some) < _PAGE:
                break
        return found

    async def figures(self, path: str, since: str = ALL_TIME) -> tuple[Any, str, list[Check]]:
        """Return what is worked out at *path*, the currency of its sums, and a check where it may be old."""
        currency, asked_at = words_at(await self.context.get("/api/v1/user"), *BASE), time.time()
        page = await self.context.get(path, {"range": RANGES[since]})
        sent = [each.body for each in await self.context.items.all(BATCHES)]
        changed = max((float(number_of(at(each, "changed_at")) or 0) for each in sent), default=0)
        if asked_at > changed + _LAG and SENDING not in [at(each, "state") for each in sent]:
            return page, currency, []
        told = "perhaps as of before your last change: Ghostfolio takes some seconds"
        return page, currency, [Check("fresh", None, told)]

    async def nothing(self, told: str) -> Outcome:
        """Return that there are no figures. Raises RateLimited where something is held that has none yet."""
        there = await self.activities()
        if any(held(there, symbol) > 0 for symbol in {each["symbol"] for each in there}):
            why = "It is not worked out yet: Ghostfolio has activities, and no figures of them."
            raise RateLimited(why, hint="Try again in a few seconds.", code="not_ready")
        return Outcome("done", told)

    def table(
        self, kind: str, columns: Columns, entries: Iterable[Entry], note: str, currency: str = ""
    ) -> Table:
        """Return a table of what is private, of which the model sees what the person allows.

        currency: of all amounts but prices; empty: that of each entry.
        """
        rows = [row_of(each, columns, currency) for each in entries]
        table = table_of(kind, tuple(columns), rows, {}, f"{note}; from {self.context.host}")
        return table._replace(model_sees=self.context.settings[SEES] or NAMES)


class GhostfolioAction(BrainAction):
    """An action that reads it, and answers with a table. What it acts on is what the plan says."""

    services = (Service("ghostfolio", Ghostfolio),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        said = {name: value for name, value in arguments.items() if value}
        return Effect("reads", " ".join(said.values()), said)


def row_of(entry: Entry, columns: Columns, currency: str = "") -> Row:
    """Return the row that *entry* makes. currency: as in `Ghostfolio.table`."""
    cells = {column.key: _cell(entry, key, column, currency) for column, key in columns.items()}
    return Row("", cells, private=entry.get("profile", {}))


def _cell(entry: Entry, key: str, column: Column, currency: str) -> Cell:
    """Return the cell in *entry* under *key*; None for what is not known."""
    if column.kind not in (MONEY, NUMBER, PERCENT):
        words = words_at(entry, key)
        return cell_in(DATE, words[:10]) if column.kind == DATE else words or None
    if (number := number_of(entry.get(key))) is None:
        return None
    if column.kind == PERCENT:
        return round(number * 100, 1) + 0  # which makes 0 of -0
    exact = Decimal(f"{number.quantize(_SMALLEST).normalize():f}")
    if column.kind == NUMBER:
        return exact
    is_price = column.key == "price"  # of one, with more digits than can be paid
    known = CURRENCIES.get(currency if currency and not is_price else words_at(entry, "currency"))
    return Money(exact if is_price else round(number, known.digits), known.code) if known else None


# What entries say.


def flat(entry: object) -> Entry:
    """Return *entry* with what it tells of its symbol and its account at the level of all else."""
    own = {key: value for key, value in entry.items() if value is not None} if isinstance(entry, dict) else {}
    profile = profile_in(at(entry, "SymbolProfile") or at(entry, "assetProfile"))
    return {**profile, **own, "account": words_at(entry, "account", "name"), "profile": profile}


def profile_in(entry: object) -> Mapping[str, str]:
    """Return the symbol that *entry* tells of, and where Ghostfolio gets its prices."""
    return {name: words_at(entry, name) for name in ("dataSource", "symbol", "name", "currency", "isin")}


def added_up(entries: Iterable[object], key: str) -> Decimal:
    """Return the sum of what stands in *entries* under *key*; what is not known is left out."""
    return sum((number_of(at(each, key)) or Decimal(0) for each in entries), Decimal(0))


def held(activities: Iterable[Entry], symbol: str) -> Decimal:
    """Return how many are left of what was bought and sold of *symbol*."""
    own = [each for each in activities if each["symbol"] == symbol]
    bought, sold = ([each for each in own if each.get("type") == kind] for kind in ("BUY", "SELL"))
    return added_up(bought, "quantity") - added_up(sold, "quantity")


def paid_in(activities: Iterable[Entry]) -> tuple[Money, ...]:
    """Return what was paid for *activities* in all, in each currency, without fees."""
    amounts = ((added_up([each], "quantity") * added_up([each], "unitPrice"), each) for each in activities)
    return totals(Money(amount, each["currency"]) for amount, each in amounts)
