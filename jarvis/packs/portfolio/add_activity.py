"""Put what the person bought, sold or was paid into their portfolio, once they said yes to exactly that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from ...actions import Field, Service, WriteAction
from ...actions.fields import Number
from ...core.errors import ActionFailed, Refused, Unusable
from ...core.money import number_of
from ...core.types import WHICH, Effect, Facts, Outcome
from ...search.web_service import server_in
from ..entries import at, words_at
from . import PACK, TRADED
from .bodies import Activity, Known, body_of, known_at
from .client import Ghostfolio, count_of, held, price_of_one, sum_of
from .sending import Batches, Body, likes

_SATURDAY = 5


class AddActivity(WriteAction):
    name = "add_activity"
    verb = "add"
    description = (
        "put into their portfolio what they say they bought, sold or were paid, after find_symbol unless a "
        "list has it. They are shown all of it and asked: leave out what they did not say."
    )
    fields = (
        Field("symbol", "the id of its line, as o3", kind="quantities"),
        Field("kind", "of activity", kind="choice", choices=("BUY", "SELL", "DIVIDEND")),
        Field("quantity", "how many", kind="number", said=True),
        Field("price", "of one: 112.30 or 112.30 USD", kind="number", said=True),
        Field("fee", "likewise", kind="number", said=True, optional=True),
        Field("day", "as 2026-11-20; null: today", kind="day", said=True, optional=True),
        Field("account", "its name", said=True, optional=True),
    )
    wants = (TRADED,)
    services = (Service("ghostfolio", Ghostfolio),)

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        rows = {row.id: row for table in facts.tables for row in table.rows}
        ids = dict.fromkeys(arguments["symbol"])
        profile = rows[next(iter(ids))].private
        if len(ids) > 1 or not profile.get("dataSource"):
            raise Refused("Which symbol it was is not clear.", hint="Find its symbol first.")
        number, price = arguments["quantity"], arguments["price"]
        fee = arguments.get("fee") or Number(Decimal(0))
        if fee.value and fee.currency not in ("", price.currency or profile["currency"]):
            raise Refused("The fee is in another currency than the price.")
        activity = Activity(
            arguments["kind"],
            profile["symbol"],
            number.value,
            price.value,
            arguments.get("day") or str(date.today()),
            fee.value,
            price.currency or profile["currency"],
            profile["dataSource"],
            arguments.get("account") or "",
        )
        target = f"{activity.kind} {count_of(float(activity.quantity))} {activity.symbol}"
        given = {"activity": activity, "profile": profile}
        return Effect("writes", target, given, host=server_in(facts.settings[PACK.name]["url"]))

    async def preview(self, effect: Effect, key: str, ghostfolio: Ghostfolio) -> Effect:
        activity, profile = effect.arguments["activity"], effect.arguments["profile"]
        before = [f"broken off before: {each.text}" for each in await Batches(ghostfolio).settle()]
        known, base = await known_at(ghostfolio), await ghostfolio.currency()
        try:
            body = body_of(activity, known)
        except Unusable as error:
            raise ActionFailed(f"{error}.", code=WHICH) from None
        seen = likes(known.there, [body])
        given = {"key": key, "activities": [body], "seen": seen}
        lines = (*before, *_told(activity, profile["name"], body, known, seen))
        doubts = _doubts(activity, profile["currency"], base, body, known)
        return effect._replace(arguments=given, lines=(*lines, *(f"! {each}" for each in doubts)))

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        return await Batches(ghostfolio).send(**effect.arguments)

    async def found(self, key: str, ghostfolio: Ghostfolio) -> Outcome:
        return await Batches(ghostfolio).found(key)


def _told(activity: Activity, name: str, body: Body, known: Known, seen: int) -> Iterator[str]:
    """Yield what is sent, in words, and what is like it there."""
    price, fee = price_of_one(body["unitPrice"], body["currency"]), sum_of(body["fee"], body["currency"])
    whole = sum_of(float(activity.quantity * activity.price), body["currency"])
    account = known.accounts.get(body.get("accountId", ""), "no account")
    day = date.fromisoformat(activity.day)
    amounts = [each.told if each else "?" for each in (price, whole, fee)]
    what = f"{activity.kind} {body['quantity']} {activity.symbol} ({name})"
    yield "{} at {} = {}, fee {}".format(what, *amounts)
    yield f"{day:%a} {day.day} {day:%b %Y}, {account}"
    yield f"like it there already: {seen or 'none'}; Ghostfolio does not change the account's cash by it"


def _doubts(activity: Activity, listed_in: str, base: str, body: Body, known: Known) -> list[str]:
    """Return what is doubtful about it."""
    day, today, code = date.fromisoformat(activity.day), date.today(), activity.currency
    place = body["symbol"], body.get("accountId", "")
    own = held(
        e for e in known.there if (words_at(e, "SymbolProfile", "symbol"), words_at(e, "accountId")) == place
    )
    rated = {words_at(each, "currency") for each in known.there if number_of(at(each, "valueInBaseCurrency"))}
    doubts = {
        "that day is still to come": day > today,
        f"{day:%A}: markets are closed then": day <= today and day.weekday() >= _SATURDAY,
        f"{activity.symbol} is priced in {listed_in}, not in {code}": code != listed_in,
        f"you hold {own:f} of it there": activity.kind == "SELL" and activity.quantity > own,
        f"Ghostfolio has shown no rate of {code} yet: without one it counts as 0": code not in {base, *rated},
    }
    return [told for told, is_so in doubts.items() if is_so]


ACTION = AddActivity()
