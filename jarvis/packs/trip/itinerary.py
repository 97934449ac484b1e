"""Add up a trip: flights and a stay, their total, and whether they fit each other.

Python picks the missing parts, adds up the costs, and checks the trip. Nothing is booked.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_UP
from typing import Any

from ...actions.base import ENGINES, BrainAction, Field, Service
from ...core.errors import Refused
from ...core.follow_ups import drawn_ratings
from ...core.money import Money
from ...core.tables import BEST_RATED, COST, MONEY, Check, Column, Rating, Row, currencies, money_in
from ...core.text import pluralize
from ...core.types import Effect, Facts, Outcome
from ...search.serpapi import Engines
from ..entries import table_of
from ..sums import BUDGET, Choice, best, left_of, sum_by_currency, within_budget
from . import FLIGHT, HOTEL, TRIP
from .find_flights import DEAR, cost_of, ways_back, ways_in
from .finding import last_rows, nights_between

_RULES = (BEST_RATED, "cheapest")
_SHORTEST = 45  # minutes to change planes
_DRAFT = "Draft. Type what to change, or “approve”."
_UNSOUND = "Not a sound trip, so Jarvis can't keep it. Type what to change."
_TOLD = ("what", "when", "includes")  # what rows of flights and stays say of themselves
_COLUMNS = (
    *(Column(key, key, rank=rank) for rank, key in enumerate(_TOLD)),
    Column("price", "price", MONEY, 0, COST),
)


class Itinerary(BrainAction):
    name = "itinerary"
    verb = "add up"
    description = (
        "add up a trip out of the flights and stays that were found, which Python computes and checks: a "
        "draft that they can have changed or kept. `offers` are the flight and the stay that they chose; "
        "what is not among them it picks by `rule`, to fit `budget` together."
    )
    fields = (
        Field("offers", "ids or lines of those that they chose: o3 o14", kind="quantities", optional=True),
        Field("rule", "how the rest is picked", optional=True, kind="choice", choices=_RULES),
        Field("budget", "what the trip may cost in all", optional=True, kind="money", stated=True),
    )
    effect = "searches"
    services = (Service(ENGINES),)
    answers = True
    attempts = 3
    sums_up = True
    needs_table = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        ids, rule = arguments.get("offers") or (), arguments.get("rule")
        lists = [_offered(facts, kind, ids, rule) for kind in (FLIGHT, HOTEL)]
        found = {table.kind: table.rows for table in facts.tables}
        if not (any(lists) and all(found.get(kind, lists) for kind in (FLIGHT, HOTEL))):
            raise Refused("There is nothing to add up: look for flights and a stay that there are.")
        to = next(row.private["destination"] for rows in lists for row in rows)
        rule, budget = rule or BEST_RATED, arguments.get("budget") or _budget(facts, to)
        target = ", ".join(ids) or f"{rule}{f' that fit {budget.formatted}' if budget else ''}"
        return Effect("searches", target, {"lists": lists, "rule": rule, "budget": budget}, credits=2)

    async def perform(self, effect: Effect, engines: Engines) -> Outcome:
        rows, budget = fitting(**effect.arguments), effect.arguments["budget"]
        if not _is_whole(rows[0]):
            rows[0] = (await ways_back(rows[0], engines))[0]._replace(id=rows[0].id)
        found, total = audited(rows), sum_by_currency([cost_of(row) for row in rows])
        unsound = "; ".join(check.finding for check in found if check.is_met is False)
        note = f"{rows[0].private.get('tried', '')} {_UNSOUND if unsound else _DRAFT}".strip()
        keys = [column.key for column in _COLUMNS]
        own = [row._replace(cells={key: row.private.get(key, cost_of(row)) for key in keys}) for row in rows]
        table = table_of(TRIP, _COLUMNS, own, {}, note)
        foot = _foot(total, int(rows[0].private["adults"]), budget)
        table = table._replace(foot=tuple(foot), checks=(*found, *within_budget(total, budget)))
        if unsound:
            why = f"This is not a sound trip: {unsound}."
            return Outcome("failed", why, effect.target, code="unsound", exit_status=1, table=table)
        costs = " and ".join(money.formatted for money in total)
        return Outcome("done", f"Added up the trip: {costs}.", effect.target, table=table)


def _offered(facts: Facts, kind: str, ids: Sequence[str], rule: str | None) -> Sequence[Row]:
    """Return the rows to pick from: those with *ids*, or the draft's, or all of them for a *rule*."""
    rows = {row.id: row for table in facts.tables for row in table.rows if row.private.get("kind") == kind}
    if chosen := [rows[id_] for id_ in ids if id_ in rows]:
        if len(chosen) > 1:
            raise Refused("A trip has one flight and one stay: name one of each.")
        return chosen
    found, newest = last_rows(facts, kind), [row for row in last_rows(facts, kind, TRIP) if row.id in rows]
    return newest if newest and not rule else [*found, *newest]


def _budget(facts: Facts, to: str) -> Money | None:
    """Return the budget of the draft before, if it goes to the same place. A new budget replaces it."""
    # As it was worked out: it may have been narrowed since, and has no foot then.
    drafts = [draft.found or draft for draft in facts.tables if draft.kind == TRIP]
    foot = [row for draft in drafts[-1:] if draft.rows[0].private["destination"] == to for row in draft.foot]
    return next((money_in(row.cells["price"]) for row in foot if row.cells["what"] == BUDGET), None)


