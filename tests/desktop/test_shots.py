"""A picture's file is whole, and of half ones nothing stays."""

from __future__ import annotations

import os
import subprocess

import pytest
from PIL import Image

from jarvis.core.processes import began, process_of
from jarvis.desktop import shots
from tests.shell import wait_until


@pytest.mark.slow
def test_half_pictures_of_the_dead_are_swept_and_no_others(tmp_path):
    with subprocess.Popen(["true"]) as dead:
        wait_until(lambda: process_of(dead.pid).is_dead)
        theirs = [f".screenshot-{dead.pid}-{process_of(dead.pid).began}-0a.tmp"]
        theirs += [f".screenshot-{os.getppid()}-1-0a.tmp"]  # its pid was given to another meanwhile
        others = [f".screenshot-{os.getppid()}-{began(os.getppid())}-0a.tmp", ".screenshot-x.tmp", "a-b-c-d"]
        for name in (*theirs, *others):
            (tmp_path / name).write_bytes(b"half")

        shots.save(Image.new("RGB", (2, 2)), str(tmp_path / "Screenshot.png"))

    assert {path.name for path in tmp_path.iterdir()} == {*others, "Screenshot.png"}
