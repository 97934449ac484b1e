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


@pytest.fixture
def scaling(monkeypatch):
    monkeypatch.syspath_prepend(BENCH.parent)
    import bench_scaling

    for name, value in {"SIZES": [5000, 10_000, 20_000], "_ROUNDS": 1, "_MOST_ROUNDS": 3}.items():
        monkeypatch.setattr(bench_scaling, name, value)
    return bench_scaling


def test_what_takes_the_square_of_its_text_is_told_from_what_does_not(scaling):
    ratio, _ = scaling._of_shape(lambda words: lambda: [words.count("b") for _ in words[::50]], "a", "")

    assert ratio > scaling.MOST


def test_every_reader_of_foreign_text_is_measured_on_every_shape(scaling, monkeypatch, capsys):
    monkeypatch.setattr(scaling, "SIZES", [200, 400])
    monkeypatch.setattr(scaling, "_LEAST", 0)
    import bench

    bench.main(["scaling"])

    printed = capsys.readouterr().out
    assert len(re.findall(r"(?m)^scaling .+ +\d+\.\d\dx a doubling", printed)) == 8, printed
    assert len(scaling.SHAPES) >= 10


def test_an_unknown_bench_is_a_usage_error():
    done = subprocess.run([sys.executable, "-P", str(BENCH), "nonesuch"], capture_output=True, check=False)

    assert done.returncode == 2
