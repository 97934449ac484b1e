"""`jarvis doctor`: each trouble is found, with its cure, and nothing is changed or given away by looking."""

import json
import socket
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.twins import gemini as g
from tests.twins.keyrings import LOCKED, using

PACKAGE = Path(__file__).parent.parent.parent
PROGRAMS = ("xdg-open", "grim")
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
KEY, SERPAPI_KEY = "a-key-that-nobody-is-to-see", "serpapi-key-of-the-tests"
DOWN = "postgresql://me:pw@127.0.0.1:1/jarvis"
FOREIGN = {"WAYLAND_DISPLAY": "", "DISPLAY": "localhost:10.0", "XDG_SESSION_TYPE": "wayland"}


@pytest.fixture
def well(shell):
    """A home in which nothing is wrong: keys, a screen, a browser, an app, and what takes pictures."""
    home = shell.home
    for folder in ("bin", "apps/applications", "jarvis/config"):
        (home / folder).mkdir(parents=True)
    for name in PROGRAMS:
        (home / "bin" / name).write_text("#!/bin/sh\ntouch ran\n")
        (home / "bin" / name).chmod(0o755)
    (home / "apps/applications/calc.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Calculator\nExec=true\n"
    )
    with socket.socket(socket.AF_UNIX) as screen:
        screen.bind(str(home / "wayland-0"))
        screen.listen()
        shell.environment |= {
            "GOOGLE_API_KEY": KEY,
            "PATH": str(home / "bin"),
            "WAYLAND_DISPLAY": "wayland-0",
            "XDG_RUNTIME_DIR": str(home),
            "XDG_DATA_DIRS": str(home / "apps"),
        }
        yield shell


def examined(shell, *argv):
    done = shell.jarvis("doctor", "--json", *argv)
    told = json.loads(done.stdout)
    wrong = [each for each in told["findings"] if each["state"] == "wrong"]
    assert (done.status, told["ok"]) == ((1, False) if wrong else (0, True))
    assert done.stderr == ""
    return told["findings"]


def named(findings, name):
    return next(each for each in findings if each["name"] == name)


def tree(folder):
    """All that is below *folder*, and what tells whether it was touched."""
    return {
        str(path): (status.st_mode, status.st_mtime_ns, status.st_size)
        for path in [folder, *folder.rglob("*")]
        if (status := path.lstat())
    }


@pytest.mark.slow
@pytest.mark.parametrize("argv", [[], ["--online"]], ids=str)
def test_where_nothing_is_wrong_it_says_so(well, argv):
    done = well.jarvis("doctor", *argv)

    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.endswith("\nNo problems found.\n")
    for told in (
        *("display: wayland", "browser: ~/opener, by $BROWSER"),
        "screenshots: by grim",
    ):
        assert f"\n  ok     {told}\n" in done.stdout
    for told in ("Google accepts it", "SerpAPI accepts it, 99 searches left in your plan"):
        assert (told in done.stdout) == bool(argv)
    assert len(well.gemini.requests) + len(well.serpapi.accounts) == (2 if argv else 0)


def write(shell, name, text, mode=0o600):
    file = shell.home / "jarvis" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)


def unset(*names):
    return lambda shell: shell.environment.update(dict.fromkeys(names, ""))


def is_set(**environment):
    return lambda shell: shell.environment.update(environment)


def refuses(twin, key):
    return lambda shell: setattr(getattr(shell, twin), "refuse_key", key)


def without(program):
    return lambda shell: (shell.home / "bin" / program).unlink()


def has_file(name, text):
    return lambda shell: write(shell, name, text)


def open_secret(shell):
    write(shell, "config/.env", f"GOOGLE_API_KEY={KEY}\n", 0o644)


def locked_keyring(shell):
    write(shell, "config/in_keyring.txt", "# names\ngoogle\n")
    shell.environment |= {"GOOGLE_API_KEY": "", **using(LOCKED)}


def open_folder(shell):
    (shell.home / "jarvis/config").chmod(0o777)


