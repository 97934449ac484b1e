"""Find flights, one way or there and back, as a table. Nothing is booked.

For a month, it tries three start dates at once. It also finds the ways back of the best way there. Times are
local, without a zone. A way there has the price of both ways. Unreadable and unpriced entries are counted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from json import dumps, loads
from typing import Any, NamedTuple

from ...actions.base import ENGINES, BrainAction, Field, Service, failed, reason
from ...core import urls
from ...core.errors import JarvisError, Refused
from ...core.money import Money, price_of
from ...core.tables import COST, MONEY, STATE, TIME, Cell, Column, Row, money_in
from ...core.text import pluralize
from ...core.types import Effect, Facts, Outcome
from ...language.dates import DAY, read_date
from ...search.serpapi import Engines
from ...store.items import SavedItems
from ..entries import UNREADABLE, at, entries_at, outcome_of, table_of, token_at, words_at
from . import FLIGHT, PACK, finding
from .finding import SAVED, Values, located, picked_places

DEAR = "times"  # a private value: how many times the price of the list of ways there, if that is too much
_ENGINE = "google_flights"
_OUT, _BACK = "outbound_date", "return_date"
_STARTS = (6, 16, 26)  # of a month
_WEEKEND, _FRIDAY = 2, 4  # nights that start on one, unless a day is said
_BACKS = 8  # ways back that are listed
_MOST = Decimal("1.5")  # times the price in the list of ways there: what is dearer may be wrong
_PAGE = "https://www.google.com/travel/flights"  # on which it is sold
COLUMNS = (
    Column("flight", "flight", rank=0),
    Column("leaves", "leaves", TIME, 0),
    Column("back", "back", TIME, 1),
    Column("stops", "stops", STATE, 2),
    Column("takes", "takes", rank=3),
    Column("price", "price", MONEY, 0, COST),
)


class FindFlights(BrainAction):
    name = "find_flights"
    description = (
        "find flights with their prices, as a table; with `nights`, or `back_date` instead, there and back. "
        "For a trip it comes first, find_hotels second, itinerary last: then finish is false."
    )
    fields = (
        Field("origin", "from where, as they said it", kind="place", stated=True, optional=True),
        finding.TO,
        Field(
            "out_date", "the day they leave, or the month: 2027-05", kind="date", stated=True, optional=True
        ),
        Field("back_date", "the day of the way back, if named", kind="date", stated=True, optional=True),
        finding.NIGHTS,
        Field("overnight", "yes if it lands a day later", kind="choice", choices=("yes",), optional=True),
        finding.ADULTS,
    )
    effect = "searches"
    services = (Service(ENGINES), SAVED)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        # What they said need not be said again for another search: all rows have it.
        values = {"origin": facts.settings[PACK.name]["home"], "destination": "", "out_date": "", **arguments}
        names, when = [values["origin"], values["destination"]], values["out_date"]
        if not (when and all(names)):
            hint = "Set where you live: jarvis config set packs.trip.home Boston"
            raise Refused("From where, to where or when they travel was not said.", hint=hint)
        whom = finding.for_whom(arguments, facts)
        params = [{**whom, **days} for days in _days(when, arguments)]
        tried = (
            f"Tried: {', '.join(finding.format_day(each[_OUT]) for each in params)}." if params[1:] else ""
        )
        ways = "both ways" if _BACK in params[0] else "one way"
        shared = {**values, "kind": FLIGHT, "adults": whom["adults"], "ways": ways, "tried": tried}
        given = {"names": names, "picked": picked_places(names, facts), "asked": params, "known": shared}
        parts = [" → ".join(names), finding.format_day(when), ways, finding.format_party(whom)]
        # A place is looked up once ever: that is not counted.
        return Effect("searches", " · ".join(parts), given, credits=1 + len(params))

    async def perform(self, effect: Effect, engines: Engines, saved: SavedItems) -> Outcome:
        names, picked, params, shared = (effect.arguments[e] for e in ("names", "picked", "asked", "known"))
        places = await located(names, picked, params[0]["gl"], engines, saved)
        if isinstance(places, Outcome):
            return places
        route = {"departure_id": places[0].id, "arrival_id": places[1].id}
        params, shared = [{**each, **route} for each in params], {**shared, "where": places[1].id}
        pages = await finding.answers_of(_ENGINE, params, engines)
        answers = zip(pages, params, strict=True)
        read = [entry for page, each in answers for entry in read_flights(page, each, shared)]
        left_out = Counter(each for each in read if isinstance(each, str))
        rows = sorted((each for each in read if isinstance(each, Row)), key=cost_of)
        rows[:1] = [back for row in rows[:1] for back in await ways_back(row, engines)]
        faults = [page for page in pages if isinstance(page, JarvisError)]
        note = f"Prices are for {shared['ways']} and {finding.format_party(shared)}. Times are local."
        table = table_of(FLIGHT, COLUMNS, rows, left_out, f"{note} {shared['tried']}".strip())
        table = table._replace(failures=tuple(f"A start could not be tried: {reason(why)}" for why in faults))
        outcome = outcome_of(table, effect.target, "flights")
        if faults and not rows:
            outcome = failed(self.not_done(effect.target), faults[0])
        return outcome._replace(table=table)  # an empty list, too: none of before takes its place


def _days(when: str, arguments: Values) -> Iterator[Values]:
    """Yield the days of both ways to search for: for a month, some that aren't past. Raises Refused."""
    first = read_date(when, date.today()) or date.today()
    nights, back = finding.nights_in(arguments), arguments.get("back_date") or ""
    if back and not (len(when) == len(back) == DAY and when <= back):
        raise Refused(f"To be back on {back} they have to leave on a day before that, not {when}.")
    starts = [first] if len(when) == DAY else [first.replace(day=day) for day in _STARTS]
    if starts[1:] and nights == _WEEKEND:
        starts = [day + timedelta((_FRIDAY - day.weekday()) % 7) for day in starts]
    away = timedelta(nights + ("overnight" in arguments))  # by night they land a day later, and stay as long
    for day in [day for day in starts if first <= day and day.month == first.month] or [first]:
        both = {_BACK: back or str(day + away)} if back or nights else {}
        yield {_OUT: str(day), **both, "type": "1" if both else "2"}  # there and back; one way


