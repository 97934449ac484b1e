"""A trip from the words to what is kept: what it takes, what is told, what is found again."""

import pytest

from jarvis.core.events import Notice, TableShown
from tests.conftest import BOTH
from tests.packs.trip.travels import (
    ADDED_UP,
    FLIGHTS,
    HOTELS,
    MONTH,
    NAME,
    NEXT_MONTH,
    NEXT_NAME,
    WORDS,
    sells,
    travels,
)
from tests.planned import plan
from tests.twins import trip_pages as pages
from tests.twins.serpapi import Status


def spent(house, asked):
    """Model calls, and searches by what was asked."""
    calls, engines = len(house.gemini.requests), [each.engine for each in house.serpapi.requests]
    house.gemini.requests.clear()
    house.serpapi.requests.clear()
    assert asked.summary["usage"]["credits"] == len(engines)
    return calls, engines


def told(asked):
    """The one table that is listed."""
    (shown,) = [each.table for each in asked.of(TableShown) if each.first]
    return shown


def costs(asked):
    return {row.cells["what"]: row.cells["price"].formatted for row in told(asked).foot}


def test_a_trip_takes_three_calls_and_each_place_is_looked_up_once_ever(house):
    sells(house)
    asked = travels(house)

    calls, engines = spent(house, asked)
    assert (asked.status, calls, len(engines)) == (("done", 0), 3, 7)
    assert sum(engine.endswith("autocomplete") for engine in engines) == 2
    assert costs(asked) == {"total, for 1": "$1,364.00", "budget": "$1,500.00", "left": "$136.00"}
    checks = ["both ways", "3 nights on the ground", "bags and city tax not included", "within $1,500.00"]
    assert [check.finding for check in told(asked).checks] == checks

    calls, engines = spent(house, travels(house))  # in a new process
    assert (calls, len(engines)) == (3, 5)


@BOTH
def test_it_is_revised_without_a_search_as_often_as_they_like_and_kept_once_they_say_so(house):
    sells(house)
    travels(house)
    house.gemini.requests.clear()
    house.serpapi.requests.clear()
    stays = {"o12": "Casa Verde", "o13": "Grand Tejo", "o11": "Hotel Mundial"}

    for chosen in ("o12", "o13", "o11", "o12"):
        house.model_plans(plan("itinerary", offers=chosen))
        asked = house.ask("take that other hotel")
        assert spent(house, asked) == (1, [])
        assert told(asked).rows[1].cells["what"].startswith(stays[chosen])
        assert costs(asked)["budget"] == "$1,500.00"  # stands until they say another one

    for is_new in (True, False):
        house.model_plans(plan("approve"))
        house.gemini.readings.append({"wants": "approve"})
        kept = house.ask("I like it, approve of it please")
        assert (kept.status, ("Kept as trip" in kept.reply)) == (("done", 0), is_new)
    assert len(house.rows("SELECT id FROM items WHERE list = 'trips'")) == 1
    assert house.desktop.opened == []


def test_the_budget_of_a_trip_is_none_of_another(house):
    sells(house)
    travels(house)
    porto = {**FLIGHTS, "destination": "Porto"}
    house.model_plans(porto, HOTELS, plan("itinerary"))

    assert list(costs(house.ask(f"3 days in Porto from Boston in {NAME}"))) == ["total, for 1"]


@pytest.mark.parametrize(
    ("fields", "told_of"),
    [
        ({"out_date": "2027-02-31"}, ""),
        ({"out_date": NEXT_MONTH}, "when they travel was not said"),  # they said the month before
        ({"origin": None}, "From where, to where"),
        ({"destination": "Paris"}, "to where or when"),  # nobody said Paris
        ({"adults": "20"}, ""),
    ],
    ids=lambda each: next(iter(each), "") if isinstance(each, dict) else "",
)
def test_what_was_not_said_is_not_searched_for(house, fields, told_of):
    sells(house)
    house.model_plans(*[{**FLIGHTS, **fields}] * 2, plan("reply", text="When, from where, and to where?"))
    asked = house.ask(WORDS)

    assert (spent(house, asked)[1], told_of in asked.reply) == ([], True)


def test_one_way_and_a_day_and_a_home_are_enough(house):
    sells(house)
    house.configure('[packs.trip]\nhome = "Boston"\n')
    house.model_plans(plan("find_flights", destination="Porto", out_date=f"{MONTH}-14", adults="2"))
    asked = house.ask(f"flights to Porto on 14 {NAME} for two")

    assert spent(house, asked)[1] == ["google_flights_autocomplete"] * 2 + ["google_flights"]
    assert told(asked).note == "Prices are for one way and 2 adults. Times are local."
    assert [row.cells["back"] for row in told(asked).rows] == [None] * 3
    assert {row.link for row in told(asked).rows} == {"service"}


def test_who_flies_by_night_stays_as_long(house):
    def by_night(request):
        page = pages.flights(request)
        return {**page, "best_flights": page["other_flights"][:1], "other_flights": []}

    sells(house, google_flights=by_night)
    house.model_plans({**FLIGHTS, "overnight": "yes"}, HOTELS, ADDED_UP)

    assert told(house.ask(WORDS)).checks[1].finding == "3 nights on the ground"


def test_a_search_that_finds_nothing_leaves_nothing_of_before_to_add_up(house):
    sells(house)
    travels(house)
    for sold in (lambda request: pages.page(request.params), Status(429)):
        sells(house, google_flights=sold)
        later = {**FLIGHTS, "out_date": NEXT_MONTH}
        house.model_plans(later, HOTELS, ADDED_UP, *[plan("reply", text="There are none.")] * 3)
        asked = house.ask(f"3 days in Lisbon from Boston in {NEXT_NAME} under $1500, the same otherwise")

        assert [each for each in asked.of(TableShown) if each.table.kind == "trip"] == []
        assert ("itinerary", "done") not in asked.steps
        house.gemini._script.clear()
        house.gemini.unexpected.clear()