def used(shell):
    shell.gemini.plans(HELLO)
    assert shell.jarvis("hello").status == 0
    return shell.home / "jarvis/data/history.db"


def newer_history(shell):
    with sqlite3.connect(used(shell)) as database:
        database.execute("UPDATE jarvis_format SET version = 99")
    database.close()


def offline(shell):
    shell.gemini.listing = g.Reset()


# Each is brought about in some home, together with others: how, what is wrong then, as what, and the cure.
TROUBLES = [
    [
        (
            refuses("gemini", KEY),
            "google",
            "Google refused the key: GOOGLE_API_KEY",
            "jarvis keys set google",
        ),
        (refuses("serpapi", SERPAPI_KEY), "serpapi", "SerpAPI refused the key", "jarvis keys set serpapi"),
        (open_secret, ".env", "other users can read it (mode 644)", "chmod 600 ~/jarvis/config/.env"),
        (has_file("data/history.db", "no database " * 1000), "history", "file is not a database", "mv "),
    ],
    [
        (unset("BROWSER"), "browser", "No browser is set up.", "sudo apt install firefox-esr"),
        (
            without("grim"),
            "screenshots",
            "This desktop has no portal for pictures",
            "sudo apt install xdg-desktop-portal grim",
        ),
    ],
    [
        (offline, "google", "Google can't be reached", "jarvis keys test google"),
        (is_set(BROWSER="sh -c"), "browser", "$BROWSER (`sh -c`) was not used", "export BROWSER=firefox"),
        (is_set(DATABASE_URL=DOWN), "history", "Postgres (127.0.0.1, jarvis) can't be reached", "Start the"),
    ],
    [
        (locked_keyring, "google", "it is locked", "jarvis keys set google"),
        (without("xdg-open"), "browser", "xdg-open is not installed.", "sudo apt install xdg-utils"),
        (is_set(**FOREIGN), "screenshots", "pictures would be black.", "export WAYLAND_DISPLAY=wayland-0"),
    ],
    [
        (newer_history, "history", "by a newer version", "Update Jarvis."),
        (unset("GOOGLE_API_KEY"), "google", "not set.", "jarvis keys set google"),
        (unset("WAYLAND_DISPLAY"), "display", "no screen in this session", "Run Jarvis in your desktop"),
    ],
    [
        (
            has_file("config/config.toml", "model = \n"),
            "settings",
            "config.toml: Invalid value",
            "mv ~/jarvis/",
        )
    ],
    [(open_folder, "settings", "Other users of this machine can write to ~/", "chmod go-w ~/jarvis/config")],
]


@pytest.mark.slow
@pytest.mark.parametrize("troubles", TROUBLES)
def test_each_trouble_is_told_with_its_cure_and_nothing_is_changed_or_given_away_by_looking(well, troubles):
    for bring_about, *_ in troubles:
        bring_about(well)
    before = tree(well.home)

    findings = examined(well, "--online")

    assert tree(well.home) == before
    told = json.dumps(findings)
    assert str(well.home) not in told
    assert [secret for secret in (KEY, SERPAPI_KEY, "me:pw") if secret in told] == []
    wrong = [each["name"] for each in findings if each["state"] == "wrong"]
    assert sorted(wrong) == sorted(name for _, name, _, _ in troubles)
    for _, name, text, cure in troubles:
        assert text in named(findings, name)["text"]
        assert cure in named(findings, name)["cure"]


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_server_gets_no_tables_by_being_looked_at(well, house):
    told = named(examined(well), "history")["text"]

    assert told.startswith("Postgres (")
    assert told.endswith(", empty so far")
    assert named(examined(well), "history")["text"] == told


@pytest.mark.slow
def test_where_no_library_is_installed_that_is_told(well):
    done = well.scripted(f"{sys.executable} -S -P -m jarvis doctor", PYTHONPATH=str(PACKAGE)).run()

    told = "jarvis: typer is not installed.\n  hint: Set up first: scripts/jarvis --version\n"
    assert (done.status, done.stdout, done.stderr) == (78, "", told)
