"""Reads the person's own Ghostfolio, and says its figures: each is its number, what is missing is unknown."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from ...core.errors import RateLimited, SearchFailed, ServiceUnreachable
from ...core.money import CURRENCIES, Money, number_of
from ...core.tables import NAMES, Cell, Check, Column, Row, Table
from ...search.web_service import NOT_THERE, server_in
from ..context import PackContext
from ..entries import at, table_of, words_at
from . import BATCHES, SEES, SENDING

Profile: TypeAlias = Mapping[str, str]  # a symbol, where Ghostfolio gets its prices
Columns: TypeAlias = Mapping[Column, Callable[[Any], Cell]]  # with what reads the cell of an entry
MEASURE = "net, after fees, with currency effect"  # of all gains that are told
_WAITS = (0.2, 0.8)  # seconds before the second and the third try
_PAGE, _PAGES = 200, 250  # activities of one request, each of up to 12 kB; requests
_LAG = 10.0  # seconds after a change in which its figures may be the old ones: 6 were measured
_SMALLEST = Decimal("1E-8")  # of quantities, and of prices below one


class Ghostfolio(NamedTuple):
    """The person's own server, of which things are read."""

    context: PackContext

    async def read(
        self, path: str, params: Mapping[str, str] | None = None, waits: Sequence[float] = _WAITS
    ) -> Any:
        """Return what stands at *path*: asked for again where nothing answers. Raises JarvisErrors."""
        try:
            return await self.context.get(f"/api/{path}", params)
        except SearchFailed as error:
            if error.code != NOT_THERE:
                raise
            told = f"The server at {self.host} has no {path}: Ghostfolio 3.5 or newer is needed."
            hint = "Update Ghostfolio there, or: jarvis config set packs.portfolio.url"
            raise ServiceUnreachable(told, hint=hint) from None
        except ServiceUnreachable as error:
            if not waits:
                hint = f"See that it runs at {self.host}, or: jarvis config set packs.portfolio.url https://…"
                raise ServiceUnreachable(error.message, hint=hint) from None
        await self.context.pause(waits[0])
        return await self.read(path, params, waits[1:])

    @property
    def host(self) -> str:
        return server_in(self.context.settings["url"])

    async def currency(self) -> str:
        """Return the code of the currency of all sums."""
        return words_at(await self.read("v1/user"), "settings", "baseCurrency")

    async def activities(self) -> list[Any]:
        """Return all activities, the newest first. What is no list of them is no empty one."""
        found: list[Any] = []
        for skip in range(0, _PAGE * _PAGES, _PAGE):
            paged = {"take": str(_PAGE), "skip": str(skip), "sortColumn": "date", "sortDirection": "desc"}
            some = at(await self.read("v1/activities", paged), "activities")
            if not isinstance(some, list) or not all(isinstance(each, dict) for each in some):
                told = f"The server at {self.host} has no list of activities in its answer."
                raise ServiceUnreachable(told, hint="Is it another version of Ghostfolio?")
            found += some
            if len(some) < _PAGE:
                break
        return found

    async def figures(self, path: str, since: str) -> tuple[Any, str, tuple[Check, ...]]:
        """Return what is worked out at *path*, the currency of its sums, and whether it may be old."""
        currency, asked_at = await self.currency(), time.time()
        page = await self.read(path, {"range": since})
        bodies = [each.body for each in await self.context.items.all(BATCHES)]
        changed = max((float(number_of(at(each, "changed_at")) or 0) for each in bodies), default=0)
        if asked_at > changed + _LAG and SENDING not in [at(each, "state") for each in bodies]:
            return page, currency, ()
        told = "perhaps as of before your last change: Ghostfolio takes some seconds"
        return page, currency, (Check("fresh", None, told),)

    async def refuse_unready(self) -> None:
        """Raise RateLimited where something is held that Ghostfolio has no figures of yet."""
        of_each = defaultdict[object, list[object]](list)
        for each in await self.activities():
            of_each[at(each, "symbolProfileId")].append(each)
        if any(held(activities) > 0 for activities in of_each.values()):
            told = "It is not worked out yet: Ghostfolio has activities, and no figures of them."
            raise RateLimited(told, hint="Try again in a few seconds.", code="not_ready")

    def table(self, kind: str, columns: Columns, entries: Iterable[object], note: str) -> Table:
        """Return a table of what is private, of which the model sees what the person allows."""
        rows = [
            Row("", {column.key: _known(read(each)) for column, read in columns.items()})._replace(
                private=profile_in(at(each, "assetProfile"))
            )
            for each in entries
        ]
        table = table_of(kind, tuple(columns), rows, {}, f"{note}; from {self.host}")
        return table._replace(model_sees=self.context.settings[SEES] or NAMES)


def profile_in(entry: object) -> Profile:
    """Return the symbol that *entry* tells of."""
    return {name: words_at(entry, name) for name in ("dataSource", "symbol", "name", "currency")}


def _known(cell: Cell) -> Cell:
    return None if cell == "" else cell


def sum_of(value: object, currency: str) -> Money | None:
    """Return the amount that a number is, in the digits of its currency; None for what is not known."""
    number, known = number_of(value), CURRENCIES.get(currency)
    return Money(round(number, known.digits), currency) if number is not None and known else None


def price_of_one(value: object, currency: str) -> Money | None:
    """Return the price of one of something, which may have more digits than can be paid."""
    number = count_of(value)
    return Money(number, currency) if number is not None and currency in CURRENCIES else None


def count_of(value: object) -> Decimal | None:
    """Return a number in at most eight digits behind the mark, with no zeros at its end."""
    number = number_of(value)
    return None if number is None else Decimal(f"{number.quantize(_SMALLEST).normalize():f}")


def percent_of(value: object) -> Decimal | None:
    """Return a part of one in percent."""
    number = number_of(value)
    return None if number is None else round(number * 100, 1) + 0  # which makes 0 of -0


def added_up(values: Iterable[object]) -> Decimal:
    """Return the sum of numbers; what is not known is left out."""
    return sum((number_of(value) or Decimal(0) for value in values), Decimal(0))


def held(activities: Iterable[object]) -> Decimal:
    """Return how many are left of what was bought and sold."""
    signs = {"BUY": 1, "SELL": -1}
    counts = (
        signs.get(words_at(each, "type"), 0) * (number_of(at(each, "quantity")) or Decimal(0))
        for each in activities
    )
    return sum(counts, Decimal(0))
