"""A person at a terminal: types, presses keys, and reads the screen as it looks."""

from __future__ import annotations

import os
import pty
import termios
import time
from typing import TYPE_CHECKING, Any, Self

import pyte

from jarvis.cli.line import request_in

if TYPE_CHECKING:
    from .program import Program
    from .running import Result

CTRL_C, CTRL_D, CTRL_J, ENTER, ALT_ENTER = "\x03", "\x04", "\n", "\r", "\x1b\r"
ESC, TAB, UP, DOWN, CTRL_Z = "\x1b", "\t", "\x1b[A", "\x1b[B", "\x1a"
PASTE, END_OF_PASTE = "\x1b[200~", "\x1b[201~"  # around what is pasted
_PLACEHOLDER = "Ask or type a command, / for a menu"
_HIDES_CURSOR, _SHOWS_CURSOR = b"\x1b[?25l", b"\x1b[?25h"  # around each drawing of a prompt
BRACKETED_PASTE = 2004 << 5  # as pyte numbers private modes


class _Screen(pyte.HistoryScreen):
    """Answers the questions that a program asks its terminal."""

    answers = b""

    def write_process_input(self, data: str) -> None:
        self.answers += data.encode()


class Person:
    """Leaving the block ends the program."""

    def __init__(self, program: Program, *argv: str, size: tuple[int, int] = (80, 24), **how: Any) -> None:
        self._running = program.start(*argv, tty=True, size=size, **how)
        self._output = self._running._outputs["screen"]
        self._terminal = os.dup(self._output.terminal)
        self._screen = _Screen(*size, history=10_000, ratio=1)
        self._stream = pyte.ByteStream(self._screen)
        self._read = 0
        request = request_in(argv)
        self._margin = " " * bool(request and request.words in ([], ["chat"]))  # of each line of a chat

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._running.__exit__(*exception)
        os.close(self._terminal)

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def lines(self) -> list[str]:
        """All that there is on the screen and above it."""
        self._look()
        above = [
            "".join(row[x].data for x in range(self._screen.columns)) for row in self._screen.history.top
        ]
        return [self._without_hints(line) for line in (*above, *self._screen.display)]

    @property
    def line(self) -> str:
        """The line on which the cursor stands."""
        self._look()
        return self._without_hints(self._screen.display[self._screen.cursor.y])

    def _without_hints(self, line: str) -> str:
        return line.removeprefix(self._margin).rstrip().removesuffix(_PLACEHOLDER).rstrip()

    @property
    def status(self) -> list[str]:
        """What stands below the prompt of a chat: the model, the conversation, the searches left."""
        self._look()
        return "".join(self._screen.display[self._screen.cursor.y + 1 :][:1]).strip().split(" · ")

    @property
    def said(self) -> bytes:
        return bytes(self._output.said)

    def send(self, number: int) -> None:
        self._running.send(number)

    def type(self, keys: str) -> None:
        self._running.write(keys.encode())

    def ask(self, words: str, thread: str = "") -> None:
        """Type *words* at the prompt and wait for the next one, in that *thread* if one is given."""
        self.until(lambda: self.line.endswith(">"))
        before = len(self.lines_of_text)
        self.type(words + ENTER)
        # In this order: each is a new look, and the prompt of before may be there at the first.
        self.until(lambda: len(self.lines_of_text) > before and self.line == ">")
        self.at_prompt(thread=thread)

    def at_prompt(self, prompt: str = ">", thread: str = "") -> None:
        self.until(lambda: self.line == prompt and (not thread or thread in self.status))

    def at_question(self) -> None:
        """Until a question takes keys: from then on it shows them."""
        self.until(lambda: self.line.endswith("? details"))

    def see(self, text: str) -> None:
        """Until *text* is on the screen, on one line, wrapped by the terminal, or broken between words."""
        self.until(
            lambda: any(
                text in shown for shown in ("".join(self.lines), "\n".join(self.lines), self._flowing)
            )
        )

    @property
    def _flowing(self) -> str:
        return " ".join(line.strip() for line in self.lines)

    def until(self, condition: Any, timeout: float = 60) -> Any:
        """What *condition* gives, once that is anything."""
        deadline = time.monotonic() + timeout
        while not (found := condition()):
            if time.monotonic() > deadline or self._output.ended():
                if found := condition():
                    return found
                raise AssertionError("It was not seen on:\n" + "\n".join(self.lines))
            time.sleep(0.01)
        return found

    @property
    def lines_of_text(self) -> list[str]:
        return [line for line in self.lines if line]

    def leave(self) -> Result:
        """Ctrl-D, and the program's end."""
        self.type(CTRL_D)
        return self.finish()

    def finish(self) -> Result:
        result = self._running.finish()
        self._look()
        return result

    def assert_sane(self) -> None:
        """The terminal is as one that nobody used."""
        fresh, other = pty.openpty()
        try:
            assert termios.tcgetattr(self._terminal) == termios.tcgetattr(fresh)
        finally:
            os.close(fresh)
            os.close(other)
        assert BRACKETED_PASTE not in self._screen.mode
        assert pyte.modes.DECTCEM in self._screen.mode

    def _look(self) -> None:
        """Take in what is new, and answer what was asked; what is half drawn is not looked at."""
        ended = self._output.ended()
        new = bytes(self._output.said[self._read :])
        if not ended and new.rfind(_HIDES_CURSOR) > new.rfind(_SHOWS_CURSOR):
            new = new[: new.rfind(_HIDES_CURSOR)]
        self._read += len(new)
        self._stream.feed(new)
        if self._screen.answers:
            answers, self._screen.answers = self._screen.answers, b""
            self._running.write(answers)
