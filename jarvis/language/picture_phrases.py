"""Tell whether words plainly ask for a picture of the screen, and don't say how, of what else or where to."""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon
from .command_grammar import ParsedWords

_SHOT = "screenshot"


def is_picture(meant: ParsedWords) -> bool:
    """Return whether *meant* is as `take a screenshot`, `screenshot`, `capture my screen`.

    *meant* has no verb of another kind.
    """
    words = _joined([part for word in meant.text.split() for part in word.split("-")])
    verb, rest = words[:1], words[1:]
    if verb and verb[0] in lexicon.TAKES and _is_shot(_without_article(rest, verb[0])):
        return True
    if verb and verb[0] in lexicon.TAKES_SCREEN and _is_screen(rest):
        return True
    return not meant.wished and _is_shot(_without_article(words, ""))


def _joined(words: Sequence[str]) -> list[str]:
    """Return *words* with one word for a picture of the screen, however it was written."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "screen" and word in lexicon.SHOTS:
            found[-1] = _SHOT
        else:
            is_shot = word.startswith("screen") and word.removeprefix("screen") in lexicon.SHOTS
            found.append(_SHOT if is_shot else word)
    return found


def _without_article(words: list[str], verb: str) -> list[str]:
    if verb and words[:1] == ["me"]:
        words = words[1:]
    is_article = words and (words[0] in lexicon.ONE or (words[0] == "the" and verb in lexicon.TAKES_THE))
    return words[1:] if is_article else words


def _is_shot(words: list[str]) -> bool:
    while words and words[0] in lexicon.QUALITIES:
        words = words[2:] if words[:2] == ["full", "screen"] else words[1:]
    noun, of, screen = words[:1], words[1:2], words[2:]
    if noun == [_SHOT] and not of:
        return True
    return noun != [] and noun[0] in (_SHOT, *lexicon.PICTURES) and of == ["of"] and _is_screen(screen)


def _is_screen(words: list[str]) -> bool:
    if words in (["screen"], ["desktop"]):
        return True
    if len(words) == 3 and words[1] in lexicon.WHOLE:
        words = [words[0], words[2]]
    return len(words) == 2 and words[0] in lexicon.THIS and words[1] in lexicon.SCREENS
