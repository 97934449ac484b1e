"""A connection that is lost right after COMMIT: all is done again, and comes to the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jarvis.core.types import Found, Outcome, Plan, Step
from jarvis.store.history import History, Journal, close_abandoned_turns
from jarvis.store.usage import counting_once
from tests.conftest import BOTH
from tests.steps import end_step, start_step
from tests.trips import Again

if TYPE_CHECKING:
    from jarvis.store.database import Database

pytestmark = BOTH
PAGES = [Found(f"https://{name}.example/", name.upper()) for name in "abc"]
SEARCH = Step(
    1, Plan("search", {"query": "abc"}, text="Look."), Outcome("done", "3.", value="abc", found=tuple(PAGES))
)
TABLES = ("threads", "turns", "steps", "addresses", "usage")


async def whole_turn(history: History, store: Any) -> tuple[Any, ...]:
    """All that a turn writes, after another that a crash left open; what it was told by them."""
    crashed = await store.history.begin("default", "open a page", ["https://p.example/"])
    await start_step(store.history, crashed, 1, "open_website", {"address": "u1"}, "https://p.example/")
    left = await close_abandoned_turns(history.database, "default")
    turn = await history.begin("default", "find abc", ["https://t.example/"])
    journal = Journal(history.database, turn, intent=lambda: ["open abc"])
    found = await journal.keep_found(SEARCH, ())
    opened = {"address": found[0].id}
    await start_step(history, turn, 2, "open_website", opened, PAGES[0].url)
    await end_step(history, turn, 2, Outcome("done", "Sent."), found[0].id)
    tokens = {"input_tokens": 7, "output_tokens": 5}
    await history.end(turn, "done", "See [1].", shown=[found[1].id], extra=[counting_once(turn, tokens)])
    return turn[1:], [(each.n, each.action, each.target) for each in left], [address.url for address in found]


async def rows_of(database: Database) -> dict[str, list[Any]]:
    kept = {}
    for table in TABLES:
        columns = "turn, n, action, state, outcome, rule, why" if table == "steps" else "*"
        if table == "turns":
            columns = "thread, n, goal, status, reply, intent, own"
        if table == "threads":
            columns = "id, turns, typed, title"
        if table == "addresses":  # a second attempt gives ids of its own
            columns = "thread, url, title, source, turn, step, place, opened, shown"
        kept[table] = sorted(await database.run(f"SELECT {columns} FROM {table}"))
    kept["steps"] = sorted(row[1:] for row in kept["steps"])  # the turns' ids are made up anew
    return kept


def test_a_turn_that_is_written_twice_is_the_same_turn(house):
    async def once(store):
        return await whole_turn(store.history, store), await rows_of(store.database)

    async def twice(store):
        await store.delete(None)
        await store.database.run("DELETE FROM usage")
        again = Again(store.database)
        done = await whole_turn(History(again), store), await rows_of(store.database)
        return done, again.repeated

    expected = house.kept(once)
    written, repeated = house.kept(twice)

    assert repeated == 8
    assert written == expected
    (turn, left, found), kept = written
    assert (turn[0], turn[1], [address.id for address in turn[2]]) == ("default", 2, ["u2"])
    assert [(n, action) for n, action, _ in left] == [(1, "open_website")]
    assert found == [page.url for page in PAGES]
    assert [row[3:] for row in kept["usage"]] == [(0, 7, 5)]
    assert [row[2] for row in kept["steps"]] == ["unknown", "done", "done"]
