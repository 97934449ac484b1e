"""The streams of this process, and the layout of messages on them.

Everything that is printed goes through here.
"""

from __future__ import annotations

import _thread
import errno
import functools
import io
import os
import re
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, TextIO, cast

from ..core.text import HINT, cells_in, clean, one_line, printable, truncate, without
from .styles import styled, takes_links

if TYPE_CHECKING:
    from ..store.log import Log
    from .markdown import ReplyStream

TIED = "\xa0"  # a space at which no line is broken
_LONGEST = 500  # characters of a word that is shown whole
_SOON = 0.5  # seconds for which work shows no progress
_SIZE = 80, 24  # columns and lines of a terminal that doesn't know them
# Where the first character of a line goes, unless it is empty.
_LINE = r"(?:\A|\n|\r)(?:\x1b\[[?\d]*[A-Zhl])*+(?!(?:\x1b\[[\d;]*m)*+(?:[\r\n]|\Z))"


class Screen:
    """The streams of this process."""

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        stdin: IO[str] | None = None,
        stdout: IO[str] | None = None,
        stderr: IO[str] | None = None,
    ) -> None:
        self.environment = environment
        # A stream that was closed before we started is None. A write to such a stdout fails, and is reported.
        self.stdin = stdin or sys.stdin or _nowhere("r")
        self._out = _forgiving(stdout or sys.stdout or _nowhere("r"))
        self._err = _forgiving(stderr or sys.stderr or _nowhere("w"))
        self.secrets: tuple[str, ...] = ()  # never printed
        self.log: Log | None = None  # once the settings are known
        self.out_tty = is_tty(self._out)
        self.err_tty = is_tty(self._err)
        self.out_color, self.err_color = self._color(self.out_tty), self._color(self.err_tty)
        self.takes_links = self.out_tty and takes_links(environment)
        self._warned: set[str] = set()
        self.ended: int | None = None  # the exit status of the turn that has ended
        self.is_chat = False  # whether what is typed here is typed at the prompt of a chat
        self.is_quiet = False  # whether a command shows no progress
        self.margin = ""  # before each line
        self.marks_pastes = False  # whether the terminal does
        self.has_read_stdin = False  # as material, or as words: it holds no answers
        self._passing = ""  # the passing line on the terminal
        self._work = ("", 0.0)  # what shows its progress, and since when
        self._since = 0.0  # when it came there, in monotonic seconds
        self._reply: ReplyStream | None = None  # that is being written
        self._lost: list[IO[str]] = []  # streams that can't be written to any more
        self._held: list[str] | None = None  # what is held back from stdout, if anything is

    @property
    def is_at_terminal(self) -> bool:
        """Whether stdin and stdout are terminals."""
        return self.out_tty and is_tty(self.stdin)

    @property
    def has_terminal(self) -> bool:
        """Whether stdin or stdout is a terminal: `git log | jarvis what changed` counts too."""
        return self.out_tty or is_tty(self.stdin)

    @property
    def is_interactive(self) -> bool:
        """Whether the user can answer: they type at a terminal, even if the answer goes elsewhere."""
        is_automatic = self.environment.get("CI", "").lower() not in ("", "0", "false")
        is_typed = is_tty(self.stdin) and not self.has_read_stdin
        return is_typed and not is_automatic and self.terminal is not None

    @functools.cached_property
    def terminal(self) -> TextIO | None:
        """The terminal for questions, or None."""
        if found := next((stream for stream in (self._err, self._out) if is_tty(stream)), None):
            return cast("TextIO", found)
        try:
            return open("/dev/tty", "w", encoding="utf-8")
        except OSError:
            return None

    @property
    def is_dumb(self) -> bool:
        """Whether the terminal knows no escape sequences."""
        return self.environment.get("TERM") == "dumb"

    @property
    def has_lost_output(self) -> bool:
        return self._out in self._lost

    @property
    def has_lost_words(self) -> bool:
        """Whether a write to either stream failed."""
        return bool(self._lost)

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return max(20, self._size[0])

    @property
    def _size(self) -> tuple[int, int]:
        """Columns and lines right now: the terminal may have been resized."""
        sizes = zip(_size(self._err), _size(self._out), _SIZE, strict=True)
        columns, lines = (next(filter(None, values)) for values in sizes)
        return columns - len(self.margin), lines

    def hold(self) -> None:
        """Hold back what goes to stdout, until `release`."""
        self._held = []

    def release(self, *, is_whole: bool) -> None:
        """Print what was held back if it *is_whole*, or drop it."""
        held, self._held = self._held or [], None
        for text in held if is_whole else ():
            self.out(text)

    def out(self, text: str) -> None:
        """Print to stdout: the answer, and nothing else."""
        if self._held is not None:
            self._held.append(text)
            return
        self._end_reply()
        self.clear()
        self._write(self._out, printable(text + "\n"))

    def expect_reply(self) -> None:
        """Import the layout of replies while the model thinks: that takes 100 ms."""
        if self.out_tty:
            _thread.start_new_thread(_reply_stream, ())

    def reply(self, text: str) -> None:
        """Print the next piece of a reply to a terminal. An empty piece ends the reply."""
        if not text:
            self._end_reply()
            return
        self._reply = self._reply or _reply_stream()(color=self.out_color, is_live=not self.is_dumb)
        self._draw(self._reply.feed(text, self._size))

    def err(self, text: str) -> None:
        """Print to stderr: everything else."""
        self.clear()
        if self._reply:
            self._write(self._out, self._reply.step_aside())
        self._write(self._err, printable((wrapped(text, self.width) if self.err_tty else text) + "\n"))
        self._draw_again()

    def warn(self, warnings: Sequence[str]) -> None:
        """Print each warning once in this process."""
        for warning in warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                self.err(f"jarvis: {warning}")

    def ask(self, text: str, style: str = "") -> None:
        """Print the *text* of a question on the user's terminal, even if stdout or stderr is piped."""
        self.clear()
        self._end_reply()
        line = styled(text, style, color=self.err_color)
        self._write(self.terminal or self._err, printable(f"{line}\n"))

    def mark_pastes(self, *, wanted: bool) -> None:
        """Let the terminal mark pasted text, or stop it. Unmarked, each line is a request."""
        self.marks_pastes = wanted
        if self.terminal and not self.is_dumb:
            self._write(self.terminal, f"\x1b[?2004{'h' if wanted else 'l'}")

    def aside(self, text: str) -> None:
        """Print foreign text to stderr with its line breaks, for details."""
        self.err(clean(text))

    def passing(self, text: str) -> None:
        """Show *text* until something else is printed. If it is shown already, add for how long."""
        if text in ("", self._passing):
            self.tick()
            return
        # In the middle of a reply, it would delete words.
        if self.err_tty and not (self.is_dumb or self.is_quiet or self._reply):
            self._pass(one_line(text))
            self._passing, self._since = one_line(text), time.monotonic()

    def show_progress(self, text: str, done: int, total: int) -> None:
        """Show how much of *total* is done, once the work takes a while. Without a total, show *text*."""
        if done >= total > 0:
            self._work = "", 0.0
            self.clear()
        elif not total:
            self.passing("" if self._work[0] else text)  # it is a part of that work
        elif text != self._work[0]:
            self._work = text, time.monotonic()
        elif self.err_tty and time.monotonic() - self._work[1] > _SOON:
            from .grid import bar  # rich: little work takes so long

            self.passing(f"{text} {bar(done, total)} {done:,} of {total:,}")

    def tick(self) -> None:
        """Add to the passing line how long it has been there, and that Ctrl-C stops the wait."""
        if self._passing and (seconds := int(time.monotonic() - self._since)) > 1:
            self._pass(f"{self._passing} {seconds} s, Ctrl-C stops")
        self._draw_again()  # the words that came last may not have been shown

    def _pass(self, line: str) -> None:
        clear = "\r\x1b[K" if self._passing else ""
        self._write(self._err, f"{clear}{truncate(line, self.width - 1)}")

    def clear(self) -> None:
        """Remove the passing line."""
        if self._passing:
            self._write(self._err, "\r\x1b[K")
            self._passing = ""

    def lost(self, error: OSError) -> int:
        """Report that the answer wasn't written, unless its reader has left. Returns the exit status."""
        is_gone = self.out_tty and error.errno == errno.EIO  # the terminal was closed
        if not (is_gone or isinstance(error, BrokenPipeError)):
            self.err(f"jarvis: Can't print the answer: {error.strerror or 'stdout is closed'}.")
        return 1

    def close(self) -> None:
        """Stop printing."""
        self._lost += [self._out, self._err]

    def _draw_again(self) -> None:
        if self._reply:
            self._draw(self._reply.draw(self._size))

    def _draw(self, drawn: str) -> None:
        if self._reply and drawn:
            self.clear()
            self._write(self._out, drawn)

    def _end_reply(self) -> None:
        if self._reply:
            self._draw(self._reply.end(self._size))
            self._reply = None

    def _write(self, stream: IO[str], text: str) -> None:
        if stream in self._lost:
            return
        text = re.sub(_LINE, rf"\g<0>{self.margin}", text) if self.margin else text
        try:
            stream.write(without(text, self.secrets))
            stream.flush()
        except OSError as error:
            # Whoever read it has left, or the disk is full. The turn goes on: its history still counts.
            self._lost.append(stream)
            if stream is self._out:
                self.lost(error)

    def _color(self, tty: bool) -> bool:
        if self.environment.get("NO_COLOR"):
            return False
        if self.environment.get("FORCE_COLOR"):
            return True
        return tty and not self.is_dumb


