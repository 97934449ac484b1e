"""Answers a shell that completes a line: `jarvis --complete SHELL WORDS…`, where the last word is begun."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ...core.text import one_line
from .candidates import candidates
from .values import Candidate


def answer_shell(argv: Sequence[str]) -> int:
    """Print what the last of the words may become, a line for each: the word, a tab, what tells of it.

    Whatever goes wrong, nothing is printed and nothing fails: somebody is in the middle of a line.
    """
    at = argv.index("--complete")
    shell, *typed = argv[at + 1 :] or [""]
    try:
        found = candidates([*argv[:at], *_whole(typed or [""], shell)], os.environ)
        sys.stdout.write("".join(f"{_printed(each, shell)}\n" for each in found))
        sys.stdout.flush()
    except Exception:  # noqa: BLE001 (as said: a traceback would land in the line)
        return 0
    return 0


def _whole(typed: Sequence[str], shell: str) -> list[str]:
    """Return the words as they were typed: bash makes three of `--thread=work`."""
    words: list[str] = []
    for word in typed:
        joins = shell == "bash" and words and words[-1].startswith("--")
        if joins and (word == "=" or words[-1].endswith("=")):
            words[-1] += word
        else:
            words.append(word)
    return words


def _printed(found: Candidate, shell: str) -> str:
    """Return *found* as a line. To bash, the value alone is the word that is replaced."""
    is_value = shell == "bash" and found.word.startswith("--")
    word = found.word.partition("=")[2] or found.word if is_value else found.word
    return "\t".join(text if text.isprintable() else one_line(text) for text in (word, found.about))
