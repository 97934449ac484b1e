"""What trips are tried with: flights and stays as the searches read them, and one trip by its plans."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from json import dumps
from typing import Any

from jarvis.core.money import price_of
from jarvis.core.tables import Row, Table
from jarvis.packs.trip import FLIGHT, HOTEL
from jarvis.packs.trip.find_flights import COLUMNS, Journey, flight_row
from jarvis.packs.trip.find_hotels import COLUMNS as HOTEL_COLUMNS
from jarvis.packs.trip.find_hotels import stay_in
from tests.planned import plan
from tests.twins import trip_pages as pages

# They travel in a month that is ahead, and not by more than the 330 days before which flights are sold.
_TODAY = date.today()
NAME, _NUMBER, NEXT_NAME = ("Oct", 10, "Nov") if 4 <= _TODAY.month <= 8 else ("May", 5, "June")
_YEAR = _TODAY.year + (_TODAY.month > 8)
MONTH, NEXT_MONTH = f"{_YEAR}-{_NUMBER:02}", f"{_YEAR}-{_NUMBER + 1:02}"
WORDS = f"3 days in Lisbon from Boston in {NAME} under $1500"
FLIGHTS = plan(
    "find_flights", origin="Boston", destination="Lisbon", out_date=MONTH, nights="3", finish=False
)
HOTELS = plan("find_hotels", finish=False)
ADDED_UP = plan("itinerary", budget="1500 USD")

SOLD = {
    "google_flights_autocomplete": pages.suggestions,
    "google_flights": pages.flights,
    "google_hotels": pages.hotels,
}


def sells(house: Any, **more: Any) -> None:
    """Have the twin sell flights and stays, and know the cities of trip_pages.py."""
    house.serpapi.sells(**{**SOLD, **more})


def travels(house: Any, thread: str = "default") -> Any:
    """What comes of the trip to Lisbon."""
    house.model_plans(FLIGHTS, HOTELS, ADDED_UP)
    return house.ask(WORDS, thread)


def journey(
    start: str, leaves: datetime, end: str, minutes: int, layovers: Any = (), ahead: int = 0
) -> Journey:
    """ahead: minutes by which the clocks are ahead where it lands."""
    lands = leaves + timedelta(minutes=minutes + ahead)
    times = [each.isoformat(timespec="minutes") for each in (leaves, lands)]
    return Journey("Aer Azul", start, times[0], end, times[1], minutes, minutes - sum(layovers), [*layovers])


def flight(there: Journey, back: Journey | None, cost: int = 600, adults: int = 1, **private: str) -> Row:
    known = {"kind": FLIGHT, "origin": "Boston", "destination": "Lisbon", "ways": "both ways"}
    known |= {"where": "/m/04llb", "adults": str(adults), "out": dumps(there), "last": "2027-05-17"}
    known |= {"token": "", "times": "", **({"back": dumps(back)} if back else {})}
    return flight_row({**known, **private}, price_of(cost, "USD"))._replace(id="o1")


def stay(
    first: date, last: date, cost: int = 400, adults: int = 1, currency: str = "USD", id_: str = "o2"
) -> Row:
    known = {"destination": "Lisbon", "where": "/m/04llb", "adults": str(adults)}
    asked = {"check_in_date": str(first), "check_out_date": str(last), "adults": str(adults)}
    entry = {"name": "Casa Verde", "total_rate": {"extracted_lowest": cost}}
    return stay_in(entry, {**asked, "currency": currency}, known)._replace(id=id_)


def lists(flights: list[Row], stays: list[Row]) -> tuple[Table, ...]:
    found = Table(FLIGHT, COLUMNS, tuple(flights)), Table(HOTEL, HOTEL_COLUMNS, tuple(stays))
    return tuple(table for table in found if table.rows)
