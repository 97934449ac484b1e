"""The table of CONTRIBUTING.md names tests that there are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
ROW = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<tests>`[^|]+`) \|$", re.MULTILINE)


def rows():
    """Each promise, with the tests that the table names for it."""
    table = (TESTS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## What proves what")[2]
    return {row["promise"]: re.findall(r"`([^`]+)`", row["tests"]) for row in ROW.finditer(table)}


def is_there(test):
    path, _, name = test.partition("::")
    if not (TESTS / path).is_file():
        return False
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in ast.walk(tree))


@pytest.mark.slow
def test_every_test_that_the_table_names_is_there():
    named = rows()

    assert len(named) > 70
    missing = {test for tests in named.values() for test in tests if not is_there(test)}
    assert missing == set()
