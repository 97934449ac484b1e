"""A terminal's name: its own alone, for as long as it lasts."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

import pytest

from jarvis.config.settings import check_thread
from jarvis.core.processes import process_of
from jarvis.desktop.terminal import Terminal, listed, terminal_name

if TYPE_CHECKING:
    from tests.desktop.conftest import Shims

THIS = Terminal("laptop", "3f9a2c1d-0000", "4121", "3367260")


def test_whatever_differs_makes_another():
    """A number that is used again; another machine on one database; the machine after its next start."""
    others = [
        THIS,
        THIS._replace(began="3367261"),
        THIS._replace(session="4122"),
        THIS._replace(boot="77c0ffee-0000"),
        THIS._replace(machine="desktop"),
        Terminal("laptop", "3f9a2c1d-0000", "412", "13367260"),
    ]

    assert all(one.name != other.name for one, other in itertools.combinations(others, 2))
    assert Terminal(*THIS).name == THIS.name


def test_it_is_a_threads_name_of_sixty_bits_or_more():
    check_thread(THIS.name)

    assert len(set(THIS.name.removeprefix("tty-")) - set("0123456789abcdef")) == 0
    assert len(THIS.name.removeprefix("tty-")) * 4 >= 60


def test_of_a_process_that_is_gone_nothing_is_known():
    assert process_of(2**30) == ("", "", False)
    assert process_of(os.getpid()).began.isdecimal()


@pytest.mark.slow
def test_a_session_without_a_terminal_has_no_name():
    reading, writing = os.pipe()
    if (pid := os.fork()) == 0:
        os.setsid()
        os.write(writing, terminal_name({}).encode() or b"none")
        os._exit(0)
    os.waitpid(pid, 0)

    assert os.read(reading, 100) == b"none"
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(
    ("told", "began"),
    [
        ("ttys001  Mon Nov 23 09:21:34 2026", "Mon Nov 23 09:21:34 2026"),
        ("??       Mon Nov 23 09:21:34 2026", ""),
        ("?        Mon Nov 23 09:21:34 2026", ""),
        ("", ""),
    ],
)
def test_on_macos_ps_tells_when_the_session_began_whatever_the_locale(shims: Shims, told, began):
    shims.add("bin/ps", f"[ $LC_ALL$TZ = CUTC0 ] && echo '{told}'")

    assert listed(4121, {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}, str(shims.folder)) == began
    assert shims.calls() == [["ps", "-o", "tty=,lstart=", "-p", "4121"]]
