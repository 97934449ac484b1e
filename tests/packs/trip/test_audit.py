"""What is told of a trip, held against another reckoning, and against faults that were planted in it."""

import asyncio
import random
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from jarvis.core.money import Money, price_of
from jarvis.core.tables import Rating
from jarvis.core.types import Facts
from jarvis.packs.trip.itinerary import ACTION, fitting
from tests.packs.trip.travels import flight, journey, lists, stay

START = datetime(2027, 5, 13, 21, 25)
TURNS = [datetime(2027, 12, 30), datetime(2028, 2, 27), datetime(2027, 3, 27), datetime(2027, 10, 30), START]


def drafted(flights, stays, **arguments):
    """What comes of the plan with these arguments, once what is offered is this."""
    facts = Facts({}, country="us", tables=lists(flights, stays))
    return asyncio.run(ACTION.perform(ACTION.resolve(arguments, facts), engines=None))


def foot(outcome):
    return {row.cells["what"]: row.cells["price"].amount for row in outcome.table.foot}


def shaken(rng):
    """A sound trip, and what it comes to by itself: the nights on the ground, the sum, the party."""
    leaves = rng.choice(TURNS) + timedelta(minutes=rng.randrange(0, 2880, 5))
    minutes, layovers = rng.randrange(90, 1200), [rng.randrange(45, 400) for _ in range(rng.randrange(3))]
    ahead = rng.randrange(-780, 840, 30)  # past the date line, too
    there = journey("BOS", leaves, "LIS", minutes + sum(layovers), layovers, ahead)
    lands = leaves + timedelta(minutes=minutes + sum(layovers) + ahead)
    nights = rng.randrange(1, 30)
    back_at = datetime.combine(lands.date() + timedelta(nights), datetime.min.time()) + timedelta(
        minutes=rng.randrange(0, 1440, 5)
    )
    back = journey("LIS", back_at, "BOS", rng.randrange(90, 1200), (), -ahead)
    adults, cost, rent = rng.randrange(1, 10), rng.randrange(1, 5000), rng.randrange(1, 5000)
    first = date.fromordinal(lands.toordinal())
    rows = (
        flight(there, back, cost, adults),
        stay(first, date.fromordinal(first.toordinal() + nights), rent, adults),
    )
    return rows, nights, cost + rent, adults


def test_nights_sums_and_shares_of_five_hundred_trips_are_those_of_another_reckoning():
    rng = random.Random(31)
    for _ in range(500):
        rows, nights, total, adults = shaken(rng)
        outcome = drafted([rows[0]], [rows[1]], budget=price_of(total - 1, "USD"))
        sums = foot(outcome)

        assert outcome.state == "done", outcome.text
        assert f"{nights} night{'s' * (nights > 1)} on the ground" in [
            check.finding for check in outcome.table.checks
        ]
        assert sums[f"total, for {adults}"] == total
        assert sums["over the budget"] == 1
        share = sums.get("for each", Decimal(total))
        assert share * adults >= total > (share - Decimal("0.01")) * adults
        assert outcome.table.rows[1].cells["includes"].startswith(f"{nights} night")


def there(**more):
    return journey("BOS", START, "LIS", **{"minutes": 390, "ahead": 300, **more})  # lands on the 14th, 08:55


def back(day=17, hour=12, start="LIS", end="BOS", **more):
    return journey(start, datetime(2027, 5, day, hour), end, **{"minutes": 440, "ahead": -300, **more})


def nights(first=14, last=17, **more):
    return stay(date(2027, 5, first), date(2027, 5, last), **more)


