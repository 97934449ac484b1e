"""What flights and stays are both asked for, and told of: a party, in a currency, on days.

An answer for another one than was asked for is none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from ...actions import Field
from ...core.errors import JarvisError, Refused, SearchFailed
from ...core.money import home_currency
from ...core.tables import Row, Table
from ...core.text import counted, one_line
from ...core.types import Facts
from ...language.dates import DAY
from ...search.serpapi import Engines, Page
from ..entries import at
from . import FLIGHT, HOTEL, TRIP

Values: TypeAlias = Mapping[str, str]  # that an engine is asked, or that a row has for itself

TO = Field("destination", "the place they go to, as they said it", kind="place", said=True, optional=True)
NIGHTS = Field("nights", "how many nights they stay there, as a number: a weekend is 2", optional=True)
ADULTS = Field("adults", "how many travel", kind="choice", choices=tuple("123456789"), optional=True)
NO_PRICE = "without a price"  # why something was left out
# What an answer has to be for, where it says so.
_HELD = ("adults", "currency", "outbound_date", "return_date", "check_in_date", "check_out_date")


def for_whom(arguments: Mapping[str, Any], facts: Facts) -> Values:
    """Return for how many is asked, and in which country and currency."""
    country = facts.country or "us"  # where it is not known where they are
    currency = facts.currency or getattr(home_currency(country), "code", "USD")
    # For as many as before, unless they say how many now.
    known = [row.private["adults"] for table in last_table(facts, FLIGHT, HOTEL, TRIP) for row in table.rows]
    adults = arguments.get("adults") or next(iter(known), "1")
    return {"adults": adults, "currency": currency, "gl": country, "hl": "en"}


async def answers_of(engine: str, asked: Sequence[Values], engines: Engines) -> list[Page | JarvisError]:
    """Return what *engine* answers to each that is *asked*, or why that can't be used."""
    pages = await engines.ask_all([(engine, each) for each in asked])
    return [_fault(page, each) or page for page, each in zip(pages, asked, strict=True)]


def _fault(page: Page | JarvisError, asked: Values) -> JarvisError | None:
    for name in _HELD:
        said = at(page, "search_parameters", name)
        if said is not None and str(said) != asked.get(name):
            told = f"It was answered for another {name.replace('_', ' ')}: {one_line(str(said), 20)}."
            return SearchFailed(told, hint="Try again.")
    return None


def last_table(facts: Facts, *kinds: str) -> Sequence[Table]:
    """Return the one table of these *kinds* that was made last; none where there is none."""
    return [table for table in facts.tables if table.kind in kinds][-1:]


def nights_in(arguments: Mapping[str, Any]) -> int:
    """Return how many nights they said; 0 where they did not. Raises Refused."""
    said = str(arguments.get("nights") or 0).removesuffix(" nights")
    if not re.fullmatch("[0-9]{1,2}", said):
        raise Refused(f"“{one_line(said, 20)}” is no number of nights.")
    return int(said)


def nights_between(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def told_day(day: str) -> str:
    """Return *day*, as 2027-05-14, as it is told: Fri 14 May; a month as May 2027."""
    first = date.fromisoformat(f"{day}-01"[:DAY])
    return f"{first:%a} {first.day} {first:%b}" if len(day) == DAY else f"{first:%B %Y}"


def told_party(values: Values) -> str:
    return counted(int(values["adults"]), "adults")


def told_in_trip(kind: str, what: Iterable[str], days: Iterable[str], includes: str, known: Values) -> Values:
    """Return the private values of a row of that *kind* that the draft of a trip tells of it."""
    told = {"what": ", ".join(filter(None, what)), "when": " – ".join(days)}
    return {**told, "kind": kind, "includes": f"{includes}, {told_party(known)}"}


def told_apart(read: Sequence[Row | str]) -> tuple[list[Row], Counter[str]]:
    """Return the rows in what was *read*, and how many were left out for which reason."""
    return [row for row in read if isinstance(row, Row)], Counter(why for why in read if isinstance(why, str))
