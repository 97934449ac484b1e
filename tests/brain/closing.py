"""A request whose client, or window, goes away at some moment: what it did, and who was told of it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from typing import NamedTuple

from PIL import Image

from jarvis.core.files import try_lock
from jarvis.core.text import digest
from tests.brain.kills import REPORTED, WORKS, Scene, Work
from tests.running import Ends, open_pipes, open_terminal
from tests.shell import wait_until

ENDS = (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL)
PLACES = ("terminal", "pipe", "chat")
KINDS = {
    "open": Work("open a.example", ()),
    "start": Work("launch Lamp", ()),
    "picture": Work("take a screenshot", ()),
    "find + open": WORKS["find + open"],
}
_LAMP = "[Desktop Entry]\nType=Application\nName=Lamp\nExec={}/opener lamp\n"
_GRIM = '#!/bin/sh\n"{0}/opener"\n/bin/cp "{0}/photo.png" "$1"\n'
_STEP = (
    "SELECT turns.confirmed, outcome, target FROM turns JOIN steps ON turn = id"
    " WHERE thread = '{}' AND action != 'search' ORDER BY turns.n, steps.n LIMIT 1"
)


class Closed(NamedTuple):
    """What could be seen of a request whose client went away."""

    status: int  # of the client; 0: it was quicker
    acts: int
    is_shown: bool  # what came of it: its window, or its pipe, had that
    is_confirmed: bool
    reports: tuple[bool, bool]  # whether the next two requests reported something

    @property
    def faults(self) -> list[str]:
        first, second = self.reports
        is_untold = self.acts and not first and not (self.is_confirmed and self.is_shown)
        is_again = second or (first and self.is_confirmed)
        return ["untold"] * bool(is_untold) + ["told again"] * is_again + ["doubled"] * (self.acts > 1)

    @property
    def fell_between(self) -> bool:
        """Whether it was shown, not confirmed, and so told twice."""
        return self.is_shown and self.reports[0] and not self.is_confirmed


class Closing(Scene):
    """A home with an app, and a screen to photograph."""

    def __init__(self, *parts) -> None:
        super().__init__(*parts)
        home, self._known = self.home, {}
        self.environment |= self.installed("Lamp")
        (home / "apps/applications/Lamp.desktop").write_text(_LAMP.format(home))
        (home / "bin").mkdir()
        (home / "bin/grim").write_text(_GRIM.format(home))
        (home / "bin/grim").chmod(0o755)
        Image.effect_noise((60, 40), 90.0).save(home / "photo.png")
        self.environment |= {"PATH": f"{home}/bin:/usr/bin:/bin", "WAYLAND_DISPLAY": f"{home}/w"}
        self._compositor = socket.socket(socket.AF_UNIX)
        self._compositor.bind(f"{home}/w")
        self._compositor.listen()

    def stop(self) -> None:
        super().stop()
        self._compositor.close()

    def close(self, kind: str, place: str, end: int, moment: float | None) -> Closed:
        """Ask for *kind*, and end its client by *end*; at a terminal SIGHUP closes the window.

        moment: a part of the time that it takes if nothing ends it; None: while it acts, for as long.
        """
        if not self.brains:
            self._talk("warm")
        self._lasts(kind)
        self._made += 1
        thread, hold = f"end-{self._made}", self.home / "hold"
        (self.home / "acts").unlink(missing_ok=True)
        argv, is_chat = self._asked_for(KINDS[kind], thread), place == "chat"
        if moment is None:
            hold.touch()
        ends = open_pipes(with_stdin=False) if place == "pipe" else open_terminal((200, 50))
        is_window = end == signal.SIGHUP and place != "pipe"
        start = self.program()._start_forked
        process = start(argv[: 2 if is_chat else 3], ends.theirs, place != "pipe", str(self.home))
        for handle in set(ends.theirs):
            os.close(handle)
        said = b""
        if is_chat:
            while b">" not in said:
                said += _read(ends, 0.05)
            os.write(ends.outputs["screen"], f"{argv[2]}\r".encode())
        if moment is None:
            wait_until(lambda: self.acts)
        said += _read(ends, (moment or 0.0) * self._lasts(kind))
        if is_window:
            ends.close_ours()
        else:
            with contextlib.suppress(ProcessLookupError):  # it was quicker
                os.kill(process.pid, end)
        hold.unlink(missing_ok=True)
        if not is_window:  # whose restored modes wait until all that was written is read
            said += _read(ends, 60.0)
            ends.close_ours()
        status = process.wait(60)
        self._let_desktop_end()
        return self._seen(thread, place, status, " ".join(said.decode(errors="replace").split()))

    def _lasts(self, kind: str) -> float:
        """Return the seconds that *kind* takes here."""
        if kind not in self._known:
            self._known[kind] = self.jarvis(*self._asked_for(KINDS[kind], "undisturbed")).seconds
        return self._known[kind]

    def _seen(self, thread: str, place: str, status: int, said: str) -> Closed:
        """Return what there is once nobody is at work in *thread*."""
        lock = os.path.join(self.settings.folders.state, "locks", digest(thread))
        wait_until(lambda: _is_free(lock))
        (step,) = self._rows(_STEP.format(thread)) or [(0, "", "")]
        is_confirmed, text, address = step
        told = [" ".join(each.casefold().split()) for each in (text, *([address] * (place == "pipe")))]
        acts = self.acts.count("begun")
        first, second = (REPORTED in self._talk(thread).stderr for _ in range(2))
        return Closed(
            status,
            acts,
            any(each and each in said.casefold() for each in told),
            is_confirmed == 1,
            (first, second),
        )

    def _rows(self, sql: str) -> list[tuple]:
        with contextlib.closing(self._connected()) as connection:
            return connection.execute(sql).fetchall()


def _read(ends: Ends, seconds: float) -> bytes:
    """Return what comes meanwhile, or until all of it has ended."""
    said, open_, until = b"", set(ends.outputs.values()), time.monotonic() + seconds
    while open_ and (ready := select.select(open_, [], [], max(0.0, until - time.monotonic()))[0]):
        for handle in ready:
            piece = b""
            with contextlib.suppress(OSError):  # a terminal ends with EIO
                piece = os.read(handle, 65536)
            said += piece
            open_ -= set() if piece else {handle}
    return said


def _is_free(lock: str) -> bool:
    descriptor = try_lock(lock)
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None
