"""scripts/bench still measures what it says. What it finds is not judged here: machines are noisy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent / "scripts" / "bench.py"


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("turn", r"find \+ open, warm, 40 messages"),
        ("plain", r"jarvis --help"),
        ("warm", r"find \+ open, the client's CPU"),
    ],
)
def test_a_bench_prints_its_figures_as_ratios_to_bare_python(what, line):
    done = subprocess.run(
        [sys.executable, "-P", str(BENCH), what],
        env={**os.environ, "JARVIS_BENCH_RUNS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert re.search(rf"{line} +\d+\.\d ms +\d+\.\d\dx", done.stdout)


def test_what_is_asked_about_is_counted_and_ordinary_requests_seldom_are(monkeypatch, capsys):
    """In this process, which has the imports already."""
    monkeypatch.syspath_prepend(BENCH.parent)
    import bench

    status = bench.main(["asks"])

    printed = capsys.readouterr().out
    figures = re.search(r"asks +English +(\d+) requests +asked +(\d+) .*refused (\d+)", printed)
    assert figures, printed
    count, asked, refused = map(int, figures.groups())
    assert (status, count >= 120) == (0, True)
    assert asked <= count / 20, printed
    assert refused == 0, printed


def test_an_unknown_bench_is_a_usage_error():
    done = subprocess.run([sys.executable, "-P", str(BENCH), "nonesuch"], capture_output=True, check=False)

    assert done.returncode == 2
