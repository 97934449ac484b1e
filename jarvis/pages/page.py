"""Reads a public page or a file of the person's, as the text that the model sees of it."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..core.concurrency import in_thread
from ..core.errors import JarvisError, ReadFailed
from ..core.file_kinds import secret_in
from ..core.text import clean, digest, one_line, words_of
from ..core.types import Effect, NamedFile, Outcome
from ..core.urls import host_of
from ..desktop.desktop import child_env
from ..desktop.running import python_env, run_program, start_python, with_python
from .fetch import LARGEST, fetch
from .files import Picture, contents, picture_at, picture_kind

if TYPE_CHECKING:
    from ..desktop.running import Started

_MAKER = f"{__package__}.extract"
_MAKERS = list[tuple["Started", socket.socket]]()  # one at most
_STARTING = threading.Lock()
_MOST = 64 * 1024 * 1024  # bytes that it may say
SECONDS = 10.0  # for the text of one: its process ends sooner, and may take some to begin
_EACH, _ALL = 6_000, 12_000  # tokens of one, and of all that a turn reads
_BEGINNING = 2_000  # tokens of one that are taken, whatever is asked
_QUOTED = 200  # characters of a page that are kept with the turn
_GAP = "…\n\n"
# A paragraph; of one that is longer than 1,200 characters some of its lines, or a part of a line.
_PIECES = re.compile(r"(?s).{1,1200}?(?:\n\n+|\Z)|.{1,1200}\n|.{1,1200}")
# These stand without spaces: each counts as a word.
_OF_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK, _WORD = f"[{_OF_CJK}]", f"[{_OF_CJK}]|[^\\W{_OF_CJK}]+"


class PageText(NamedTuple):
    """A page or file that was read: a title with its text or picture, or the reason why it failed."""

    title: str = ""
    text: str = ""
    picture: Picture | None = None
    error: JarvisError | None = None


class TurnFiles:
    """The files that a turn's words name. Each is opened once: what was judged is what the model sees."""

    def __init__(self, files: Iterable[NamedFile] = ()) -> None:
        self.files = {file.id: file for file in files}
        self.pictures: dict[str, Picture] = {}  # that the model is shown, by the names it knows them by
        self._read: dict[str, PageText] = {}

    async def look_into(self, file: NamedFile) -> None:
        """Read *file*, unless that was tried before, and note what is to be known of it."""
        if file.id not in self._read:  # beside the event loop: a disk may be slow, and a text long
            self._read[file.id], self.files[file.id] = await in_thread(lambda: _read_once(file))

    def read(self, file: NamedFile) -> PageText:
        """Return the content of *file*. Raises JarvisErrors."""
        if error := self._read[file.id].error:
            raise error
        return self._read[file.id]


def _read_once(file: NamedFile) -> tuple[PageText, NamedFile]:
    """Return the text of *file*, or the names in a folder, and *file* with its content."""
    try:
        if picture_kind(file.path):
            read = PageText(picture=picture_at(file.path))
        else:
            read = PageText(*text_of(contents(file.path, LARGEST), ""))
    except JarvisError as error:
        read = PageText(error=error)
    return read, file._replace(holds=secret_in(read.text), digest=digest(read.text))


async def read_page(effect: Effect, *, files: TurnFiles, words: str, before: str) -> Outcome:
    """Read the page or file of *effect*. From a long one, take the parts that match *words*.

    before: what the turn has read already. Raises JarvisErrors.
    """
    file = effect.file
    name = os.path.basename(file.name.rstrip("/")) if file else host_of(effect.target)
    room = min(_EACH, _ALL - tokens_in(before))
    if room <= 0:
        raise ReadFailed("enough was read before.", hint="Ask for it by itself.")
    if file is None:
        body, kind = await fetch(effect.target)
        read = PageText(*await in_thread(lambda: text_of(body, kind)))
    elif picture := (read := files.read(file)).picture:
        files.pictures[file.id] = picture
        page = f"{name}\n\nIt is shown below. If it isn't there, it is gone."
        return Outcome("done", f"Read {name} (a picture).", value=file.path, page=page, picture=file.path)
    title, text, *_ = read
    quoted = "." if file else f": {one_line(text, _QUOTED)}"  # of a file history keeps no word
    message = f"Read {name} ({count_words(text):,} words){quoted}"
    return Outcome(
        "done", message, value=effect.target, page=f"{title or name}\n\n{excerpt(text, words, room)}"
    )


