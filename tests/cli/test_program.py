"""The equipment that runs the program, tried on a stand-in: forked and cold must not differ."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.program import ForkServer, Program, ServerGone

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
        elif word == "ask":
            print("Name?", flush=True)
            print("Hello, " + input())
        elif word == "sleep":
            print("sleeping", flush=True)
            for _ in range(600):  # a signal that comes just before one long sleep would wait for its end
                time.sleep(0.1)
        elif word == "exit":
            atexit.register(print, "bye")
            sys.exit(eval(sys.argv[2]))
        elif word == "leave":
            print("unflushed", end="")
            sys.stdout.flush()
            os._exit(7)
        elif word == "fail":
            raise ValueError("broken")
        elif word == "behind":
            if os.fork() == 0:
                time.sleep(60)

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


def test_words_come_out_where_they_were_written(program):
    done = program.run("echo", stdin="Grüße\n")

    assert (done.stdout, done.stderr, done.status) == ("Grüße\n", "done\n", 0)


def test_without_stdin_there_is_nothing_to_read(program):
    assert program.run("echo").stdout == ""


def test_more_than_a_pipe_holds_goes_through(program):
    assert len(program.run("echo", stdin=b"x" * 1_000_000).stdout) == 1_000_000


def test_input_that_nobody_reads_holds_nothing_up(program):
    assert program.run("tell", stdin=b"x" * 1_000_000).status == 0


@pytest.mark.parametrize(
    ("code", "status", "stderr"),
    [("None", 0, ""), ("3", 3, ""), ("'no'", 1, "no\n"), ("True", 1, ""), ("256 + 4", 4, "")],
)
def test_the_status_is_the_programs_own(program, code, status, stderr):
    done = program.run("exit", code)

    assert (done.status, done.stderr, done.stdout) == (status, stderr, "bye\n")


def test_a_program_may_leave_at_once(program):
    assert program.run("leave")[:3] == ("unflushed", "", 7)


def test_an_uncaught_error_is_shown_and_is_status_1(program):
    done = program.run("fail")

    assert done.status == 1
    assert done.stderr.endswith("ValueError: broken\n")


def test_nothing_of_our_environment_reaches_it(program, tmp_path, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "real")

    told = json.loads(program.run("tell").stdout)

    told["env"].pop("PYTHONPATH", None)
    assert told["env"] == {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "JARVIS_HOME": str(tmp_path / "jarvis"),
        "LANG": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC",
    }  # fmt: skip


@pytest.mark.parametrize("tty", [False, True])
@pytest.mark.parametrize(
    "env", [{}, {"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LANG": "xx_XX.UTF-8", "TZ": "Asia/Tokyo"}]
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


def test_on_a_terminal_all_three_are_one_of_the_size_asked_for(program):
    done = program.run("tell", tty=True, size=(132, 50))

    told = json.loads(done.screen)
    assert told["ttys"] == [True, True, True]
    assert told["size"] == [132, 50]
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("tty", [False, True])
def test_a_question_can_be_answered(program, tty):
    with program.start("ask", stdin=b"", tty=tty) as running:
        running.wait_for("Name?")
        running.write(b"Ada\n")
        running.wait_for("Hello, Ada")

        assert running.finish().status == 0


def test_what_is_never_written_is_not_waited_for_after_the_end(program):
    with program.start("tell") as running:
        start = time.monotonic()
        with pytest.raises(AssertionError, match="'magic' was not written"):
            running.wait_for("magic", timeout=60)

    assert time.monotonic() - start < 30


def test_ctrl_c_on_a_terminal_interrupts(program):
    with program.start("sleep", tty=True) as running:
        running.wait_for("sleeping")
        running.write(b"\x03")

        done = running.finish()

    assert done.status == -signal.SIGINT
    assert b"KeyboardInterrupt" in done.screen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_it(program, number):
    with program.start("sleep") as running:
        running.wait_for("sleeping")
        running.send(number)

        assert running.finish().status == -number


def test_a_run_that_takes_too_long_is_killed_and_tells_what_it_said(program):
    with program.start("sleep") as running:
        running.wait_for("sleeping")
        with pytest.raises(TimeoutError, match=r"after 0.1 s.\nstdout: b'sleeping"):
            running.finish(0.1)

    assert not alive(running.pid)


def test_leaving_the_block_kills_a_run(program):
    with program.start("sleep") as running:
        running.wait_for("sleeping")

    assert not alive(running.pid)


def test_a_child_that_holds_the_output_is_an_error(program):
    with pytest.raises(AssertionError, match="left behind"):
        program.run("behind")


def test_runs_at_the_same_time_do_not_mix(program):
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda n: program.run("echo", stdin=str(n)).stdout, range(24)))

    assert said == [str(n) for n in range(24)]


def test_forked_runs_draw_different_numbers(forked):
    seeds = {json.loads(forked.run("tell").stdout)["seed"] for _ in range(5)}

    assert len(seeds) == 5


def test_nothing_is_left_open(program):
    program.run("tell")
    before = len(os.listdir("/dev/fd")), threading.active_count()
    for tty in (False, True):
        program.run("echo" if not tty else "tell", stdin="x", tty=tty)

    deadline = time.monotonic() + 30
    while (len(os.listdir("/dev/fd")), threading.active_count()) != before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_server_and_its_runs_end_with_a_test_run_that_is_killed(root, tmp_path):
    script = f"""
import pathlib, time
from tests.program import ForkServer, Program
server = ForkServer("standin.__main__", [], {str(root)!r})
running = Program(pathlib.Path({str(tmp_path)!r}), package="standin", server=server).start("sleep")
running.wait_for("sleeping")
print(server.pid, running.pid, flush=True)
time.sleep(60)
"""
    above = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    with subprocess.Popen([sys.executable, "-c", script], cwd=above, stdout=subprocess.PIPE) as parent:
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert all(alive(pid) for pid in pids)
        parent.kill()

    deadline = time.monotonic() + 30
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_server_that_is_gone_says_so(root, tmp_path):
    with ForkServer("standin.__main__", [], root) as server:
        os.kill(server.pid, signal.SIGKILL)

        with pytest.raises(ServerGone):
            Program(tmp_path, package="standin", server=server).run("tell")


def alive(pid):
    """Is it running? One that is dead and waits to be collected is not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
