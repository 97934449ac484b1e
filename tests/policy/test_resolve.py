"""What an action makes of a plan is asked for twice, at first and right before the act: it is pure."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING

import pytest

from jarvis.actions.base import catalogue, plannable
from jarvis.core.errors import ActionFailed, Refused
from jarvis.core.intent import Form, Intent, Part
from jarvis.core.tables import MONEY, Column, Row, Table
from jarvis.core.types import APP, FILE, Address, Effect, Facts, Meanings, Site

if TYPE_CHECKING:
    from pathlib import Path

ACTIONS = {name: action for name, action in {**catalogue(), **plannable()}.items() if not action.ends_turn}
APPS = (Address("a1", "org.gnome.Calculator", "Calculator", source=APP),)
TABLES = (Table("product", (Column("price", "price", MONEY),), (Row("o1", {}),)),)
# An action, its arguments, and what they come to; None: to nothing that is known, or that can be had.
ASKED = {
    "a search": ("search", {"query": "ticket shop"}, "ticket shop"),
    "a list": ("arrange", {"change": "cheapest first"}, "cheapest first"),
    "nothing that a list can do": ("arrange", {"change": "sing"}, None),
    "an address": ("open_website", {"address": "u1"}, "https://a.example/"),
    "no address": ("open_website", {"address": "u9"}, None),
    "a site": ("open_site", {"site": "Acme"}, "https://acme.example/"),
    "no site": ("open_site", {"site": "Other"}, None),
    "a file": ("open_file", {"file": "f1"}, "notes.txt"),
    "no file": ("open_file", {"file": "f2"}, None),
    "an app": ("open_app", {"app": "calculator"}, "org.gnome.Calculator"),
    "no app": ("open_app", {"app": "another"}, None),
    "a page": ("read", {"address": "u1"}, "https://a.example/"),
    "the clipboard": ("look_at", {"what": "clipboard"}, "Clipboard %Y-%m-%d %H-%M-%S.png"),
    "a picture": ("take_screenshot", {}, "Screenshot %Y-%m-%d %H-%M-%S.png"),
}


def test_every_action_is_among_them():
    assert {action for action, _, _ in ASKED.values()} == set(ACTIONS)


@pytest.mark.parametrize(("name", "arguments", "target"), ASKED.values(), ids=ASKED.keys())
def test_asked_twice_an_action_says_the_same_and_changes_nothing(
    tmp_path, monkeypatch, name, arguments, target
):
    monkeypatch.setattr("time.strftime", lambda told, *_: told)  # within one second
    (tmp_path / "notes.txt").write_text("mine")
    known, action = facts_of(tmp_path, arguments.get("app", "")), ACTIONS[name]
    before = copy.deepcopy((vars(action), arguments, known._replace(holds_key=None))), tree(tmp_path)

    first, second = (resolved(name, arguments, known) for _ in range(2))

    assert first == second
    assert (first.target if isinstance(first, Effect) else "nothing").endswith(target or "nothing")
    assert ((vars(action), arguments, known._replace(holds_key=None)), tree(tmp_path)) == before


def resolved(name: str, arguments: dict[str, str], known: Facts) -> Effect | str:
    """What it is, or why it is nothing."""
    try:
        return ACTIONS[name].resolve(arguments, known)
    except (Refused, ActionFailed) as error:
        return f"{error.message} {error.hint}"


def facts_of(folder: Path, app: str) -> Facts:
    path = os.path.realpath(folder / "notes.txt")
    known = (
        Address("u1", "https://a.example/"),
        Address("s2", "https://acme.example/", source="site"),
        Address("f1", path, source=FILE),
        Address("f2", f"{path}.old", source=FILE),
        Address("o1", "", "An offer without a page, which is no site", source="found"),
    )
    return Facts(
        {address.id: address for address in known},
        intent=Intent((Part(Form.START, app), Part(Form.SITE, "Acme"), Part(Form.SITE, "Other"))),
        left=(1, 2, 3),
        typed=("u1",),
        meanings={
            1: Meanings(APPS if app == "calculator" else ()),
            2: Meanings(site=Site("https://acme.example/")),
        },
        pictures=str(folder / "Pictures"),
        tables=TABLES,
    )


def tree(folder: Path) -> dict[str, int]:
    """Every file and folder, with when it was changed."""
    return {str(path): path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}
