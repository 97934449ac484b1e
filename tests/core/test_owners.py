"""Somebody else's folders, locks, sockets, processes and groups: never written to, believed or ended."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import grp
import os
import pwd
import signal
import socket
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from jarvis.brain.address import Place, address_of, holder, kill, place_of
from jarvis.brain.protocol import Alive, encode
from jarvis.brain.server import Server
from jarvis.config.sources import folders_of
from jarvis.core.errors import StoreFailed
from jarvis.core.files import changed_by_others, is_private, private_file, private_folder
from jarvis.desktop.desktop import is_windows_disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOBODY = 65534


@contextlib.contextmanager
def sleeping(user: int = -1) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does nothing, of *user*."""
    as_user = {} if user < 0 else {"user": user, "group": user, "extra_groups": []}
    with subprocess.Popen(["sleep", "600"], **as_user) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def held(place: Place, said: str) -> Iterator[None]:
    """The lock of *place*, held by this process, in which stands what *said* says."""
    with open(place.lock, "w") as lock:
        lock.write(said)
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(str(tmp_path), "name")


@pytest.mark.slow
def test_the_process_that_is_noted_by_whoever_holds_the_lock_is_the_holder_and_ended(place):
    with sleeping() as victim, held(place, f"{victim.pid} 1.0\n"):
        assert holder(place) == victim.pid
        kill(place)
        assert victim.wait(10) == -signal.SIGKILL


