"""The streams of this process and what is known of them. Everything that is printed goes through here."""

from __future__ import annotations

import _thread
import errno
import functools
import io
import os
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, TextIO, cast

from ..core.text import clean, fitting, one_line, printable, without

if TYPE_CHECKING:
    from ..store.log import Log
    from .markdown import Drawn, ReplyStream

_SIZE = 80, 24  # columns and lines of a terminal that doesn't know them
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"  # however a terminal counts the cells of an emoji


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
        # A stream that was closed before we started is None.
        self.stdin = stdin or sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
        self._out = stdout or sys.stdout or Closed()
        self._err = stderr or sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        self.secrets: tuple[str, ...] = ()  # never printed
        self.log: Log | None = None  # once the settings are known
        self.out_tty = is_tty(self._out)
        self.err_tty = is_tty(self._err)
        self._warned: set[str] = set()
        self.ended: int | None = None  # the exit status of the turn whose end was told
        self.is_chat = False  # whether what is typed here is typed at the prompt of a chat
        self.marks_pastes = False  # whether the terminal does
        self.has_read_stdin = False  # as material, or as words: it holds no answers
        self._passing = ""  # the passing line that stands on the terminal
        self._since = 0.0  # when it came there, in monotonic seconds
        self._is_open = False  # a line of an answer stands there, without its end
        self._reply: ReplyStream | None = None  # that is being written
        self._lost: list[IO[str]] = []  # streams that can't be written to any more

    @property
    def is_at_terminal(self) -> bool:
        """Whether a terminal stands at both ends."""
        return self.out_tty and is_tty(self.stdin)

    @property
    def is_interactive(self) -> bool:
        """Whether a person may be asked: on a terminal where they type, whatever the answer goes to."""
        is_automatic = self.environment.get("CI", "").lower() not in ("", "0", "false")
        is_typed = is_tty(self.stdin) and not self.has_read_stdin
        return is_typed and not is_automatic and self.terminal is not None

    @functools.cached_property
    def terminal(self) -> TextIO | None:
        """The terminal on which a person is asked; None where there is none."""
        if found := next((stream for stream in (self._err, self._out) if is_tty(stream)), None):
            return cast("TextIO", found)
        try:
            return open("/dev/tty", "w", encoding="utf-8")
        except OSError:
            return None

    @property
    def is_on_terminal(self) -> bool:
        """Whether a person sits at either end: `git log | jarvis what changed` is theirs as well."""
        return self.out_tty or is_tty(self.stdin)

    @property
    def is_dumb(self) -> bool:
        """Whether the terminal understands no escape sequences."""
        return self.environment.get("TERM") == "dumb"

    @property
    def has_lost_output(self) -> bool:
        return self._out in self._lost

    @property
    def has_lost_words(self) -> bool:
        """Whether anything that was printed, on either stream, could not be written."""
        return bool(self._lost)

    @property
    def width(self) -> int:
        return max(20, columns(self._err) or columns(self._out) or 80)

    @property
    def out_colour(self) -> bool:
        return self._colour(self.out_tty)

    @property
    def err_colour(self) -> bool:
        return self._colour(self.err_tty)

    def out(self, text: str, end: str = "\n") -> None:
        self._end_reply()
        self._print(text + end)

    def expect_reply(self) -> None:
        """Import what lays out a reply, while the model thinks: that takes 100 ms."""
        if self.out_tty:
            _thread.start_new_thread(_import_markdown, ())

    def reply(self, text: str, links: Sequence[str] = ()) -> None:
        if self._reply is None:
            from .markdown import ReplyStream  # rich: few commands show one

            colour, is_live = self.out_colour, not self.is_dumb
            self._reply = ReplyStream(colour=colour, is_live=is_live, links=frozenset(links))
        self._draw(self._reply.feed(text, self._size))

    def err(self, text: str) -> None:
        self._tell(self._fitted(text))

    def warn(self, warnings: Sequence[str]) -> None:
        """Print each of *warnings* once, however often it is given."""
        for warning in warnings:
            if warning not in self._warned:
                self._warned.add(warning)
                self.err(f"jarvis: {warning}")

    def ask(self, text: str, end: str = "\n") -> None:
        """Print *text* of a question, whole, where a person reads it, whatever is piped."""
        self.clear()
        self.end_line()
        self._write(self.terminal or self._err, printable(text + end))

    def mark_pastes(self, *, wanted: bool) -> None:
        """Have the terminal mark what is pasted, or not any more: else each line of it would be a request."""
        self.marks_pastes = wanted
        if self.terminal and not self.is_dumb:
            self._write(self.terminal, f"\x1b[?2004{'h' if wanted else 'l'}")

    def end_line(self) -> None:
        """End a reply that was being written."""
        self._end_reply()
        self._break_line()

    def _break_line(self) -> None:
        """Begin a new line on the terminal, even in the middle of a reply, whose rest is drawn again."""
        if self._reply:
            self._write(self._out, self._reply.step_aside())
        elif self._is_open:
            self._print("\n")
        self._is_open = False

    def aside(self, text: str) -> None:
        """Print foreign words to stderr, on as many lines as they have, for those who asked for details."""
        self._tell(clean(text))

    def _tell(self, text: str) -> None:
        self.clear()
        if self.err_tty:
            self._break_line()
        self._write(self._err, printable(text + "\n"))
        self._draw_again()

    def _fitted(self, text: str) -> str:
        """Return *text* in lines that stderr has room for, where it is a terminal."""
        if not self.err_tty or len(text) * (1 if text.isascii() else 2) <= self.width:
            return text
        from .results import broken  # most messages are short

        return broken(text, self.width)

    def passing(self, text: str) -> None:
        """Tell *text* until something else is told; where it stands already, or is empty, for how long."""
        if text in ("", self._passing):
            self.tick()
            return
        # In the middle of a reply it would take words of it away.
        if self.err_tty and not self.is_dumb and not self._is_open:
            self._pass(one_line(text))
            self._passing, self._since = one_line(text), time.monotonic()

    def tick(self) -> None:
        """Tell with the passing line for how long it has stood there, and what ends the waiting."""
        if self._passing and (seconds := int(time.monotonic() - self._since)) > 1:
            self._pass(f"{self._passing} {seconds} s, Ctrl-C stops")
        self._draw_again()  # the words that came last may not have been shown

    def _pass(self, line: str) -> None:
        clear = "\r\x1b[K" if self._passing else ""
        self._write(self._err, f"{clear}{fitting(line, self.width - 1)}")

    def clear(self) -> None:
        if self._passing:
            self._write(self._err, "\r\x1b[K")
            self._passing = ""

    def lost(self, error: OSError) -> int:
        """Tell that the answer was not written, unless its reader has left; return the exit status."""
        is_gone = self.out_tty and error.errno == errno.EIO  # the terminal was closed
        if not (is_gone or isinstance(error, BrokenPipeError)):
            self.err(f"jarvis: The answer could not be written: {error.strerror}.")
        return 1

    def close(self) -> None:
        """Print nothing more."""
        self._lost += [self._out, self._err]

    @property
    def _size(self) -> tuple[int, int]:
        """Columns and lines at this moment: the person may have resized the terminal since the last piece."""
        try:
            size = os.get_terminal_size(self._out.fileno())
        except (OSError, ValueError):
            return _SIZE
        return size.columns or _SIZE[0], size.lines or _SIZE[1]

    def _draw_again(self) -> None:
        if self._reply:
            self._draw(self._reply.draw(self._size))

    def _draw(self, drawn: Drawn) -> None:
        if not (self._reply and any(drawn)):
            return
        self.clear()
        picture = f"{_NO_WRAP}{self._printable(drawn.picture)}{_WRAP}" if drawn.picture else ""
        self._write(self._out, f"{drawn.back}{self._printable(drawn.final)}{picture}")
        self._is_open = self._reply.is_open

    def _end_reply(self) -> None:
        if self._reply:
            self._draw(self._reply.end(self._size))
            self._reply = None

    def _print(self, text: str) -> None:
        self.clear()
        if text:
            self._write(self._out, self._printable(text))
            self._is_open = self.out_tty and not text.endswith("\n")

    def _printable(self, text: str) -> str:
        has_links = "\x1b]8" in text and self.out_tty and knows_hyperlinks(self.environment)
        return printable(text, links=has_links)

    def _write(self, stream: IO[str], text: str) -> None:
        if stream in self._lost:
            return
        text = without(text, self.secrets)
        try:
            try:
                stream.write(text)
            except UnicodeEncodeError:
                stream.write(in_signs_of(stream, text))
            stream.flush()
        except OSError as error:
            # Whoever read it has left, or the disk is full. The turn goes on: its history still counts.
            self._lost.append(stream)
            if stream is self._out:
                self.lost(error)

    def _colour(self, tty: bool) -> bool:
        if self.environment.get("NO_COLOR"):
            return False
        if self.environment.get("FORCE_COLOR"):
            return True
        return tty and not self.is_dumb


