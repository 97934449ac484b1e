"""Jarvis writes as people speak: what it shows and its docs have no pattern that most people read twice."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = runpy.run_path(str(ROOT / "scripts" / "words"))
# Where a sentence is left to taste: so many at most.
MOST = {"shown: semicolon": 40, "docs: semicolon": 40, "docs: long": 30}


def test_what_people_read_can_be_read_aloud_once():
    found = WORDS["hard"](str(ROOT))
    docstrings = found.pop("docstrings")

    assert {name: each for name, each in found.items() if len(each) > MOST.get(name, 0)} == {}
    assert len(docstrings) <= 0.05 * len(WORDS["texts"](str(ROOT))[1]), docstrings
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 500


def test_it_finds_what_is_hard_to_read(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in (*WORDS["FOR_USERS"], *WORDS["FOR_DEVELOPERS"]):
        (tmp_path / name).write_text("It is told of whom; where it is no page, `is told` stands.\n")
    package = tmp_path / "jarvis"
    package.mkdir()
    (package / "a.py").write_text('"""Return what is told."""\ntold = f"A {1} thread can\'t be read"\n')

    assert {name for name, each in WORDS["hard"](str(tmp_path)).items() if each} >= {
        *(
            f"docs: {name}"
            for name in ("is told, is asked", "of which", "semicolon", "is no, is none", "stands")
        ),
        *("shown: can't be read", "shown: thread, brain", "docstrings: return what", "docstrings", "names"),
    }