def fitting(lists: Sequence[Sequence[Row]], rule: str, budget: Money | None) -> list[Row]:
    """Return the best flight and stay by *rule* that fit the *budget* together.

    lists: of flights and of stays. An empty one gives nothing. If nothing fits, it picks the cheapest.
    """
    flights, stays = lists
    # Best is one with a way back, for whose nights there is a stay.
    whole = [row for row in flights if _is_whole(row)] or flights
    fit = [row for row in whole if any(_has_nights(row, stay) for stay in stays)]
    wants = [want for want in (fit or whole, stays) if want]
    places = best([_choices(want, rule) for want in wants], budget)
    return [want[place] for want, place in zip(wants, places, strict=True)]


def _is_whole(row: Row) -> bool:
    """Return whether *row* needs no way back, or has one."""
    return "out" not in row.private or bool(row.private.get("back") or not row.private["last"])


def _has_nights(flight: Row, stay: Row) -> bool:
    """Return whether a *stay* covers the nights between both ways, or for one way the nights from landing."""
    flown, paid = flight.private, stay.private
    return (flown["first"], flown["last"] or paid["last"]) == (paid["first"], paid["last"])


def _choices(want: Sequence[Row], rule: str) -> list[Choice]:
    cells = [row.cells.get("rating") if rule == BEST_RATED else None for row in want]
    worths = drawn_ratings([cell if isinstance(cell, Rating) else None for cell in cells])
    return [Choice(cost_of(row), worth) for row, worth in zip(want, worths, strict=True)]


def _foot(total: Sequence[Money], adults: int, budget: Money | None) -> Iterator[Row]:
    """Yield the sums below the rows."""
    sums = [(f"total, for {adults}", money) for money in total]
    for money in total if adults > 1 else ():
        share = (money.amount / adults).quantize(money.amount, ROUND_UP)  # which can be paid
        sums.append(("for each", money._replace(amount=share)))
    sums += left_of(total, budget)
    yield from (Row("", {"what": what, "price": money}) for what, money in sums)


def audited(rows: Sequence[Row]) -> tuple[Check, ...]:
    """Return the checks of a trip. One that fails makes the trip unsound."""
    of = {row.private["kind"]: row for row in rows}
    checks = [*(_flights(of[FLIGHT]) if FLIGHT in of else ()), *(_together(*rows) if rows[1:] else ())]
    missing = [f"no {what} in it" for kind, what in ((FLIGHT, "flights"), (HOTEL, "stay")) if kind not in of]
    return (*checks, Check("not included", None, ", ".join([*missing, "bags and city tax not included"])))


def _flights(flight: Row) -> Iterator[Check]:
    """Yield the checks of a flight: its way back, its nights, its times, and its listed price."""
    flown, (there, *back) = flight.private, ways_in(flight.private)
    finding = "both ways" if back else "one way" if _is_whole(flight) else "no way back is known"
    if back and back[0].leaves <= there.lands:
        finding = f"the way back leaves on {back[0].leaves}, before they land on {there.lands}"
    yield Check("both ways", finding in ("both ways", "one way"), finding)
    wanted = int(flown.get("nights") or 0)
    if back and wanted and (nights := nights_between(flown["first"], flown["last"])) != wanted:
        yield Check("asked", None, f"{pluralize(wanted, 'nights')} were requested, not {nights}")
    if back and back[0].start != there.end:
        yield Check("airports", None, f"back from {back[0].start}, not {there.end}")
    for way in (there, *back):
        route, parts = f"{way.start}–{way.end}", way.flown + sum(way.layovers)
        if way.minutes != parts:
            yield Check("duration", False, f"{route} takes {way.minutes} min, and its parts {parts}")
        if (shortest := min(way.layovers, default=_SHORTEST)) < _SHORTEST:
            yield Check("connection", False, f"{route} leaves {shortest} min to change planes")
    if dear := flight.private.get(DEAR):
        text = f"{cost_of(flight).formatted}, {dear} times the price of the list of ways there (asked again)"
        yield Check("return", False, f"return: {text}")


def _together(flight: Row, stay: Row) -> Iterator[Check]:
    """Yield the checks of a flight with a stay: nights, place, party, and currency."""
    flown, paid = flight.private, stay.private
    if _is_whole(flight):
        last, is_met = flown["last"] or paid["last"], _has_nights(flight, stay)
        finding = f"{pluralize(nights_between(flown['first'], last), 'nights')} on the ground"
        other = f", {flown['first']} to {last}, but the stay is {paid['first']} to {paid['last']}"
        yield Check("nights", is_met, finding if is_met else finding + other)
    if flown["where"] != paid["where"]:
        is_sure = all(each["where"].startswith("/") for each in (flown, paid))  # JFK is in New York
        finding = f"the stay is in {paid['destination']}, not {flown['destination']}"
        yield Check("place", False if is_sure else None, finding)
    parties = sorted({row.private["adults"] for row in (flight, stay)})
    if len(parties) > 1:
        yield Check("party", False, f"not for as many: {' and '.join(parties)} adults")
    if len(codes := currencies(map(cost_of, (flight, stay)))) > 1:
        yield Check("currency", False, f"amounts in {' and '.join(codes)} are not added up")


ACTION = Itinerary()