def test_what_they_chose_stays_until_they_choose_otherwise_and_the_party_too(house):
    sells(house)
    house.model_plans({**FLIGHTS, "adults": "2"}, {**HOTELS, "adults": "2"}, ADDED_UP)
    house.ask(WORDS)
    house.model_plans(plan("itinerary", offers="o13"))  # the dearest
    assert told(house.ask("take the Grand Tejo")).rows[1].id == "o13"
    house.model_plans(plan("itinerary", offers="o2"))
    flown, stayed = told(house.ask("and the second flight")).rows
    assert (flown.id, stayed.id) == ("o2", "o13")
    house.model_plans(plan("find_hotels", destination="Lisbon"))  # a look at others
    assert house.ask("which hotels are there in Lisbon?").status == ("done", 0)
    house.model_plans(plan("itinerary"))
    asked = house.ask("and with one of these?")

    assert told(asked).rows[0].id == "o2"
    assert "total, for 2" in costs(asked)


def test_two_flights_or_twice_a_room_are_no_trip(house):
    sells(house)
    travels(house)
    for offers in ("o1 o2 o11", "o1 2 of o11"):
        house.model_plans(plan("itinerary", offers=offers), plan("reply", text="One of each, then."))
        asked = house.ask("take 2 of the first two of them")
        assert "name one of each" in asked.reply


def test_a_budget_that_nothing_fits_is_told_in_a_line_after_one_try(house):
    sells(house)
    house.model_plans(FLIGHTS, HOTELS, plan("itinerary", budget="900 USD"))
    asked = house.ask(WORDS.replace("1500", "900"))

    assert (asked.status, spent(house, asked)[0]) == (("done", 0), 3)
    assert [check.finding for check in told(asked).checks if check.is_met is False] == [
        "over $900.00 by $47.00"
    ]


def test_what_is_unsound_is_tried_three_times_then_shown_so_and_never_kept(house):
    """A return that is far dearer is a screen of tests/promises."""

    def short(request):
        page = pages.flights(request)
        for each in page["best_flights"] + page.get("other_flights", []):
            each["layovers"] = [{"duration": 30, "name": "KEF Airport", "id": "KEF"}]
            each["flights"] = [*each["flights"][:1], {**each["flights"][-1], "duration": 20}]
            each["total_duration"] = each["flights"][0]["duration"] + 50
        return page

    sells(house, google_flights=short)
    other = {**ADDED_UP, "rule": "cheapest"}, {**ADDED_UP, "offers": "o1"}
    house.model_plans(FLIGHTS, HOTELS, ADDED_UP, *other)
    asked = house.ask(WORDS)

    assert asked.status == ("failed", 1)
    assert [state for action, state in asked.steps if action == "itinerary"] == ["failed"] * 3
    unmet = " ".join(check.finding for check in told(asked).checks if check.is_met is False)
    assert "30 min to change" in unmet
    assert "30 min to change" in asked.summary["error"]["message"]
    for reading in ("approve", "nothing"):  # nor is a sound one that nobody asked to keep
        house.model_plans(plan("approve"), plan("reply", text="It can't be kept."))
        house.gemini.readings.append({"wants": reading})
        assert house.ask("approve of it").status[0] != "done"
    assert house.rows("SELECT id FROM items WHERE list = 'trips'") == []


def _of_others(request):
    return pages.page({**request.params, "adults": "2"}, [pages.way("BOS", "", "LIS", "")])


@pytest.mark.parametrize(
    ("sold", "status", "said"),
    [
        ({"google_flights": [Status(429), *[pages.flights] * 3]}, ("done", 0), "could not be tried"),
        ({"google_flights": lambda asked: pages.page(asked.params)}, ("done", 0), "No flights were found"),
        ({"google_flights": Status(429)}, ("failed", 75), "SerpAPI"),
        ({"google_flights_autocomplete": pages.suggested()}, ("failed", 1), "knows no place called"),
        ({"google_flights": _of_others}, ("failed", 1), "it was answered for another adults: 2."),
    ],
    ids=["a start", "no flights", "429", "no place", "another party"],
)
def test_what_a_service_does_not_give_is_told(house, sold, status, said):
    sells(house, **sold)
    house.model_plans({**FLIGHTS, "finish": True}, plan("reply", text="That is all there is."))
    asked = house.ask(WORDS)

    everything = asked.reply + "".join(each.text for each in asked.of(Notice))
    everything += "".join(" ".join(each.table.failures) for each in asked.of(TableShown))
    assert (asked.status, said in everything) == (status, True), everything


def test_a_way_back_is_found_by_the_token_of_its_own_list_alone(house):
    sells(house)
    house.model_plans({**FLIGHTS, "finish": True})
    rows = told(house.ask(WORDS)).rows

    assert [bool(row.cells["back"]) for row in rows] == [True, True] + [False] * 8
    assert len({row.private["token"] for row in rows}) == 9  # the first two have the same way there


def test_another_flight_that_they_pick_gets_its_ways_back(house):
    sells(house)
    travels(house)
    house.serpapi.requests.clear()
    evening = plan("itinerary", offers="o4")  # lands a day later
    house.model_plans(evening, HOTELS, evening)
    asked = house.ask("rather the flight in the evening")

    assert [each.engine for each in house.serpapi.requests] == ["google_flights", "google_hotels"]
    assert asked.status == ("done", 0)
    assert [state for action, state in asked.steps if action == "itinerary"] == ["failed", "done"]
    assert [check.finding for check in told(asked).checks][1:3] == [
        "3 nights were requested, not 2",
        "2 nights on the ground",
    ]
