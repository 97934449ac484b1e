"""Threads with their tables, and lists with their prices, are moved; a file is not believed."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.agent.begin import read_thread
from jarvis.core.errors import StoreFailed, UsageError
from jarvis.core.events import Tabled
from jarvis.core.types import Found, Outcome
from jarvis.packs.shop.keep import lists_in
from jarvis.store.addresses import tables_in
from jarvis.store.items import SavedItem, SavedItems
from jarvis.store.transfer import exported, exported_lists, imported, imported_lists
from tests.conftest import BOTH
from tests.steps import end_step, keep_found, start_step, turns_before
from tests.store.test_items import wish
from tests.store.test_listed import FILTERED, SWITCHES, found
from tests.store.test_threads import ASK, replied, talk, talked

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["talked"]
Change = "Callable[[Any], None]"


def at(*path: str | int, to: Any) -> Callable[[Any], None]:
    """What puts a value into a record."""

    def change(record: Any) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return change


def again(table: str, **values: Any) -> Callable[[Any], None]:
    """What adds the first row of *table* once more, but for *values*."""

    def change(record: Any) -> None:
        record[table].append(record[table][0] | values)

    return change


def changed(record: Any, *changes: Callable[[Any], None]) -> Any:
    other = copy.deepcopy(record)
    for change in changes:
        change(other)
    return other


async def taken(store: Any, thread: str = "default") -> Any:
    """A thread as a file has it. It is deleted here."""
    told = json.loads(json.dumps(await exported(store.database, thread)))
    await store.delete(thread)
    return told


@pytest.fixture
def record(talked) -> Any:
    """The thread `default` of `talked`, which is then deleted."""
    return talked.kept(taken)


def believed(record: Any) -> Any:
    """*record* as an import keeps it, written out here once more."""
    found = {"source": "found", "official": "", "official_name": "", "opened": None, "shown": None}
    told = changed(record)
    turns, steps = {"own": 0, "shown": None}, {"confirmed": 1}
    for table, values in (("turns", turns), ("steps", steps), ("addresses", found)):
        for row in range(len(told[table])):
            for column, value in values.items():
                at(table, row, column, to=value)(told)
    return told


def test_threads_move_to_postgres_and_back_with_all_that_is_believed_of_a_file(shell, url):
    talk(shell)
    there = {"DATABASE_URL": url}
    exported = shell.jarvis("threads", "export").stdout
    (shell.home / "threads.jsonl").write_text(exported)

    moved = shell.jarvis("threads", "import", str(shell.home / "threads.jsonl"), environment=there)
    back = shell.jarvis("threads", "export", environment=there).stdout
    opened = shell.jarvis("-t", "other", "open", "a.example", environment=there)

    assert moved.stdout == "Imported default: 2 turns.\nImported other: 1 turn.\n"
    assert [json.loads(line) for line in back.splitlines()] == [
        believed(json.loads(line)) for line in exported.splitlines()
    ]
    assert opened.status == 0
    shell.jarvis("threads", "delete", "-y", "default")
    again = shell.jarvis("threads", "import", "-", stdin=back.splitlines()[0])
    assert again.stdout == "Imported default: 2 turns.\n"
    assert shell.jarvis("threads", "export", "default").stdout == back.splitlines(keepends=True)[0]


def test_a_thread_that_is_there_is_left_as_it_is_and_a_copy_of_it_needs_turns_of_its_own(talked):
    told, other = (talked.jarvis("threads", "export", name).stdout for name in ("default", "other"))
    fresh = other.replace(json.loads(other)["turns"][0]["id"], "0123456789abcdef")

    there = talked.jarvis("threads", "import", "-", stdin=told)
    copied = talked.jarvis("threads", "import", "-", stdin=told.replace('"default"', '"copy"') + fresh)
    named = talked.jarvis("threads", "import", "--as", "another", "-", stdin=fresh)
    both = talked.jarvis("threads", "import", "--as", "new", "-", stdin=fresh.replace("0123", "3210") * 2)

    assert (there.status, there.stderr) == (0, "")
    assert there.stdout == "default is here already. Nothing changed.\n"
    assert copied.status == 1
    assert "Line 1: There is a thread default in " in copied.stderr
    assert "Line 2: There is a thread other in " in copied.stderr
    assert (named.status, named.stdout) == (0, "Imported another: 1 turn.\n")
    assert both.status == 0
    assert both.stdout == "Imported new: 1 turn.\nnew is here already. Nothing changed.\n"
    assert talked.jarvis("threads", "export", "default").stdout == told
    listed = {thread["id"] for thread in talked.json("threads", "list")}
    assert listed == {"default", "other", "another", "new"}


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
}


def test_a_record_that_would_break_something_is_told_in_a_line_and_the_others_are_read(talked, record):
    """One line each, however it is broken, and nothing of it is kept."""
    lines = [json.dumps(changed(record, change)) for change in BROKEN.values()]
    lines += ["nonsense", "[1, 2]", "[" * 100_000, '{"schema": ' + "9" * 5000 + "}", json.dumps(record)]

    done = talked.jarvis("threads", "import", "-", stdin="\n".join(lines))

    told = [line for line in done.stderr.splitlines() if line.startswith("jarvis: ")]
    assert [line.split(":")[1] for line in told] == [f" Line {n}" for n in range(1, len(lines))]
    assert "The value at addresses.0.id can't be right." in told[0]
    assert len(done.stderr.splitlines()) == 2 * len(told)  # each with its hint
    assert (done.stdout, done.status) == ("Imported default: 2 turns.\n", 1)
    assert json.loads(talked.jarvis("threads", "export", "default").stdout) == believed(record)


def test_an_imported_thread_is_not_believed(shell):
    """Anybody may have written the file: it could say that they typed and opened what they never saw."""

    async def work(store: Any) -> Any:
        history = store.history
        urls = (
            ["https://typed.example/"],
            ["https://piped.example/"],
            [("https://site.example/", "site", "site")],
        )
        turn = await history.begin("default", "find a", *urls, material="a mail", intent=["open site A"])
        found = [Found("https://a.example/", "A", "", "organic", "its host is the name", "A")]
        await keep_found(history, turn, 1, found)
        for n, id_ in ((1, "u1"), (2, "r1")):
            await start_step(history, turn, n, "open_website", {"address": id_}, "x")
            await end_step(history, turn, n, Outcome("done", "Sent."), id_)
        await history.end(turn, "done", "See [1].", shown=["r1", "u1", "s3"])
        told = await taken(store)
        await imported(store.database, told)
        again = await taken(store)
        await imported(store.database, again)
        now = await history.begin("default", "open it")
        return (
            told,
            again,
            await turns_before(store.database, now),
            (await history.listed("default"))[0],
            await store.database.run("SELECT opened FROM addresses WHERE opened IS NOT NULL"),
            (await read_thread(history, now)).offered,
        )

    told, again, (turn,), shown, opened, offered = shell.kept(work)

    assert {row["source"] for row in told["addresses"]} == {"typed", "piped", "site", "found"}
    assert again == believed(told) != told
    assert (turn.is_own, turn.material) == (False, "a mail")
    assert (shown, opened) == ([], [])
    known = {(a.id, a.source, a.official, a.official_name) for a in offered}
    assert known == {(id_, "found", "", "") for id_ in ("u1", "u2", "s3", "r1")}
    assert shell.json("threads", "show")[0]["intent"] == ["open site A"]
    assert "you asked: open site A" in shell.jarvis("why", "1").stdout
    assert shell.jarvis("open", "1").status == 2


def test_what_was_under_way_is_imported_as_interrupted_and_its_step_as_unknown(talked, record):
    steps = (at("steps", n, "state", to="started") for n in range(2))
    told = changed(record, at("turns", 0, "status", to="open"), *steps)

    talked.kept(lambda store: imported(store.database, told))

    turn, _ = talked.json("threads", "show")
    assert (turn["status"], [step["state"] for step in turn["steps"]]) == ("interrupted", ["unknown"])


def test_counters_that_are_too_low_are_raised_so_that_no_id_is_given_again(talked, record):
    low = changed(record, *(at("threads", 0, name, to=0) for name in ("turns", "found", "typed")))
    talked.jarvis("threads", "import", "-", stdin=json.dumps(low))

    talked.search_finds("https://c.example/")
    talked.gemini.plans(ASK, replied("It is [r3]."))
    found = talked.json("where is c?")
    talked.jarvis("open", "1")

    assert [source["url"] for source in found["sources"]] == ["https://c.example/"]
    assert talked.opened[-1] == "https://c.example/"
    assert [turn["n"] for turn in talked.json("threads", "show")] == [1, 2, 3, 4]


@BOTH
def test_a_long_thread_is_imported_as_a_whole_or_not_at_all(talked, record):
    long, ids = changed(record), [f"{n:016x}" for n in range(1, 1202)]
    long["turns"] = [record["turns"][0] | {"id": id_, "n": n} for n, id_ in enumerate(ids, 1)]
    long["steps"] = [record["steps"][0] | {"turn": id_} for id_ in ids]

    async def work(store: Any) -> Any:
        mine = await store.threads.turns("other")
        taken = changed(long, at("turns", 1200, "id", to=mine[0].id), at("steps", to=[]))
        with pytest.raises(StoreFailed):
            await imported(store.database, taken)
        left = bool(await store.threads.find("default"))
        return left, await imported(store.database, long), len(await store.threads.turns("default"))

    assert talked.kept(work) == (False, ("default", 1201), 1201)


# The tables of turns.


async def listed(store: Any) -> Any:
    """A thread with two lists."""
    await found(store)
    await found(store, FILTERED, "under $150")
    return await taken(store)


def test_tables_move_but_for_what_a_service_knows_them_by_and_are_no_list_there(house):
    async def work(store):
        await imported(store.database, await listed(store))
        kept = [tables_in(turn.tables) for turn in await store.threads.turns("default")]
        return (
            kept,
            await store.history.listed("default"),
            await store.history.begin("default", "x"),
        )

    kept, shown, turn = house.kept(work)

    public = SWITCHES._replace(rows=tuple(row._replace(private={}) for row in SWITCHES.rows))
    filtered = FILTERED._replace(found=public)
    assert kept == [(Tabled(public, 1),), (Tabled(filtered, 1),)]
    assert "private" in str(SWITCHES.rows[1])
    assert shown == ([], ())
    assert turn.offers == 3


BROKEN_TABLES = {
    "no JSON": "[",
    "too deep": "[" * 50_000,
    "no table": at(0, to={}),
    "an id of an address": at(0, "rows", 0, "id", to="r1"),
    "an id of another number": at(0, "rows", 0, "id", to="o٣"),
    "a URL in another form": at(0, "rows", 0, "url", to="HTTPS://shop.example/o1"),
    "a URL that is none": at(0, "rows", 0, "url", to="javascript:alert(1)"),
    "a URL on one's own network": at(0, "rows", 0, "url", to="http://router.local/"),
    "a line that is none": at(0, "first", to="1"),
    "a column whose rank is a word": at(0, "columns", 0, "rank", to="0"),
    "a page that begins nowhere": at(0, "page", to=[-1, 10]),
    "a count that is none": at(0, "left_out", to={"new": True}),
    "a check that says neither": at(0, "checks", to=[{"name": "x", "ok": "yes", "said": "x"}]),
    "a request that is none": at(0, "asked", to=[{"verb": "\x1b[31m"}]),
    "a request for half a line": at(0, "asked", to=[{"verb": "first", "number": 1.5}]),
    "a sum with a page": at(0, "foot", to=[{"url": "http://router.local/"}]),
}


def test_tables_that_make_no_sense_are_refused_with_their_thread(house):
    async def refused(store: Any, told: Any, change: Any) -> None:
        tables = change if isinstance(change, str) else changed(told["turns"][0]["tables"], change)
        with pytest.raises(UsageError, match=r"turns\.0\.tables.* can't be right"):
            await imported(store.database, changed(told, at("turns", 0, "tables", to=tables)))

    async def work(store):
        told = await listed(store)
        for change in BROKEN_TABLES.values():
            await refused(store, told, change)

    house.kept(work)


def test_a_cell_that_makes_no_sense_is_unknown_and_its_lines_are_read(house):
    cells = 5, [], ["x", "USD"], {"amount": []}, "9" * 10_000

    async def work(store):
        told = await listed(store)
        (table,) = told["turns"][0]["tables"]
        row, table["note"] = table["rows"][0], "\x1b[31mNote\n"
        for cell in cells:
            table["rows"][0] = row | {column["key"]: cell for column in table["columns"]}
            await imported(store.database, changed(told, at("turns", 0, "tables", to=[table])))
            rows = await store.database.run("SELECT tables FROM turns ORDER BY n LIMIT 1")
            yield tables_in(rows[0][0])[0].table
            await store.delete("default")

    async def read(store):
        return [table async for table in work(store)]

    for table in house.kept(read):
        assert table.rows[1].cells == SWITCHES.rows[1].cells
        assert not table.rows[0].cells["price"]
        assert table.note == "Note"  # cleaned, since it is foreign


# The person's own lists.


async def records_of(store: Any) -> Any:
    """Two things on lists of two packs, as a file has them. Here they are gone."""
    await wish(lists_in(store.database))
    await SavedItems(store.database, "tides").add([SavedItem("ports", "a", {"name": "Le Havre"})])
    records = json.loads(json.dumps(await exported_lists(store.database)))
    there = await imported_lists(store.database, records)
    await store.database.run("DELETE FROM items")
    assert there == (0, 2)
    return records


@BOTH
def test_lists_are_moved_and_read_twice_they_are_there_once(house):
    async def work(store):
        records = await records_of(store)
        new = await imported_lists(store.database, records)
        again = await imported_lists(store.database, records)
        return records, (new, again), json.loads(json.dumps(await exported_lists(store.database)))

    records, counts, moved = house.kept(work)

    assert counts == ((2, 0), (0, 2))
    assert moved == records


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


def test_a_record_of_a_list_that_makes_no_sense_is_refused_and_with_it_the_others(house):
    async def work(store):
        records = await records_of(store)
        for change in BROKEN_LISTS.values():
            with pytest.raises(UsageError) as refused:
                await imported_lists(store.database, changed(records, lambda all_, to=change: to(all_[1])))
            assert refused.value.hint == "jarvis packs export > lists.jsonl"
        return await exported_lists(store.database), await imported_lists(store.database, records)

    assert house.kept(work) == ([], (2, 0))


def test_no_text_of_a_list_steers_the_terminal_and_no_page_is_made_up(house):
    async def work(store):
        (record, _) = await records_of(store)
        item = record["item"]
        item["list"] = item["id"] = item["body"]["title"] = "a\x1b[31mb\nc" + "x" * 1000
        item["body"] |= {"url": "javascript:alert(1)", "cells": {"store": "\u202eshop"}}
        await imported_lists(store.database, [record])
        return (await lists_in(store.database).items())[0]

    item = house.kept(work)

    assert {text[:5] for text in (item.list, item.id, item.title)} == {"ab cx"}
    assert len(item.title) <= 300
    assert (item.store, item.url) == ("shop", "")
