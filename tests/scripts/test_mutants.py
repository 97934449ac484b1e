"""scripts/mutants: what it says of an edit that a test notices, that none does, and that fits nowhere."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIGHT = "def is_on():\n    return True\n"
TEST = "from light import is_on\n\ndef test_it_is_on():\n    assert is_on()\n"


@pytest.fixture(scope="module")
def mutants():
    loader = SourceFileLoader("mutants", str(ROOT / "scripts" / "mutants"))
    module = module_from_spec(spec_from_loader("mutants", loader))
    sys.modules["mutants"] = module  # where its values look for their names
    loader.exec_module(module)
    yield module
    del sys.modules["mutants"]


@pytest.fixture
def tree(tmp_path):
    """A checkout with one module and its test."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (tmp_path / "light.py").write_text(LIGHT)
    (tmp_path / "test_light.py").write_text(TEST)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("True", "False", "killed"),
        ("True", "1", "SURVIVED"),
        ("return False", "return None", "NOT FOUND"),
        ("r", "l", "NOT FOUND"),  # it stands there more than once
        ("True", "(", "BROKEN"),
    ],
)
def test_an_edit_is_judged_by_its_tests_and_undone(mutants, tree, capsys, old, new, word):
    mutant = mutants.Mutant("the light is on", "light.py", old, new, ["test_light.py"])

    assert mutants.tried(mutant, str(tree)) == word
    assert capsys.readouterr().out == f"{word:9} the light is on (light.py)\n"
    assert (tree / "light.py").read_text() == LIGHT


def test_the_table_is_read_and_names_tests_that_there_are(mutants):
    table = mutants.load(mutants.TABLE)

    assert len(table) >= 30
    assert [each.promise for each in table if not each.tests or each.old == each.new] == []
    paths = {test.partition("::")[0] for each in table for test in each.tests}
    assert [path for path in paths if not (ROOT / path).exists()] == []
    found = [(each.promise, (ROOT / each.file).read_text().count(each.old)) for each in table]
    assert [promise for promise, count in found if count != 1] == []
