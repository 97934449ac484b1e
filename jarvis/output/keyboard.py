"""Reads single keys from the terminal, which is left as it was before.

On the standard library alone: who has one question to ask has no time to load more.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import Any

from ..core.errors import Interrupted
from .screen import Screen

# What read() calls the keys that are no letters; "" is a key that nobody asks for.
ENTER, ESCAPE, TAB, UP, DOWN, CTRL_D, RESUMED = "enter", "escape", "tab", "up", "down", "ctrl-d", "resumed"
_PIECE = 0.2  # seconds: a Ctrl-C just before a long wait begins would not be handled until it ends
_CTRL_C, _CTRL_Z, _ESC = "\x03", "\x1a", "\x1b"
_NAMES = {"\r": ENTER, "\n": ENTER, "\t": TAB, "\x04": CTRL_D}


def _named(key: str) -> str:
    return _NAMES.get(key, key if key.isascii() and key.isprintable() else "")


if sys.platform == "win32":
    import msvcrt

    _ARROWS = {"H": UP, "P": DOWN}

    class Keyboard:
        """The keys of a console, one by one. A context manager."""

        def __enter__(self) -> Keyboard:
            while msvcrt.kbhit():  # typed before: no answer to what is asked now
                msvcrt.getwch()
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def read(self) -> str:
            """Return the next key. Raises Interrupted for Ctrl-C."""
            while not msvcrt.kbhit():
                time.sleep(_PIECE / 10)  # msvcrt can't wait, and getwch() would hold up Ctrl-C
            key = msvcrt.getwch()
            if key in ("\x00", "\xe0"):
                return _ARROWS.get(msvcrt.getwch(), "")
            if key == _CTRL_C:
                raise Interrupted("Interrupted.")
            return ESCAPE if key == _ESC else CTRL_D if key == _CTRL_Z else _named(key)

    def keyboard_at(screen: Screen) -> Keyboard | None:
        """Return what reads single keys."""
        return Keyboard()

else:
    import select
    import termios

    _LOCAL, _SIGNS = 3, 6  # the places in what tcgetattr() returns
    _ARROWS = {"\x1b[A": UP, "\x1b[B": DOWN, "\x1bOA": UP, "\x1bOB": DOWN}
    _PASTED, _END_OF_PASTE = "\x1b[200~", "\x1b[201~"
    _AT_ONCE = 0.1  # seconds within which the rest of what one key sends has come

    class Keyboard:
        """The keys of a terminal, one by one. A context manager, which may be entered again."""

        def __init__(self, screen: Screen, terminal: int, before: list[Any]) -> None:
            """before: how the *terminal* is to be left, as tcgetattr() returned it."""
            self._screen = screen
            self._terminal = terminal
            self._before = before
            self._is_over = False

        def __enter__(self) -> Keyboard:
            self._is_over = False
            self._screen.on_leaving = self._leave  # the program may end while another thread waits for a key
            self._take_over()
            return self

        def __exit__(self, *_: object) -> None:
            self._leave()
            self._screen.on_leaving = None

        def read(self) -> str:
            """Return the next key; RESUMED after the person stopped the program by Ctrl-Z and resumed it.

            Ctrl-C sends its signal, as ever. Raises Interrupted once the program is leaving, EOFError where
            the terminal is gone.
            """
            key = self._next(None)
            if key == _ESC:
                return self._rest_of(key)
            if key == _CTRL_Z:
                self._stop()
                return RESUMED
            if not key:
                raise EOFError
            return _named(key)

        def _take_over(self) -> None:
            """Have the terminal send each key at once, and forget what was typed before: it is no answer."""
            try:
                mode = termios.tcgetattr(self._terminal)
            except termios.error:
                raise EOFError from None
            mode[_LOCAL] &= ~(termios.ICANON | termios.ECHO)
            signs = list(mode[_SIGNS])
            signs[termios.VMIN], signs[termios.VTIME] = 1, 0
            # Ctrl-Z comes as a key, so that the terminal is given back before the program stops.
            signs[termios.VSUSP] = bytes([os.fpathconf(self._terminal, "PC_VDISABLE") & 0xFF])
            mode[_SIGNS] = signs
            termios.tcsetattr(self._terminal, termios.TCSAFLUSH, mode)
            self._screen.mark_pastes(wanted=True)  # the first letter of a paste is no answer

        def _give_back(self) -> None:
            self._screen.mark_pastes(wanted=False)
            with contextlib.suppress(OSError, termios.error):  # the terminal is gone
                termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

        def _leave(self) -> None:
            if not self._is_over:
                self._is_over = True
                self._give_back()

        def _stop(self) -> None:
            self._give_back()
            os.kill(0, signal.SIGTSTP)  # all of the job, whoever started us
            self._take_over()

        def _next(self, seconds: float | None) -> str:
            """Return the next character; empty where the terminal is gone, or after that many *seconds*."""
            until = None if seconds is None else time.monotonic() + seconds
            while not select.select([self._terminal], [], [], _PIECE if seconds is None else seconds)[0]:
                if self._is_over:
                    raise Interrupted("Interrupted.")
                if until is not None and time.monotonic() >= until:
                    return ""
            try:
                return os.read(self._terminal, 1).decode("latin-1")
            except OSError:
                return ""

        def _rest_of(self, sent: str) -> str:
            """Return the key that *sent* begins; pastes, and keys that nobody asks for, come to nothing."""
            while more := self._next(_AT_ONCE):
                sent += more
                if (len(sent) > 2 and "@" <= more <= "~") or (len(sent) == 2 and more not in "[O"):
                    break
            if sent == _PASTED:
                while not sent.endswith(_END_OF_PASTE) and (more := self._next(None)):
                    sent = sent[-len(_END_OF_PASTE) :] + more
            return ESCAPE if sent == _ESC else _ARROWS.get(sent, "")

    def keyboard_at(screen: Screen) -> Keyboard | None:
        """Return what reads single keys; None where that can't be, and a line is to be typed."""
        try:
            terminal = screen.stdin.fileno()
            return Keyboard(screen, terminal, termios.tcgetattr(terminal))
        except (OSError, ValueError, termios.error):
            return None