# What is known of a stream: what it is joined to, how wide it is, and what can be written to it.


# What stands for the signs of ours that a terminal from before Unicode lacks.
_INSTEAD = dict(zip("•│─✓✗…·–—“”’", '*|-+x~---""\'', strict=True))
# Terminals that know hyperlinks (OSC 8): none tells, so it goes by the variables they are known by. Others
# may print them.
_VARIABLES = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "GHOSTTY_RESOURCES_DIR")
_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal")
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "contour", "wezterm")
_FIRST_VTE = 5000  # GNOME Terminal, Tilix and others: 0.50


def _import_markdown() -> None:
    from . import markdown  # noqa: F401  rich and markdown-it, on a thread


class Closed(io.StringIO):
    """A stdout that was closed before we started: writing to it fails, which is told."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "stdout is closed")


def write_utf8() -> None:
    """Have each stream of this process in UTF-8: on Windows a pipe is in the code page of old programs."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # one that was closed before we started is None
            stream.reconfigure(encoding="utf-8")


def is_tty(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def holds_material(stream: IO[str]) -> bool:
    """Return whether *stream* is a pipe, a file or a socket: neither a terminal nor /dev/null."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):  # closed, or none of this system's
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def columns(stream: IO[str]) -> int:
    """Return the columns of the terminal that *stream* is; 0 where it is none, or does not know them."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0


def knows_hyperlinks(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal knows hyperlinks. FORCE_HYPERLINK says so, or with 0 that it does not."""
    forced = environment.get("FORCE_HYPERLINK", "")
    term = environment.get("TERM", "")
    if forced or term == "dumb":
        return forced not in ("", "0") and term != "dumb"
    if environment.get("TMUX") or term.startswith(("screen", "tmux")):
        return False  # it hands them on to some terminals only
    vte = environment.get("VTE_VERSION", "")
    return (
        term in _TERMS
        or environment.get("TERM_PROGRAM") in _PROGRAMS
        or (vte.isdecimal() and int(vte) >= _FIRST_VTE)
        or any(environment.get(name) for name in _VARIABLES)
    )


def can_print(stream: IO[str], text: str) -> bool:
    """Return whether *stream* has a way to write *text*."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def in_signs_of(stream: IO[str], text: str) -> str:
    """Return *text* in characters that *stream* can write: our own signs in others as wide, else a ?."""
    lacking = {character for character in set(text) if not can_print(stream, character)}
    return text.translate({ord(character): _INSTEAD.get(character, "?") for character in lacking})
