"""The scripts that measure fail where something is missed; the docs show the pictures that are recorded."""

import json
import runpy
import sys
from pathlib import Path

import pytest

from tests.twins.serpapi import results
from tests.twins.shop_pages import listed, shopping

ROOT = Path(__file__).parents[2]
OWN = "https://acme.example/"
ACME = results([("On Acme", f"{OWN}on", "")], website=("Acme", OWN), local=[("Acme", OWN)])
LABEL = {"file": "google_acme.json", "name": "Acme", "website": OWN, "query": "Acme", "kind": "nav"}
SAID = {"action": "open_website", "argument": "youtube", "reflex": "must", "text": "open youtube"}


def answers(best):
    label = LABEL | {"best": best, "acceptable": []}
    return {"google_acme.json": ACME, "gold.jsonl": label, "gold_places.jsonl": label}


def offers(price):
    return {"google_shopping_us.json": shopping(listed(1, price=price))}


@pytest.mark.parametrize(
    ("script", "files", "status"),
    [
        ("check_addresses", answers(OWN), 0),
        ("check_addresses", answers(f"{OWN}on"), 1),
        ("check_commands", {"commands.jsonl": SAID, "negatives.jsonl": {"text": "who opened it"}}, 0),
        ("check_commands", {"commands.jsonl": SAID, "negatives.jsonl": {"text": "open a.org"}}, 1),
        ("check_offers", offers("$5.00"), 0),
        ("check_offers", offers("from $5.00"), 1),
        ("check_offers", {"other.json": {}}, 1),
    ],
)
def test_what_is_labelled_is_read_or_fails(tmp_path, monkeypatch, script, files, status):
    for name, told in files.items():
        (tmp_path / name).write_text(json.dumps(told))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [script, str(tmp_path)])

    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "scripts" / script), run_name="__main__")

    assert int(ended.value.code or 0) == status


def test_the_docs_show_each_picture_that_there_is(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    scenes = runpy.run_path(str(ROOT / "scripts" / "record"))["SCENES"]
    docs = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/using.md"))

    assert {path.stem for path in (ROOT / "docs" / "images").iterdir()} == {*scenes}
    assert [name for name in scenes if f"images/{name}.svg)" not in docs] == []
