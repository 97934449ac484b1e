"""What an action makes of a plan is asked for twice, at first and right before the act: it is pure."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, NamedTuple

import pytest

from jarvis.actions import catalogue, planned
from jarvis.core.errors import ActionFailed, Refused
from jarvis.core.intent import FOUND, OWN_FILE, PICTURE, START, TYPED, Intent, Part
from jarvis.core.tables import MONEY, Column, Row, Table
from jarvis.core.types import APP, FILE, Address, Effect, Facts

if TYPE_CHECKING:
    from pathlib import Path

ACTIONS = {name: action for name, action in {**catalogue(), **planned()}.items() if not action.ends_turn}
APPS = (Address("a1", "org.gnome.Calculator", "Calculator", source=APP),)


class Asked(NamedTuple):
    """A plan, and the part of the words that it is for."""

    action: str
    part: Part
    arguments: dict[str, str] = {}
    meanings: tuple[Address, ...] = ()
    fails: bool = False  # it names nothing that is known, or that can be had


ASKED = {
    "a search": Asked("search", Part(FOUND, "1"), {"query": "  ticket\tshop "}),
    "a list": Asked("arrange", Part(PICTURE), {"change": "cheapest first"}),
    "nothing that a list can do": Asked("arrange", Part(PICTURE), {"change": "sing"}, fails=True),
    "a search without words": Asked("search", Part(FOUND, "1"), {"query": " "}, fails=True),
    "an address": Asked("open_website", Part(TYPED, "1"), {"address": "u1"}),
    "no address": Asked("open_website", Part(TYPED, "1"), {"address": "u9"}, fails=True),
    "a file": Asked("open_file", Part(OWN_FILE, "1"), {"file": "f1"}),
    "no file": Asked("open_file", Part(OWN_FILE, "1"), {"file": "f2"}, fails=True),
    "an app": Asked("open_app", Part(START, "calculator"), {"app": "calculator"}, APPS),
    "no app": Asked("open_app", Part(START, "calculator"), {"app": "calculator"}, fails=True),
    "a picture": Asked("take_screenshot", Part(PICTURE)),
}


def test_every_action_is_among_them():
    assert {asked.action for asked in ASKED.values()} == set(ACTIONS)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED.keys())
def test_asked_twice_an_action_says_the_same_and_changes_nothing(tmp_path, monkeypatch, asked):
    monkeypatch.setattr("time.strftime", lambda told, *_: told)  # within one second
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    known, action = _facts(tmp_path, asked), ACTIONS[asked.action]
    before = copy.deepcopy((vars(action), asked.arguments, known._replace(holds_key=None))), _tree(tmp_path)

    first, second = (_resolved(asked, known) for _ in range(2))

    assert first == second
    assert isinstance(first, Effect) is not asked.fails
    after = (vars(action), asked.arguments, known._replace(holds_key=None)), _tree(tmp_path)
    assert after == before


def _resolved(asked: Asked, known: Facts) -> Effect | str:
    """What it is, or why it is nothing."""
    try:
        return ACTIONS[asked.action].resolve(asked.arguments, known)
    except (Refused, ActionFailed) as error:
        return f"{error.message} {error.hint}"


def _facts(folder: Path, asked: Asked) -> Facts:
    path = os.path.realpath(folder / "notes.txt")
    known = (
        Address("u1", "https://a.example/"),
        Address("f1", path, source=FILE),
        Address("f2", f"{path}.old", source=FILE),
    )
    return Facts(
        addresses={address.id: address for address in known},
        intent=Intent((asked.part,)),
        left=(0,),
        typed=("u1",),
        meanings={0: asked.meanings},
        pictures=str(folder / "Pictures"),
        tables=(Table("product", (Column("price", "price", MONEY),), (Row("o1", {}),)),),
    )


def _tree(folder: Path) -> dict[str, int]:
    """Every file and folder, with when it was changed."""
    return {str(path): path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}
