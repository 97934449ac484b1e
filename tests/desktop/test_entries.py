"""Platform entries as distributions ship them, and as nobody should."""

import os
import time

import pytest

from jarvis.desktop.linux.apps import expand_exec, index, split_exec
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


def test_the_persons_own_entry_comes_before_the_systems_and_may_hide_it(env, home, tmp_path):
    for name in ("app", "other", "third"):
        system_entry(tmp_path, name, Name=name, Exec=name)
    write_entry(home, "app", Name="Mine", Exec="mine")
    write_entry(home, "other", Name="Other", Exec="other", Hidden="true")
    write_entry(home, "third", Name="Third", Exec="third", NoDisplay="true")

    assert names(env) == ["Mine"]


@pytest.mark.parametrize(
    ("keys", "desktop", "shown"),
    [
        ({"OnlyShowIn": "GNOME;XFCE;"}, "ubuntu:GNOME", True),
        ({"OnlyShowIn": "GNOME;"}, "KDE", False),
        ({"OnlyShowIn": "GNOME;"}, "", False),
        ({"NotShowIn": "KDE;"}, "KDE", False),
        ({"NotShowIn": "KDE;"}, "", True),
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


JUNK = [
    b'[Desktop Entry]\nType=Application\nName=J\nExec=j "a\n',  # a quote that is not closed
    b"[Desktop Entry]\nType=Application\nExec=j\n",
    b"[Desktop Entry]\nType=Application\nName=J\n",
    b"[Desktop Entry]\nType=Link\nName=J\nExec=j\nURL=https://example.org\n",
    b"[Desktop Entry]\nName=J\nExec=j\n",
    bytes(range(256)) * 100,
    b"",
    b"[Desktop Action new]\nType=Application\nName=J\nExec=j\n",
    b"[Desktop Entry]\nType=Application\nName=\x1b[2J\x1b[31m\nExec=j\n",
    b"#" * 10_000_000 + b"\n[Desktop Entry]\nType=Application\nName=J\nExec=j\n",
    b"[Desktop Entry]\nType=Application\nName=J\nExec=" + b'"\\"' * 3_000_000,
]


def test_junk_and_strange_things_are_passed_over_quickly(env, home):
    folder = write_entry(home, "good", Name="Good", Exec="good").parent
    for n, content in enumerate(JUNK):
        (folder / f"{n}.desktop").write_bytes(content)
    os.mkfifo(folder / "pipe.desktop")
    os.symlink(folder, folder / "loop")
    os.symlink("self.desktop", folder / "self.desktop")
    os.symlink("/nowhere", folder / "dangling.desktop")
    os.symlink("/dev/zero", folder / "device.desktop")
    (folder / "folder.desktop").mkdir()

    started = time.monotonic()

    assert names(env) == ["Good"]
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("firefox %u", ["firefox", "%u"]),
        ("  spaced   out\t", ["spaced", "out"]),
        ('"/opt/My App/run" --now', ["/opt/My App/run", "--now"]),
        ('say "a b"c', ["say", "a bc"]),
        ('say ""', ["say", ""]),
        (r'say "\\"quoted\\""', ["say", '"quoted"']),
        (r'say "\\$HOME \\` \\\\"', ["say", r"$HOME ` " + "\\"]),
        (r"tab\there", ["tab", "here"]),
        (r'say "one\stwo"', ["say", "one two"]),
        ('sh -c "a; b && c | d > e"', ["sh", "-c", "a; b && c | d > e"]),
        ("sh -c 'a; b'", ["sh", "-c", "a; b"]),  # as GLib reads it, whatever the specification says
        ("$(reboot) `x` ~ *", ["$(reboot)", "`x`", "~", "*"]),
        ("", []),
    ],
)
def test_an_exec_line_is_split_and_never_run_by_a_shell(line, arguments):
    assert split_exec(line) == arguments


@pytest.mark.parametrize(
    ("arguments", "expanded"),
    [
        (["a", "%f", "%F", "%u", "%U", "%i", "%d", "%z"], ["a"]),
        (["a", "--title=%c", "%k"], ["a", "--title=Name", "/entry"]),
        (["a", "100%%", "%%c"], ["a", "100%", "%c"]),
        (["a", "--open=%u"], ["a", "--open="]),
        (["a", "", "%"], ["a", "", "%"]),
    ],
)
def test_field_codes_are_filled_in_or_fall_away(arguments, expanded):
    assert expand_exec(arguments, name="Name", path="/entry") == expanded
