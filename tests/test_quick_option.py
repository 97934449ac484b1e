"""The option --quick: what it runs, and that what starts a process fails in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(__file__))
TESTS = """
import subprocess, pytest

def test_that_starts_a_process():
    subprocess.run(["true"])

def test_that_hides_it():
    with pytest.raises(AssertionError):
        subprocess.run(["true"])

def test_that_starts_none():
    pass

def test_of_the_program(shell):
    shell.jarvis("--version")

@pytest.mark.parametrize("database_url", ["sqlite", "postgres"], indirect=True)
def test_of_both_databases(house):
    pass

@pytest.mark.slow
def test_that_takes_long():
    pass
"""
pytestmark = pytest.mark.slow


def quick(*arguments):
    """What pytest says with --quick."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--quick", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_what_starts_a_process_is_left_out_or_fails(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)

    said = quick("-p", "tests.conftest", "-q", "-rA", "--tb=no", str(tmp_path))

    ended = {line.split(" - ")[0].replace(str(tmp_path), "") for line in said.splitlines() if "::" in line}
    assert {line.partition(" ")[0] + line.rpartition("::")[2] for line in ended} == {
        "FAILEDtest_that_starts_a_process",
        "ERRORtest_that_starts_a_process",
        "PASSEDtest_that_hides_it",
        "ERRORtest_that_hides_it",
        "PASSEDtest_that_starts_none",
    }
    assert "4 deselected" in said
