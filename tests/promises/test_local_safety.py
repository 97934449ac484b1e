"""What others on this machine, or the folder one stands in, can make of Jarvis: nothing."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jarvis.core.errors import SettingsError
from jarvis.core.files import check_private
from tests.conftest import BOTH
from tests.person import Person
from tests.shell import wait_until
from tests.twins.faults import Stall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = str(Path(__file__).parents[2])

KEYS = {
    "GOOGLE_API_KEY": "google-key-of-the-tests",
    "GEMINI_API_KEY": "gemini-key-of-the-tests",
    "SERPAPI_API_KEY": "serpapi-key-of-the-tests",
    "LANGSMITH_API_KEY": "langsmith-key-of-the-tests",
    "PGPASSWORD": "password-of-the-tests",
}
SEARCH = {"action": "search", "query": "mit"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Whatever is made without a thought is open to all."""
    before = os.umask(0)
    yield
    os.umask(before)


def below(folder: Path) -> dict[str, int]:
    """The mode of everything in *folder*, itself included."""
    found = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode) for path in found}


@pytest.mark.usefixtures("no_umask")
def test_all_that_a_session_writes_is_for_its_owner_alone(shell):
    shell.search_finds("https://web.mit.edu/")
    shell.gemini.plans(SEARCH, OPEN, Stall(), {"action": "reply", "text": "Hello."})
    # The forking server has its own umask.
    shell.jarvis("find the mit website and open it", cold=True, timeout=60)
    shell.jarvis("open a.example", cold=True)
    broken_off = shell.program().start("hello", cold=True)
    wait_until(lambda: len(shell.gemini.requests) == 3)
    while_under_way = below(shell.home / "jarvis")
    broken_off.__exit__()
    with Person(shell.program(), cold=True) as person:
        person.ask("hello again")
        person.see("Hello.")
        person.at_prompt()
        person.leave()

    written = below(shell.home / "jarvis") | while_under_way
    assert shell.opened == ["https://web.mit.edu/", "https://a.example"]
    (shell.home / "open-to-all").touch()
    assert stat.S_IMODE((shell.home / "open-to-all").stat().st_mode) == 0o666  # there was no umask
    assert {"data/history.db", "data/inflight.db", "state/jarvis.log", "state/chat_history"} <= set(written)
    assert {"data/inflight.db-wal", "data/inflight.db-shm"} <= set(while_under_way)
    assert {name: oct(mode) for name, mode in written.items() if mode not in (0o600, 0o700)} == {}
    assert all(mode == 0o700 for name, mode in written.items() if (shell.home / "jarvis" / name).is_dir())


def test_settings_that_others_can_write_are_refused(shell):
    shell.configure('model = "their-model"\n')
    config = shell.home / "jarvis" / "config"
    (config / ".env").write_text("GOOGLE_API_KEY=their-key-and-not-mine\n")
    (config / "policy.txt").write_text("")
    cases = [
        ("config.toml", 0o602),
        (".env", 0o666),
        ("policy.txt", 0o666),
        ("", 0o777),
        ("", 0o1777),
        ("", 0o703),
    ]
    for name, mode in cases:
        path = config / name
        path.chmod(mode)
        for words in ("open a.example", "hello")[: 1 + (name == ".env")]:
            done = shell.jarvis(words)
            assert done.status == 78
            assert f"Other users of this machine can write to {str(path).rstrip('/')}" in done.stderr
            assert f"chmod go-w {str(path).rstrip('/')}" in done.stderr
        path.chmod(0o700)
    assert (shell.opened, shell.gemini.requests) == ([], [])

    named = shell.home / "named.env"
    named.write_text("JARVIS_MODEL=x\n")
    named.chmod(0o666)
    assert shell.jarvis("--env-file", str(named), "open a.example").status == 78
    named.chmod(0o644)
    assert shell.jarvis("--env-file", str(named), "open a.example").status == 0


def test_settings_that_belong_to_another_are_refused(shell):
    """Only root can give a file away; anybody can say what it would look like."""
    shell.configure('model = "their-model"\n')
    path = str(shell.home / "jarvis" / "config" / "config.toml")
    if os.getuid() == 0:
        os.chown(path, 12345, 12345)
        done = shell.jarvis("open a.example")
        assert (done.status, "belongs to another user" in done.stderr) == (78, True)

    theirs = [*os.stat(path)]
    theirs[stat.ST_UID] = os.getuid() + 1
    with pytest.raises(SettingsError, match="belongs to another user"):
        check_private(os.stat_result(theirs), path)


def spy(shell) -> None:
    """The opener writes down the environment that it is given."""
    (shell.home / "opener").write_text(
        '#!/bin/sh\nenv >> "$HOME/their-environment"\nprintf "%s\\n" "$@" >> "$HOME/opened"\n'
    )


