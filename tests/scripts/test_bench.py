"""scripts/bench still measures what it says. Its times are not judged here: machines are noisy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.long]

BENCH = Path(__file__).parents[2] / "scripts" / "bench.py"


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("turn", r"find \+ open, warm, 40 messages"),
        ("plain", r"jarvis --help"),
        ("warm", r"find \+ open, the client's CPU"),
        ("load far 1", r"Postgres, 20 ms +1 +1 of 1 +\d+\.\d\d turns/s  CPU"),
    ],
)
def test_a_bench_prints_its_figures_as_ratios_to_bare_python(what, line):
    done = subprocess.run(
        [sys.executable, "-P", str(BENCH), *what.split()],
        env={**os.environ, "JARVIS_BENCH_RUNS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert re.search(rf"{line} +\d+\.\d ms +\d+\.\d\dx", done.stdout)
