"""Threads with their tables, and lists with their prices, are moved; a file is not believed."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.agent.begin import read_thread
from jarvis.core.errors import StoreFailed, UsageError
from jarvis.core.events import TableShown
from jarvis.core.types import Found, Outcome
from jarvis.packs.shop.keep import lists_in
from jarvis.store.addresses import tables_in
from jarvis.store.items import SavedItem, SavedItems
from jarvis.store.transfer import exported, exported_lists, imported, imported_lists
from tests.conftest import BOTH
from tests.steps import end_step, keep_found, start_step, turns_before
from tests.store.test_items import wish
from tests.store.test_listed import FILTERED, SWITCHES, found

if TYPE_CHECKING:
    from collections.abc import Callable

PUBLIC = SWITCHES._replace(rows=tuple(row._replace(private={}) for row in SWITCHES.rows))


def at(*path: str | int, to: Any) -> Callable[[Any], None]:
    """What puts a value into a record."""

    def change(record: Any) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return change


def again(table: str, **values: Any) -> Callable[[Any], None]:
    """What adds the first row of *table* once more, but for *values*."""
    return lambda record: record[table].append(record[table][0] | values)


def changed(record: Any, *changes: Callable[[Any], None]) -> Any:
    other = copy.deepcopy(record)
    for change in changes:
        change(other)
    return other


async def lived(store: Any) -> None:
    """A thread in which somebody typed, piped in, found and opened; a list, and what was asked of it."""
    await found(store)
    await found(store, FILTERED, "under $150")
    history = store.history
    urls = ["https://typed.example/"], ["https://piped.example/"], [("https://site.example/", "site", "site")]
    turn = await history.begin("default", "find a", *urls, material="a mail", intent=["open site A"])
    reason = ("organic", "its host is the name", "A")
    await keep_found(history, turn, 1, [Found("https://a.example/", "A", "", *reason)])
    for n, id_ in ((1, "u1"), (2, "r1")):
        await start_step(history, turn, n, "open_website", {"address": id_}, "x")
        await end_step(history, turn, n, Outcome("done", "Sent."), id_)
    await history.end(turn, "done", "See [1].", shown=["r1", "u1", "s3"])
    await history.end(await history.begin("other", "Hello there"), "done", "Good day.")


async def taken(store: Any) -> Any:
    """The thread `default` as a file has it. It is deleted here."""
    told = json.loads(json.dumps(await exported(store.database, "default")))
    await store.delete("default")
    return told


@pytest.fixture
def alive(shell) -> Any:
    """A home with these threads."""
    shell.kept(lived)
    return shell


@pytest.fixture
def record(alive) -> Any:
    """The thread `default` of `alive`, which is then deleted."""
    return alive.kept(taken)


def believed(record: Any) -> Any:
    """*record* as an import keeps it, written out here once more."""
    anyones = {"source": "found", "official": "", "official_name": "", "opened": None, "shown": None}
    told = changed(record)
    for table, values in (
        ("turns", {"own": 0, "shown": None, "confirmed": 1}),
        ("steps", {"confirmed": 1}),
        ("addresses", anyones),
    ):
        for row in told[table]:
            row |= values
    for table in (table for turn in told["turns"] for table in turn["tables"] or []):
        table["private"] = [{} for _ in table["private"]]
    return told


def test_threads_move_to_postgres_and_back_with_all_that_is_believed_of_a_file(alive, url):
    there = {"DATABASE_URL": url}
    exported = alive.jarvis("threads", "export").stdout
    (alive.home / "threads.jsonl").write_text(exported)

    moved = alive.jarvis("threads", "import", str(alive.home / "threads.jsonl"), environment=there)
    back = alive.jarvis("threads", "export", environment=there).stdout.splitlines(keepends=True)
    opened = alive.jarvis("-t", "other", "open", "a.example", environment=there)
    alive.jarvis("threads", "delete", "-y", "default")
    again = alive.jarvis("threads", "import", "-", stdin=back[0])

    assert moved.stdout == "Imported default (3 requests).\nImported other (1 request).\n"
    told = [json.loads(line) for line in exported.splitlines()]
    assert [json.loads(line) for line in back] == [believed(each) for each in told] != told
    assert (opened.status, again.stdout) == (0, "Imported default (3 requests).\n")
    assert alive.jarvis("threads", "export", "default").stdout == back[0]


def test_a_thread_that_is_there_is_left_as_it_is_and_a_copy_of_it_needs_turns_of_its_own(alive):
    told, other = (alive.jarvis("threads", "export", name).stdout for name in ("default", "other"))
    fresh = other.replace(json.loads(other)["turns"][0]["id"], "0123456789abcdef")
    here, anew = "default already exists. Nothing changed.\n", "Imported another (1 request).\n"
    both = "Imported new (1 request).\nnew already exists. Nothing changed.\n"
    for how, stdin, status, stdout, stderr in (
        ([], told, 0, here, []),
        (
            [],
            told.replace('"default"', '"copy"') + fresh,
            1,
            "",
            ["Line 1: ", " already has a conversation default.", "Line 2: "],
        ),
        (["--as", "another"], fresh, 0, anew, []),
        (["--as", "new"], fresh.replace("0123", "3210") * 2, 0, both, []),
    ):
        done = alive.jarvis("threads", "import", *how, "-", stdin=stdin)

        assert (done.status, done.stdout) == (status, stdout)
        assert [each for each in stderr if each not in done.stderr] == []
    assert alive.jarvis("threads", "export", "default").stdout == told
    listed = {thread["id"] for thread in alive.json("threads", "list")}
    assert listed == {"default", "other", "another", "new"}


TABLE = "turns", 0, "tables"
BROKEN = {
    "an id without a number": at("addresses", 0, "id", to="x"),
    "an id twice": again("addresses"),
    "a URL that is none": at("addresses", 0, "url", to="javascript:alert(1)"),
    "arguments that are a list": at("steps", 0, "arguments", to="[1]"),
    "arguments without end": at("steps", 0, "arguments", to='{"a": Infinity}'),
    "arguments too deep": at("steps", 0, "arguments", to="[" * 50_000),
    "an intent of other things": at("turns", 0, "intent", to="[1]"),
    "time without end": at("threads", 0, "used_at", to=float("inf")),
    "time that is far": at("turns", 0, "started_at", to=1e300),
    "a number twice": again("turns", id="0" * 16),
    "a step twice": again("steps"),
    "a step of no turn": again("steps", turn="0" * 16),
    "a count with no room left": at("threads", 0, "found", to=2**31 - 1),
    "a thread that is a path": at("threads", 0, "id", to="../x"),
    "half a character": at("turns", 0, "goal", to="a\ud800"),
    "a text too long": at("turns", 0, "reply", to="a" * 1_000_001),
    "a status that isn't": at("turns", 0, "status", to="begun"),
    "rows that are none": at("turns", to=[5]),
    "another schema": at("schema", to=3),
    "tables that are no JSON": at(*TABLE, to="["),
    "tables too deep": at(*TABLE, to="[" * 50_000),
    "no table": at(*TABLE, 0, to={}),
    "a row with an id of an address": at(*TABLE, 0, "rows", 0, "id", to="r1"),
    "a row with an id of another number": at(*TABLE, 0, "rows", 0, "id", to="o٣"),
    "a row with a URL in another form": at(*TABLE, 0, "rows", 0, "url", to="HTTPS://shop.example/o1"),
    "a row with a URL that is none": at(*TABLE, 0, "rows", 0, "url", to="javascript:alert(1)"),
    "a row with a URL on one's own network": at(*TABLE, 0, "rows", 0, "url", to="http://router.local/"),
    "a line that is none": at(*TABLE, 0, "first", to="1"),
    "a column whose rank is a word": at(*TABLE, 0, "columns", 0, "rank", to="0"),
    "a page that begins nowhere": at(*TABLE, 0, "page", to=[-1, 10]),
    "a count that is none": at(*TABLE, 0, "left_out", to={"new": True}),
    "a check that says neither": at(*TABLE, 0, "checks", to=[{"name": "x", "ok": "yes", "said": "x"}]),
    "a request that is none": at(*TABLE, 0, "asked", to=[{"verb": "\x1b[31m"}]),
    "a request for half a line": at(*TABLE, 0, "asked", to=[{"verb": "first", "number": 1.5}]),
    "a sum with a page": at(*TABLE, 0, "foot", to=[{"url": "http://router.local/"}]),
}


def test_a_record_that_would_break_something_is_told_in_a_line_and_the_others_are_read(alive, record):
    """One line each, however it is broken, and nothing of it is kept."""
    lines = [json.dumps(changed(record, change)) for change in BROKEN.values()]
    lines += ["nonsense", "[1, 2]", "[" * 100_000, '{"schema": ' + "9" * 5000 + "}", json.dumps(record)]

    done = alive.jarvis("threads", "import", "-", stdin="\n".join(lines))

    told = [line for line in done.stderr.splitlines() if line.startswith("jarvis: ")]
    assert [line.split(":")[1] for line in told] == [f" Line {n}" for n in range(1, len(lines))]
    assert "The value at addresses.0.id makes no sense." in told[0]
    of_tables = dict(zip(BROKEN, told, strict=False))
    assert "The value at turns.0.tables" in of_tables["no table"]
    assert len(done.stderr.splitlines()) == 2 * len(told)  # each with its hint
    assert (done.stdout, done.status) == ("Imported default (3 requests).\n", 1)
    assert json.loads(alive.jarvis("threads", "export", "default").stdout) == believed(record)


def test_an_imported_thread_is_not_believed(alive, record):
    """Anybody may have written the file: it could say that they typed and opened what they never saw."""

    async def work(store: Any) -> Any:
        await imported(store.database, record)
        listed = await store.history.listed("default")
        kept = [tables_in(turn.tables) for turn in await store.threads.turns("default")]
        now = await store.history.begin("default", "open it")
        (*_, turn), offered = await turns_before(store.database, now), await read_thread(store.history, now)
        return listed, kept, now.offers, (turn.is_own, turn.material), offered.offered

    listed, tables, offers, said, offered = alive.kept(work)

    assert {row["source"] for row in record["addresses"]} == {"typed", "piped", "site", "found"}
    assert (listed, said, offers) == (([], ()), (False, "a mail"), 3)
    # What a service knows its lines by stays where it was.
    assert tables[:2] == [(TableShown(PUBLIC, 1),), (TableShown(FILTERED._replace(found=PUBLIC), 1),)]
    assert "private" in str(SWITCHES.rows[1])
    known = {(a.id, a.source, a.official, a.official_name) for a in offered}
    assert known == {(id_, "found", "", "") for id_ in ("u1", "u2", "s3", "r1")}
    assert alive.json("threads", "show")[2]["intent"] == ["open site A"]
    assert "understood as: open site A" in alive.jarvis("why", "3").stdout
    assert alive.jarvis("open", "1").status == 2


def test_what_was_under_way_is_imported_as_interrupted_and_its_step_as_unknown(alive, record):
    steps = (at("steps", n, "state", to="started") for n in range(2))
    told = changed(record, at("turns", 2, "status", to="open"), *steps)

    alive.kept(lambda store: imported(store.database, told))

    *_, turn = alive.json("threads", "show")
    assert (turn["status"], [step["state"] for step in turn["steps"]]) == ("interrupted", ["unknown"] * 2)


def test_counters_that_are_too_low_are_raised_so_that_no_id_is_given_again(alive, record):
    low = changed(record, *(at("threads", 0, name, to=0) for name in ("turns", "found", "typed")))
    alive.jarvis("threads", "import", "-", stdin=json.dumps(low))
    alive.search_finds("https://c.example/")
    alive.gemini.plans(
        {"action": "search", "query": "x"}, {"action": "reply", "text": "It is [r2].", "finish": True}
    )

    found = alive.json("where is c?")
    alive.jarvis("open", "1")

    assert [source["url"] for source in found["sources"]] == ["https://c.example/"]
    assert alive.opened == ["https://c.example/"]
    assert [turn["n"] for turn in alive.json("threads", "show")] == [1, 2, 3, 4, 5]


@BOTH
def test_a_long_thread_is_imported_as_a_whole_or_not_at_all(alive, record):
    long, ids = changed(record), [f"{n:016x}" for n in range(1, 1202)]
    long["turns"] = [record["turns"][0] | {"id": id_, "n": n} for n, id_ in enumerate(ids, 1)]
    long["steps"] = [record["steps"][0] | {"turn": id_} for id_ in ids]

    async def work(store: Any) -> Any:
        (mine,) = await store.threads.turns("other")
        with pytest.raises(StoreFailed):
            await imported(
                store.database, changed(long, at("turns", 1200, "id", to=mine.id), at("steps", to=[]))
            )
        left = bool(await store.threads.find("default"))
        return left, await imported(store.database, long), len(await store.threads.turns("default"))

    assert alive.kept(work) == (False, ("default", 1201), 1201)


# The person's own lists: that they are moved, tests/cli/test_lists.py shows.


@pytest.fixture
def records(house) -> Any:
    """Two things on lists of two packs, as a file has them. In the house they are gone."""

    async def work(store: Any) -> Any:
        await wish(lists_in(store.database))
        await SavedItems(store.database, "tides").add([SavedItem("ports", "a", {"name": "Le Havre"})])
        records = json.loads(json.dumps(await exported_lists(store.database)))
        await store.database.run("DELETE FROM items")
        return records

    return house.kept(work)


BROKEN_LISTS = {
    "no record": lambda record: record.clear(),
    "another schema": at("schema", to=3),
    "a pack that can be none": at("item", "pack", to="../x"),
    "an id that is none": at("item", "id", to=""),
    "time that is far": at("item", "at", to=1e300),
    "a body that is none": at("item", "body", to=[]),
    "a body without end": at("item", "body", to={"a": "x" * 20_000}),
    "a body with half a character": at("item", "body", to={"a": "\ud800"}),
}


@pytest.mark.parametrize("change", BROKEN_LISTS.values(), ids=BROKEN_LISTS)
def test_a_record_of_a_list_that_makes_no_sense_is_refused_and_with_it_the_others(house, records, change):
    async def work(store: Any) -> Any:
        with pytest.raises(UsageError) as refused:
            await imported_lists(store.database, changed(records, lambda all_: change(all_[1])))
        return refused.value.hint, await exported_lists(store.database)

    assert house.kept(work) == ("jarvis packs export > lists.jsonl", [])


def test_no_text_of_a_list_steers_the_terminal_and_no_page_is_made_up(house, records):
    item = records[0]["item"]
    item["list"] = item["id"] = item["body"]["title"] = "a\x1b[31mb\nc" + "x" * 1000
    item["body"] |= {"url": "javascript:alert(1)", "cells": {"store": "\u202eshop"}}

    async def work(store: Any) -> Any:
        await imported_lists(store.database, records[:1])
        return (await lists_in(store.database).items())[0]

    item = house.kept(work)

    assert {text[:5] for text in (item.list, item.id, item.title)} == {"ab cx"}
    assert len(item.title) <= 300
    assert (item.store, item.url) == ("shop", "")
