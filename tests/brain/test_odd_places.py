"""Homes, disks, sockets and speakers that are not what they should be."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys

import pytest

from jarvis.brain.protocol import Ready, encode
from jarvis.brain.socket_path import place_of
from tests.brain.brains import HELLO, connect
from tests.shell import wait_until

pytestmark = pytest.mark.slow


def test_a_home_that_is_relative_is_refused_before_any_brain_keeps_history_elsewhere(warm):
    done = warm.jarvis("what is all this?", environment={"JARVIS_HOME": "jarvis"})

    assert (done.status, done.stdout) == (78, "")
    assert "JARVIS_HOME must be an absolute path." in done.stderr
    assert 'hint: export JARVIS_HOME="$PWD/jarvis"' in done.stderr


def test_bad_settings_are_told_and_leave_no_brain(home):
    home.configure("model = 3\n")

    done = home.jarvis("what is all this?")

    assert done.status == 78
    assert "model in config.toml must be a text" in done.stderr
    wait_until(lambda: not home.brains)


def test_on_a_full_disk_it_is_told_and_the_brain_serves_on(warm):
    (pid,) = warm.brains
    limits = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        full = warm.jarvis("-t", "full", "what is all this?")
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
    warm.gemini.plans(HELLO)

    assert full.status == 1
    assert "Check that there is space" in full.stderr
    assert warm.jarvis("-t", "full", "what is all this?").stdout == "Hello.\n"


def test_on_a_full_disk_a_first_request_ends_in_a_line_and_the_next_one_has_a_brain(home):
    before = {path for path in home.home.rglob("*") if path.is_file() and path.stat().st_size}
    full = ["sh", "-c", 'ulimit -S -f 0; exec "$@"', "sh", sys.executable, "-P", "-m", "jarvis"]

    done = subprocess.run(
        [*full, "what is all this?"],
        env=home.program().env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert {path for path in home.home.rglob("*") if path.is_file() and path.stat().st_size} == before
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 2, done.stderr
    assert "Check that there is space" in done.stderr
    assert home.cost == (0, 0)
    home.start_brain()


if os.getuid() == 0:  # nobody else can be two users

    def test_a_socket_of_another_user_is_not_spoken_to(home):
        place = place_of(home.program().env)
        home.runtime.mkdir(parents=True)
        listen = f"""
import os, socket, time
with socket.socket(socket.AF_UNIX) as trap:
    os.chdir({place.folder!r})  # a whole path may be too long for a socket
    trap.bind({os.path.basename(place.socket)!r})
    os.setuid(65534)
    trap.listen()
    print("listening", flush=True)
    heard, _ = trap.accept()
    print(heard.recv(100), flush=True)
"""
        with subprocess.Popen([sys.executable, "-c", listen], stdout=subprocess.PIPE, text=True) as trap:
            assert trap.stdout is not None
            assert trap.stdout.readline() == "listening\n"

            done = home.jarvis("what is all this?")

            assert trap.stdout.readline() == "b''\n"  # it was called, and heard no word
        assert done.status == 1
        assert "belongs to another user" in done.stderr
        assert home.cost == (0, 0)


def test_where_no_socket_can_be_made_a_request_is_done_without(home):
    (home.home / "jarvis").mkdir()
    home.runtime.write_text("in the way")
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", timeout=60)

    assert (done.status, done.stdout) == (0, "Hello.\n")
    assert home.runtime.is_file()


@pytest.mark.parametrize(
    "said",
    [b'{"is": "hello", "protocol": 7}\n', b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 5_000_000],
    ids=["another version", "another protocol", "a line without an end"],
)
def test_a_client_that_speaks_another_language_is_told_and_the_brain_serves_on(warm, said):
    (path,) = warm.runtime.glob("*.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.settimeout(5)
        connect(other, path)
        assert b'"is": "ready"' in other.recv(4096)
        try:
            other.sendall(said)
            answer = other.recv(4096)
        except ConnectionError:
            answer = b""
    warm.gemini.plans(HELLO)

    # A line that has no end is not read to one, and whoever still writes it may be cut off without a word.
    assert (b'"is": "failed"' in answer) or (not answer and len(said) > 1000)
    assert warm.jarvis("what is all this?").stdout == "Hello.\n"


def test_a_brain_of_another_version_is_not_spoken_to(home):
    """One that is found under the very name, which has every reason to differ."""
    home.start_brain()
    (path,) = home.runtime.glob("*.sock")
    home.stop()
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        folder = os.open(path.parent, os.O_RDONLY)
        other.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
        other.listen()
        with home.program().start("what is all this?") as running:
            client, _ = other.accept()
            client.sendall(encode(Ready("0.0.1")))
            done = running.finish()
            said = client.recv(4096)
            client.close()

    assert done.status == 1
    assert "the process that plans is 0.0.1" in done.stderr
    assert "Start Jarvis again" in done.stderr
    assert said == b""
