"""Sessions of a person who plans a trip: what the services have for them."""

from tests.lying import plan
from tests.packs.trip.travels import ADDED_UP, FLIGHTS, HOTELS, MONTH, SOLD
from tests.twins import trip_pages as pages
from tests.twins.trip_pages import city, suggested

from .shopping_sessions import Session

NAPLES = suggested(
    {**city("Naples"), "name": "Naples, Florida", "id": "/m/0rqf1", "description": "City in Florida"},
    city("Naples"),
)
FLORIDA = plan("find_flights", origin="Naples", destination="Boston", out_date=f"{MONTH}-14")

TRIPS = {
    "a trip, changed and kept": Session(
        (FLIGHTS, HOTELS, ADDED_UP, plan("itinerary", rule="cheapest")),
        SOLD,
    ),
    "a trip that is not sound": Session(
        (FLIGHTS, HOTELS, ADDED_UP, {**ADDED_UP, "rule": "cheapest"}, {**ADDED_UP, "offers": "o1"}),
        {**SOLD, "google_flights": pages.dear},
    ),
    "a name of two places": Session(
        (FLORIDA, {**FLORIDA, "origin": "1"}),
        {
            **SOLD,
            "google_flights_autocomplete": lambda asked: (
                NAPLES if "N" in asked.query else pages.suggestions(asked)
            ),
        },
    ),
}
