"""Reads a public page or a file of the person's, as the text that the model sees of it."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import sys
import threading
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running

from ..core.concurrency import in_thread
from ..core.errors import ReadFailed
from ..core.text import clean, one_line, words_of
from ..core.types import Outcome
from ..core.urls import host_of
from ..desktop import without_secrets
from .extract import send_text
from .fetch import LARGEST, fetch
from .files import contents, picture_at, picture_kind

# One that has imported what reads pages makes all others: that takes a tenth of the time.
if sys.platform == "win32":
    _PROCESSES = multiprocessing.get_context("spawn")
else:
    _PROCESSES = multiprocessing.get_context("forkserver")
    _PROCESSES.set_forkserver_preload([f"{__package__}.extract", "readability.readability", "pypdfium2"])
_STARTING = threading.Lock()  # for our own keys are hidden meanwhile
SECONDS = 3.0  # for the text of one
_EACH, _ALL = 6_000, 12_000  # tokens of one, and of all that a turn reads
_BEGINNING = 2_000  # tokens of one that are taken, whatever is asked
_QUOTED = 200  # characters of a page that are kept with the turn
_GAP = "…\n\n"
# A paragraph; of one that is longer than 1,200 characters some of its lines, or a part of a line.
_PIECES = re.compile(r"(?s).{1,1200}?(?:\n\n+|\Z)|.{1,1200}\n|.{1,1200}")
_CJK = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"  # these stand without spaces: each counts as a word


async def read_page(target: str, *, words: str, before: str) -> Outcome:
    """Read what stands at *target*, an address or an absolute path; of a long one what *words* are about.

    Of a folder that are the names in it. before: what the turn has read already. Raises JarvisErrors.
    """
    is_file = os.path.isabs(target)
    name = os.path.basename(target) if is_file else host_of(target)
    if is_file and picture_kind(target):
        picture_at(target)  # which says what is wrong with it
        page = f"{name}\n\nIt is shown below."
        return Outcome("done", f"Read {name} (a picture).", value=target, page=page, picture=target)
    room = min(_EACH, _ALL - tokens_in(before))
    if room <= 0:
        raise ReadFailed("enough was read before.", hint="Ask for it by itself.")
    # Beside the event loop: a disk may be slow, and a text long.
    body, kind = (await in_thread(lambda: contents(target, LARGEST)), "") if is_file else await fetch(target)
    title, text = await in_thread(lambda: text_of(body, kind))
    count = len(re.findall(rf"{_CJK}|(?:(?!{_CJK})\w)+", text))
    quoted = "." if is_file else f": {one_line(text, _QUOTED)}"  # of a file history keeps no word
    told = f"Read {name} ({count:,} words){quoted}"
    return Outcome("done", told, value=target, page=f"{title or name}\n\n{excerpt(text, words, room)}")


def text_of(body: bytes, kind: str) -> tuple[str, str]:
    """Return the title of *body* and all its text, cleaned. Raises ReadFailed.

    They are made by a process that can't last, nor grow, and has no keys of ours. kind: as of make_text.
    """
    ours, theirs = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=send_text, args=(theirs, body, kind), daemon=True)
    with _STARTING, without_secrets():
        _start(process)
    with ours:
        theirs.close()
        try:
            if not ours.poll(SECONDS):
                raise ReadFailed("it took too long to make text of it.")
            title, text, failed = map(str, json.loads(ours.recv_bytes()))
        except (EOFError, OSError, ValueError, TypeError) as error:
            raise ReadFailed("it is broken.") from error
        finally:
            process.kill()
            process.join()
    if failed:
        raise ReadFailed(one_line(failed))
    return one_line(title, 200), clean(text)  # it did so itself, but what it read may have taken it over


def _start(process: BaseProcess) -> None:
    """Start *process*, and keep Ctrl-C from it: that is for whoever waits."""
    if sys.platform == "win32":
        process.start()
    else:
        ensure_running()  # the start of what multiprocessing cleans up by would let it through again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def excerpt(text: str, question: str, tokens: int = _EACH) -> str:
    """Return *text* in *tokens* at most: its beginning, then the paragraphs that share words with *question*.

    They stay in order, and `…` stands for what is left out.
    """
    if tokens_in(text) <= tokens:
        return text
    asked, kept, spent = _words(question), list[str](), 0
    for piece in _PIECES.findall(text):
        cost = tokens_in(piece + _GAP)
        if spent + cost <= (tokens if asked & _words(piece) else min(tokens, _BEGINNING)):
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
