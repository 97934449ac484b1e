"""The whole way, on a real screen: a real browser, real windows, real pixels."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from jarvis.desktop.linux import Linux
from tests.desktop.screen import MARK, end_all, need, running, wait_for, write_entry

ROOT = Path(__file__).parents[2]


@pytest.fixture
def env(screen):
    """The screen's, with a mark of its own: what a test starts ends with it."""
    env = screen.env | {MARK: uuid.uuid4().hex}
    yield env
    end_all(env)


def test_the_browser_outlives_ctrl_c_and_the_terminal_and_never_writes_to_it(env, site):
    need("xdg-open", "setsid")
    ours, theirs = os.openpty()
    code = (
        "import os, signal, time; from jarvis.desktop import desktop\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        f"desktop(os.environ).open_url({site.url + '/page'!r}); time.sleep(60)"
    )
    argv = ["setsid", "--ctty", sys.executable, "-c", code]
    jarvis = subprocess.Popen(argv, env=env, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    assert wait_for(lambda: "/page" in site.fetched)
    before = set(running(env)) - {jarvis.pid}
    assert before

    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_NONBLOCK)
    with pytest.raises(BlockingIOError):  # not one byte
        os.read(ours, 1)
    os.write(ours, b"\x03")
    assert jarvis.wait(10) == -2
    os.close(ours)

    assert not wait_for(lambda: not before & set(running(env)), 1)
    assert site.fetched[0] == "/page"


def test_a_terminal_app_shows_its_window(screen, env):
    need("xterm")
    write_entry(screen.home, "in-terminal", Name="Long Nap", Exec='sh -c "sleep 60"', Terminal="true")
    before = len(screen.windows())

    Linux(env, app_grace=0.3).launch_app("long nap")

    assert wait_for(lambda: len(screen.windows()) > before)


def test_an_app_that_can_not_be_reached_by_the_screen_says_so(screen, env):
    need("xclock")
    write_entry(screen.home, "broken", Name="Broken Clock", Exec="xclock -display :4711")

    with pytest.raises(Exception, match="Broken Clock failed right after its start"):
        Linux(env, app_grace=5).launch_app("broken clock")
