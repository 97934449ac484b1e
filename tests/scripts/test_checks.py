"""The scripts that measure on answers and sentences of one's own start, and tell what is missed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twins.serpapi import results
from tests.twins.shop_pages import ebay, ebay_product, item, listed, product, shopping, store

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(script, *argv, **environment):
    command = [sys.executable, "-P", str(SCRIPTS / script), *map(str, argv)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


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


def labelled(best):
    wanted = {"file": FILE, "query": "Acme", "kind": "nav", "best": best, "acceptable": []}
    places = {"file": FILE, "name": "Acme", "website": OWN}
    return {FILE: ACME, "gold.jsonl": wanted, "gold_places.jsonl": places}


def sentences(*negatives):
    texts = "\n".join(json.dumps({"text": text}) for text in negatives)
    return {"commands.jsonl": "\n".join(map(json.dumps, MUST)), "negatives.jsonl": texts}


FIRED = [f"must {each}: 1 of 1" for each in ("open_website", "open_app", "take_screenshot")]
FIRED.append("never: 0 of 1 fired; 0 are nothing but a name")
# A script, the files of its folder, its status, and what it prints.
CASES = [
    ("check_addresses", labelled(OWN), 0, ["places: 1 of 1 offered\nclean: 2 addresses of 1 answers"]),
    ("check_addresses", labelled(f"{OWN}on"), 1, ["places: 1 of 1 offered\nclean: 2 addresses of 1 answers"]),
    ("check_commands", sentences("who opened the window", "Gimp"), 0, FIRED),
    ("check_commands", sentences("open a.org"), 1, FIRED),
    ("check_offers", OFFERS, 0, ["all fine\n", *([": 1 of 1 prices"] * len(OFFERS))]),
    ("check_offers", {"google_shopping.json": shopping(listed(1, price="from $5.00"))}, 1, []),
    ("check_offers", {"other.json": {}}, 1, []),
]


@pytest.mark.parametrize(("script", "files", "status", "printed"), CASES)
def test_what_is_labelled_is_read_or_fails(tmp_path, script, files, status, printed):
    for name, told in files.items():
        (tmp_path / name).write_text(told if isinstance(told, str) else json.dumps(told))

    done = run(script, tmp_path)

    assert done.returncode == status, done.stdout + done.stderr
    assert {each: done.stdout.count(each) for each in printed} == {
        each: printed.count(each) for each in printed
    }


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("turn", r"find \+ open, SQLite, the brain's CPU"),
        ("plain", r"jarvis --help, CPU"),
        ("warm", r"find \+ open, the client's CPU"),
        ("read", r"sum up ~/notes.md, all processes' CPU"),
        ("look", r"what is on my screen\?, all processes' CPU"),
        ("load", r"Postgres, 20 ms, 8 at once, all of them, on the wall"),
    ],
)
def test_a_bench_prints_its_figures_as_ratios_to_bare_python_and_to_another_checkout(what, line):
    done = run("bench.py", "--beside", SCRIPTS.parent, what, JARVIS_BENCH_RUNS="1")

    assert done.returncode == 0, done.stderr
    assert re.search(rf"{line} +\d+\.\d ms +\d+\.\d\dx +\d+\.\d\dx beside", done.stdout)
