"""Makes of an activity what Ghostfolio takes for one: with its ids of the account and of the symbol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from ...core.errors import Unusable
from ...core.money import number_of
from ..entries import entries_at, words_at
from .activity import Activity
from .client import Ghostfolio
from .sending import Body

_OWN = "MANUAL"  # the source of what has no symbol anywhere
_WITHOUT = ("FEE", "INTEREST", "LIABILITY")  # the kinds that need no known symbol
_LOOKUPS = 1000  # symbols that are looked up at once: more than anybody trades
_ISIN = 12  # characters of one


class Profile(NamedTuple):
    """A symbol, where Ghostfolio gets its prices."""

    source: str
    symbol: str
    name: str = ""
    currency: str = ""


class Known(NamedTuple):
    """What stands on the server, as it is by now."""

    there: Sequence[Body]  # all activities
    accounts: Mapping[str, str]  # the id of each, by its name
    profiles: Mapping[str, Profile]  # by symbol, and by ISIN


async def known_at(ghostfolio: Ghostfolio, symbols: Iterable[str] = ()) -> Known:
    """Return what is known there, and of *symbols* that nothing was traded of yet what is found."""
    there = await ghostfolio.activities()
    accounts = {
        words_at(each, "name"): words_at(each, "id")
        for each in entries_at(await ghostfolio.read("v1/account"), "accounts")
    }
    known = [each["SymbolProfile"] for each in there if isinstance(each.get("SymbolProfile"), dict)]
    profiles = {key: profile_in(each) for each in known for key in _keys(each)}
    for symbol in [each for each in dict.fromkeys(symbols) if each and each not in profiles][:_LOOKUPS]:
        page = await ghostfolio.read("v1/symbol/lookup", {"query": symbol})
        found = [profile_in(each) for each in entries_at(page, "items")]
        # By an ISIN what it stands for is found, by a symbol also others that begin like it.
        meant = [each for each in found if each.symbol == symbol or len(symbol) == _ISIN]
        profiles |= {symbol: meant[0]} if len(meant) == 1 else {}
    return Known(there, accounts, profiles)


def body_of(activity: Activity, known: Known) -> Body:
    """Return what is sent of *activity*. Raises Unusable, with what is wrong, in words."""
    profile = known.profiles.get(activity.symbol)
    if activity.source:
        profile = Profile(activity.source, activity.symbol, currency=activity.currency)
    elif profile is None and activity.kind in _WITHOUT:
        profile = Profile(_OWN, activity.symbol)
    if profile is None:
        raise Unusable(f"Ghostfolio knows no symbol “{activity.symbol}”, or its source is down")
    if not (currency := activity.currency or profile.currency):
        raise Unusable(f"no currency is said, nor known of “{activity.symbol}”")
    numbers = {"quantity": activity.quantity, "unitPrice": activity.price, "fee": activity.fee}
    if unlike := [name for name, number in numbers.items() if number_of(float(number)) != number]:
        raise Unusable(f"the {unlike[0]} has more digits than Ghostfolio keeps")
    account, comment = _account(activity.account, known), activity.comment
    return {
        "type": activity.kind,
        "symbol": profile.symbol,
        "dataSource": profile.source,
        "currency": currency,
        "date": f"{activity.day}T{activity.time or '00:00:00'}.000Z",
        **{name: _as_json(number) for name, number in numbers.items()},
        **({"accountId": account} if account else {}),
        **({"comment": comment} if comment else {}),
    }


def _account(named: str, known: Known) -> str:
    """Return the id of the account *named*, or of the only one; empty: there is none."""
    names, said = ", ".join(known.accounts) or "none", named.casefold()
    ids = [id_ for name, id_ in known.accounts.items() if said in ("", id_, name.casefold())]
    if named and not ids:
        raise Unusable(f"there is no account “{named}”: there are {names}")
    if len(ids) > 1:
        raise Unusable(f"the account is not said: there are {names}")
    return next(iter(ids), "")


def profile_in(entry: object) -> Profile:
    """Return the symbol that *entry* tells of."""
    return Profile(*(words_at(entry, name) for name in ("dataSource", "symbol", "name", "currency")))


def _keys(profile: object) -> list[str]:
    return [*filter(None, (words_at(profile, "symbol"), words_at(profile, "isin")))]


def _as_json(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)