class Journey(NamedTuple):
    """One way, of one or several flights."""

    airlines: str
    start: str  # the airport's code
    leaves: str  # as 2027-05-13T21:25, where it is
    end: str
    lands: str
    minutes: int  # in all
    flown: int  # of these in the air
    layovers: list[int]  # minutes on the ground between two flights


def ways_in(private: Values) -> list[Journey]:
    """Return the ways of a flight, by the *private* values of its row: there, and back if that is known."""
    return [Journey(*loads(private[way])) for way in ("out", "back") if private.get(way)]


def cost_of(row: Row) -> Money:
    """Return the total price of *row*, from a list with only priced rows."""
    return money_in(row.cells["price"]) or Money(Decimal(0), "")


def read_flights(page: object, request: Values, shared: Values) -> list[Row | str]:
    """Return each flight on a *page* as a row with the *shared* values, or the reason to leave it out."""
    own = urls.found(at(page, "search_metadata", "google_flights_url"))
    url = own.url if own and own.url.startswith(_PAGE) else ""

    def read(entry: object) -> Row | str:
        price, token = price_of(at(entry, "price"), request["currency"]), token_at(entry, "departure_token")
        try:
            private = {"out": dumps(_journey(entry)), "asked": dumps(request), "last": request.get(_BACK, "")}
        except ValueError:
            return UNREADABLE
        return flight_row({**shared, **private, "token": token}, price, url) if price else finding.NO_PRICE

    return [read(entry) for key in ("best_flights", "other_flights") for entry in entries_at(page, key)]


def flight_row(private: Values, price: Money, url: str = "") -> Row:
    """Return a flight as a row, by its ways in the *private* values."""
    there, *back = ways = ways_in(private)
    airlines = " / ".join(dict.fromkeys(way.airlines for way in ways))
    most = max(len(way.layovers) for way in ways)
    stops = pluralize(most, "stops") if most else "nonstop"
    takes = " + ".join(f"{way.minutes // 60}:{way.minutes % 60:02}" for way in ways)
    cells: dict[str, Cell] = {"flight": airlines, "leaves": there.leaves, "stops": stops, "takes": takes}
    described = {
        "what": f"{airlines} {there.start}–{there.end}, {stops}, {takes}",
        "when": " – ".join(f"{finding.format_day(way.leaves[:DAY])} {way.leaves[-5:]}" for way in ways),
        "includes": f"{private['ways']}, {finding.format_party(private)}",
    }
    nights = {"first": there.lands[:DAY], **({"last": back[0].leaves[:DAY]} if back else {})}
    cells |= {"back": back[0].leaves if back else None, "price": price}
    return Row("", cells, url, "service" if url else "", {**private, **described, **nights})


async def ways_back(row: Row, engines: Engines) -> list[Row]:
    """Return *row*, a way there, with each way back, cheapest first. Without any, return *row* as it is.

    It asks again if an answer is far dearer than the list of ways there.
    """
    if not row.private["token"]:
        return [row]
    both, request = list[Row](), {**loads(row.private["asked"]), "departure_token": row.private["token"]}
    for each in (request, {**request, "no_cache": "true"}):
        (page,) = await finding.answers_of(_ENGINE, [each], engines)
        backs = [back for back in read_flights(page, request, row.private) if isinstance(back, Row)]
        both = [_with_back(row, back) for back in backs] or both
        if not (both and all(each.private[DEAR] for each in both)):
            break
    return sorted(both, key=cost_of)[:_BACKS] or [row]


def _with_back(row: Row, back: Row) -> Row:
    """Return *row*, a way there, with *back*, a way back for it, and that one's price: of both ways."""
    price = cost_of(back)
    times = price.amount / cost_of(row).amount
    private = {"back": back.private["out"], DEAR: f"{times:.1f}" if times > _MOST else ""}
    return flight_row({**row.private, **private}, price, row.url)


def _journey(entry: object) -> Journey:
    """Return the way in *entry*. Raises ValueError if it lacks its times or places."""
    legs, layovers = entries_at(entry, "flights"), entries_at(entry, "layovers")
    if not legs or len(layovers) != len(legs) - 1:
        raise ValueError
    airlines = dict.fromkeys(filter(None, (words_at(leg, "airline", limit=40) for leg in legs)))
    return Journey(
        " + ".join(airlines) or "an airline",
        *_end(legs[0], "departure_airport"),
        *_end(legs[-1], "arrival_airport"),
        _minutes(entry, "total_duration"),
        sum(_minutes(leg, "duration") for leg in legs),
        [_minutes(each, "duration") for each in layovers],
    )


def _end(leg: object, airport: str) -> tuple[str, str]:
    """Return the code of that *airport* of a *leg*, and when that is, as 2027-05-13T21:25."""
    code, time = token_at(leg, airport, "id"), words_at(leg, airport, "time")
    if not re.fullmatch("[A-Z]{3}", code):
        raise ValueError
    return code, datetime.strptime(time, "%Y-%m-%d %H:%M").isoformat(timespec="minutes")


def _minutes(entry: object, key: str) -> int:
    value = at(entry, key)
    if not isinstance(value, int) or value <= 0:
        raise ValueError
    return value


ACTION = FindFlights()