def count_words(text: str) -> int:
    """Count the words in *text*. Each CJK character counts as one."""
    return sum(1 for _ in re.finditer(_WORD, text))


def text_of(body: bytes, kind: str) -> tuple[str, str]:
    """Return the title of *body* and all its text, cleaned. Raises ReadFailed.

    They are made by a process that can't last, nor grow, and has no keys of ours. kind: as of make_text.
    """
    try:
        answer = _answer_to(json.dumps([kind, len(body)]).encode() + b"\n" + body)
        title, text, failed = map(str, json.loads(answer))
    except (OSError, ValueError, TypeError) as error:
        raise ReadFailed("it is broken, or takes too long.") from error
    if failed:
        raise ReadFailed(one_line(failed))
    return one_line(title, 200), clean(text)  # it did so itself, but what it read may have taken it over


if sys.platform == "win32":

    def _answer_to(message: bytes) -> bytes:
        """Return the answer of a reader process to *message*."""
        return run_program(with_python(_MAKER), python_env(os.environ), SECONDS, stdin=message).out
else:

    def _answer_to(message: bytes) -> bytes:
        """Return the answer of a reader process to *message*."""
        until, answer = time.monotonic() + SECONDS, bytearray()
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                _hand_over(theirs.fileno())
            ours.settimeout(SECONDS)
            ours.sendall(message)
            while len(answer) < _MOST and (piece := ours.recv(1 << 20)):
                answer += piece
                ours.settimeout(max(until - time.monotonic(), 0.001))
        return bytes(answer)

    def _hand_over(connection: int) -> None:
        """Have a process made that answers on *connection*."""
        with _STARTING:
            if _MAKERS and _MAKERS[0][0].poll() is not None:  # it was killed
                _MAKERS.pop()[1].close()
            if not _MAKERS:
                _MAKERS.append(_started())
            socket.send_fds(_MAKERS[0][1], [b"!"], [connection])

    def _started() -> tuple[Started, socket.socket]:
        """Start the process that forks readers. Returns it and the socket to it. It ends when we do."""
        ours, theirs = socket.socketpair()
        with theirs:
            return start_python(_MAKER, "fork", env=child_env(os.environ), stdin=theirs.fileno()), ours


def excerpt(text: str, question: str, tokens: int = _EACH) -> str:
    """Shorten *text* to *tokens*: its beginning, then paragraphs that share words with *question*.

    They stay in order. `…` marks each gap.
    """
    if tokens_in(text) <= tokens:
        return text
    query, kept, spent = _words(question), list[str](), 0
    for piece in _PIECES.findall(text):
        cost = tokens_in(piece + _GAP)
        if spent + cost <= (tokens if query & _words(piece) else min(tokens, _BEGINNING)):
            kept.append(piece)
            spent += cost
        elif kept[-1:] != [_GAP]:
            kept.append(_GAP)
    return "".join(kept).rstrip()


def _words(text: str) -> set[str]:
    """Return the longer words in *text*, and each two characters of CJK that stand side by side."""
    pairs = re.findall(rf"(?=({_CJK}{{2}}))", text)
    return {*pairs, *(word for word in words_of(text) if len(word) > 3)}


def tokens_in(text: str) -> int:
    """Return about how many tokens *text* takes: one for four bytes of UTF-8, in all scripts."""
    return len(text.encode(errors="replace")) // 4