@BOTH
def test_the_browser_gets_no_key_and_is_not_told_of_the_database(shell, database_url):
    shell.search_finds("https://web.mit.edu/")
    shell.gemini.plans(SEARCH, OPEN)
    spy(shell)
    program = shell.program(**KEYS, MINE="of no concern")

    for words in ("open a.example", "find the mit website and open it"):
        program.run(words)

    theirs = (shell.home / "their-environment").read_text()
    assert (theirs.count("MINE=of no concern"), len(shell.opened)) == (2, 2)
    passed_on = [name for name, key in KEYS.items() if key in theirs or name in theirs]
    assert passed_on == ["LANGSMITH_API_KEY"]  # which is none of ours
    assert "DATABASE_URL" not in theirs
    assert not database_url or database_url not in theirs


def test_no_key_is_in_what_is_written_while_a_turn_is_under_way(shell):
    shell.search_finds("https://web.mit.edu/")
    shell.gemini.plans(SEARCH, Stall())

    with shell.program().start("-vv", "find something of mine"):
        wait_until(lambda: len(shell.gemini.requests) == 2)
        files = [path for path in (shell.home / "jarvis").rglob("*") if path.is_file()]
        written = b"".join(path.read_bytes() for path in files)

    assert any(path.name.startswith("inflight.db") for path in files)
    assert b"something of mine" in written  # the checkpoint is among it
    assert b"key-of-the-tests" not in written


HIJACK = "import os\nopen(os.path.join(os.environ['HOME'], 'hijacked'), 'a').write(__name__ + '\\n')\n"


def trap(folder: Path, modules: Iterable[str]) -> Path:
    folder.mkdir()
    for name in modules:
        (folder / f"{name}.py").write_text(HIJACK)
    (folder / ".env").write_text(
        "GOOGLE_API_KEY=theirs-not-mine\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\nJARVIS_HOME=/nowhere\n"
        "DATABASE_URL=postgresql://127.0.0.1:9/x\nBROWSER=/nowhere\n"
    )
    (folder / "config.toml").write_text('model = "theirs"\n')
    return folder


# As an installer writes it: such a program begins without -P.
INSTALLED = "import sys\nfrom jarvis.__main__ import run\nsys.exit(run())\n"
WAYS = {
    "-v": (["installed", "-v"], {}),
    "by a brain": (["installed"], {"JARVIS_BRAIN": "on", "JARVIS_BRAIN_MINUTES": "0.02"}),
    "-m": (["-m", "jarvis"], {}),
    "--timeout": (["installed", "--timeout", "60"], {}),
}


@pytest.mark.parametrize("way", [*[*WAYS][:3], pytest.param("--timeout", marks=pytest.mark.long)])
def test_no_module_of_the_folder_one_stands_in_runs_however_a_file_is_read(shell, tmp_path, way):
    argv, more = WAYS[way]
    bare = [sys.executable, "-P", "-c", "import runpy, sys; print(*sys.modules)"]
    its_own = subprocess.check_output(bare, text=True).split() if way == "-m" else []
    folder = trap(tmp_path / "trap", sys.stdlib_module_names.difference(its_own))
    (folder / "README.md").write_text("The mill has seven wheels.")
    (tmp_path / "installed").write_text(INSTALLED)
    shell.gemini.plans({"action": "read", "address": "f1"}, {"action": "reply", "text": "Seven."})
    command = [
        sys.executable,
        *(str(tmp_path / "installed") if each == "installed" else each for each in argv),
    ]
    env = shell.program(PYTHONPATH=ROOT).env | more

    done = subprocess.run(
        [*command, "sum up README.md"], env=env, cwd=folder, capture_output=True, text=True, check=False
    )

    assert done.stdout.startswith("Seven.\n"), done.stderr
    assert "The mill has seven wheels." in shell.gemini.requests[-1].prompt
    assert {request.key for request in shell.gemini.requests} == {KEYS["GOOGLE_API_KEY"]}
    assert not (shell.home / "hijacked").exists()


ELSEWHERE = """
import asyncio, os, sys, urllib.request
from tests.desktop.as_windows import put_in
put_in(os.devnull)
sys.platform = sys.argv[1]
from jarvis.pages.page import text_of
print(text_of(b"Seven wheels", ""))
"""


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_nor_does_one_on_other_systems(tmp_path, platform):
    """As far as they can be had here."""
    (tmp_path / "simulated").write_text(ELSEWHERE)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": ROOT}
    folder = trap(tmp_path / "trap", sys.stdlib_module_names)

    done = subprocess.run(
        [sys.executable, str(tmp_path / "simulated"), platform],
        env=env, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.stdout, done.stderr) == ("('', 'Seven wheels')\n", "")
    assert not (tmp_path / "hijacked").exists()
