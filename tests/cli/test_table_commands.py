"""What is asked of the table listed last, by the program: at once, without a model, a key or a server."""

import json
import re

import pytest

from jarvis.core.events import TableShown
from jarvis.core.tables import Rating, Table
from jarvis.core.types import Found
from tests.conftest import BOTH
from tests.output.test_tables import FOUND, shown
from tests.steps import keep_found
from tests.tabled import COLUMNS, dollars, product

COSTS = {"o1": "129.00", "o2": "98.50", "o3": "139.99", "o4": None}
STATES = {"o1": "used", "o2": "used", "o3": "refurbished", "o4": "new"}
SEARCH = {"action": "search", "query": "x"}
NO_KEY = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}


def switches(first=1, count=4):
    rows = [
        product(
            f"o{first + n}",
            f"Switch {first + n}",
            COSTS.get(f"o{1 + n}"),
            state=STATES.get(f"o{1 + n}"),
            store="eBay",
            rating=Rating(dollars("4.5").amount, n),
        )
        for n in range(count)
    ]
    rows[-1] = rows[-1]._replace(url="")
    return Table("product", COLUMNS[:5], tuple(rows))


def list_in(shell, table, thread="default"):
    """Have *table* listed in *thread*, as a request would."""

    async def list_it(store):
        turn = await store.history.begin(thread, "find me a Switch")
        shown = [row.id for row in table.rows]
        await store.history.end(turn, "done", shown=shown, tables=[TableShown(table, 1)])
        if store.outbox:
            lines, tables = await store.history.listed(thread)
            await store.outbox.keep_list(thread, lines, tables)

    shell.kept(list_it)


@pytest.fixture
def listed(shell):
    list_in(shell, switches())
    return shell


def titles(done):
    """The lines on a pipe, by their number and title."""
    return [tuple(line.split("\t")[:2]) for line in done.stdout.splitlines()]


def numbered(*numbers):
    return [(str(line), f"Switch {n}") for line, n in enumerate(numbers, 1)]


def ask(shell, *words, **how):
    done = shell.jarvis(*words, environment=NO_KEY, **how)
    assert shell.cost == (0, 0)
    return done


@BOTH
def test_each_goes_on_from_the_one_before_without_a_model_or_a_key(listed):
    asked = [
        (("cheapest first",), numbered(2, 1, 3, 4)),
        (("only", "used"), numbered(2, 1)),
        (("undo",), numbered(2, 1, 3, 4)),
        (("please sort these by rating",), numbered(4, 3, 2, 1)),
        (("under $130",), numbered(2, 1)),
        (("back",), numbered(4, 3, 2, 1)),
        (("just the first two",), numbered(4, 3)),
    ]

    done = [(words, ask(listed, *words)) for words, _ in asked]

    assert [(words, titles(each)) for words, each in done] == asked
    assert {each.status for _, each in done} == {0}
    kept = listed.turns("default")
    assert [turn["goal"] for turn in kept[1:]] == [" ".join(words) for words, _ in asked]
    assert {turn["status"] for turn in kept} == {"done"}


@BOTH
def test_the_line_that_a_sort_puts_first_is_opened_and_lines_by_the_numbers_of_now(listed):
    cheapest = ask(listed, "open", "the", "cheapest")
    ask(listed, "dearest first")
    first = ask(listed, "open", "1")

    assert (cheapest.status, cheapest.stdout) == (0, "https://shop.example/o2\n")
    assert (first.status, first.stdout) == (0, "https://shop.example/o3\n")
    assert listed.opened == ["https://shop.example/o2", "https://shop.example/o3"]


def test_pages_are_turned(shell):
    list_in(shell, switches(count=23))

    def page(done):
        (table,) = json.loads(done.stdout)["tables"]
        return done.status, len(table["rows"])

    more = ask(shell, "-t", "default", "more", tty=True, size=(100, 50))
    assert b"Switch 11" in more.screen
    assert b"Switch 10" not in more.screen
    assert page(ask(shell, "--json", "more")) == (0, 23)
    last = ask(shell, "more")
    every = ask(shell, "--json", "all")

    assert (last.status, last.stdout) == (2, "")
    assert "The list has no more: it is 23 lines long." in last.stderr
    assert page(every) == (0, 23)