PORTO = nights()._replace(private={**nights().private, "destination": "Porto", "where": "/m/0pmpl"})
BOTH_WAYS, JUNE = flight(there(), back()), stay(date(2027, 6, 14), date(2027, 6, 17))
TWO = flight(there(), back(), adults=2)
ODD, ODD_BACK = there()._replace(flown=300), back()._replace(minutes=500)
# What is drafted, and a part of what is told of it.
FAULTS = {
    "a stay in another place": (BOTH_WAYS, PORTO, "the stay is in Porto, not Lisbon"),
    "no way back": (flight(there(), None), nights(), "no way back is known"),
    "back before it lands": (flight(there(), back(14, 7)), nights(14, 14), "before they land"),
    "back before it leaves": (flight(there(), back(12)), nights(12, 14), "before they land"),
    "a night too few": (BOTH_WAYS, nights(14, 16), "3 nights on the ground, 2027-05-14 to 2"),
    "a night too many": (BOTH_WAYS, nights(13, 17), "the stay is 2027-05-13 to 2027-05-17"),
    "other nights": (BOTH_WAYS, nights(15, 18), "the stay is 2027-05-15 to 2027-05-18"),
    "nights of another month": (BOTH_WAYS, JUNE, "the stay is 2027-06-14"),
    "a stay for fewer": (TWO, nights(), "not for as many: 1 and 2 adults"),
    "flights for fewer": (BOTH_WAYS, nights(adults=2), "not for as many: 1 and 2 adults"),
    "another currency": (BOTH_WAYS, nights(currency="EUR"), "USD and EUR are not added up"),
    "a short connection there": (flight(there(layovers=[44]), back()), nights(), "BOS–LIS leaves 44 min"),
    "a short connection back": (flight(there(), back(layovers=[90, 30])), nights(), "LIS–BOS leaves 30 min"),
    "a way longer than its parts": (flight(ODD, back()), nights(), "takes 390 min"),
    "a way back of odd parts": (flight(there(), ODD_BACK), nights(), "LIS–BOS takes 500 min"),
    "a far dearer return": (flight(there(), back(), times="2.6"), nights(), "2.6 times the price"),
    "a later stay, one way": (
        flight(there(), None, last=""),
        nights(15, 18),
        "4 nights on the ground, 2027-05-14",
    ),
}


@pytest.mark.parametrize(("flown", "stayed", "why"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_named_and_the_trip_is_not_sound(flown, stayed, why):
    outcome = drafted([flown], [stayed])

    assert (outcome.state, outcome.code, outcome.exit_status) == ("failed", "unsound", 1)
    assert why in outcome.text
    assert why in " ".join(check.finding for check in outcome.table.checks if check.is_met is False)


AIRPORT = flight(there(), back(), where="JFK", destination="JFK")


@pytest.mark.parametrize(
    ("flown", "stays", "said"),
    [
        (BOTH_WAYS, [], ["both ways", "no stay in it, bags and city tax not included"]),
        (flight(there(), None, last=""), [nights()], ["one way", "3 nights on the ground"]),
        (flight(there(), back(), nights="4"), [nights()], ["both ways", "4 nights were requested, not 3"]),
        (AIRPORT, [nights()], ["both ways", "3 nights on the ground", "the stay is in Lisbon, not JFK"]),
    ],
    ids=["no stay yet", "one way", "other nights", "an airport"],
)
def test_what_is_as_they_said_or_not_looked_for_yet_is_told_and_is_no_fault(flown, stays, said):
    outcome = drafted([flown], stays)

    assert outcome.state == "done"
    assert [check.finding for check in outcome.table.checks][: len(said)] == said
    assert all(check.is_met is not False for check in outcome.table.checks)


@pytest.mark.parametrize(
    ("rule", "budget", "costs"),
    [
        ("cheapest", None, (500, 300)),
        ("best rated", None, (500, 900)),
        ("best rated", 1100, (500, 600)),
        ("best rated", 900, (500, 300)),
        ("best rated", 100, (500, 300)),  # nothing fits: the cheapest
    ],
)
def test_what_is_not_named_is_picked_by_the_rule_within_the_budget(rule, budget, costs):
    flights = [flight(there(), back(), cost) for cost in (700, 500)]
    stays = [nights(cost=cost) for cost in (300, 600, 900)]
    rated = [
        row._replace(cells={**row.cells, "rating": Rating(Decimal(f"4.{n}"), 100)})
        for n, row in enumerate(stays)
    ]
    limit = Money(Decimal(budget), "USD") if budget else None
    found = fitting([flights, rated], rule, limit)

    assert tuple(int(row.cells["price"].amount) for row in found) == costs
