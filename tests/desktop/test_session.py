"""What the person's session has, and the programs that are started in it: real processes."""

import os
import signal
import time

import pytest

from jarvis.desktop.desktop import child_env, own_platform, system, which
from jarvis.desktop.linux import spawn_detached
from jarvis.desktop.running import Finished, run_program
from tests.desktop.screen import running, wait_for

OURS = "GOOGLE_API_KEY GEMINI_API_KEY serpapi_api_key BRAVE_API_KEY DATABASE_URL PGPASSWORD GHOSTFOLIO_TOKEN"
SECRETS = dict.fromkeys(OURS.split(), "k")
OTHERS = dict.fromkeys(
    "XAUTHORITY DBUS_SESSION_BUS_ADDRESS AWS_SECRET_ACCESS_KEY GITHUB_TOKEN OPENAI_API_KEY API_KEY "
    "CLIENT_SECRET DB_PASSWORD SHOP_TOKEN PYTHONPATH VIRTUAL_ENV".split(),
    "x",
)
WSL = {"WSL_DISTRO_NAME": "Debian"}
WSL_KERNEL = "5.15.153.1-microsoft-standard-WSL2\n"
ODD = ["a b & c?d=%20 %PATH% 'e' \"f\"", "  $(touch x) `y` \\ 'z' &?%\"  ", ""]


@pytest.mark.parametrize(
    ("env", "platform", "kernel", "picked"),
    [
        ({}, "linux", "6.1.0-23-amd64", "linux"),
        (WSL, "linux", WSL_KERNEL, "wsl"),
        ({"WSL_INTEROP": "/run/WSL/8_interop"}, "linux", "4.4.0-19041-Microsoft", "wsl"),
        (WSL, "linux", "6.1.0-23-amd64", "linux"),
        ({"WSL_DISTRO_NAME": ""}, "linux", WSL_KERNEL, "linux"),
        (WSL, "darwin", "", "macos"),
        (WSL, "win32", WSL_KERNEL, "windows"),
        ({}, "freebsd14", "", "linux"),
    ],
)
def test_each_session_has_its_desktop(env, platform, kernel, picked, tmp_path):
    (tmp_path / "osrelease").write_text(kernel)

    assert system(env, platform, str(tmp_path / "osrelease")) == picked


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ('XDG_PICTURES_DIR="$HOME/Bilder"', "{home}/Bilder"),
        ('XDG_PICTURES_DIR="/srv/pictures"', "/srv/pictures"),
        ('XDG_PICTURES_DIR="$HOME"', "{home}/Pictures"),
        ('XDG_PICTURES_DIR="relative"', "{home}/Pictures"),
        ('#XDG_PICTURES_DIR="$HOME/Bilder"', "{home}/Pictures"),
        (r'XDG_PICTURES_DIR="$HOME/My \"best\" pictures"', '{home}/My "best" pictures'),
        ('XDG_MUSIC_DIR="$HOME/M"\nXDG_PICTURES_DIR="$HOME/A"\nXDG_PICTURES_DIR="$HOME/B"', "{home}/B"),
        ("", "{home}/Pictures"),
    ],
)
def test_pictures_go_where_the_person_keeps_them(line, folder, tmp_path):
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/user-dirs.dirs").write_text(f"# a comment\n{line}\n")

    assert own_platform({"HOME": str(tmp_path)}, "linux").pictures() == folder.format(home=tmp_path)


@pytest.mark.parametrize(("then", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", -9)])
def test_the_exit_status_is_known_at_once(then, status, env, shims):
    shims.add("program", then)

    started = time.monotonic()

    assert spawn_detached(["program", *ODD], env, cwd="/", grace=60) == status
    assert time.monotonic() - started < 30
    assert shims.calls() == [["program", *ODD]]


def test_our_keys_and_those_of_packs_do_not_reach_other_programs_and_nothing_else_is_kept_from_them(
    env, shims, tmp_path
):
    program = shims.add("program", f"/usr/bin/env | /usr/bin/tee {tmp_path}/env")

    ended = run_program([str(program)], env | SECRETS, 30)
    spawn_detached(["program"], env | SECRETS | {"BROWSER": "firefox"}, cwd="/", grace=30)

    for seen in (ended.out.decode(), (tmp_path / "env").read_text()):
        names = {line.partition("=")[0] for line in seen.splitlines()}
        assert not names & set(SECRETS)
        assert {"HOME", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"} <= names
    assert child_env(OTHERS | SECRETS) == OTHERS


def test_a_program_gets_its_own_session_its_folder_and_no_terminal_and_leaves_no_zombie(env, shims, tmp_path):
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
    os.kill(pid, signal.SIGTERM)
    assert wait_for(lambda: not os.path.exists(f"/proc/{pid}"))


def test_where_one_stands_does_not_decide_what_runs(shims, monkeypatch):
    program = shims.add("program")
    monkeypatch.chdir(shims.folder)

    assert which("program", {"PATH": ".::bin"}) is None
    assert which("./program", {"PATH": "/bin"}) is None
    assert which("program", {"PATH": f"/nowhere:{shims.folder}"}) == str(program)
    assert which(str(program), {"PATH": "/nowhere"}) == str(program)


def test_a_program_that_ends_is_given_odd_arguments_whole_and_its_children_do_not_keep_us(env, shims):
    program = shims.add("program", "echo said; /bin/sleep 60 &")
    began = time.monotonic()

    assert run_program([str(program), *ODD], env, 30) == Finished(b"said\n", "")
    assert time.monotonic() - began < 30
    assert shims.calls() == [["program", *ODD]]
    assert len(running(env)) == 1
