from __future__ import annotations

import os
import time

import pytest

from jarvis.desktop.linux.desktop_entries import index
from tests.desktop.screen import write_entry


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def names(env):
    return [app.name for app in index(env)]


def system_entry(tmp_path, app_id, **keys):
    """An entry in the folder that comes after the person's own."""
    source = write_entry(tmp_path / "elsewhere", app_id, **keys)
    folder = tmp_path / "share/applications"
    folder.mkdir(parents=True, exist_ok=True)
    source.rename(folder / source.name)


def test_the_persons_own_entry_comes_before_the_systems(env, home, tmp_path):
    write_entry(home, "app", Name="Mine", Exec="mine")
    system_entry(tmp_path, "app", Name="Theirs", Exec="theirs")
    system_entry(tmp_path, "other", Name="Other", Exec="other")

    assert names(env) == ["Mine", "Other"]


@pytest.mark.parametrize("key", ["Hidden", "NoDisplay"])
def test_hiding_an_app_hides_the_systems_entry_too(key, env, home, tmp_path):
    system_entry(tmp_path, "app", Name="App", Exec="app")
    assert names(env) == ["App"]

    write_entry(home, "app", Name="App", Exec="app", **{key: "true"})

    assert names(env) == []


@pytest.mark.parametrize(
    ("keys", "desktop", "shown"),
    [
        ({"OnlyShowIn": "GNOME;XFCE;"}, "ubuntu:GNOME", True),
        ({"OnlyShowIn": "GNOME;"}, "KDE", False),
        ({"OnlyShowIn": "GNOME;"}, "", False),
        ({"NotShowIn": "KDE;"}, "KDE", False),
        ({"NotShowIn": "KDE;"}, "", True),
        ({"Type": "Link"}, "", True),
        ({"TryExec": "there"}, "", True),
        ({"TryExec": "not-there"}, "", False),
    ],
)
def test_an_entry_is_shown_where_it_says(keys, desktop, shown, env, home, shims):
    shims.add("there")
    write_entry(home, "app", Name="App", Exec="app", **keys)

    assert names(env | {"XDG_CURRENT_DESKTOP": desktop}) == (["App"] if shown else [])


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ({"LANG": "de_DE.UTF-8"}, ("Rechner", "Calculator")),
        ({"LANG": "de_AT.UTF-8"}, ("Rechner AT", "Calculator")),
        ({"LANG": "sr_RS@latin"}, ("Kalkulator", "Calculator")),
        ({"LANG": "fr_FR"}, ("Calculator",)),
        ({"LANG": "C"}, ("Calculator",)),
        ({"LANG": "de_DE", "LC_ALL": "C"}, ("Calculator",)),
        ({"LANG": "C", "LC_MESSAGES": "de"}, ("Rechner", "Calculator")),
    ],
)
def test_an_app_is_called_by_its_name_here_and_by_its_english_one(locale, expected, env, home):
    path = write_entry(
        home, "calc", Name_de="Rechner", Name_de_AT="Rechner AT", Name="Calculator", Exec="calc"
    )
    path.write_text(path.read_text() + "Name[sr@latin]=Kalkulator\n")

    [app] = index(env | locale)

    assert app.names == expected


JUNK = {
    "unbalanced quote": b'[Desktop Entry]\nType=Application\nName=J\nExec=j "a\n',
    "no name": b"[Desktop Entry]\nType=Application\nExec=j\n",
    "no exec": b"[Desktop Entry]\nType=Application\nName=J\n",
    "a link": b"[Desktop Entry]\nType=Link\nName=J\nExec=j\nURL=https://example.org\n",
    "no type": b"[Desktop Entry]\nName=J\nExec=j\n",
    "a NUL": b"[Desktop Entry]\nType=Application\nName=J\nExec=j\0k\n",
    "not text": bytes(range(256)) * 100,
    "empty": b"",
    "another section": b"[Desktop Action new]\nType=Application\nName=J\nExec=j\n",
    "a name of escapes": b"[Desktop Entry]\nType=Application\nName=\x1b[2J\x1b[31m\nExec=j\n",
    "10 MB before it": b"#" * 10_000_000 + b"\n[Desktop Entry]\nType=Application\nName=J\nExec=j\n",
    "10 MB of quotes": b"[Desktop Entry]\nType=Application\nName=J\nExec=" + b'"\\"' * 3_000_000,
}


@pytest.mark.parametrize("content", JUNK.values(), ids=JUNK.keys())
def test_a_junk_entry_is_passed_over_quickly(content, env, home):
    path = write_entry(home, "good", Name="Good", Exec="good")
    (path.parent / "bad.desktop").write_bytes(content)

    started = time.monotonic()

    assert names(env) == ["Good"]
    assert time.monotonic() - started < 20


def test_strange_things_in_the_folder_are_passed_over(env, home):
    folder = write_entry(home, "good", Name="Good", Exec="good").parent
    os.mkfifo(folder / "pipe.desktop")
    os.symlink(folder, folder / "loop")
    os.symlink("self.desktop", folder / "self.desktop")
    os.symlink("/nowhere", folder / "dangling.desktop")
    os.symlink("/dev/zero", folder / "device.desktop")
    (folder / "folder.desktop").mkdir()
    (folder / "notes.txt").write_text("not an entry")

    assert names(env) == ["Good"]
