"""The script that measures the reading of offers starts, and tells an entry that is not read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twins.shop_pages import ebay, ebay_product, item, listed, product, shopping, store

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_offers"
PAGES = {
    "google_shopping_lantern_us.json": shopping(listed(1)),
    "google_shopping_list_us.json": shopping(listed(2))["shopping_results"],
    "google_immersive_product.json": product(store("Wick")),
    "ebay.json": ebay(item(1)),
    "ebay_product.json": ebay_product(),
    "mercari.json": {"items": [{"name": "ランタン", "id": "m12345678901", "price": "3500"}]},
}
UNREAD = shopping(listed(1, price="from $5.00"))


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", str(SCRIPT), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_answers_that_are_read_are_all_fine(tmp_path):
    for name, page in PAGES.items():
        (tmp_path / name).write_text(json.dumps(page))

    done = check(tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": 1 of 1 prices") == len(PAGES)
    assert done.stdout.endswith("all fine\n")


@pytest.mark.parametrize(("name", "page"), [("google_shopping.json", UNREAD), ("other.json", {})])
def test_an_entry_that_is_not_read_or_no_answer_at_all_fails(tmp_path, name, page):
    (tmp_path / name).write_text(json.dumps(page))

    assert check(tmp_path).returncode == 1
