"""`jarvis trip`: what was approved of is listed, shown and removed, without a model."""

import json

import pytest

from jarvis.core.types import Facts
from jarvis.packs.trip import approve
from jarvis.store.items import SavedItem, SavedItems
from tests.conftest import BOTH
from tests.packs.trip.test_audit import back, drafted, nights, there
from tests.packs.trip.travels import flight


def keep(shell, *costs):
    drafts = [drafted([flight(there(), back(), cost)], [nights()]).table for cost in costs]

    async def work(opened):
        for draft in drafts:
            effect = approve.ACTION.resolve({}, Facts({}, tables=(draft,)))
            await approve.ACTION.perform(effect, SavedItems(opened.database, "trip"))

    shell.kept(work)


@BOTH
def test_trips_are_listed_shown_and_removed(shell):
    none = shell.jarvis("trip", "list")
    assert (none.status, none.stdout, "jarvis approve" in none.stderr) == (0, "", True)

    keep(shell, 500, 600, 500)  # the third is the first again
    listed = json.loads(shell.jarvis("trip", "list", "--json").stdout)
    lines = shell.jarvis("trip", "list").stdout.splitlines()
    shown = json.loads(shell.jarvis("trip", "show", "--json").stdout)
    told = shell.jarvis("trip", "show", "1").stdout
    title = "Boston → Lisbon, Fri 14 May – Mon 17 May 2027"
    assert [(each["number"], each["title"]) for each in listed] == [(1, title), (2, title)]
    assert lines == [f" {n} {title}  {total}" for n, total in ((1, "$900.00"), (2, "$1,000.00"))]
    assert listed[0]["total"] == {"amount": "900.00", "currency": "USD"}
    about = {"first": "2027-05-14", "last": "2027-05-17"}
    assert listed[0].items() >= about.items()
    assert (shown["number"], shown["title"], shown["kept_at"]) == (2, title, listed[1]["kept_at"])
    assert [row["price"]["amount"] for row in shown["trip"]["rows"]] == ["600.00", "400.00"]
    assert all(
        each in told for each in (title, "Casa Verde", "500.00 USD", "$900.00", "3 nights on the ground")
    )

    removed = json.loads(shell.jarvis("trip", "rm", "1", "--json").stdout)
    assert removed == {"removed": listed[0]}
    assert shell.jarvis("trip", "rm", "1").stdout == f"Removed the trip “{title}”.\n"
    gone = shell.jarvis("trip", "show", "1")
    assert (gone.status, "There is no trip 1." in gone.stderr) == (2, True)


@pytest.mark.parametrize("body", [{}, {"draft": None}, {"title": 5, "draft": {"rows": [1]}, "total": "much"}])
def test_what_was_imported_and_is_no_trip_is_told_in_a_line(shell, body):
    async def work(opened):
        await SavedItems(opened.database, "trip").add([SavedItem("trips", "x", body)])

    shell.kept(work)
    shown = shell.jarvis("trip", "show")

    assert shell.jarvis("trip", "list").stdout == " 1 a trip\n"
    assert (shown.status, "Can't read trip 1." in shown.stderr) == (1, True)
    assert shell.jarvis("trip", "rm", "1").status == 0


def test_a_place_is_remembered_until_it_is_to_be_forgotten(shell):
    async def work(opened):
        naples = {"id": "/m/0fhsz", "name": "Naples, Italy", "what": ""}
        await SavedItems(opened.database, "trip").add([SavedItem("places", "naples", naples)])

    shell.kept(work)
    assert shell.jarvis("trip", "forget", "Naples").stdout == "Forgot the place “naples”.\n"
    gone = shell.jarvis("trip", "forget", "Naples")
    assert (gone.status, "Jarvis doesn't remember a place called “naples”." in gone.stderr) == (2, True)