def test_a_runtime_folder_that_others_can_write_to_or_that_is_none_is_not_used(tmp_path):
    environment = {"XDG_RUNTIME_DIR": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    instead = str(tmp_path / "state/jarvis/run")
    tmp_path.chmod(0o700)
    assert folders_of(environment).runtime == str(tmp_path / "jarvis")

    for mode in (0o777, 0o1777, 0o720):
        tmp_path.chmod(mode)
        assert folders_of(environment).runtime == instead
    assert folders_of({**environment, "XDG_RUNTIME_DIR": str(tmp_path / "gone")}).runtime == instead
    assert not (tmp_path / "gone").exists()


def test_what_others_can_change_is_found_wherever_it_is_on_the_way(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    program = tmp_path / "a/b/program"
    program.touch(0o755)
    (tmp_path / "link").symlink_to("a/../a/b")
    (tmp_path / "loop").symlink_to("loop")

    assert changed_by_others(str(tmp_path / "link/program")) == ("", "")
    (tmp_path / "a").chmod(0o757)
    assert changed_by_others(str(tmp_path / "link/program"))[0] == str(tmp_path / "a")
    with pytest.raises(OSError, match="Too many levels"):
        changed_by_others(str(tmp_path / "loop"))


def test_a_group_is_private_where_it_is_its_own_users_alone():
    nobody_has = 2**31 - 7

    assert is_private(0)
    assert not is_private(grp.getgrnam("users").gr_gid)
    assert not is_private(nobody_has)


def test_the_disks_of_windows_are_known_by_how_they_are_mounted(tmp_path):
    """Their modes are made up: everybody seems to be able to write everything there."""
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sdc / ext4 rw 0 0\nC:\\134 /mnt/c 9p rw 0 0\nD: /d drvfs rw 0 0\n")
    told = {
        path: is_windows_disk(path, str(mounts)) for path in ("/mnt/c", "/mnt/c/W/x.exe", "/d/x", "/mnt/cc")
    }

    assert told == {"/mnt/c": True, "/mnt/c/W/x.exe": True, "/d/x": True, "/mnt/cc": False}


if os.getuid() == 0:  # nobody else can be two users

    def theirs(path: Path) -> Path:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        return path

    def below(folder: Path) -> dict[str, tuple[int, int]]:
        """Everything in *folder*, itself included: its mode and owner."""
        found = {str(path): path.lstat() for path in (folder, *folder.rglob("*"))}
        return {name: (status.st_mode, status.st_uid) for name, status in found.items()}

    def another_home(kind: str, folder: Path) -> Path:
        """A JARVIS_HOME in *folder* that is another user's in one way or another."""
        home = folder / "home"
        match kind:
            case "theirs":
                home.mkdir(parents=True)
                theirs(home)
            case "in theirs, not there yet":
                theirs(folder)
            case "a link":
                (folder / "real").mkdir()
                theirs(folder / "real")
                home.symlink_to("real")
            case "their link":
                (folder / "real").mkdir()
                home.symlink_to("real")
                theirs(home)
            case "theirs within":
                (home / "data").mkdir(parents=True)
                theirs(home / "data")
        return home

    def test_nothing_is_written_into_another_users_home(tmp_path):
        for kind in ("theirs", "in theirs, not there yet", "a link", "their link", "theirs within"):
            folder = tmp_path / kind
            folder.mkdir()
            home = another_home(kind, folder)
            before = below(folder)

            with pytest.raises(StoreFailed, match="belongs to another user"):
                private_file(str(home / "data/history.db"))

            assert below(folder) == before, kind

    @pytest.mark.parametrize(("words", "brain"), [("open a.example", "off"), ("hello", "on")])
    def test_root_does_nothing_in_another_users_home(shell, tmp_path, words, brain):
        home = another_home("theirs", tmp_path / "their")

        done = shell.jarvis(words, environment={"JARVIS_HOME": str(home), "JARVIS_BRAIN": brain})

        assert (done.status, done.stdout) == (1, "")
        said, hint = done.stderr.splitlines()
        assert "belongs to another user" in said
        own = pwd.getpwuid(os.getuid()).pw_dir
        assert hint == f"  hint: Choose a folder of your own: export JARVIS_HOME={own}/jarvis"
        assert [*home.iterdir()] == []
        assert (shell.opened, shell.cost) == ([], (0, 0))

    @pytest.mark.parametrize("what", ["the session's", "ours in it", "a link in it"])
    def test_a_runtime_folder_of_another_user_is_not_used(tmp_path, what):
        environment = {"XDG_RUNTIME_DIR": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
        tmp_path.chmod(0o700)
        if what == "a link in it":
            (tmp_path / "jarvis").symlink_to("/root")
        elif what == "ours in it":
            theirs_here = tmp_path / "jarvis"
            theirs_here.mkdir(mode=0o700)
            theirs(theirs_here)
        else:
            theirs(tmp_path)

        assert folders_of(environment).runtime == str(tmp_path / "state/jarvis/run")

    @pytest.mark.slow
    def test_what_another_user_noted_is_not_believed(place):
        with sleeping(NOBODY) as victim, held(place, f"{victim.pid} 1.0\n"):
            os.chown(place.lock, NOBODY, NOBODY)
            with pytest.raises(StoreFailed, match="belongs to another user"):
                kill(place)
            assert victim.poll() is None

    @pytest.mark.parametrize("ending", ["sock", "lock"])
    def test_a_request_does_not_go_by_a_socket_or_a_lock_of_another_user(shell, ending):
        on = {"JARVIS_BRAIN": "on"}
        place = place_of(shell.program(**on).env)
        private_folder(place.folder)
        path = place.socket if ending == "sock" else place.lock
        if ending == "sock":
            folder = os.open(place.folder, os.O_RDONLY)
            with socket.socket(socket.AF_UNIX) as trap:
                trap.bind(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
            os.close(folder)
        else:
            os.close(os.open(path, os.O_CREAT, 0o666))
        os.chown(path, NOBODY, NOBODY)

        done = shell.jarvis("what is all this?", environment=on)

        assert done.status == 1
        assert f"{os.path.basename(path)} can't be used: it belongs to another user." in done.stderr
        assert shell.cost == (0, 0)

    @contextlib.contextmanager
    def another_user() -> Iterator[None]:
        """What is done in this block the kernel takes for another user's."""
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    def test_a_request_does_not_go_to_another_user_who_answers_at_a_socket_of_ours(shell):
        on = {"JARVIS_BRAIN": "on"}
        place = place_of(shell.program(**on).env)
        private_folder(place.folder)
        with address_of(place) as address, socket.socket(socket.AF_UNIX) as trap:
            trap.bind(address)
            with another_user():
                trap.listen()

            done = shell.jarvis("what is all this?", environment=on)

            assert (done.status, shell.cost) == (1, (0, 0))
            assert "another user answers there" in done.stderr
            trap.settimeout(10)
            client, _ = trap.accept()
            with client:
                assert client.recv(1) == b""  # it was told nothing

    def test_a_brain_says_nothing_to_another_user(place, tmp_path):
        async def served(user: contextlib.AbstractContextManager[object]) -> bytes:
            address = f"\0{tmp_path}"  # which no mode of a file guards
            listening = await asyncio.start_unix_server(Server(place, None)._welcome, address)
            with user:
                reader, writer = await asyncio.open_unix_connection(address)
            said = await reader.readline()
            writer.close()
            listening.close()
            return said

        assert asyncio.run(served(contextlib.nullcontext())) == encode(Alive())
        assert asyncio.run(served(another_user())) == b""

    @pytest.mark.parametrize("mode", [0o600, 0o666])
    def test_a_file_of_another_user_in_a_folder_of_ours_stays_as_it_is(tmp_path, mode):
        file = tmp_path / "ours/history.db"
        file.parent.mkdir(mode=0o700)
        file.write_text("theirs")
        file.chmod(mode)
        theirs(file)

        with pytest.raises(StoreFailed, match=r"history\.db can't be used: it belongs to another user"):
            private_file(str(file))
        assert (stat.S_IMODE(file.stat().st_mode), file.read_text()) == (mode, "theirs")