def test_all_that_is_known_of_a_line_is_told_and_changes_no_list(listed):
    told = ask(listed, "show", "2").stdout.splitlines()

    assert (told[:2], told[-1]) == (["Switch 2", "price   $98.50"], "page    https://shop.example/o2")
    assert titles(ask(listed, "undo")) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("sort by colour", "The list has no column “colour”, but these: product, price, state"),
        ("only sparkling", "Nothing in the list says “sparkling”."),
        ("under $5", "Nothing would be left of the list: 3 over $5.00, 1 without a price."),
        ("newest first", "The list does not say how new anything is."),
        ("free delivery", "The list does not say what delivery costs."),
        ("under €50", "The list has prices in USD. Which limit do you mean?"),
        ("undo", "There is nothing to undo: the list is as it was found."),
        ("open the newest", "The list does not say how new anything is."),
        ("show 9", "The table has no line 9: its lines are 1 to 4."),
        ("open 4", "Line 4 has no page: Switch 4."),
    ],
)
def test_what_the_list_has_not_is_told_with_what_there_is_and_nothing_is_begun(listed, words, told):
    done = ask(listed, *words.split())

    assert (done.status, done.stdout) == (2, "")
    assert told in done.stderr
    assert "hint: " in done.stderr
    assert (len(listed.turns("default")), listed.opened) == (1, [])


@pytest.mark.parametrize(
    "words",
    ["only murders here", "sort by how far", "all about eve", "-- only sparkling", "under 30 minutes"],
)
def test_what_may_be_another_request_is_one_where_the_list_has_no_such_thing(listed, words):
    listed.gemini.plans({"action": "reply", "text": "So it is.", "finish": True})

    assert listed.jarvis(*words.split()).stdout == "So it is.\n"


@pytest.mark.parametrize(
    ("words", "is_listed"),
    [
        ("more", False),
        ("undo", True),
        ("show 3", False),
        ("cheapest first", True),
        ("open the cheapest", True),
    ],
)
def test_without_a_table_listed_last_the_words_go_on_as_ever(shell, words, is_listed):
    if is_listed:
        list_in(shell, switches())
        shell.search_finds("https://a.example/")
        shell.gemini.plans(SEARCH, {"action": "reply", "text": "See [r1].", "finish": True})
        shell.jarvis("what about x?")
    shell.gemini.plans({"action": "reply", "text": "As ever.", "finish": True})

    assert shell.jarvis(*words.split()).stdout == "As ever.\n"


def test_each_thread_has_a_list_of_its_own(listed):
    list_in(listed, switches(first=5), "work")

    assert titles(ask(listed, "-t", "work", "cheapest first")) == numbered(6, 5, 7, 8)
    assert titles(ask(listed, "cheapest first")) == numbered(2, 1, 3, 4)


HELD = FOUND._replace(kind="flight", note="HELD")


@pytest.fixture
def found(shell):
    """A thread whose turn found a table, of which the second was listed, and then replied."""

    async def work(store):
        turn = await store.history.begin("work", "a used switch")
        (source,) = await keep_found(store.history, turn, 1, [Found("https://b.example/", "Reviews")])
        rows = [row._replace(private={"token": "SECRET"}) for row in FOUND.rows]
        tables = [TableShown(HELD, 0), TableShown(FOUND._replace(rows=tuple(rows)), 1)]
        await store.history.end(
            turn, "done", "They drift [4].", shown=["o3", "o1", "o9", source.id], tables=tables
        )

    shell.kept(work)
    return shell


def test_a_turn_is_shown_with_its_tables(found):
    said = found.jarvis("threads", "show", "work", tty=True).screen.decode().replace("\r\n", "\n")

    assert "    3 flights found, the first at $129.00\n" in said
    table = "".join(f"    {line}\n" for line in shown(FOUND, 76).splitlines())
    assert f"{table}    US prices before sales tax, seen 14:02\n    They drift [4]." in plain(said)

    said = found.jarvis("threads", "show", "work").stdout
    assert "\n    1\tNintendo Switch 32GB neon, V2\t129.00 USD\tused\t" in said

    (turn,) = json.loads(found.jarvis("threads", "show", "work", "--json").stdout)
    assert [table["kind"] for table in turn["tables"]] == ["flight", "product"]
    assert [row["line"] for row in turn["tables"][1]["rows"]] == [1, 2, 3]
    assert "SECRET" not in json.dumps(turn)


def plain(said):
    return re.sub(r"\x1b\[[0-9;]*m", "", said)


@pytest.mark.parametrize("ways", [("--csv", "--json"), ("--csv", "--ndjson")])
def test_stdout_has_one_form(shell, ways):
    done = shell.jarvis(*ways, "hello")

    assert done.status == 2
    assert ways[0] in done.stdout + done.stderr
    assert shell.cost == (0, 0)
