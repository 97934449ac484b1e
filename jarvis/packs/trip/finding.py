"""The common parts of flights and stays: places, a party, a currency, and days.

Neither a model nor a table of airports decides which place a name means. Jarvis asks Google Flights once, and
remembers the place. A city's id means all of its airports. Jarvis asks the user once about a name that
several places have, or that no place has exactly. An answer for another party than requested is a failure.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple, TypeAlias

from ...actions.base import Field, Service
from ...core.errors import JarvisError, Refused, SearchFailed
from ...core.money import home_currency
from ...core.tables import Column, Row
from ...core.text import fold_case, one_line, pluralize, words_of
from ...core.types import WHICH, Facts, Outcome
from ...language.dates import DAY
from ...search.serpapi import Engines, Page
from ...store.items import SavedItem, SavedItems
from ..entries import at, entries_at, table_of, token_at, words_at
from . import FLIGHT, HOTEL, PLACE, PLACES, TRIP

Values: TypeAlias = Mapping[str, str]  # of a query to an engine, or private ones of a row

TO = Field("destination", "the place they go to, as they said it", kind="place", stated=True, optional=True)
NIGHTS = Field("nights", "how many nights they stay there; a weekend is 2", optional=True)
ADULTS = Field("adults", "how many travel", kind="choice", choices=tuple("123456789"), optional=True)
NO_PRICE = "without a price"  # why something was left out
# What an answer has to be for, where it says so.
_HELD = ("adults", "currency", "outbound_date", "return_date", "check_in_date", "check_out_date")
SAVED = Service("saved", lambda context: context.items)
_ID = r"/[mg]/\w{2,20}|[A-Z]{3}(?:,[A-Z]{3}){0,6}"  # a place of Google's, or airports
_COLUMNS = (Column("name", "place", rank=0), Column("what", "what it is", rank=1))


def for_whom(arguments: Mapping[str, Any], facts: Facts) -> Values:
    """Return the party, country, and currency to search for."""
    country = facts.country or "us"  # where it is not known where they are
    currency = facts.currency or getattr(home_currency(country), "code", "USD")
    # For as many as before, unless they say how many now.
    before = next((row.private["adults"] for row in last_rows(facts, FLIGHT, HOTEL, TRIP)), "1")
    return {"adults": arguments.get("adults") or before, "currency": currency, "gl": country, "hl": "en"}


async def answers_of(engine: str, requests: Sequence[Values], engines: Engines) -> list[Page | JarvisError]:
    """Return the answer of *engine* to each of *requests*, or the reason not to use it."""
    pages = await engines.ask_all([(engine, each) for each in requests])
    return [_fault(page, each) or page for page, each in zip(pages, requests, strict=True)]


def _fault(page: Page | JarvisError, request: Values) -> JarvisError | None:
    for name in _HELD:
        value = at(page, "search_parameters", name)
        if value is not None and str(value) != request.get(name):
            message = f"It was answered for another {name.replace('_', ' ')}: {one_line(str(value), 20)}."
            return SearchFailed(message, hint="Try again.")
    return None


def last_rows(facts: Facts, *kinds: str) -> Sequence[Row]:
    """Return the rows of the newest table of these *kinds*, or ()."""
    return next((table.rows for table in reversed(facts.tables) if table.kind in kinds), ())


def nights_in(arguments: Mapping[str, Any]) -> int:
    """Return the number of nights in *arguments*, or 0. Raises Refused."""
    if not re.fullmatch("[0-9]{0,2}", nights := str(arguments.get("nights", "")).removesuffix(" nights")):
        raise Refused(f"“{one_line(nights, 20)}” isn't a number of nights.")
    return int(nights or 0)


def nights_between(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def format_day(day: str) -> str:
    """Return *day*, as 2027-05-14, for people: Fri 14 May, or May 2027 for a month."""
    first = date.fromisoformat(f"{day}-01"[:DAY])
    return f"{first:%a} {first.day} {first:%b}" if len(day) == DAY else f"{first:%B %Y}"


def format_party(values: Values) -> str:
    return pluralize(int(values["adults"]), "adults")


# Places.


class Location(NamedTuple):
    id: str  # as the searches want it: /m/04llb, BOS, or several airports
    name: str  # Lisbon, Portugal
    what: str = ""  # Capital of Portugal


def picked_places(names: Sequence[str], facts: Facts) -> dict[str, Location]:
    """Return the places among *names* that the user chose from a list, by their names and the user's own."""
    rows = [row.private for table in facts.tables if table.kind == PLACE for row in table.rows]
    picked = [(row, Location(row["id"], row["place"])) for row in rows if row["place"] in names]
    return {fold_case(row[key]): place for row, place in picked for key in ("place", "asked")}


