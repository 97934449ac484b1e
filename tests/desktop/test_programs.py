"""Programs that do one thing and end: real processes, in place of those of macOS and Windows."""

from __future__ import annotations

import time

from jarvis.desktop.programs import run_program
from tests.desktop.screen import running

ODD = ["a b & c?d=%20 %PATH% 'e' \"f\"", "  $(touch x) `y` \\ 'z' &?%\"  "]


def test_odd_arguments_arrive_whole(env, shims):
    program = shims.add("program", "echo said")

    ended = run_program([str(program), *ODD], env, 5)

    assert ended == (0, b"said\n", "")
    assert shims.calls() == [["program", *ODD]]


def test_our_keys_do_not_reach_them(env, shims):
    program = shims.add("program", "/usr/bin/env")
    secrets = {"GOOGLE_API_KEY": "x", "SERPAPI_API_KEY": "x", "DATABASE_URL": "x", "JARVIS_HOME": "x"}

    seen = run_program([str(program)], {**env, **secrets}, 5).out.decode()

    assert "HOME=" in seen
    assert not [name for name in secrets if f"{name}=" in seen]


def test_a_child_that_it_leaves_behind_does_not_keep_us(env, shims):
    program = shims.add("program", "echo said; /bin/sleep 60 &")
    began = time.monotonic()

    assert run_program([str(program)], env, 30) == (0, b"said\n", "")
    assert time.monotonic() - began < 30
    assert len(running(env)) == 1
