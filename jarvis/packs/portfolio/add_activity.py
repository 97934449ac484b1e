"""Adds what the user bought, sold, or was paid to their portfolio, after they said yes to exactly that."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from ...actions.base import Field, Service, WriteAction
from ...actions.fields import Number
from ...core.errors import Refused
from ...core.types import Address, Effect, Facts, Outcome
from ...search.web_service import server_in
from . import PACK, TRADED
from .batches import Batches, Known, body_of, count_duplicates, with_rows
from .ghostfolio import Entry, held


class AddActivity(WriteAction):
    name = "add_activity"
    description = (
        "put into their portfolio what they say they bought, sold or were paid, after find_symbol unless a "
        "list has it. They are shown all of it and asked: leave out what they did not say."
    )
    fields = (
        Field("symbol", "the id of its line, as o3", kind="quantities"),
        Field("kind", "of activity", kind="choice", choices=("BUY", "SELL", "DIVIDEND")),
        Field("quantity", "how many", kind="number", stated=True),
        Field("price", "of one: 112.30 or 112.30 USD", kind="number", stated=True),
        Field("fee", "likewise", kind="number", stated=True, optional=True),
        Field("day", "as 2026-11-20; null: today", kind="day", stated=True, optional=True),
        Field("account", "its name", stated=True, optional=True),
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
        server = await batches.load_known()
        if not activity["accountId"] and len(server.accounts) > 1:
            return effect._replace(choices=_choices(server.accounts))
        body, day = body_of(activity, server, key), date.fromisoformat(activity["date"][:10])
        seen = count_duplicates(server.there, [body])
        shown = with_rows(effect, f"Send {{}} to {effect.host}?", [body], server.accounts)
        doubts = {f"Ghostfolio already has {seen} like it": seen, **_doubts(body, day, profile, server)}
        lines = (
            f"{body['symbol']} is {profile['name']}. Ghostfolio doesn't adjust the account's cash.",
            *(f"! {doubt}" for doubt, is_so in doubts.items() if is_so),
        )
        return shown._replace(arguments={"key": key, "activities": [body], "seen": seen}, lines=lines)

    async def perform(self, effect: Effect, batches: Batches) -> Outcome:
        return await batches.send(**effect.arguments)

    async def read_back(self, key: str, batches: Batches) -> Outcome:
        return await batches.read_back(key)


def _choices(accounts: Mapping[str, str]) -> tuple[Address, ...]:
    """Return the *accounts* to choose from, by name, or by id if two have the same name."""
    names = [*accounts.values()]
    given = [(id_ if names.count(name) > 1 else name, name) for id_, name in accounts.items()]
    return tuple(Address(f"a{n}", label, name, source="account") for n, (label, name) in enumerate(given, 1))


def _doubts(body: Entry, day: date, profile: Mapping[str, str], server: Known) -> dict[str, bool]:
    """Return each possible doubt about an activity, and whether it applies."""
    symbol, code, today = body["symbol"], body["currency"], date.today()
    own = held((each for each in server.there if each.get("accountId") == body.get("accountId")), symbol)
    rated = {server.base, *(each["currency"] for each in server.there if each.get("valueInBaseCurrency"))}
    return {
        "that day is in the future": day > today,
        f"{day:%A}: markets are closed then": day <= today and day.isoweekday() in (6, 7),
        f"{symbol} is priced in {profile['currency']}, not in {code}": code != profile["currency"],
        f"you hold only {own:f} of it": body["type"] == "SELL" and body["quantity"] > own,
        f"Ghostfolio has shown no rate for {code} yet: without one, this counts as 0": code not in rated,
    }


ACTION = AddActivity()
