"""What a person who shops sees, whole: commands one after the other, and the screen after each of them.

tests/data/shopping_WIDTHxHEIGHT.txt holds the screens, by sessions. Seconds are any, and it is noon.
"""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.person import Person

from .shopping_sessions import FIND, SESSIONS, SHOPS, WORN, Session

pytestmark = pytest.mark.slow

SIZES = [(80, 24), (40, 20), (200, 50)]
SECONDS = re.compile(r"\d+\.\d s")
MOMENT = re.compile(r"\b1[23]:\d\d\b")  # past noon, as the clock of these people is set
DAY = re.compile(r"\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b")
DATA = Path(__file__).parents[1] / "data"
COMMAND = "$ jarvis "


@pytest.fixture
def shopper(shell):
    """Return what runs a session at a terminal of a size, and gives the screens of its commands."""
    # A zone in which it is noon: what is told of a table does not change with the day.
    shell.environment |= {"TZ": f"NOON{datetime.now(UTC).hour - 12:+d}", "JARVIS_THREAD": "default"}

    def screens(session: Session, commands: list[str], size: tuple[int, int]) -> list[str]:
        shell.gemini.plans(*session.plans)
        shell.gemini.reading = session.reading
        shell.serpapi.sells(**session.sells)
        lines = []
        for command in commands:
            with Person(shell.program(), *shlex.split(command.removeprefix(COMMAND)), size=size) as person:
                status = person.finish().status
                lines += [command, *looked_at(person.lines), *([f"[exit {status}]"] if status else [])]
        return lines

    return screens


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SESSIONS)
def test_a_shopper_sees(shell, shopper, name, size):
    session, lines = SESSIONS[name], written(size)[name]

    seen = shopper(session, [line for line in lines if line.startswith(COMMAND)], size)

    assert seen == lines
    assert tuple(shell.opened) == session.opened


def written(size: tuple[int, int]) -> dict[str, list[str]]:
    """Return the lines of each session at a *size*."""
    text = (DATA / f"shopping_{size[0]}x{size[1]}.txt").read_text(encoding="utf-8")
    parts = [part.rstrip("\n").split("\n") for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]]
    return {name: lines for name, *lines in parts}


def looked_at(lines: list[str]) -> list[str]:
    """Return the lines of a screen without the empty ones at its end, with any seconds as none."""
    if not (text := "\n".join(lines).rstrip("\n")):
        return []
    return DAY.sub("22 Nov", MOMENT.sub("12:00", SECONDS.sub("0.0 s", text))).split("\n")


def test_on_a_pipe_a_table_is_its_rows_and_nothing_else(shell):
    shell.gemini.plans(FIND)
    shell.serpapi.sells(google_shopping=SHOPS, ebay=WORN)

    found = shell.jarvis("used Nintendo Switch under $150")
    assert [line.split("\t")[1:3] for line in found.stdout.splitlines()[:2]] == [
        ["Nintendo Switch 32GB neon, V2", "129.00 USD"],
        ["Nintendo Switch V1, console only", "98.50 USD"],
    ]
    assert len(found.stdout.splitlines()) == 12

    as_csv = shell.jarvis("--csv", "cheapest", "first")
    assert as_csv.stdout.splitlines()[0].startswith('"line","product","price","price_currency"')
    assert as_csv.stdout.splitlines()[1].startswith('"1","Switch, worn 2","62.50","USD"')
    rows = shell.json("cheapest first")["tables"][0]["rows"]
    assert [(row["id"], row["price"]["amount"]) for row in rows[:2]] == [("o4", "62.50"), ("o6", "63.50")]


def test_heads_and_numbers_are_bold_and_remarks_are_dim(shell, shopper):
    shell.gemini.plans(FIND)
    shell.serpapi.sells(google_shopping=SHOPS, ebay=WORN)

    with Person(shell.program(), "find me a used Switch under $150") as person:
        person.finish()
        said = person.said.decode()

    assert "\x1b[1mproduct\x1b[0m" in said
    assert "\x1b[1m10\x1b[0m" in said
    assert "\x1b[2mUS prices before sales tax, delivery apart" in said
    assert "\x1b[0m\r\n" in said
