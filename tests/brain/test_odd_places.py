"""Homes, settings and disks that are not what they should be."""

from __future__ import annotations

import resource

import pytest

from tests.brain.brains import HELLO

pytestmark = pytest.mark.slow


def test_a_home_that_is_relative_is_refused_before_any_brain_keeps_history_elsewhere(warm):
    done = warm.jarvis("what is all this?", environment={"JARVIS_HOME": "jarvis"})

    assert (done.status, done.stdout) == (78, "")
    assert "JARVIS_HOME must be an absolute path." in done.stderr
    assert 'hint: export JARVIS_HOME="$PWD/jarvis"' in done.stderr


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
