"""What is asked for flights and stays, what is not, and what stands after something went wrong."""

import asyncio
from datetime import date
from decimal import Decimal
from json import dumps

import pytest

from jarvis.core.errors import Refused, SearchFailed
from jarvis.core.follow_ups import apply_follow_up
from jarvis.core.tables import FollowUp
from jarvis.core.types import Facts
from jarvis.packs.trip import approve, find_flights, find_hotels, itinerary
from tests.packs.trip.test_audit import back, drafted, nights, there
from tests.packs.trip.travels import MONTH, flight, lists
from tests.twins import trip_pages as pages

ROUTE = {"origin": "Boston", "destination": "Lisbon", "out_date": MONTH}


class Answers:
    """Stands for the engines of a turn: one answer after another."""

    def __init__(self, *answers):
        self.answers, self.asked = [*answers], []

    async def ask_all(self, wanted):
        self.asked += [params for _, params in wanted]
        return [self.answers.pop(0) for _ in wanted]


def backs(*prices):
    ways = [
        pages.way("LIS", "2027-05-17 12:00", "BOS", "2027-05-17 14:20", each, minutes=440) for each in prices
    ]
    return pages.page({}, ways)


def one_way(cost=600, token="t1"):
    return flight(there(), None, cost, token=token, asked=dumps({"currency": "USD"}))


def returned(engines, row):
    return [
        (int(each.cells["price"].amount), each.private["times"], bool(each.private.get("back")))
        for each in asyncio.run(find_flights.ways_back(row, engines))
    ]


@pytest.mark.parametrize(
    ("answers", "rows", "asked"),
    [
        ([backs(700, 650)], [(650, "", True), (700, "", True)], 1),
        ([backs(1800), backs(660)], [(660, "", True)], 2),  # far dearer than the list said: asked again
        ([backs(1800), SearchFailed("no")], [(1800, "3.0", True)], 2),  # and stands, with what it is
        ([backs(1800), backs()], [(1800, "3.0", True)], 2),
        ([backs()], [(600, "", False)], 1),  # none is known: another search would find none
        ([SearchFailed("no")], [(600, "", False)], 1),
    ],
)
def test_ways_back_are_asked_for_again_only_where_they_are_far_dearer(answers, rows, asked):
    engines = Answers(*answers)

    assert returned(engines, one_way()) == rows
    assert len(engines.asked) == asked


def test_without_a_token_of_its_list_no_way_back_is_asked_for():
    assert returned(Answers(), one_way(token="")) == [(600, "", False)]


@pytest.mark.parametrize("when", [MONTH, f"{MONTH}-21"])
def test_a_way_back_is_never_left_out_silently(when):
    facts = Facts({}, country="us", settings={"trip": {"home": ""}})
    with pytest.raises(Refused, match="To be back on"):
        find_flights.ACTION.resolve({**ROUTE, "out_date": when, "back_date": f"{MONTH}-20"}, facts)


@pytest.mark.parametrize(("nights", "weekday"), [("2", 4), ("3", None)])
def test_a_month_is_tried_at_three_starts_that_are_not_over_and_a_weekend_on_fridays(nights, weekday):
    facts = Facts({}, country="us", settings={"trip": {"home": ""}})
    for when in (MONTH, f"{date.today():%Y-%m}"):
        asked = find_flights.ACTION.resolve({**ROUTE, "out_date": when, "nights": nights}, facts).arguments
        starts = [date.fromisoformat(each["outbound_date"]) for each in asked["asked"]]
        assert all(day >= date.today() and str(day).startswith(when) for day in starts)
        assert (len(starts) == 3) is bool(asked["known"]["tried"]) or when != MONTH
        assert weekday is None or when != MONTH or {day.weekday() for day in starts} == {weekday}


def test_where_they_land_as_late_as_they_leave_there_is_no_night():
    facts = Facts({}, country="us", tables=lists([flight(there(), back(14))], []))
    with pytest.raises(Refused, match="no night"):
        find_hotels.ACTION.resolve({}, facts)


def test_a_draft_that_was_narrowed_is_kept_to_its_checks_and_its_budget():
    unsound = drafted([flight(there(), back())], [nights(14, 16)], budget=None).table
    left = apply_follow_up(unsound, FollowUp("under", amount=Decimal(500)))
    assert (len(left.rows), left.checks) == (1, ())
    with pytest.raises(Refused, match="not a sound trip"):
        approve.ACTION.resolve({}, Facts({}, tables=(left,)))

    trip = [flight(there(), back())], [nights()]
    sound = drafted(*trip, budget=nights(cost=1500).cells["price"]).table
    less = apply_follow_up(sound, FollowUp("under", amount=Decimal(500)))
    again = itinerary.ACTION.resolve({}, Facts({}, tables=(*lists(*trip), less)))
    assert again.arguments["budget"].formatted == "$1,500.00"
    kept = approve.ACTION.resolve({}, Facts({}, tables=(less,)))
    assert len(kept.arguments["draft"]["rows"]) == 2
