"""Trips: flights, a stay, and their total, kept once the user approves."""

from ...actions.base import Want
from ...config.settings import TEXT, Setting
from ...core.text import one_line
from ..pack import Pack

APPROVE = Want("approve", "keep the trip that was worked out last")
FLIGHT, HOTEL, TRIP, PLACE = "flight", "hotel", "trip", "place"  # the kinds of its tables
TRIPS, PLACES = "trips", "places"  # the lists on which they are kept, and what places are called

PACK = Pack(
    "trip",
    "flights, hotels, and whole trips that are added up and kept",
    words={
        "en": "flight flights fly flying airline airlines airport airports nonstop layover hotel hotels "
        "hostel trip trips travel traveling travelling vacation getaway itinerary days nights week weekend",
        "de": "flug flüge fliegen flughafen unterkunft reise reisen urlaub tage nächte",
        "es": "vuelo vuelos volar aeropuerto viaje viajes vacaciones días noches",
        "fr": "vol vols aéroport hôtel hôtels voyage voyages vacances séjour jours nuits",
        "it": "volo voli volare aeroporto viaggio viaggi vacanza giorni notti",
        "pt": "voo voos voar aeroporto viagem viagens férias dias noites",
    },
    actions=("find_flights", "find_hotels", "itinerary", "approve"),
    tables=(FLIGHT, HOTEL, TRIP, PLACE),
    needs=("serpapi",),
    budgets={"steps": 8, "credits": 8, "seconds": 120},
    is_on=True,
    wants=(APPROVE,),
    # From where they travel unless they say so.
    settings=(Setting("home", lambda value: one_line(TEXT(value), 60), hint='home = "Boston"'),),
)
