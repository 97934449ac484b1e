"""The whole way, on a real screen: a real browser, real windows, real pixels."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from jarvis.actions.base import HANDED_OVER, RUNNING
from jarvis.desktop.linux.desktop import Linux
from tests.desktop.screen import MARK, Screen, Site, end_all, need, running, start, wait_for, write_entry

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture
def env(screen: Screen) -> Iterator[dict[str, str]]:
    """The screen's, with a mark of its own: what a test starts ends with it."""
    env = screen.env | {MARK: uuid.uuid4().hex}
    yield env
    end_all(env)


def test_an_opened_address_is_fetched_by_the_browser(env: dict[str, str], site: Site) -> None:
    need("xdg-open")
    path = "/page?a=1&b=%20c"

    assert Linux(env, url_grace=0.5).open_url(site.url + path) in (HANDED_OVER, RUNNING)
    assert wait_for(lambda: path in site.fetched)


def test_two_addresses_in_a_row_both_open(env: dict[str, str], site: Site) -> None:
    need("xdg-open")
    hands = Linux(env, url_grace=0.2)

    for path in ("/one", "/two"):
        hands.open_url(site.url + path)

    assert wait_for(lambda: {"/one", "/two"} <= set(site.fetched))


def test_the_browser_outlives_ctrl_c_and_the_terminal_and_never_writes_to_it(
    env: dict[str, str], site: Site
) -> None:
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


def test_an_app_started_by_its_name_shows_its_window(screen: Screen, env: dict[str, str]) -> None:
    need("xclock")
    write_entry(screen.home, "clock", Name="Wall Clock", Exec=r'xclock -title "J clock\\$ 100%%" %U')
    assert "J clock$ 100%" not in screen.windows()

    launched = Linux(env, app_grace=0.3).launch_app("the wall clock")

    assert launched == ("Wall Clock", RUNNING)
    assert wait_for(lambda: "J clock$ 100%" in screen.windows())


def test_a_terminal_app_shows_its_window(screen: Screen, env: dict[str, str]) -> None:
    need("xterm")
    write_entry(screen.home, "in-terminal", Name="Long Nap", Exec='sh -c "sleep 60"', Terminal="true")
    before = len(screen.windows())

    Linux(env, app_grace=0.3).launch_app("long nap")

    assert wait_for(lambda: len(screen.windows()) > before)


def test_an_app_that_can_not_be_reached_by_the_screen_says_so(screen: Screen, env: dict[str, str]) -> None:
    need("xclock")
    write_entry(screen.home, "broken", Name="Broken Clock", Exec="xclock -display :4711")

    with pytest.raises(Exception, match="Broken Clock failed right after its start"):
        Linux(env, app_grace=5).launch_app("broken clock")


def test_a_screenshot_shows_what_is_on_the_screen(
    screen: Screen, env: dict[str, str], tmp_path: Path
) -> None:
    need("xterm")
    start(["xterm", "-bg", "red", "-fg", "red", "-title", "all red", "-e", "sleep 60"], env)
    path = tmp_path / "Jarvis/Screenshot.png"
    hands = Linux(env)
    assert wait_for(lambda: "all red" in screen.windows())

    def red() -> int:
        path.unlink(missing_ok=True)
        assert hands.capture(str(path)) == (1280, 800)
        with Image.open(path) as picture:
            return next((n for n, colour in picture.getcolors(1 << 20) if colour == (255, 0, 0)), 0)

    assert wait_for(lambda: red() > 20_000)
    assert os.listdir(path.parent) == [path.name]
