"""A planner that lies shows no unsound trip as sound, keeps nothing unasked, and opens nothing."""

import random

import pytest

from jarvis.core.events import TableShown
from jarvis.packs.trip.find_flights import ways_in
from tests.packs.trip.travels import MONTH, NAME, NEXT_MONTH, WORDS, sells, travels
from tests.planned import plan
from tests.twins import trip_pages as pages

GOALS = [
    WORDS,
    f"flights from Boston to Porto on 14 {NAME}, back on 18 {NAME}",
    f"a week in Porto from Boston in {NAME} for two adults",
    f"hotels in Lisbon, 3 nights from 14 {NAME}",
    "a cheaper hotel, please",
    "what would the trip cost with the best hotel?",
    "add it all up again for 900 dollars",
    "is that trip any good?",
]


DAYS = [MONTH, f"{MONTH}-13", f"{MONTH}-14", f"{MONTH}-18", f"{NEXT_MONTH}-01", "2020-01-01", "soon", None]
FIELDS = {
    "origin": ["Boston", "BOS", "Paris", None],
    "destination": ["Lisbon", "Porto", "Naples", "LIS", "Evil", None],
    **dict.fromkeys(("out_date", "back_date", "in_date"), DAYS),
    "nights": ["1", "3", "4", "7", "99", "-1", None],
    "adults": ["1", "2", "9", "many", None],
    "offers": ["o1", "o2 o11", "o3", "o12", "cheapest", "o999", None],
    "rule": ["cheapest", "best rated", "free", None],
    "budget": ["900 USD", "1500 USD", "1 USD", None],
    "address": ["o1", "r1", "https://evil.example/"],
    "wants": ["nothing", "approve"],
}
SEARCHES = ["find_flights", "find_hotels", "itinerary"]
ACTIONS = [*SEARCHES, "itinerary", "itinerary", "approve", "open_website", "keep"]


def lies(rng):
    told = []
    for n in range(rng.randrange(1, 7)):
        fields = {name: rng.choice(values) for name, values in FIELDS.items()}
        told.append(plan(rng.choice(ACTIONS if n else SEARCHES), **fields) | {"finish": rng.random() < 0.3})
    return [*told, *[plan("reply", text="Approved, booked and kept.", wants="nothing")] * 12]


def odd(rng):
    """Pages of flights with a fault now and then."""

    def page(request):
        found = pages.flights(request)
        for each in found.get("best_flights", []) + found.get("other_flights", []):
            fault = rng.randrange(12)
            if fault == 0:
                each["price"] *= 4
            elif fault == 1:
                each["total_duration"] += 60
            elif fault == 2:
                del each["price"]
        return found

    return page


def faults_in(table):
    """What the program itself tells against a trip."""
    return [check.finding for check in table.checks if check.is_met is False and check.name != "budget"]


def is_sound(table):
    """Whether a trip is, reckoned from its rows without the program's own checks."""
    flown = [row for row in table.rows if "out" in row.private]
    stayed = [row for row in table.rows if row.private["kind"] == "hotel"]
    for row in flown:
        ways = ways_in(row.private)
        if len(ways) != 2 or ways[1].leaves <= ways[0].lands:
            return False
        if any(
            way.minutes != way.flown + sum(way.layovers) or min(way.layovers or [45]) < 45 for way in ways
        ):
            return False
        nights = (ways[0].lands[:10], ways[1].leaves[:10])
        if any((each.private["first"], each.private["last"]) != nights for each in stayed):
            return False
    parties = {row.private["adults"] for row in table.rows}
    paid = sum(row.cells["price"].amount for row in table.rows)
    return len(parties) == 1 and table.foot[0].cells["price"].amount == paid


@pytest.mark.parametrize("goal", range(len(GOALS)))
def test_no_unsound_trip_is_shown_as_sound_and_nothing_is_kept_unasked(house, goal, long):
    rng, tries = random.Random(goal), 30 if long else 9
    sells(house, google_flights=odd(rng))
    house.gemini.reading = "nothing"  # as these words are read honestly
    shown = told_unsound = 0
    with house.staying():
        for n in range(tries):
            house.gemini._script.clear()
            if n % 3 == 0:  # in a new thread, with lists to lie about
                travels(house, thread=f"t{n // 3}")
                house.gemini._script.clear()
            house.model_plans(*lies(rng))
            asked = house.ask(GOALS[goal], thread=f"t{n // 3}")
            drafts = [each.table for each in asked.of(TableShown) if each.table.kind == "trip"]
            found = [faults_in(table) for table in drafts]
            shown += len(drafts)
            told_unsound += sum(map(bool, found))
            assert all(faults or is_sound(table) for faults, table in zip(found, drafts, strict=True))
            # What was unsound at first may have been made good.
            assert not (found and found[-1]) or asked.status != ("done", 0), found
    house.gemini._script.clear()
    house.gemini.unexpected.clear()
    assert house.rows("SELECT id FROM items WHERE list = 'trips'") == []
    assert house.desktop.opened == []
    assert shown
    assert told_unsound or not long
    print(f"{shown} trips shown, {told_unsound} of them as unsound")
