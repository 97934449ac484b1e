"""scripts/bench still measures what it says. Its times are not judged here: machines are noisy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.long]

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "scripts" / "bench.py"


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
    done = subprocess.run(
        [sys.executable, "-P", str(BENCH), "--beside", str(ROOT), what],
        env={**os.environ, "JARVIS_BENCH_RUNS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert re.search(rf"{line} +\d+\.\d ms +\d+\.\d\dx +\d+\.\d\dx beside", done.stdout)
