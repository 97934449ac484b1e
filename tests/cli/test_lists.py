"""`jarvis packs export|import`: a person's own lists are moved as lines, all of them or none."""

import json

import pytest

from jarvis.packs.shop.keep import Item, Seen, lists_in
from tests.conftest import BOTH
from tests.tabled import dollars

PAGE = "https://shop.example/switch"


@pytest.fixture
def wishes(shell):
    """Two things on the wishlist; of one its price is known."""

    async def keep(store):
        lists = lists_in(store.database)
        switch = Item("Switch", {"state": "used"}, PAGE, Seen(0.0, dollars("129.00")))
        await lists.add_all("wishlist", [switch, Item("a \u2028 desk\x1b[31m", {})])

    shell.kept(keep)
    return shell


def titles(shell):
    async def read(store):
        return [(item.title, item.now and item.now.money) for item in await lists_in(store.database).items()]

    return shell.kept(read)


def empty(shell):
    async def clear(store):
        await store.database.run("DELETE FROM items")

    shell.kept(clear)


@BOTH
def test_what_is_exported_is_imported_once(wishes):
    before = titles(wishes)
    exported, whole = (wishes.jarvis("packs", "export", *how) for how in ([], ["--json"]))
    (wishes.home / "lists.jsonl").write_text(exported.stdout)
    empty(wishes)

    done = wishes.jarvis("packs", "import", "lists.jsonl")
    again = wishes.jarvis("packs", "import", "-", stdin=whole.stdout)
    told = wishes.jarvis("packs", "import", "--json", "lists.jsonl")

    assert [(each.status, each.stderr) for each in (exported, whole)] == [(0, "")] * 2
    assert [len(each.stdout.splitlines()) for each in (exported, whole)] == [2, 1]
    assert titles(wishes) == before
    assert (before[0], len(before)) == (("Switch", dollars("129.00")), 2)
    assert (done.status, done.stdout) == (0, "Imported 2 items.\n")
    assert (again.status, again.stdout) == (0, "Imported 0 items (2 there already).\n")
    assert json.loads(told.stdout) == {"imported": 0, "there": 2}


WRONG = {
    "{": "That is not an exported list.",
    "3": "That is not an exported list.",
    '[{"schema": 2, "item": 3}]': "The value at item makes no sense.",
    '[{"schema": 2, "kept": {}, "prices": 3}]': "The value at item makes no sense.",
    b"\xff\xfe".decode("latin-1"): "That is not an exported list.",
}


def test_of_a_file_with_one_wrong_line_nothing_is_imported(wishes):
    exported = wishes.jarvis("packs", "export").stdout.splitlines()
    empty(wishes)
    for line, said in WRONG.items():
        (wishes.home / "lists.jsonl").write_text("\n".join([exported[0], "", line, exported[1]]))

        done = wishes.jarvis("packs", "import", "lists.jsonl")

        assert (done.status, done.stdout) == (2, "")
        assert said in done.stderr
        assert "Nothing was imported." in done.stderr
        assert titles(wishes) == []
