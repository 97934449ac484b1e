"""Reads the material beside a person's words: what is piped in, and the files that -f names.

Somebody may hold a pipe open and never write to it, or write to it for ever: that something is waited for is
told after a second, and no more is read than is allowed.
"""

from __future__ import annotations

import _thread
import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..core.errors import UsageError, attempt
from ..core.text import LONGEST_PIPED, MARK, counted, one_line, piped_in, words_in
from ..core.types import Options
from ..launcher.command import is_name
from ..output.screen import holds_material

if TYPE_CHECKING:
    from ..output.screen import Screen

STDIN = "-"
_MOST = 4 * LONGEST_PIPED + 4  # bytes: a character more than is read, so that it is told where it is cut
_PATIENCE = 1.0  # seconds until it is told what is waited for
_MOST_UNREADABLE = 0.2  # of the characters; text in another encoding that has more can't be read either
_BEGINS_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # as Windows writes it
_END_KEY = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
_NOTHING = "<NUL" if sys.platform == "win32" else "</dev/null"


def words_and_material(options: Options, words: Sequence[str], screen: Screen) -> tuple[str, str]:
    """Return the person's own words, and the material that they name: by a `-` at the end, or by -f.

    Without any words they are in what is piped in. Raises UsageError.
    """
    is_last = words[-1:] == [STDIN]
    own = " ".join(words[:-1] if is_last else words).strip()
    must = is_last or STDIN in options.files
    if must and options.ndjson:
        raise UsageError("With --ndjson, stdin holds answers and no text.", hint="jarvis --ndjson -f FILE …")
    piped = read_stdin(screen) if must or may_read(own, options, screen) else ""
    files = [(name, _in_file(name, screen)) for name in options.files if name != STDIN]
    if own and must:
        piped = piped_in(piped)
    elif not own and "\n" not in piped.strip():
        # A line alone is what they want; several are material, in which nobody asks for anything.
        own, piped = piped_in(piped, alone=True) if piped.strip() or not files else "", ""
    return words_in(own) if own else "", joined(files, piped, screen)


def may_read(own: str, options: Options, screen: Screen) -> bool:
    """Return whether stdin may hold material for the words in *own*: not for those that open by a name.

    These stand in loops: while read u; do jarvis open "$u"; done
    """
    is_free = not (options.ndjson or screen.has_read_stdin) and holds_material(screen.stdin)
    return is_free and not is_name(own)


def joined(files: Sequence[tuple[str, str]], piped: str, screen: Screen) -> str:
    """Return the material in *files*, as (name, text), and after it what was *piped* in, if anything was.

    What is longer than is read is cut, and that is told.
    """
    texts = [*files, *([("stdin", piped_in(piped))] if piped.strip() else [])]
    if not texts:
        return ""
    whole = "\n\n".join(f"{one_line(name)}:\n{text}" for name, text in texts) if texts[1:] else texts[0][1]
    if len(whole) > LONGEST_PIPED:
        alone = one_line(files[0][0], 200) if files else "What is piped in"
        name = "All of it together" if texts[1:] else alone
        screen.err(f"{name} is too long: only its first {LONGEST_PIPED:,} characters are read.")
    return whole[:LONGEST_PIPED]


def read_stdin(screen: Screen) -> str:
    """Return what stdin holds; from then on it holds no answers. Raises UsageError."""
    screen.has_read_stdin = True
    raw = getattr(screen.stdin, "buffer", None)
    if raw is None:  # a text that a test, or another program in Python, put in its place
        return screen.stdin.read()
    waits = f"Waiting for the end of what is piped in (Ctrl-C stops). To pipe in nothing: jarvis … {_NOTHING}"
    if screen.stdin.isatty():
        screen.err(f"Type or paste the text; {_END_KEY} on a line of its own ends it.")
        waits = ""
    try:
        return _decoded(_awaited(lambda: _all_of(raw.read1), screen, waits), "What is piped in", screen)
    except OSError as error:
        raise _unreadable("stdin", error) from None


def tell_unread(screen: Screen) -> None:
    """Tell of what waits on stdin and was not read: the person may have meant it to be."""
    if _holds_something(screen):
        unread = "What is piped in was not read: these words open something by its name."
        screen.err(f"{unread} To have it read: jarvis … -")


def _in_file(path: str, screen: Screen) -> str:
    """Return what the file at *path* holds. Raises UsageError, for one that holds nothing too."""

    def read() -> bytes:
        with open(path, "rb", buffering=0) as file:  # a named pipe makes one wait here already
            return _all_of(file.read)

    name = one_line(path, 200)
    try:
        raw = _awaited(read, screen, f"Waiting for the end of {name} (Ctrl-C stops).")
    except OSError as error:
        raise _unreadable(name, error) from None
    text = _decoded(raw, name, screen)
    if not text.strip():
        raise UsageError(f"{name} is empty.", hint="Leave out -f, or name a file that holds a text.")
    return piped_in(text)


def _all_of(read: Callable[[int], bytes]) -> bytes:
    """Return all that *read* gives, piece by piece; no more than it takes to tell that it is cut."""
    pieces, left = [], _MOST
    while left > 0 and (piece := read(min(left, 65536))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _awaited(read: Callable[[], bytes], screen: Screen, waits: str) -> bytes:
    """Return what *read* does. On a thread, so that Ctrl-C is heard. waits: told where it takes long."""
    done = _thread.allocate_lock()
    done.acquire()
    results: list[tuple[bytes | None, BaseException | None]] = []

    def work() -> None:
        results.append(attempt(read))
        done.release()

    _thread.start_new_thread(work, ())
    if not done.acquire(timeout=_PATIENCE):
        if waits:
            screen.err(waits)
        while not done.acquire(timeout=0.2):  # Windows hears Ctrl-C in between
            pass
    raw, error = results[0]
    if error:
        raise error
    return raw or b""


def _decoded(raw: bytes, name: str, screen: Screen) -> str:
    """Return the text in *raw*; tell what of it can't be read. Raises UsageError for what is none."""
    if raw.startswith(_BEGINS_UTF16):
        return raw.decode("utf-16", "replace")
    text = raw.decode("utf-8-sig", "replace")
    unreadable = text.count(MARK) - raw.count(MARK.encode())
    hint = "From another encoding: iconv -f LATIN1 -t UTF-8 FILE"
    if "\0" in text or unreadable > len(text) * _MOST_UNREADABLE:
        raise UsageError(f"{name} is no text in UTF-8.", hint=hint)
    if unreadable and len(raw) < _MOST:  # what is longer is cut, perhaps within a character
        screen.err(f"{name} is not all in UTF-8: {counted(unreadable, 'characters')} can't be read. {hint}")
    return text


def _unreadable(name: str, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError):
        return UsageError(f"There is no file {name}.", hint="Check what follows -f.")
    if isinstance(error, IsADirectoryError):
        return UsageError(f"{name} is a folder, and a file is wanted.", hint=f"What is in it: ls {name}")
    return UsageError(f"{name} can't be read: {error.strerror}.", hint="Check its owner and mode.")


def _holds_something(screen: Screen) -> bool:
    """Return whether anything was piped in so far; False where the system does not tell."""
    if sys.platform != "win32":  # which does not tell
        # Only a silent pipe is looked at.
        import fcntl
        import termios

        with contextlib.suppress(OSError, ValueError):
            return any(fcntl.ioctl(screen.stdin.fileno(), termios.FIONREAD, bytes(4)))
    return False
