"""Pages of travel for the SerpAPI twin: invented flights and stays in SerpAPI's shapes, by request.

A token fits only the list that it stood in, as the real ones do: with another one no way back is found.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .serpapi import SearchRequest

CITIES = {
    "Boston": ("/m/01cx_", "BOS", "Boston, Massachusetts", "City in the United States"),
    "Lisbon": ("/m/04llb", "LIS", "Lisbon, Portugal", "Capital of Portugal"),
    "Porto": ("/m/0pmpl", "OPO", "Porto, Portugal", "City in Portugal"),
    "Naples": ("/m/0fhsz", "NAP", "Naples, Italy", "City in Italy"),
    "Cologne": ("/m/01v8c", "CGN", "Cologne, Germany", "City in Germany"),
}
_ASKED = ("departure_id", "arrival_id", "outbound_date", "return_date", "type", "adults", "currency")


def city(name: str, **more: object) -> dict[str, Any]:
    """One suggestion: a city that is known above."""
    id_, code, whole, what = CITIES[name]
    airport = {"name": f"{name} Airport", "id": code, "city": name, "city_id": id_, "distance": "5 mi"}
    return {"name": whole, "type": "city", "description": what, "id": id_, "airports": [airport], **more}


def suggested(*places: Any) -> dict[str, Any]:
    """One page of `google_flights_autocomplete`."""
    listed = [{"position": n, **each} if isinstance(each, dict) else each for n, each in enumerate(places, 1)]
    return {"search_metadata": {"status": "Success"}, "suggestions": listed}


def suggestions(request: SearchRequest) -> dict[str, Any]:
    """What the cities that are known above answer to."""
    return suggested(*(city(name) for name in CITIES if name.casefold() in request.query.casefold()))


def way(
    start: str, leaves: str, end: str, lands: str, price: int | None = None, **more: Any
) -> dict[str, Any]:
    """One entry of `google_flights`, without a stop unless `via`, minutes on the ground, says so."""
    minutes, via = more.pop("minutes", 390), more.pop("via", 0)
    ends = [(start, leaves), (end, lands)]
    airports = [{"name": f"{code} Airport", "id": code, "time": time} for code, time in ends]
    leg = {"departure_airport": airports[0], "arrival_airport": airports[1], "duration": minutes - via}
    legs = [
        {
            **leg,
            "airline": more.pop("airline", "Aer Azul"),
            "travel_class": "Economy",
            "flight_number": "AZ 1",
        }
    ]
    layovers: list[dict[str, Any]] = []
    if via:
        between = {"name": "KEF Airport", "id": "KEF", "time": leaves}
        half = (minutes - via) // 2
        legs = [
            {**legs[0], "arrival_airport": between, "duration": half},
            {**legs[0], "departure_airport": between, "duration": minutes - via - half},
        ]
        layovers = [{"duration": via, "name": "KEF Airport", "id": "KEF"}]
    priced = {} if price is None else {"price": price}
    return {
        "flights": legs,
        **({"layovers": layovers} if via else {}),
        "total_duration": minutes,
        **priced,
        **more,
    }


def flights(request: SearchRequest) -> dict[str, Any]:
    """One page of `google_flights`: three ways there, or two ways back for the token of one of them."""
    params = request.params
    token = params.get("departure_token")
    if token and token not in [_token(params, n) for n in range(3)]:
        return page(params)  # of another list
    day = datetime.fromisoformat(params["return_date" if token else "outbound_date"])
    start, end = _codes(params)[:: -1 if token else 1]
    base = 560 + 4 * datetime.fromisoformat(params["outbound_date"]).day
    times = [(9, 0), (21, 25), (6, 10)]
    ways = []
    for n, (hour, minute) in enumerate(times[: 2 if token else 3]):
        leaves = day + timedelta(hours=hour, minutes=minute)
        lands = leaves + timedelta(hours=8)
        more: dict[str, Any] = {"via": 95} if n else {}
        price = base * int(params.get("adults", "1")) + 45 * n
        ways.append(way(start, f"{leaves:%Y-%m-%d %H:%M}", end, f"{lands:%Y-%m-%d %H:%M}", price, **more))
        if not token and params.get("type") == "1":
            ways[-1]["departure_token"] = _token(params, n)
    return page(params, best=ways[:1], other=ways[1:])


def dear(request: SearchRequest) -> dict[str, Any]:
    """One page of `google_flights`, whose ways back cost three times as much."""
    found = flights(request)
    if "departure_token" in request.params:
        for each in found["best_flights"] + found["other_flights"]:
            each["price"] *= 3
    return found


def page(params: Any, best: Any = (), other: Any = ()) -> dict[str, Any]:
    """One page of `google_flights` with these ways."""
    listed = {"best_flights": [*best]} if best else {}
    return {
        "search_metadata": {
            "status": "Success",
            "google_flights_url": "https://www.google.com/travel/flights?hl=en&tfs=twin",
        },
        "search_parameters": {
            "engine": "google_flights",
            **{key: params[key] for key in _ASKED if key in params},
        },
        **listed,
        **({"other_flights": [*other]} if other else {}),
    }


def hotel(name: str, night: int | None, nights: int = 3, **more: object) -> dict[str, Any]:
    """One entry of `google_hotels`."""
    rates = {}
    if night is not None:
        rates = {
            "rate_per_night": {"lowest": f"${night}", "extracted_lowest": night},
            "total_rate": {"lowest": f"${night * nights}", "extracted_lowest": night * nights},
        }
    link = f"https://{name.lower().replace(' ', '-')}.example.com/"
    stars = {"hotel_class": "4-star hotel", "extracted_hotel_class": 4, "overall_rating": 4.4, "reviews": 903}
    return {"type": "hotel", "name": name, "link": link, **stars, **rates, **more}


def hotels(request: SearchRequest) -> dict[str, Any]:
    """One page of `google_hotels`."""
    params = request.params
    first, last = (datetime.fromisoformat(params[key]) for key in ("check_in_date", "check_out_date"))
    nights = (last - first).days
    listed = [
        hotel("Hotel Mundial", 178, nights),
        hotel("Casa Verde", 121, nights, overall_rating=4.0, reviews=88, hotel_class="3-star hotel"),
        hotel("Grand Tejo", 260, nights, overall_rating=4.8, reviews=2114, hotel_class="5-star hotel"),
        hotel("No Price Inn", None),
    ]
    asked = {key: params[key] for key in ("q", "check_in_date", "check_out_date", "adults", "currency")}
    return {"search_parameters": {"engine": "google_hotels", **asked}, "properties": listed}


def _codes(params: Any) -> list[str]:
    codes = {id_: code for id_, code, *_ in CITIES.values()}
    return [codes.get(params[key], "XYZ") for key in ("departure_id", "arrival_id")]


def _token(params: Any, n: int) -> str:
    asked = [params.get(key, "") for key in _ASKED]
    return hashlib.sha256(repr([asked, n]).encode()).hexdigest()
