"""Makes of an activity what Ghostfolio takes for one: with its ids of the account and of the symbol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from ...core.errors import Unusable
from ...core.money import number_of
from ..entries import at, entries_at, words_at
from .client import Ghostfolio, Profile, profile_in
from .sending import Body

KINDS = ("BUY", "SELL", "DIVIDEND", "INTEREST", "FEE", "LIABILITY")
_OWN = "MANUAL"  # the source of what has no symbol anywhere
_WITHOUT = ("FEE", "INTEREST", "LIABILITY")  # the kinds that need no known symbol
_LOOKUPS = 1000  # symbols that are looked up at once: more than anybody trades
_ISIN = 12  # characters of one


class Activity(NamedTuple):
    """What was traded, paid out or charged, as a file or the person says it; numbers are exact."""

    kind: str  # one of KINDS
    symbol: str  # or an ISIN
    quantity: Decimal  # not negative
    price: Decimal  # of one, not negative
    day: str  # 2026-01-31
    fee: Decimal = Decimal(0)
    currency: str = ""  # its code, by ISO 4217; empty: not said
    source: str = ""  # Ghostfolio's dataSource; empty: not said
    account: str = ""  # its id or name; empty: not said
    time: str = ""  # 14:03:00; empty: not said
    comment: str = ""
    line: int = 0  # where in the file it stands, from 1; of JSON: its place in the list


class Known(NamedTuple):
    """What stands on the server, as it is by now."""

    there: Sequence[Body]  # all activities
    accounts: Mapping[str, str]  # the name of each, by its id
    profiles: Mapping[str, Profile]  # by symbol, and by ISIN


async def known_at(ghostfolio: Ghostfolio, symbols: Iterable[str] = ()) -> Known:
    """Return what is known there, and of *symbols* that nothing was traded of yet what is found."""
    there = await ghostfolio.activities()
    accounts = entries_at(await ghostfolio.read("v1/account"), "accounts")
    profiles = {
        key: profile_in(at(each, "SymbolProfile"))
        for each in there
        for name in ("symbol", "isin")
        if (key := words_at(each, "SymbolProfile", name))
    }
    for symbol in [each for each in dict.fromkeys(symbols) if each not in profiles][:_LOOKUPS]:
        page = await ghostfolio.read("v1/symbol/lookup", {"query": symbol})
        found = [profile_in(each) for each in entries_at(page, "items")]
        # By an ISIN what it stands for is found, by a symbol also others that begin like it.
        meant = [each for each in found if each["symbol"] == symbol or len(symbol) == _ISIN]
        profiles |= {symbol: meant[0]} if len(meant) == 1 else {}
    return Known(there, {words_at(each, "id"): words_at(each, "name") for each in accounts}, profiles)


def body_of(activity: Activity, known: Known) -> Body:
    """Return what is sent of *activity*. Raises Unusable, with what is wrong, in words."""
    symbol, profile = activity.symbol, known.profiles.get(activity.symbol)
    if activity.source or (profile is None and activity.kind in _WITHOUT):
        profile = {"dataSource": activity.source or _OWN, "symbol": symbol, "currency": ""}
    if profile is None:
        raise Unusable(f"Ghostfolio knows no symbol “{symbol}”, or its source is down")
    if not (currency := activity.currency or profile["currency"]):
        raise Unusable(f"no currency is said, nor known of “{symbol}”")
    numbers = {"quantity": activity.quantity, "unitPrice": activity.price, "fee": activity.fee}
    if unlike := [name for name, number in numbers.items() if number_of(float(number)) != number]:
        raise Unusable(f"the {unlike[0]} has more digits than Ghostfolio keeps")
    account, comment = _account(activity.account, known.accounts), activity.comment
    return {
        "type": activity.kind,
        "symbol": profile["symbol"],
        "dataSource": profile["dataSource"],
        "currency": currency,
        "date": f"{activity.day}T{activity.time or '00:00:00'}.000Z",
        **{name: _as_json(number) for name, number in numbers.items()},
        **({"accountId": account} if account else {}),
        **({"comment": comment} if comment else {}),
    }


def _account(named: str, accounts: Mapping[str, str]) -> str:
    """Return the id of the account *named*, or of the only one; empty: there is none."""
    names, said = ", ".join(accounts.values()) or "none", named.casefold()
    ids = [id_ for id_, name in accounts.items() if said in ("", id_, name.casefold())]
    if named and not ids:
        raise Unusable(f"there is no account “{named}”: there are {names}")
    if len(ids) > 1:
        raise Unusable(f"the account is not said: there are {names}")
    return next(iter(ids), "")


def _as_json(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
