"""`jarvis trip`: what was approved of is listed, shown and removed, without a model."""

from __future__ import annotations

import json

from jarvis.core.types import Facts
from jarvis.packs.trip import approve
from jarvis.store.items import SavedItems
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
    title = "Lisbon, Fri 14 May – Mon 17 May"
    assert [(each["number"], each["title"]) for each in listed] == [(1, title), (2, title)]
    assert lines == [f" {n} {title}" for n in (1, 2)]
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
