"""What shopping costs in calls of the model and in searches: to go on from what was found, none."""

import datetime

import pytest

from jarvis.core.events import TableShown
from jarvis.store.addresses import kept_tables, tables_in
from tests.far import Far
from tests.lying import finding, plan
from tests.selling import sold

NO_KEYS = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}
HELLO = plan("reply", text="Hello.")
WEEK = datetime.timedelta(days=7)
EBAY = "https://www.ebay.com/itm/{}"
# What is said of used lanterns, one after the other, and the titles on the list then; or what was opened.
GOING_ON = (
    ("dearest first", ["Lantern, scratched", "Restored lantern", "Lantern, worn", "Old lantern"]),
    ("only from eBay", ["Lantern, scratched", "Lantern, worn"]),
    ("open 2", EBAY.format(110000000006)),
    ("under $60", ["Lantern, worn"]),
    ("undo", ["Lantern, scratched", "Lantern, worn"]),
    ("open the dearest", EBAY.format(110000000007)),
)
FINDS = {
    "goods": ("find me a lantern to buy", {}, (1, 1)),
    "within a limit": ("find me a lantern under $100", {"most": "100 USD"}, (1, 1)),
    "used goods": ("find me a used lantern", {"state": "used"}, (1, 2)),
    "two things": ("a lantern and a mouse, what do they cost?", {"queries": "lantern; mouse"}, (1, 2)),
}


def find(shell, words="find me a used lantern", **fields):
    """Script what finds it."""
    shell.serpapi.sells(google_shopping=sold, ebay=sold)
    shell.gemini.plans(finding(**(fields or {"state": "used"})))
    return words


def spent(shell, before):
    return tuple(now - then for now, then in zip(shell.cost, before, strict=True))


def listed(done):
    """The titles on a pipe."""
    return [line.split("\t")[1] for line in done.stdout.splitlines()]


def go_on(shell):
    """Say all of it, each in a process of its own that has no keys."""
    before, opened = shell.cost, []
    for words, expected in GOING_ON:
        done = shell.jarvis("-t", "default", words, environment=NO_KEYS)
        assert (words, done.status) == (words, 0), done.stderr
        if isinstance(expected, str):
            opened.append(expected)
            assert shell.opened == opened
        else:
            assert (words, listed(done)) == (words, expected)
    assert spent(shell, before) == (0, 0)


@pytest.mark.parametrize("name", FINDS)
def test_to_find_takes_one_call_and_the_table_ends_the_turn(house, name):
    if name != "goods":  # in a thread in which there was something else before
        house.model_plans(HELLO)
        house.ask("hello there")
        house.ask(find(house))
    words, fields, cost = FINDS[name]
    before = house.cost

    asked = house.ask(find(house, words, **{"queries": "lantern", **fields}))

    assert (asked.status, asked.reply, spent(house, before)) == (("done", 0), "", cost)
    assert asked.summary["usage"]["credits"] == cost[1]
    assert isinstance(asked[-2], TableShown)


def test_a_turn_makes_no_more_searches_than_it_may_and_all_that_it_made_are_counted(house):
    house.configure("[budgets]\ncredits = 2\n")
    words = find(
        house, "a lantern, a mouse and a keyboard, what do they cost?", queries="lantern; mouse; keyboard"
    )
    house.model_plans({**finding(), "finish": False}, plan("reply", text="No more."))

    asked = house.ask(words)

    assert len(house.serpapi.requests) == asked.summary["usage"]["credits"] == 2
    assert house.rows("SELECT SUM(searches) FROM usage") == [(2,)]


def test_a_week_later_it_is_gone_on_from_without_a_call(house, shell):
    assert house.ask(find(house)).status == ("done", 0)
    house.kept(a_week_ago)

    go_on(shell)


async def a_week_ago(store):
    """Have all of it happened then: the turns, and what was seen."""
    for column in ("started_at", "ended_at"):
        await store.database.run(f"UPDATE turns SET {column} = {column} - {WEEK.total_seconds():.0f}")
    ((turn, packed),) = await store.database.run("SELECT id, tables FROM turns WHERE tables IS NOT NULL")
    (found,) = tables_in(packed)
    then = datetime.datetime.fromisoformat(found.table.seen_at) - WEEK
    aged = kept_tables([found._replace(table=found.table._replace(seen_at=then.isoformat()))])
    await store.database.run("UPDATE turns SET tables = ? WHERE id = ?", aged, turn)


def test_while_the_server_is_down_too(house, shell, postgres):
    url = postgres.schema()
    with Far(url) as line:
        house.environment["DATABASE_URL"] = shell.environment["DATABASE_URL"] = line.url
        house.ask(find(house))
        line.stop()
        go_on(shell)

        line.start()
        last = listed(shell.jarvis("-t", "default", "dearest first"))
        kept = [turn["goal"] for turn in shell.turns("default")]
    assert last == ["Lantern, scratched", "Lantern, worn"]
    assert kept == ["find me a used lantern", *(words for words, _ in GOING_ON), "dearest first"]
    postgres.drop(url)
