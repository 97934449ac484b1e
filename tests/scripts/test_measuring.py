"""The scripts that measure tell what is missed, and the pictures that are recorded are those of the docs."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from tests.twins.serpapi import results
from tests.twins.shop_pages import ebay, ebay_product, item, listed, product, shopping, store

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
OWN, FILE = "https://acme.example/", "google_acme.json"
ACME = results([("On Acme", f"{OWN}on", "")], website=("Acme", OWN), local=[("Acme", OWN)])
MUST = [
    {"text": "open youtube", "action": "open_website", "argument": "youtube", "reflex": "must"},
    {"text": "start gimp", "action": "open_app", "argument": "gimp", "reflex": "must"},
    {"text": "take a screenshot", "action": "take_screenshot", "argument": "", "reflex": "must"},
    {"text": "open github in firefox", "action": "open_website", "argument": "github", "reflex": "never"},
]
OFFERS = {
    "google_shopping_lantern_us.json": shopping(listed(1)),
    "google_shopping_list_us.json": shopping(listed(2))["shopping_results"],
    "google_immersive_product.json": product(store("Wick")),
    "ebay.json": ebay(item(1)),
    "ebay_product.json": ebay_product(),
    "mercari.json": {"items": [{"name": "ランタン", "id": "m12345678901", "price": "3500"}]},
}


def answers(best):
    """A folder with an answer, and labels that want *best* of it."""
    wanted = {"file": FILE, "query": "Acme", "kind": "nav", "best": best, "acceptable": []}
    return {FILE: ACME, "gold.jsonl": wanted, "gold_places.jsonl": wanted | {"name": "Acme", "website": OWN}}


def sentences(*negatives):
    rows = [{"text": text} for text in negatives]
    named = {"commands.jsonl": MUST, "negatives.jsonl": rows}
    return {name: "\n".join(map(json.dumps, each)) for name, each in named.items()}


def run(monkeypatch, script, *argv):
    """What the script defines once it has run."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [script, *map(str, argv)])
    return runpy.run_path(str(ROOT / "scripts" / script), run_name="__main__")


@pytest.mark.parametrize(
    ("script", "files", "status", "line", "times"),
    [
        ("check_addresses", answers(OWN), 0, "places: 1 of 1 offered", 1),
        ("check_addresses", answers(f"{OWN}on"), 1, "clean: 2 addresses of 1 answers", 1),
        ("check_commands", sentences("who opened the window", "Gimp"), 0, ": 1 of 1", 3),
        ("check_commands", sentences("open a.org"), 1, "never: 0 of 1 fired", 1),
        ("check_offers", OFFERS, 0, ": 1 of 1 prices", len(OFFERS)),
        ("check_offers", {"google_shopping.json": shopping(listed(1, price="from $5.00"))}, 1, "", 0),
        ("check_offers", {"other.json": {}}, 1, "", 0),
    ],
)
def test_what_is_labelled_is_read_or_fails(tmp_path, monkeypatch, capsys, script, files, status, line, times):
    for name, told in files.items():
        (tmp_path / name).write_text(told if isinstance(told, str) else json.dumps(told))

    with pytest.raises(SystemExit) as ended:
        run(monkeypatch, script, tmp_path)

    assert int(ended.value.code or 0) == status
    assert not line or capsys.readouterr().out.count(line) == times


def test_the_docs_show_each_picture_that_there_is(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    scenes = runpy.run_path(str(ROOT / "scripts" / "record"))["SCENES"]
    docs = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/using.md"))

    assert {path.stem for path in (ROOT / "docs" / "images").iterdir()} == {*scenes}
    assert [name for name in scenes if f"images/{name}.svg)" not in docs] == []
