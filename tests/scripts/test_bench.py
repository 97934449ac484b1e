"""scripts/bench still measures what it says. Its times are not judged here: machines are noisy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BENCH = Path(__file__).parents[2] / "scripts" / "bench.py"


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("turn", r"find \+ open, warm, 40 messages"),
        pytest.param("plain", r"jarvis --help", marks=pytest.mark.long),
        pytest.param("warm", r"find \+ open, the client's CPU", marks=pytest.mark.long),
        pytest.param(
            "load far 1", r"Postgres, 20 ms +1 +1 of 1 +\d+\.\d\d turns/s  CPU", marks=pytest.mark.long
        ),
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


def test_ordinary_requests_are_neither_asked_about_nor_refused_and_done_right(monkeypatch):
    """A part of them, in this process, which has the imports already."""
    monkeypatch.syspath_prepend(BENCH.parent)
    from bench_asks import measured, talks

    every = talks()
    found = measured([*every[::12], *every[-2:]])
    told = {result.words: result[1:] for results in found.values() for result in results}
    misspelt = found.pop("misspelt apps")

    assert sum(map(len, found.values())) >= 48
    assert {words: why for words, why in told.items() if any(why)} == {
        result.words: (result.asked, "", "") for result in misspelt
    }
    assert len(misspelt) >= 2
    assert all("only comes near its name" in result.asked for result in misspelt)


def test_what_is_asked_refused_and_done_wrongly_is_counted(monkeypatch):
    monkeypatch.syspath_prepend(BENCH.parent)
    from bench_asks import Line, Talk, measured, told

    lines = [
        Line("open acme.example, please", ["any other.example"], "open u1"),
        Line("lanuch the calcualtor", ["app calcualtor"], "start calcualtor"),
        Line("take a screenshot", ["picture", "picture"], "picture"),
        Line("hello", ["say"], "nothing"),
    ]

    printed = told("some", measured([Talk(lines, ["some"] * len(lines))])["some"])

    assert printed.startswith("asks    some             4 requests   asked 1   refused 1   wrong effect 2\n")
