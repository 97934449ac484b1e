"""No list of wordings decides anything in the loop."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "jarvis"
WORDINGS = {"jarvis.phrases", "jarvis.lexicon", "jarvis.picture_phrases"}


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in PACKAGE.rglob("*.py")}


def imported(name: str) -> set[str]:
    """The modules of ours that the module *name* imports, wherever in it."""
    package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            found |= {origin, *(f"{origin}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & MODULES.keys()


def reached(names: set[str]) -> set[str]:
    """All that *names* import, directly or through others."""
    found, new = set(names), set(names)
    while new:
        new = {other for name in new for other in imported(name)} - found
        found |= new
    return found


@pytest.mark.parametrize("room", ["jarvis.graph", "jarvis.guard", "jarvis.intent"])
def test_what_decides_in_the_loop_reaches_no_list_of_wordings(room):
    names = {name for name in MODULES if name == room or name.startswith(f"{room}.")}

    assert names
    assert reached(names) & WORDINGS == set()


def test_the_plain_way_does():
    assert reached({"jarvis.names", "jarvis.actions.take_screenshot"}) >= WORDINGS
