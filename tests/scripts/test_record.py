"""scripts/record draws what the program printed: its words as text, in its colours, the same each time."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def recorder(monkeypatch):
    """What scripts/record defines, and the path that it adds for itself, which goes with the test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return runpy.run_path(str(ROOT / "scripts" / "record"))


def words_of(picture: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@pytest.mark.slow
@pytest.mark.long
def test_a_scene_becomes_a_moving_picture_of_what_was_typed_and_printed_the_same_each_time(
    recorder, tmp_path, monkeypatch
):
    pictures = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        monkeypatch.setattr(sys, "argv", ["record", f"--folder={folder}", "open"])
        recorder["main"]()
        pictures.append((folder / "open.svg").read_text(encoding="utf-8"))

    assert pictures[0] == pictures[1]
    said = ["jarvis open github.com", "Sent https://github.com to your browser."]
    assert [each for each in words_of(pictures[0]) if each in said] == said
    assert "jarvis op" in words_of(pictures[0])  # while it was typed


@pytest.mark.slow
@pytest.mark.long
def test_each_scene_is_recorded_to_its_end(recorder, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["record", f"--folder={tmp_path}"])
    recorder["main"]()

    pictures = {path.stem: words_of(path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()}
    assert pictures.keys() == recorder["SCENES"].keys()
    failures = ("jarvis: ", "Not opened", "Did not ")
    assert {name for name, words in pictures.items() for each in words if each.startswith(failures)} == set()


def test_the_docs_show_each_picture_that_there_is(recorder):
    docs = (ROOT / "README.md").read_text(encoding="utf-8") + (ROOT / "docs/using.md").read_text(
        encoding="utf-8"
    )

    assert {path.stem for path in (ROOT / "docs" / "images").iterdir()} == set(recorder["SCENES"])
    assert [name for name in recorder["SCENES"] if f"images/{name}.svg)" not in docs] == []
