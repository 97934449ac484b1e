"""Plain commands in a Python without what Windows lacks: they import, find their folders, open and lock."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from jarvis.desktop.apps import keep_apps
from jarvis.desktop.windows import day_number, parse, start_process

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str
    noted: list[str]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def jarvis(home):
    for name in ("rundll32.exe", "WindowsPowerShell/v1.0/powershell.exe"):
        path = home / "System32" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o755)
    variables = {
        "SystemRoot": home,
        "USERPROFILE": home,
        "HOME": home,
        "LOCALAPPDATA": home / "Local",
        "PYTHONPATH": ROOT,
    }

    def run(*argv, **more):
        log = home / "log"
        log.write_text("")
        program = [sys.executable, str(ROOT / "tests/desktop/as_windows.py"), str(log)]
        environment = {name: str(value) for name, value in variables.items()} | more
        done = subprocess.run(
            [*program, *argv], env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr, log.read_text().splitlines())

    return run


def turns(home):
    database = sqlite3.connect(home / "Local/jarvis/history.db")
    rows = database.execute("SELECT goal, status FROM turns ORDER BY n").fetchall()
    database.close()
    return rows


def test_an_address_is_opened_and_remembered(jarvis, home):
    done = jarvis("open", "example.org/a?b=1&c='d'")

    assert (done.status, done.stdout) == (0, "https://example.org/a?b=1&c='d'\n")
    assert done.noted == ["lock 1", "run rundll32.exe https://example.org/a?b=1&c='d'"]
    assert turns(home) == [("open example.org/a?b=1&c='d'", "done")]


def test_what_is_printed_on_a_pipe_is_in_utf8_whatever_the_code_page(jarvis):
    code_page = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}

    assert "Type what you want:" in jarvis("--help", **code_page).stdout
    assert "“open” needs more words" in jarvis("open", **code_page).stderr


def test_an_app_that_was_listed_is_started_without_a_key(jarvis, home):
    listed = parse(b'[{"Name": "Paint 3D", "AppID": "Paint!App"}]')
    keep_apps(str(home / "Local/jarvis/Cache/start-apps.json"), day_number(), listed)

    done = jarvis("launch", "paint", "3d")

    assert (done.status, done.stdout) == (0, "Paint 3D\n")
    script = start_process("shell:AppsFolder\\Paint!App")
    assert f"run powershell.exe {script}" in done.noted
    assert turns(home) == [("launch paint 3d", "done")]
