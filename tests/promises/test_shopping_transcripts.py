"""What a person who shops sees, whole: commands one after the other, and the screen after each of them.

tests/data/shopping_WIDTHxHEIGHT.txt holds the screens, by sessions. Seconds are any, and it is noon.
"""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.person import Person
from tests.twins.shop_pages import ebay, item, listed, shopping

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.slow

SIZES = [(80, 24), (40, 20), (200, 50)]
SECONDS = re.compile(r"\d+\.\d s")
MOMENT = re.compile(r"\b1[12]:\d\d\b")  # around noon, as the clock of these people is set
DATA = Path(__file__).parents[1] / "data"
COMMAND = "$ jarvis "


def used(number: int, title: str, price: str, **more: object) -> dict[str, Any]:
    return listed(number, title, price, **{"second_hand_condition": "used", **more})


SHOPS = shopping(
    used(1, "Nintendo Switch 32GB neon, V2", "$129.00", source="GameStop", rating=4.7, reviews=812),
    used(2, "Nintendo Switch grey", "$139.99", source="Back Market", second_hand_condition="refurbished"),
    used(3, "ニンテンドースイッチ 本体 ネオンブルー", "$119.00", source="Suruga-ya", delivery=None),
    *(used(n, f"Switch OLED {n}", f"${n * 10}.00") for n in range(16, 25)),
    *(listed(n, f"New Switch {n}", f"${100 + n}.00") for n in range(31, 39)),
    used(40, "Nintendo Switch, price on request", ""),
)
WORN = ebay(
    item(1, "Nintendo Switch V1, console only"),
    *(item(n, f"Switch, worn {n}", f"${60 + n}.50", shipping=None) for n in range(2, 10)),
    *(item(n, bids=3) for n in range(20, 23)),
)
DESK = {
    "monitor": shopping(
        listed(1, '24" IPS monitor', "$159.00", source="Best Buy", rating=4.6, reviews=2_210),
        listed(2, '32" curved monitor', "$289.00", source="Walmart", rating=4.4, reviews=310),
    ),
    "keyboard": shopping(
        listed(
            3, "Mechanical keyboard, hot-swappable, white", "$69.99", source="Walmart", rating=4.7, reviews=980
        ),
        listed(4, "Membrane keyboard", "$14.99", source="Staples", rating=3.6, reviews=40),
    ),
    "mouse": shopping(
        listed(5, "Wireless mouse", "$24.99", source="Amazon", rating=4.5, reviews=5_001, delivery=None),
        listed(6, "Mouse", "$9.99", source="Target", rating=3.1, reviews=12),
    ),
}  # fmt: skip
FIND = {
    "action": "find_products",
    "queries": "nintendo switch",
    "state": "used",
    "most": "150 USD",
    "finish": True,
}


class Session(NamedTuple):
    """What the services have for the commands of a session."""

    plans: tuple[Mapping[str, Any], ...]
    sells: Mapping[str, Any]
    opened: tuple[str, ...] = ()


SESSIONS = {
    "a used one, and what is asked of the list": Session(
        (FIND,),
        {"google_shopping": SHOPS, "ebay": WORN},
        opened=("https://www.ebay.com/itm/110000000002",),
    ),
    "several things and a budget": Session(
        (
            {"action": "find_products", "queries": "monitor; keyboard; mouse", "finish": False},
            {"action": "receipt", "rule": "best rated", "budget": "300 USD", "finish": True},
        ),
        {"google_shopping": lambda request: DESK[request.query]},
    ),
}


@pytest.fixture
def shopper(shell):
    """Return what runs a session at a terminal of a size, and gives the screens of its commands."""
    # A zone in which it is noon: what is told of a table does not change with the day.
    shell.environment |= {"TZ": f"NOON{datetime.now(UTC).hour - 12:+d}", "JARVIS_THREAD": "default"}

    def screens(session: Session, commands: list[str], size: tuple[int, int]) -> list[str]:
        shell.gemini.plans(*session.plans)
        shell.gemini.reading = "open line 1" if session.opened else "nothing"
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
    assert len(shell.gemini.requests) == len(session.plans)


def written(size: tuple[int, int]) -> dict[str, list[str]]:
    """Return the lines of each session at a *size*."""
    text = (DATA / f"shopping_{size[0]}x{size[1]}.txt").read_text(encoding="utf-8")
    parts = [part.split("\n") for part in text.strip().split("\n\n\n")]
    return {name.removeprefix("# "): lines for name, *lines in parts}


def looked_at(lines: list[str]) -> list[str]:
    """Return the lines of a screen without the empty ones at its end, with any seconds as none."""
    text = "\n".join(lines).rstrip("\n")
    return MOMENT.sub("12:00", SECONDS.sub("0.0 s", text)).split("\n")


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
