"""The equipment that runs the program, tried on a stand-in: forked and cold must not differ."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path

import pytest

from tests.program import ForkServer, Program

pytestmark = pytest.mark.slow

STAND_IN = """
    import atexit, json, os, signal, sys, time

    def tell():
        print(json.dumps({
            "argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "zone": time.tzname[0],
            "ttys": [os.isatty(n) for n in range(3)], "leader": os.getsid(0) == os.getpid(),
            "size": list(os.get_terminal_size(0)) if os.isatty(0) else None,
            "group": os.tcgetpgrp(0) if os.isatty(0) else None, "pid": os.getpid(),
            "encoding": [sys.stdin.encoding, sys.stdout.encoding, sys.stdout.errors, sys.stderr.errors],
            "buffered": [sys.stdout.line_buffering, sys.stderr.line_buffering],
            "signals": [str(signal.getsignal(n)) for n in (2, 13, 15, 17)],
            "blocked": list(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
            "open": sorted(os.listdir("/proc/self/fd"))[:-1] if sys.platform == "linux" else None,
            "safe_path": sys.flags.safe_path, "seed": os.urandom(4).hex(),
        }))

    def run():
        word = sys.argv[1] if len(sys.argv) > 1 else ""
        if word == "tell":
            tell()
        elif word == "echo":
            sys.stdout.write(sys.stdin.read())
            print("done", file=sys.stderr)
        elif word == "sleep":
            print("sleeping", flush=True)
            for _ in range(600):  # a signal that comes just before one long sleep would wait for its end
                time.sleep(0.1)
        elif word == "exit":
            atexit.register(print, "bye")
            sys.exit(eval(sys.argv[2]))

    if __name__ == "__main__":
        run()
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with the package `standin` in it."""
    root = tmp_path_factory.mktemp("root")
    (root / "standin").mkdir()
    (root / "standin" / "__init__.py").touch()
    (root / "standin" / "__main__.py").write_text(textwrap.dedent(STAND_IN))
    return root


@pytest.fixture(scope="module")
def server(root):
    with ForkServer("standin.__main__", ["json", "no.such.module"], root) as server:
        yield server


@pytest.fixture
def forked(tmp_path, server):
    return Program(tmp_path, package="standin", server=server)


@pytest.fixture
def cold(tmp_path, root):
    return Program(tmp_path, package="standin", package_root=root)


@pytest.fixture(params=["forked", "cold"])
def program(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize(
    ("code", "status", "stderr"),
    [("None", 0, ""), ("'no'", 1, "no\n"), ("256 + 4", 4, "")],
)
def test_the_status_is_the_programs_own(program, code, status, stderr):
    done = program.run("exit", code)

    assert (done.status, done.stderr, done.stdout) == (status, stderr, "bye\n")


def test_nothing_of_our_environment_reaches_it(program, tmp_path, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "real")

    told = json.loads(program.run("tell").stdout)

    told["env"].pop("PYTHONPATH", None)
    assert told["env"] == {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "JARVIS_HOME": str(tmp_path / "jarvis"),
        "LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("env", "tty"),
    [
        ({}, True),
        ({"LANG": "C"}, False),
        ({"LC_ALL": "POSIX"}, True),
        ({"LANG": "xx_XX", "TZ": "Asia/Tokyo"}, False),
    ],
)
def test_a_forked_run_finds_the_same_world_as_a_cold_one(tmp_path, server, root, env, tty):
    (tmp_path / "here").mkdir()
    told = []
    for way in ({"server": server}, {"package_root": root}):
        program = Program(tmp_path, env, package="standin", **way)
        done = program.run("tell", "a b", "", "ü", tty=tty, cwd=tmp_path / "here")
        told.append(json.loads(done.screen if tty else done.stdout))

    for one in told:
        assert one["group"] == (one["pid"] if tty else None)
        for own in ("pid", "group", "seed"):
            del one[own]
        for own in ("PYTHONPATH", "LC_CTYPE"):  # the second is set by an interpreter that starts under LANG=C
            one["env"].pop(own, None)
    assert told[0] == told[1]
    assert told[0]["cwd"] == str(tmp_path / "here")


def test_leaving_the_block_kills_a_run(program):
    with program.start("sleep") as running:
        running.wait_for("sleeping")

    assert not alive(running.pid)


def alive(pid):
    """Is it running? One that is dead and waits to be collected is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
