"""Find places to stay for given nights, as a table. Nothing is booked."""

from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from ...actions.base import ENGINES, BrainAction, Field, Service
from ...core.errors import JarvisError, Refused
from ...core.money import price_of
from ...core.tables import COST, MONEY, RATING, STATE, Cell, Column, Row
from ...core.text import pluralize
from ...core.types import Effect, Facts, Outcome
from ...language.dates import DAY
from ...search.serpapi import Engines
from ...store.items import SavedItems
from .. import entries
from . import FLIGHT, HOTEL, TRIP, finding
from .finding import SAVED, Values, located, picked_places

_UNEVEN = "whose nights don't add up"  # why something was left out
_IN, _OUT = "check_in_date", "check_out_date"
COLUMNS = (
    Column("stay", "stay", rank=0),
    Column("stars", "stars", STATE, 3),
    Column("rating", "rating", RATING, 1),
    Column("night", "a night", MONEY, 2),
    Column("price", "price", MONEY, 0, COST),
)


class FindHotels(BrainAction):
    name = "find_hotels"
    description = (
        "find hotels and other stays with their prices, as a table. Without `in_date` they are for the "
        "nights between the flights; finish is false where an itinerary is to follow."
    )
    fields = (
        finding.TO,
        Field("in_date", "the first night, if they named it", kind="date", stated=True, optional=True),
        finding.NIGHTS,
        finding.ADULTS,
    )
    effect = "searches"
    services = (Service(ENGINES), SAVED)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        # Of the draft made last the flight, or the one that leads the list found last.
        rows = finding.last_rows(facts, FLIGHT, TRIP)
        flight = next((row.private for row in rows if "out" in row.private), {})
        if not (name := arguments.get("destination") or flight.get("destination")):
            raise Refused("Where they stay was not said.", hint="Name the place.")
        first, last = _days(arguments, flight)
        if first >= last:
            raise Refused(f"There is no night to stay from {first} to {last}.")
        whom = finding.for_whom(arguments, facts)
        given = {
            "name": name,
            "picked": picked_places([name], facts),
            "asked": {**whom, _IN: first, _OUT: last},
        }
        days = f"{finding.format_day(first)} – {finding.format_day(last)}"
        return Effect("searches", f"{name} · {days} · {finding.format_party(whom)}", given, credits=1)

    async def perform(self, effect: Effect, engines: Engines, saved: SavedItems) -> Outcome:
        name, picked, request = (effect.arguments[each] for each in ("name", "picked", "asked"))
        places = await located([name], picked, request["gl"], engines, saved)
        if isinstance(places, Outcome):
            return places
        (page,) = await finding.answers_of("google_hotels", [{**request, "q": places[0].name}], engines)
        if isinstance(page, JarvisError):
            raise page
        shared = {"destination": name, "where": places[0].id, "adults": request["adults"]}
        read = [stay_in(entry, request, shared) for entry in entries.entries_at(page, "properties")]
        rows = [each for each in read if isinstance(each, Row)]
        left_out = Counter(each for each in read if isinstance(each, str))
        nights = pluralize(finding.nights_between(request[_IN], request[_OUT]), "nights")
        note = f"Prices are for {nights} and all of you. Taxes may come on top."
        table = entries.table_of(HOTEL, COLUMNS, rows, left_out, note)
        return entries.outcome_of(table, effect.target, "stays")._replace(table=table)


def _days(arguments: Mapping[str, Any], flight: Values) -> tuple[str, str]:
    """Return the day of the first night, and the one after the last: from landing until the way back."""
    first, nights = arguments.get("in_date") or flight.get("first", ""), finding.nights_in(arguments)
    if flight.get("last") and not (nights or "in_date" in arguments):
        return first, flight["last"]
    if not nights or len(first) != DAY:
        raise Refused("Which nights they stay was not said.", hint="Give the first day, and how many nights.")
    return first, str(date.fromisoformat(first) + timedelta(nights))


def stay_in(entry: object, request: Values, shared: Values) -> Row | str:
    """Return a stay, for all nights, as a row with the *shared* values, or the reason to leave it out."""
    if why := entries.reason_against(entry, "name"):
        return why
    first, last = request[_IN], request[_OUT]
    nights = finding.nights_between(first, last)
    total = price_of(entries.at(entry, "total_rate", "extracted_lowest"), request["currency"])
    night = price_of(entries.at(entry, "rate_per_night", "extracted_lowest"), request["currency"])
    if total is None:
        return finding.NO_PRICE
    if night and abs(total.amount - night.amount * nights) > nights:  # each is rounded
        return _UNEVEN
    rated = {"rating": entries.at(entry, "overall_rating"), "reviews": entries.at(entry, "reviews")}
    rating, page = entries.rating_at(rated), entries.page_at(entry)
    name, stars = entries.words_at(entry, "name"), entries.words_at(entry, "hotel_class")
    cells: dict[str, Cell] = {"stay": name, "stars": stars or None, "rating": rating}
    described = {
        "what": ", ".join(filter(None, (name, stars, rating.formatted if rating else ""))),
        "when": f"{finding.format_day(first)} – {finding.format_day(last)}",
        "includes": f"{pluralize(nights, 'nights')}, {finding.format_party(shared)}",
    }
    private = {**shared, **described, "kind": HOTEL, "first": first, "last": last}
    return Row("", {**cells, "night": night, "price": total}, page, entries.MERCHANT if page else "", private)


ACTION = FindHotels()
