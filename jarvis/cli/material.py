"""Reads the material beside a person's words, piped in or named by -f."""

import os
import select
import sys
from collections.abc import Sequence

from ..config.sources import folders_of
from ..core.errors import ReadFailed, Refused, UsageError
from ..core.file_kinds import secret_in
from ..core.text import LONGEST_PIPED, MARK, counted, one_line, piped_in, words_in
from ..core.types import Effect, Facts, NamedFile, Options
from ..core.urls import typed
from ..launcher import is_name
from ..output.screen import Screen, holds_material
from ..pages.files import beginning, named_file, picture_kind

STDIN = "-"
_MOST = 4 * LONGEST_PIPED + 4  # bytes: a character more than is read, so that it is told where it is cut
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_DESCRIPTORS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # what a shell has opened: -f <(git diff)
_PATIENCE = 1.0  # seconds until it is told what is waited for
_MOST_UNREADABLE = 0.2  # of the characters; text in another encoding that has more can't be read either
_END_KEY = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
_PIPED = "What is piped in"


def words_and_material(
    options: Options, words: Sequence[str], screen: Screen
) -> tuple[str, str, tuple[str, ...]]:
    """Return the person's own words, and the material that they name: by a `-` at the end, or by -f.

    Without any words they are in what is piped in. Of -f, what the model reads by its id is returned last.
    Raises UsageError.
    """
    is_last = words[-1:] == [STDIN]
    own = " ".join(words[:-1] if is_last else words).strip()
    must = is_last or STDIN in options.files
    if must and options.ndjson:
        raise UsageError("With --ndjson, stdin holds answers and no text.", hint="jarvis --ndjson -f FILE …")
    piped = _read_stdin(screen) if must or _may_read(own, options, screen) else ""
    read = {name: _read_file(name, options, screen) for name in options.files if name != STDIN}
    texts = [(one_line(name, 200), text) for name, text in read.items() if text]
    if not own and len(piped.strip().splitlines()) < 2:
        own = piped.strip()  # a line alone is what they want; in several nobody asks for anything
    elif must or piped.strip():
        texts.append((_PIPED, piped_in(piped)))
    own = words_in(own) if own or not texts else ""
    return own, _joined(texts, screen), tuple(name for name, text in read.items() if not text)


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
    return _text_in(_bytes_in(screen.stdin.fileno(), _PIPED), _PIPED, screen)


def _read_file(path: str, options: Options, screen: Screen) -> str:
    """Return what the file at *path* holds; of an address, that; of what the model reads by its id, nothing.

    Raises UsageError, for an empty one too.
    """
    if "://" in path and (url := typed(path)):
        return url
    if _is_no_text(os.path.expanduser(path)):
        return ""
    name = one_line(path, 200)
    file = path if path.startswith(_DESCRIPTORS) else named_file(path)
    text = _text_in(_bytes_in(file, name), name, screen)
    if not text.strip():
        raise UsageError(f"{name} is empty.", hint="Leave out -f, or name a file that holds a text.")
    return "" if isinstance(file, NamedFile) and _needs_yes(file, text, options) else piped_in(text)


def _is_no_text(path: str) -> bool:
    """Return whether a folder, a PDF or a picture lies at *path*."""
    is_other = path.lower().endswith(".pdf") or picture_kind(path)
    return path.isprintable() and (os.path.isdir(path) or bool(is_other and os.path.isfile(path)))


def _needs_yes(file: NamedFile, text: str, options: Options) -> bool:
    """Return whether the guard asks about *file*: then the model reads it by its id too. Raises Refused.

    So nothing of it stays in history, and a search after it needs a yes: material has neither.
    """
    from ..policy import guard, rules, targets  # for -f alone

    policy = rules.load_rules(folders_of(os.environ, options.env_file).policy)
    file = file._replace(holds=secret_in(text))
    verdict = guard.check(Effect("reads", file.path, file=file), Facts({}, files={"": file}), policy)
    if verdict.verdict == targets.REFUSE:
        raise Refused(f"{file.path} was not read: {verdict.reason}")
    return verdict.verdict == targets.ASK


def _bytes_in(file: NamedFile | str | int, name: str) -> bytes:
    """Return the beginning of *file*: what a shell has opened, or a handle that stays so, is read as it is.

    Raises UsageError.
    """
    try:
        if isinstance(file, NamedFile):
            return beginning(file.path, _MOST)
        with open(file, "rb", closefd=isinstance(file, str)) as opened:
            return opened.read(_MOST)
    except (OSError, ReadFailed) as error:
        why = error.strerror if isinstance(error, OSError) else error.message.rstrip(".")
        raise UsageError(f"{name} can't be read: {why}.", hint="Check what follows -f.") from None


def _text_in(raw: bytes, name: str, screen: Screen) -> str:
    """Return the text that *raw* is in UTF-8 or, as Windows writes it, UTF-16; tell what of it can't be read.

    Raises UsageError for what is none.
    """
    text = raw.decode("utf-16" if raw.startswith(_UTF_16) else "utf-8-sig", "replace")
    if raw.startswith(_UTF_16):
        return text
    unreadable = text.count(MARK) - raw.count(MARK.encode())
    hint = "-f takes PDF, PNG, JPEG, WebP, HEIC. From another encoding: iconv -f LATIN1 -t UTF-8 FILE"
    if "\0" in text or unreadable > len(text) * _MOST_UNREADABLE:
        raise UsageError(f"{name} is no text in UTF-8.", hint=hint)
    if unreadable and len(raw) < _MOST:  # what is longer is cut, perhaps within a character
        screen.err(f"{name} is not all in UTF-8: {counted(unreadable, 'characters')} can't be read. {hint}")
    return text
