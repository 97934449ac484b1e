"""Put what the person bought, sold or was paid into their portfolio, once they said yes to exactly that."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from ...actions.base import Field, Service, WriteAction
from ...actions.fields import Number
from ...core.errors import Refused
from ...core.money import Money
from ...core.types import Address, Effect, Facts, Outcome
from ...search.web_service import server_in
from . import PACK, TRADED
from .batches import Batches, Known, body_of, count_duplicates
from .ghostfolio import Entry, held, paid_in


class AddActivity(WriteAction):
    name = "add_activity"
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
    services = (Service("batches", Batches),)

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        rows = {row.id: row.private for table in facts.tables for row in table.rows}
        symbol, *others = dict.fromkeys(arguments["symbol"])
        profile, price, fee = rows[symbol], arguments["price"], arguments.get("fee") or Number(Decimal(0))
        if others or not profile.get("dataSource"):
            raise Refused("Which symbol it was is not clear.", hint="Find its symbol first.")
        currency = price.currency or profile["currency"]
        if fee.value and fee.currency not in ("", currency):
            raise Refused("The fee is in another currency than the price.")
        activity = {
            **{key: profile[key] for key in ("symbol", "dataSource")},
            "type": arguments["kind"],
            "quantity": arguments["quantity"].value,
            "unitPrice": price.value,
            "fee": fee.value,
            "currency": currency,
            "date": f"{arguments.get('day') or date.today()}T00:00:00.000Z",
            "accountId": arguments.get("account") or "",
        }
        target = f"{activity['type']} {activity['quantity'].normalize():f} {profile['symbol']}"
        given = {"activity": activity, "profile": profile}
        return Effect("writes", target, given, host=server_in(facts.settings[PACK.name]["url"]))

    async def preview(self, effect: Effect, key: str, batches: Batches) -> Effect:
        activity, profile = effect.arguments["activity"], effect.arguments["profile"]
        known = await batches.known()
        if not activity["accountId"] and len(known.accounts) > 1:
            return effect._replace(choices=_choices(known.accounts))
        body, day = body_of(activity, known, key), date.fromisoformat(activity["date"][:10])
        seen = count_duplicates(known.there, [body])
        price, fee = (Money(activity[name], body["currency"]) for name in ("unitPrice", "fee"))
        what = f"{effect.target} ({profile['name']}) at {price.told} = {paid_in([activity])[0].told}"
        lines = (
            f"{what}, fee {fee.told}",
            f"{day:%a} {day.day} {day:%b %Y}, {known.accounts.get(body.get('accountId', ''), 'no account')}",
            f"like it there already: {seen or 'none'}; Ghostfolio does not change the account's cash by it",
            *(f"! {told}" for told, is_so in _doubts(body, day, profile, known).items() if is_so),
        )
        return effect._replace(arguments={"key": key, "activities": [body], "seen": seen}, lines=lines)

    async def perform(self, effect: Effect, batches: Batches) -> Outcome:
        return await batches.send(**effect.arguments)

    async def found(self, key: str, batches: Batches) -> Outcome:
        return await batches.found(key)


def _choices(accounts: Mapping[str, str]) -> tuple[Address, ...]:
    """Return the *accounts* to choose from, each by its name unless another has the same."""
    names = [*accounts.values()]
    given = [(id_ if names.count(name) > 1 else name, name) for id_, name in accounts.items()]
    return tuple(Address(f"a{n}", said, name, source="account") for n, (said, name) in enumerate(given, 1))


def _doubts(body: Entry, day: date, profile: Mapping[str, str], known: Known) -> dict[str, bool]:
    """Return what may be doubtful about it, with whether it is."""
    symbol, code, today = body["symbol"], body["currency"], date.today()
    own = held((each for each in known.there if each.get("accountId") == body.get("accountId")), symbol)
    rated = {known.base, *(each["currency"] for each in known.there if each.get("valueInBaseCurrency"))}
    return {
        "that day is still to come": day > today,
        f"{day:%A}: markets are closed then": day <= today and day.isoweekday() in (6, 7),
        f"{symbol} is priced in {profile['currency']}, not in {code}": code != profile["currency"],
        f"you hold {own:f} of it there": body["type"] == "SELL" and body["quantity"] > own,
        f"Ghostfolio has shown no rate of {code} yet: without one it counts as 0": code not in rated,
    }


ACTION = AddActivity()
