"""Which place a name is: none is taken silently that may be another one, and none is looked up twice."""

from contextlib import suppress

import pytest

from jarvis.core.errors import SearchFailed
from jarvis.core.events import TableShown
from jarvis.packs.trip.finding import Location, located
from jarvis.store.items import SavedItems
from tests.packs.trip.travels import FLIGHTS, MONTH, NAME, sells
from tests.twins.trip_pages import suggested


def place(name, id_, what="City", airports="", kind="city"):
    listed = [
        {"name": f"{code} Airport", "id": code, "city": name, "distance": "9 mi"} for code in airports.split()
    ]
    return {"name": name, "type": kind, "description": what, "id": id_, "airports": listed}


# What is suggested for a name.
USA, NYC = "City in the United States", ("New York, New York", "/m/02_286")
NEW_YORK = place(*NYC, USA, "JFK EWR LGA")
PAGES = {
    "boston": [place("Boston, Massachusetts", "/m/01cx_", USA, "BOS")],
    "lisbon": [place("Lisbon, Portugal", "/m/04llb", "Capital of Portugal", "LIS")],
    "naples": [
        place("Naples, Florida", "/m/0rqf1", USA, "RSW"),
        place("Naples, Italy", "/m/0fhsz", "City in Italy", "NAP"),
    ],
    "bali": [
        place("Bali, Indonesia", "/m/01bkb", "Island and province", "DPS", "region"),
        place("Bali, Cameroon", "/m/0bxy1", "Town in Cameroon", "BLC"),
    ],
    "san jose": [
        place("San Jose, California", "/m/0f04v", USA, "SJC"),
        place("San José, Costa Rica", "/m/0fthl", "Capital of Costa Rica", "SJO"),
    ],
    "toronto": [place("Toronto, Canada", "/m/0h7h6", "City in Ontario", "YYZ YTZ")],
    "london": [
        place("London, United Kingdom", "/m/04jpl", "Capital of England", "LHR LGW STN"),
        place("London, Canada", "/m/0b1t1", "City in Ontario", "YXU"),
    ],
    "koln": [place("Cologne, Germany", "/m/01v8c", "City in Germany", "CGN")],
    "北京": [place("Beijing, China", "/m/01914", "Capital of China", "PEK PKX")],
    "barclona": [place("Barcelona, Spain", "/m/01f62", "City in Spain", "BCN")],
    "hawaii": [place("Hawaii, United States", "/m/03gh4", "State", "HNL OGG KOA LIH", "region")],
    "jfk": [NEW_YORK],
    "new york": [NEW_YORK],
    "york": [NEW_YORK, place("York, United Kingdom", "/m/0k33p", "City in England", "LBA")],
    "nowhere": [],
    "evil": [
        {"name": "Evil", "type": "city", "id": "https://evil.example"},
        {"name": None, "id": "/m/0x"},
        "x",
        {"id": "BOS,", "name": "Evil"},
    ],
}
PAGES["cologne"] = PAGES["koln"]
# By what a place is: the names that mean it and no other.
MEANT = {
    "/m/01cx_": ["Boston", "boston", "boston massachusetts", "Boston, United States"],
    "/m/04llb": ["Lisbon", "Lisbon, Portugal"],
    "/m/0h7h6": ["Toronto", "Toronto, Canada", "Toronto Ontario"],
    "/m/01v8c": ["Cologne", "cologne germany"],
    "/m/0fhsz": ["Naples, Italy", "naples italy"],
    "/m/0rqf1": ["Naples, Florida"],
    "DPS": ["Bali, Indonesia"],
    "/m/0bxy1": ["Bali Cameroon"],
    "/m/0fthl": ["San José, Costa Rica", "san jose costa rica"],
    "/m/0f04v": ["San Jose California"],
    "/m/04jpl": ["London, England", "London, United Kingdom"],
    "/m/0b1t1": ["London Ontario", "London, Canada"],
    "HNL,OGG,KOA,LIH": ["Hawaii", "Hawaii, United States"],
    "/m/02_286": ["New York"],
    "/m/0k33p": ["York", "york, england"],
    "JFK": ["JFK"],
}
TAKEN = {name: id_ for id_, names in MEANT.items() for name in names}
ASKED = ["Naples", "Bali", "San José", "san jose", "London", "Köln", "北京", "Barclona", "Paris Boston"]
ASKED += ["Naples, Spain", "London, Texas", "Bali, Italy", "Naples, Maine", "San José, Spain"]
ASKED += ["New York, England"]
UNKNOWN = ["Nowhere", "Evil", "Atlantis", "Lisboa", "Springfield", "the sea", "BOS"]


def key(said):
    bare = said.casefold().replace("é", "e").replace("ö", "o")
    return next((name for name in sorted(PAGES, key=len, reverse=True) if bare.startswith(name)), "")


class Suggestions:
    """Stands for the engines of a turn: one page for each name."""

    def __init__(self):
        self.asked = []

    async def ask_all(self, wanted):
        self.asked += [params["q"] for _, params in wanted]
        return [
            suggested(*PAGES.get(key(q), PAGES["boston"] if "Boston" in q else []))
            for q in self.asked[-len(wanted) :]
        ]


@pytest.fixture
def look_up(house):
    """Look names up as a turn would, with what was remembered; the names that the service was asked."""
    engines = Suggestions()

    def work(*names, picked=None):
        async def visit(store):
            return await located(names, picked or {}, "us", engines, SavedItems(store.database, "trip"))

        return house.kept(visit)

    work.engines = engines
    return work


def test_no_name_is_taken_for_another_place_and_each_is_looked_up_once(look_up):
    cases = [*TAKEN, *ASKED, *UNKNOWN]
    for said in cases * 2:
        found = None
        with suppress(SearchFailed):
            found = look_up(said)
            found = found[0] if isinstance(found, list) else found
        if said in TAKEN:
            assert getattr(found, "id", None) == TAKEN[said], said
        else:
            assert not isinstance(found, Location), said
            assert (found is None) is (said in UNKNOWN), said
    once = look_up.engines.asked
    assert [said for said in TAKEN if once.count(said) != (said != "boston")] == []  # which is Boston


def test_a_place_is_remembered_though_another_one_is_not_known(look_up):
    with pytest.raises(SearchFailed):
        look_up("Boston", "Nowhere")
    look_up("Boston")
    assert look_up.engines.asked == ["Boston", "Nowhere"]


def test_who_is_asked_once_is_not_asked_again(house):
    sells(house, google_flights_autocomplete=lambda request: suggested(*PAGES[key(request.query)]))
    wanted = {**FLIGHTS, "destination": "Naples", "out_date": f"{MONTH}-14", "finish": True}
    house.model_plans(wanted)
    asked = house.ask(f"fly from Boston to Naples on 14 {NAME}, 3 nights")
    (listed,) = [each.table for each in asked.of(TableShown)]

    assert (asked.status, asked.summary["error"]["code"]) == (("failed", 1), "which")
    assert [row.cells["name"] for row in listed.rows] == ["Naples, Florida", "Naples, Italy"]
    assert "Which place is “Naples”?" in asked.reply

    house.model_plans({**wanted, "destination": "2"})
    there = house.ask("the second")
    assert there.status == ("done", 0)
    assert [request.params["arrival_id"] for request in house.serpapi.requests[-2:]] == ["/m/0fhsz"] * 2

    before = len(house.serpapi.requests)
    house.model_plans({**wanted, "destination": "Naples"})
    assert house.ask(f"fly from Boston to Naples on 14 {NAME}, 3 nights").status == ("done", 0)
    assert {request.engine for request in house.serpapi.requests[before:]} == {"google_flights"}
