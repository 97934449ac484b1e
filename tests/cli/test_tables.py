"""Tables of earlier turns, by the program: shown again, opened by their lines; and what stdout is to hold."""

import json

import pytest

from jarvis.core.events import Tabled
from jarvis.core.types import Found
from tests.output.test_tables import FOUND, shown
from tests.steps import keep_found

HELD = FOUND._replace(kind="flight", note="HELD")


@pytest.fixture
def found(shell):
    """A thread whose turn found a table, of which the second was listed, and then replied."""

    async def work(store):
        turn = await store.history.begin("work", "a used switch")
        (source,) = await keep_found(store.history, turn, 1, [Found("https://b.example/", "Reviews")])
        rows = [row._replace(private={"token": "SECRET"}) for row in FOUND.rows]
        tables = [Tabled(HELD, 0), Tabled(FOUND._replace(rows=tuple(rows)), 1)]
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
    return said.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")


@pytest.mark.parametrize("ways", [("--csv", "--json"), ("--csv", "--ndjson")])
def test_stdout_has_one_form(shell, ways):
    done = shell.jarvis(*ways, "hello")

    assert done.status == 2
    assert ways[0] in done.stdout + done.stderr
    assert shell.cost == (0, 0)
