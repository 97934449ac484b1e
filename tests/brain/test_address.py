"""Where a brain is met: what makes it another one, and who is taken for one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from jarvis.brain.address import Place, holder, place_of

LOOKER = """
import sys
from jarvis.brain.address import Place, holder
sys.exit(any(holder(Place(*sys.argv[1:])) for _ in range(4_000)))
"""


@pytest.fixture
def place(tmp_path):
    """Of a brain that has died: its lock file is still there."""
    dead = subprocess.Popen(["true"])
    dead.wait(10)
    place = Place(str(tmp_path), "name")
    with open(place.lock, "w") as lock:
        lock.write(f"{dead.pid} 1.0\n")
    return place


@pytest.mark.parametrize(
    "name",
    [
        *("XDG_ACTIVATION_TOKEN", "XDG_DATA_DIRS", "XDG_SESSION_ID", "XDG_CURRENT_DESKTOP"),
        *("HOMEBREW_PREFIX", "HOMEPAGE", "JARVIS_THREAD", "JARVIS_BRAIN", "TERM", "COLUMNS"),
    ],
)
def test_what_changes_nothing_for_a_brain_makes_no_other(tmp_path, name):
    environment = {"JARVIS_HOME": str(tmp_path)}

    assert place_of({**environment, name: "x"}) == place_of(environment)


@pytest.mark.parametrize(
    "name",
    [
        *("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"),
        *("GOOGLE_API_KEY", "DATABASE_URL", "PGPASSWORD", "TZ", "https_proxy", "JARVIS_MODEL"),
    ],
)
def test_what_changes_something_makes_another(tmp_path, name):
    environment = {"JARVIS_HOME": str(tmp_path)}

    assert place_of({**environment, name: "x"}).name != place_of(environment).name


def test_a_library_that_is_added_removed_or_replaced_makes_another(tmp_path, monkeypatch):
    libraries = tmp_path / "site-packages"
    libraries.mkdir()
    monkeypatch.syspath_prepend(libraries)
    environment, names = {"JARVIS_HOME": str(tmp_path / "home")}, []

    for nanoseconds in (1, 2, 3):  # the folder's time, which a change of what is in it changes
        os.utime(libraries, ns=(0, nanoseconds))
        names += [place_of(environment).name, place_of(environment).name]

    assert names[::2] == names[1::2]
    assert len(set(names)) == 3


@pytest.mark.parametrize("file", [".env", "config.toml"])
def test_settings_that_are_written_make_another(tmp_path, file):
    environment = {"JARVIS_HOME": str(tmp_path)}
    before = place_of(environment)

    (tmp_path / "config").mkdir(mode=0o700)
    (tmp_path / "config" / file).write_text("")

    assert place_of(environment).name != before.name


@pytest.mark.slow
def test_of_two_who_look_at_once_none_takes_the_other_for_a_brain(place):
    looks = 0
    with subprocess.Popen([sys.executable, "-P", "-c", LOOKER, *place]) as other:
        while other.poll() is None:
            assert holder(place) == 0
            looks += 1

    assert looks > 100
    assert other.returncode == 0