# Messages to a person.


# Words after `jarvis` in hints that are requests. The rest are commands.
_WORDS = ("add", "back", "hello", "more", "open", "show")


def wrapped(text: str, width: int) -> str:
    """Return *text* wrapped at spaces to *width*. Longer words stay whole.

    So an address stays whole, and the terminal itself wraps one that is longer: it can be copied. So does a
    command at the end of a line, which would do something else if it were pasted in two.
    """
    return "\n".join(_wrapped(line, width) for line in text.split("\n")).replace(TIED, " ")


def _wrapped(line: str, width: int) -> str:
    if _columns(line) <= width:
        return line
    indent = len(line) - len(line.lstrip(" ")) + 2 * ("  " in line)
    first, *others = re.findall(r" *[^ ]+", _tied(line)) or [""]
    lines = [first]
    for piece in others:
        if _columns(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines.append(" " * indent + piece.lstrip(" "))
    return "\n".join(lines)


def _columns(line: str) -> int:
    """Return the width of *line* on a terminal. It may have colors and links."""
    return cells_in(clean(line))


def _tied(line: str) -> str:
    """Return *line* with the command at its end tied into one word."""
    head, sign, last = line.rpartition(": ")
    # A hint that ends with a full stop is a sentence, or a list.
    is_command = last.startswith("jarvis ") or (line.startswith(HINT) and not last.endswith("."))
    return f"{head}{sign}{last.replace(' ', TIED)}" if sign and is_command else line


def cut_words(text: str) -> str:
    """Return *text* with words cut that would fill a screen. Addresses keep their host."""
    return re.sub(rf"(\S{{{_LONGEST}}})\S+", r"\1…", text)


def fitted(text: str, screen: Screen) -> str:
    """Return *text* wrapped to the terminal, if stdout is one."""
    return wrapped(text, screen.width) if screen.out_tty else text


def show_failure(screen: Screen, message: str, hint: str = "") -> None:
    screen.err(f"jarvis: {one_line(message)}")
    show_hint(screen, hint)


def show_hint(screen: Screen, hint: str) -> None:
    if hint:
        screen.err(f"{HINT}{as_typed_at(screen, one_line(hint))}")


def as_typed_at(screen: Screen, text: str) -> str:
    """Return our own *text* with its commands as they are typed in a chat: as words, or with a slash."""

    def typed(match: re.Match[str]) -> str:
        quoted, name = match[1], match[2]
        return quoted or (name if name in _WORDS else f"/{name}")

    # What only a shell can do stays as it is: `jarvis -t …`, `jarvis threads export > FILE`.
    is_shells = not screen.is_chat or re.search(r"[<>|]", text)
    return text if is_shells else re.sub(r'(?:^|(?<=: ))jarvis (?:"([^"]+)"|([a-z]+)\b)', typed, text)


# Streams: their kind, their width, and their encoding.


def _reply_stream() -> type[ReplyStream]:
    from .markdown import ReplyStream  # rich: few commands show a reply

    return ReplyStream


def _nowhere(mode: str) -> IO[str]:
    return open(os.devnull, mode, encoding="utf-8")


def _forgiving(stream: IO[str]) -> IO[str]:
    """Return *stream*, set to print a ? for a character that its encoding lacks.

    On Windows a pipe is in the code page of old programs, unless it is set otherwise.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8" if os.name == "nt" else None, errors="replace")
    return stream


def is_tty(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def holds_material(stream: IO[str]) -> bool:
    """Return whether *stream* is a pipe, a file, or a socket."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # closed, or none of this system's
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _size(stream: IO[str]) -> tuple[int, int]:
    """Return columns and lines of the terminal *stream*, or zeros if it isn't one or doesn't know."""
    try:
        size = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return 0, 0
    return size.columns, size.lines
