"""Has text made of a page or a file, by a process of its own, and takes out of it what is asked about."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import NamedTuple

from ..core.concurrency import in_thread
from ..core.errors import ReadFailed
from ..core.text import clean, one_line, words_of
from ..desktop import child_env

SECONDS = 3.0  # for one text
_BEGINNING = 2_000  # tokens that are taken, whatever is asked
_GAP = "…\n\n"
# A paragraph; of one that is longer than 1,200 characters some of its lines, or a part of a line.
_PIECES = re.compile(r"(?s).{1,1200}?(?:\n\n+|\Z)|.{1,1200}\n|.{1,1200}")
_CJK = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"  # these stand without spaces: each counts as a word


class PageText(NamedTuple):
    title: str
    text: str  # lines: headings as “# …”, lists “- …”, tables with |, code in ```, links as their text alone
    words: int  # of all of it, before it is shortened
    picture: str = ""  # the path of the picture that it is, in place of a text


async def text_of(body: bytes, kind: str, charset: str = "", url: str = "") -> PageText:
    """Return the text of *body*, cleaned; where it has no title, that is the file's name in *url*.

    kind: html, text, markdown, json or pdf. charset: what the server says. Raises ReadFailed.
    """
    title, text = await in_thread(lambda: _extracted(body, kind, charset))
    name = one_line(title or os.path.basename(re.split("[?#]", url)[0]), 200)
    return PageText(name, text, len(re.findall(rf"{_CJK}|(?:(?!{_CJK})\w)+", text)))


def _extracted(body: bytes, kind: str, charset: str) -> tuple[str, str]:
    """Return a title and a text, made by a process that can't last, nor grow, and has no keys of ours."""
    argv = [sys.executable, "-P", "-m", f"{__package__}.extract", kind, charset]
    env = child_env(os.environ)
    try:
        # asyncio starts no process on the event loop that Windows has here.
        done = subprocess.run(argv, input=body, env=env, capture_output=True, timeout=SECONDS, check=True)
        title, text, failed = map(str, json.loads(done.stdout))
    except subprocess.TimeoutExpired as error:
        raise ReadFailed("it took too long to make text of it") from error
    except (OSError, subprocess.CalledProcessError, ValueError, TypeError) as error:
        raise ReadFailed("it could not be read: it is broken") from error
    if failed:
        raise ReadFailed(one_line(failed))
    return title, clean(text)  # it did so itself, but what it read may have taken it over


def excerpt(text: str, question: str, tokens: int = 6000) -> str:
    """Return *text* in *tokens* at most: its beginning, then the paragraphs that share words with *question*.

    They stay in order, and `…` stands for what is left out.
    """
    if tokens_in(text) <= tokens:
        return text
    asked = _words(question)
    kept: list[str] = []
    spent = 2  # a gap may stand at the end
    for piece in _PIECES.findall(text):
        cost = tokens_in(piece) + 2  # and one before each piece
        is_beginning = _GAP not in kept and spent + cost <= _BEGINNING
        if spent + cost <= tokens and (is_beginning or asked & _words(piece)):
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
    """Return about how many tokens *text* takes: one for 4 characters, or for 1.5 of CJK."""
    wide = 0 if text.isascii() else len(re.findall(_CJK, text))
    return round(wide / 1.5 + (len(text) - wide) / 4)
