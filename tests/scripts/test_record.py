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
def test_each_scene_becomes_a_moving_picture_of_what_was_typed_and_printed_the_same_each_time(
    recorder, tmp_path, monkeypatch
):
    pictures = []
    for folder, *scenes in ((tmp_path / "first",), (tmp_path / "second", "open")):
        monkeypatch.setattr(sys, "argv", ["record", f"--folder={folder}", *scenes])
        recorder["main"]()
        pictures.append({path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()})

    first, second = pictures
    assert (first.keys(), first["open"]) == (recorder["SCENES"].keys(), second["open"])
    words = words_of(first["open"])
    said = ["jarvis open github.com", "Sent https://github.com to your browser."]
    assert [each for each in words if each in said] == said
    assert "jarvis op" in words  # while it was typed
    failures = ("jarvis: ", "Not opened", "Did not ")
    failed = [each for picture in first.values() for each in words_of(picture) if each.startswith(failures)]
    assert failed == []


def test_the_docs_show_each_picture_that_there_is(recorder):
    docs = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/using.md"))

    assert {path.stem for path in (ROOT / "docs" / "images").iterdir()} == set(recorder["SCENES"])
    assert [name for name in recorder["SCENES"] if f"images/{name}.svg)" not in docs] == []
