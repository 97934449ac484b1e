"""The pack that CONTRIBUTING.md shows is made of its very blocks, and does what it says there."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from jarvis import packs
from tests.program import Program
from tests.running import need_terminals

ROOT = Path(__file__).parents[2]
STYLE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\r")
BLOCK = re.compile(r"^`(?P<path>\S+\.py)`[^\n]*\n\n```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
FOLDER, ACTION, TEST = (
    "jarvis/packs/hardware/__init__.py",
    "jarvis/packs/hardware/find_tools.py",
    "tests/packs/test_hardware.py",
)
IN_THREAD = ("-t", "evening")  # a terminal has one of its own, unless it says which
ASKED = "a drill under $100"
PLAN = {"action": "find_tools", "query": "drill", "most": "100 USD", "finish": True}


@pytest.fixture
def blocks():
    """What CONTRIBUTING.md says to write, by the file."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("## A pack in one evening")[2].partition("\n## ")[0]
    return {block["path"]: block["code"] for block in BLOCK.finditer(section)}


def written(blocks, root, *paths):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(blocks[path], encoding="utf-8")


def own_test(blocks):
    """What is in its test."""
    names = {}
    exec(compile(blocks[TEST], TEST, "exec"), names)
    return names


@pytest.fixture
def at_terminal(blocks, tmp_path, shell):
    """Runs the program with the pack in its folder, each time at a terminal of its own."""
    need_terminals()
    shutil.copytree(ROOT / "jarvis", tmp_path / "copy/jarvis")
    written(blocks, tmp_path / "copy", FOLDER, ACTION)
    program = Program(tmp_path, shell.environment, package_root=tmp_path / "copy")

    def run(*argv):
        return STYLE.sub("", program.run(*argv, tty=True).screen.decode())

    return run


def titles(screen):
    return re.findall(r"^ *\d+  (\w+ \w+)  ", screen, re.MULTILINE)


@pytest.mark.slow
def test_it_is_turned_on_used_at_a_terminal_and_turned_off(at_terminal, blocks, shell):
    shell.serpapi.sells(home_depot=own_test(blocks)["PAGE"])
    shell.gemini.plans(PLAN, {"action": "reply", "text": "That I can't tell."})

    assert "hardware  off  tools, paint and timber" in at_terminal("packs", "list")
    assert at_terminal("packs", "on", "hardware").startswith("hardware is on now")

    found = at_terminal(*IN_THREAD, ASKED)
    assert titles(found) == ["Hammer drill", "Cordless drill"]
    assert "2 of 3. Left out: 1 over $100.00." in found
    assert titles(at_terminal(*IN_THREAD, "cheapest", "first")) == ["Cordless drill", "Hammer drill"]
    (table,) = json.loads(at_terminal(*IN_THREAD, "--json", "sort by rating"))["tables"]
    assert [row["price"]["amount"] for row in table["rows"]] == ["79.00", "49.97"]
    at_terminal(*IN_THREAD, "open", "2")
    assert shell.opened == ["https://www.homedepot.com/p/2"]
    assert shell.cost == (1, 1)

    assert at_terminal("packs", "off", "hardware").startswith("hardware is off now")
    assert "That I can't tell." in at_terminal(*IN_THREAD, ASKED)

    offered, after = ({*request.enum("action")} for request in shell.gemini.requests)
    assert "find_tools" in offered
    assert "find_tools" not in after


def test_its_own_test_passes(blocks, tmp_path, house, monkeypatch):
    written(blocks, tmp_path, FOLDER, ACTION)
    monkeypatch.setattr(packs, "__path__", [*packs.__path__, str(tmp_path / "jarvis/packs")])
    tests = {name: test for name, test in own_test(blocks).items() if name.startswith("test_")}

    assert len(tests) == 1
    for test in tests.values():
        test(house)
    for name in [name for name in sys.modules if name.startswith("jarvis.packs.hardware")]:
        monkeypatch.delitem(sys.modules, name)
