"""The script that measures the extraction of addresses starts, and tells one that is missed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.twins.serpapi import results

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_addresses"
NAME, OWN = "Acme", "https://acme.example/"
PAGE = results([("On Acme", "https://a.example/on-acme", "")], website=(NAME, OWN), local=[(NAME, OWN)])


@pytest.mark.parametrize(("best", "status"), [(OWN, 0), ("https://a.example/on-acme", 1)])
def test_what_comes_first_and_what_is_offered_is_held_against_the_labels(tmp_path, best, status):
    wanted = {"file": "google_acme.json", "query": NAME, "kind": "nav", "best": best, "acceptable": []}
    place = {"file": "google_acme.json", "name": NAME, "website": OWN}
    for name, record in (("google_acme.json", PAGE), ("gold.jsonl", wanted), ("gold_places.jsonl", place)):
        (tmp_path / name).write_text(json.dumps(record))

    done = subprocess.run(
        [sys.executable, "-P", str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == status, done.stdout + done.stderr
    assert "places: 1 of 1 offered\nclean: 2 addresses of 1 answers" in done.stdout