async def located(
    names: Sequence[str], picked: Mapping[str, Location], country: str, engines: Engines, saved: SavedItems
) -> list[Location] | Outcome:
    """Return the place of each of *names*, remembered, or the outcome that asks about one of them.

    picked: the user's latest choices, by name. country: theirs, two letters. Raises SearchFailed for a name
    that nobody knows.
    """
    kept = [
        (each.id, token_at(each.body, "id"), words_at(each.body, "name")) for each in await saved.all(PLACES)
    ]
    # Anybody may have written it.
    places = {key: Location(id_, name) for key, id_, name in kept if name and re.fullmatch(_ID, id_)}
    places |= picked
    new = [name for name in dict.fromkeys(names) if fold_case(name) not in places]
    searches = [("google_flights_autocomplete", {"q": name, "gl": country, "hl": "en"}) for name in new]
    pages = dict(zip(new, await engines.ask_all(searches) if searches else [], strict=True))
    found = {name: _bearers(page, name) for name, page in pages.items()}
    sure = {fold_case(name): each[0] for name, each in found.items() if len(each) == 1} | dict(picked)
    await saved.add([SavedItem(PLACES, name, place._asdict()) for name, place in sure.items()])
    places |= sure
    unsure = [name for name in new if fold_case(name) not in places]
    return _asking(unsure[0], pages[unsure[0]]) if unsure else [places[fold_case(name)] for name in names]


def _asking(wanted: str, page: object) -> Outcome:
    """Return the outcome that asks for one of the places on a *page*, as lines to choose from.

    If no place has exactly that name, it asks about all of them.
    """
    if isinstance(page, JarvisError):
        raise page
    if not (places := _bearers(page, wanted) or _suggested(page)):
        raise SearchFailed(f"Google Flights knows no place called “{wanted}”.", hint="Name the nearest city.")
    rows = [
        Row("", {"name": name, "what": what or None}, private={"place": name, "id": id_, "asked": wanted})
        for id_, name, what in places
    ]
    text = f"Which place is “{wanted}”?" if rows[1:] else f"Is “{wanted}” {places[0].name}?"
    hint = f"Answer with {'the line, or the country' if rows[1:] else 'yes'}: it is remembered."
    table = table_of(PLACE, _COLUMNS, rows, {})
    return Outcome("failed", text, wanted, code=WHICH, hint=hint, exit_status=1, table=table)


def _bearers(page: object, wanted: str) -> list[Location]:
    """Return the places on a *page* of suggestions that have the *wanted* name."""
    airports = [each for entry in entries_at(page, "suggestions") for each in entries_at(entry, "airports")]
    if re.fullmatch("[A-Z]{3}", wanted) and wanted in [token_at(each, "id") for each in airports]:
        return [Location(wanted, wanted)]
    return [place for place in _suggested(page) if _bears(place, wanted)]


def _suggested(page: object) -> list[Location]:
    read = []
    for entry in entries_at(page, "suggestions"):
        id_ = token_at(entry, "id")
        if words_at(entry, "type") == "region":  # flights are searched for by airports there
            codes = [token_at(each, "id") for each in entries_at(entry, "airports")]
            id_ = ",".join(codes[:7])  # so many are taken
        read.append(Location(id_, words_at(entry, "name"), words_at(entry, "description")))
    return [place for place in read if place.name and re.fullmatch(_ID, place.id)]


def _bears(place: Location, wanted: str) -> bool:
    """Return whether a *place* has the *wanted* name: Naples, or Naples, Italy, or Naples Italy."""
    head, words = words_of(place.name.partition(",")[0]), words_of(wanted)
    return words[: len(head)] == head and {*words[len(head) :]} <= {*words_of(f"{place.name} {place.what}")}
