"""Reads the material beside a person's words, piped in or named by -f; finds the files that they name."""

import os
import select
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress

from ..core.errors import UsageError
from ..core.file_kinds import may_hold_secret
from ..core.text import LONGEST_PIPED, MARK, counted, one_line, piped_in, words_in
from ..core.types import Options
from ..core.urls import typed
from ..launcher import is_name
from ..output.screen import Screen, holds_material
from ..pages.files import picture_kind

STDIN = "-"
_MOST = 4 * LONGEST_PIPED + 4  # bytes: a character more than is read, so that it is told where it is cut
_PATIENCE = 1.0  # seconds until it is told what is waited for
_MOST_UNREADABLE = 0.2  # of the characters; text in another encoding that has more can't be read either
_END_KEY = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
_PIPED = "What is piped in"
_MOST_FILES = 5  # that are read by their ids


def words_and_material(options: Options, words: Sequence[str], screen: Screen) -> tuple[str, str]:
    """Return the person's own words, and the material that they name: by a `-` at the end, or by -f.

    Without any words they are in what is piped in. Raises UsageError.
    """
    is_last = words[-1:] == [STDIN]
    own = " ".join(words[:-1] if is_last else words).strip()
    must = is_last or STDIN in options.files
    if must and options.ndjson:
        raise UsageError("With --ndjson, stdin holds answers and no text.", hint="jarvis --ndjson -f FILE …")
    piped = _read_stdin(screen) if must or _may_read(own, options, screen) else ""
    named = [name for name in options.files if name != STDIN and not _is_read_later(name)]
    texts = [(one_line(name, 200), _read_file(name, screen)) for name in named]
    if not own and len(piped.strip().splitlines()) < 2:
        own = piped.strip()  # a line alone is what they want; in several nobody asks for anything
    elif must or piped.strip():
        texts.append((_PIPED, piped_in(piped)))
    return words_in(own) if own or not texts else "", _joined(texts, screen)


def files_for(own: str, words: Sequence[str], options: Options) -> dict[str, str]:
    """Return what the model may read, by its path, as it is named: in *own* and there, here or below a -f.

    Of pasted lines none; and of -f what is no text: pictures, PDFs, folders. words: as a shell gave them.
    What a link leads to, or the folder here is called, may be others' words: so the model sees the name.
    """
    given = [os.path.expanduser(name) for name in options.files if _is_read_later(name)]
    if len(given) > _MOST_FILES:
        told = f"Of pictures, PDFs and folders, {_MOST_FILES} can be named at once."
        raise UsageError(told, hint="Leave out some -f.")
    line = "" if "\n" in own else own
    said = [*words, *line.split()]
    with suppress(ValueError):  # an apostrophe
        said += shlex.split(line)  # names with blanks are quoted, or dragged here so
    names = [each.strip("\"'“”,:;?!").rstrip(".") or each for each in said]
    # A word is one by its sign, or by its capital: README.
    named = [each for each in names if each[1:] and ("." in each or os.sep in each or each[:1].isupper())]
    paths = [os.path.join(folder, each) for folder in ("", *given) for each in map(os.path.expanduser, named)]
    there = [each for each in paths if os.path.isfile(each) or (os.sep in each and os.path.isdir(each))]
    found: dict[str, str] = {}
    for each in [*given, *there]:
        found.setdefault(os.path.realpath(each), each)
    return dict([each for each in found.items() if "".join(each).isprintable()][:_MOST_FILES])


def _is_read_later(name: str) -> bool:
    """Return whether what -f names is there and no text, so that the model reads it by its id."""
    path = os.path.expanduser(name)
    is_other = path.lower().endswith(".pdf") or picture_kind(path)
    return path.isprintable() and (os.path.isdir(path) or bool(is_other and os.path.isfile(path)))


def piped_beside(own: str, options: Options, screen: Screen) -> str:
    """Return what is piped in beside *own*, which is not plain; empty where nothing is, or may be read."""
    piped = _read_stdin(screen) if _may_read(own, options, screen) else ""
    return _joined([(_PIPED, piped_in(piped))], screen) if piped.strip() else ""


def _may_read(own: str, options: Options, screen: Screen) -> bool:
    """Return whether stdin may hold material for the words in *own*: not for those that open by a name.

    These stand in loops: while read u; do jarvis open "$u"; done
    """
    is_free = not (options.ndjson or screen.has_read_stdin) and holds_material(screen.stdin)
    return is_free and not is_name(own)


def _joined(texts: Sequence[tuple[str, str]], screen: Screen) -> str:
    """Return the material in *texts*, which have names; what of it is too long is cut, and that is told."""
    told, whole = texts[0] if texts else ("", "")
    if texts[1:]:
        told, whole = "All of it together", "\n\n".join(f"{name}:\n{text}" for name, text in texts)
    if len(whole) > LONGEST_PIPED:
        screen.err(f"{told} is too long: only its first {LONGEST_PIPED:,} characters are read.")
    return whole[:LONGEST_PIPED]


def _read_stdin(screen: Screen) -> str:
    """Return what stdin holds; from then on it holds no answers. Raises UsageError."""
    screen.has_read_stdin = True
    if screen.stdin.isatty():
        screen.err(f"Type or paste the text; {_END_KEY} on a line of its own ends it.")
    elif sys.platform != "win32" and not select.select([screen.stdin], [], [], _PATIENCE)[0]:
        # Somebody may hold a pipe open and never write to it, as cron and ssh do.
        screen.err(
            "Waiting for the end of what is piped in (Ctrl-C stops). To pipe in nothing: jarvis … </dev/null"
        )
    return _text_in(screen.stdin.fileno(), _PIPED, screen)


def _read_file(path: str, screen: Screen) -> str:
    """Return what the file at *path* holds; of an address, that. Raises UsageError, for an empty one too."""
    if "://" in path and (url := typed(path)):
        return url
    name, led_to = one_line(path, 200), os.path.realpath(path)
    if may_hold_secret(led_to) and not may_hold_secret(path):
        told = f"{name} leads to {one_line(led_to, 200)}, which may hold a secret."
        raise UsageError(told, hint="Name that file itself, if you want the model to see it.")
    text = _text_in(path, name, screen)
    if not text.strip():
        raise UsageError(f"{name} is empty.", hint="Leave out -f, or name a file that holds a text.")
    return piped_in(text)


def _text_in(file: str | int, name: str, screen: Screen) -> str:
    """Return the text in *file*, a path or a handle that stays open; tell what of it can't be read.

    Raises UsageError for what is none.
    """
    try:
        with open(file, "rb", closefd=isinstance(file, str)) as opened:
            raw = opened.read(_MOST)
    except OSError as error:
        raise UsageError(f"{name} can't be read: {error.strerror}.", hint="Check what follows -f.") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):  # as Windows writes it
        return raw.decode("utf-16", "replace")
    text = raw.decode("utf-8-sig", "replace")
    unreadable = text.count(MARK) - raw.count(MARK.encode())
    hint = "-f takes PDF, PNG, JPEG, WebP, HEIC. From another encoding: iconv -f LATIN1 -t UTF-8 FILE"
    if "\0" in text or unreadable > len(text) * _MOST_UNREADABLE:
        raise UsageError(f"{name} is no text in UTF-8.", hint=hint)
    if unreadable and len(raw) < _MOST:  # what is longer is cut, perhaps within a character
        screen.err(f"{name} is not all in UTF-8: {counted(unreadable, 'characters')} can't be read. {hint}")
    return text
