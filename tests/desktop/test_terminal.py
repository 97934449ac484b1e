"""A terminal's name: its own alone, for as long as it lasts."""

import os

import pytest

from jarvis.cli.line import terminal_name, terminal_thread
from jarvis.desktop.running import began_by_ps


def test_whatever_differs_makes_another():
    """A number that is used again; another machine on one database; the machine after its next start."""
    this = ("laptop", "3f9a2c1d-0000", "4121", "3367260")
    others = ("desktop", "77c0ffee-0000", "4122", "3367261")
    each = [this, ("laptop", "3f9a2c1d-0000", "412", "13367260")]
    each += [(*this[:at], other, *this[at + 1 :]) for at, other in enumerate(others)]

    assert len({terminal_thread(*parts) for parts in each}) == 6
    assert terminal_thread(*this) == terminal_thread(*this)


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


def test_on_macos_ps_tells_when_the_session_began_whatever_the_locale(shims):
    when = "Mon Nov 23 09:21:34 2026"
    said = {f"ttys001  {when}": when, f"??       {when}": "", f"?        {when}": "", "": ""}

    for told, began in said.items():
        shims.add("bin/ps", f"[ $LC_ALL$TZ = CUTC0 ] && echo '{told}'")
        assert began_by_ps(4121, {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}, str(shims.folder)) == began
    assert shims.calls() == [["ps", "-o", "tty=,lstart=", "-p", "4121"]] * len(said)
