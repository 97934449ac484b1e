"""Homes, settings and disks that are not what they should be."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tests.brain.brains import HELLO
from tests.shell import wait_until

pytestmark = pytest.mark.slow


def test_a_home_that_is_relative_is_refused_before_any_brain_keeps_history_elsewhere(warm):
    done = warm.jarvis("what is all this?", environment={"JARVIS_HOME": "jarvis"})

    assert (done.status, done.stdout) == (78, "")
    assert "JARVIS_HOME must be an absolute path." in done.stderr
    assert 'hint: export JARVIS_HOME="$PWD/jarvis"' in done.stderr


def test_bad_settings_are_told_and_leave_no_brain(home):
    home.configure("model = 3\n")

    done = home.jarvis("what is all this?")

    assert done.status == 78
    assert "config.toml must be a text" in done.stderr
    wait_until(lambda: not home.brains)


def test_on_a_full_disk_it_is_told_and_the_brain_serves_on(warm):
    (pid,) = warm.brains
    limits = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        full = warm.jarvis("-t", "full", "what is all this?")
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
    warm.gemini.plans(HELLO)

    assert full.status == 1
    assert "Check that there is space" in full.stderr
    assert warm.jarvis("-t", "full", "what is all this?").stdout == "Hello.\n"


def test_on_a_full_disk_a_first_request_ends_in_a_line_and_the_next_one_has_a_brain(home):
    before = {path for path in home.home.rglob("*") if path.is_file() and path.stat().st_size}
    full = ["sh", "-c", 'ulimit -S -f 0; exec "$@"', "sh", sys.executable, "-P", "-m", "jarvis"]

    done = subprocess.run(
        [*full, "what is all this?"],
        env=home.program().env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert {path for path in home.home.rglob("*") if path.is_file() and path.stat().st_size} == before
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 2, done.stderr
    assert "Check that there is space" in done.stderr
    assert home.cost == (0, 0)
    home.start_brain()
