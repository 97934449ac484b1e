from __future__ import annotations

import os
import signal
import time

import pytest

from jarvis.core.errors import LaunchFailed, NotInstalled
from jarvis.desktop import child_env
from jarvis.desktop.linux.session import spawn_detached, which
from tests.desktop.screen import running, wait_for

SECRETS = {
    "GOOGLE_API_KEY": "k",
    "SERPAPI_API_KEY": "k",
    "api_key": "k",
    "GITHUB_TOKEN": "k",
    "CLIENT_SECRET": "k",
    "DB_PASSWORD": "k",
    "DATABASE_URL": "k",
    "JARVIS_THREAD": "k",
    "PYTHONPATH": "k",
    "PYTHONHOME": "k",
    "VIRTUAL_ENV": "k",
}


@pytest.mark.parametrize(("then", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", -9)])
def test_the_exit_status_is_known_at_once(then, status, env, shims):
    shims.add("program", then)

    started = time.monotonic()

    assert spawn_detached(["program", "a b", ""], env, cwd="/", grace=60) == status
    assert time.monotonic() - started < 30
    assert shims.calls() == [["program", "a b", ""]]


def test_our_keys_do_not_reach_other_programs(env, shims, tmp_path):
    shims.add("program", f"/usr/bin/env > {tmp_path}/env")

    spawn_detached(["program"], env | SECRETS | {"BROWSER": "firefox"}, cwd="/", grace=5)

    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert not names & set(SECRETS)
    assert {"HOME", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "BROWSER"} <= names


def test_what_is_not_secret_is_kept():
    kept = {"XAUTHORITY": "x", "DBUS_SESSION_BUS_ADDRESS": "x", "TOKENIZERS": "x", "KEYBOARD": "x"}

    assert child_env(kept | SECRETS) == kept


def test_a_program_gets_its_own_session_its_folder_and_no_terminal(env, shims, tmp_path):
    shims.add(
        "program", f"/bin/ls -l /proc/$$/fd > {tmp_path}/fds; pwd -P > {tmp_path}/cwd; exec /bin/sleep 60"
    )
    before = os.getcwd()

    assert spawn_detached(["program"], env, cwd=str(tmp_path), grace=0.1) is None

    [pid] = running(env)
    assert os.getsid(pid) == pid
    assert wait_for(lambda: (tmp_path / "cwd").exists() and (tmp_path / "cwd").read_text())
    assert (tmp_path / "cwd").read_text().strip() == os.path.realpath(tmp_path)
    assert os.getcwd() == before
    assert {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)} == {"/dev/null"}


def test_a_program_that_ends_later_leaves_no_zombie(env, shims):
    shims.add("program", "exec /bin/sleep 60")

    assert spawn_detached(["program"], env, cwd="/", grace=0.1) is None

    [pid] = running(env)
    os.kill(pid, signal.SIGTERM)
    assert wait_for(lambda: not os.path.exists(f"/proc/{pid}"))


def test_what_can_not_be_started_is_said(env, shims):
    (shims.folder / "broken").write_bytes(b"\x7fELF nothing")
    (shims.folder / "broken").chmod(0o755)

    with pytest.raises(NotInstalled):
        spawn_detached(["nothing-of-that-name"], env, cwd="/", grace=1)
    with pytest.raises(LaunchFailed):
        spawn_detached(["broken"], env, cwd="/", grace=1)
    with pytest.raises(LaunchFailed):
        spawn_detached(["/bin/sh", "a\0b"], env, cwd="/", grace=1)
    with pytest.raises(LaunchFailed):
        spawn_detached(["/bin/sh"], env, cwd="/no/such/folder", grace=1)


def test_where_one_stands_does_not_decide_what_runs(shims):
    program = shims.add("program")
    before = os.getcwd()
    os.chdir(shims.folder)
    try:
        assert which("program", {"PATH": ".::bin"}) is None
        assert which("./program", {"PATH": "/bin"}) is None
    finally:
        os.chdir(before)
    assert which("program", {"PATH": f"/nowhere:{shims.folder}"}) == str(program)
    assert which(str(program), {"PATH": "/nowhere"}) == str(program)
