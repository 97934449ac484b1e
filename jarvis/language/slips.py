"""Tell a plain command with a slip of the keyboard in it, or one that was only begun, from other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from . import lexicon

# Words of their own that are one slip away from a verb: “lunch ideas” has nothing to do with “launch”.
_OWN = frozenset("browser browsers fine fined fond fund kind lad loaf lunch rub rum star".split())
_SEEKS = frozenset(("find", "search"))  # other verbs of the kind are too near to too many words
_SMALL = frozenset((*lexicon.ARTICLES, "another", "me"))
_LONG, _ALIKE = 8, 0.85  # letters; how many two long words have in common
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_PHRASES = tuple(tuple(phrase.split()) for listed in lexicon.VERBS.values() for phrase in listed.split("/"))
_VERBS = frozenset(phrase[0] for phrase in _PHRASES if len(phrase) == 1)
_BEGIN = lexicon.DOES_MORE | lexicon.TAKES | lexicon.TAKES_SCREEN
_WORDS = frozenset(word for phrase in _PHRASES for word in phrase) | _BEGIN | {"screen", "screenshot"}


def is_one_edit(typed: str, name: str) -> bool:
    """Return whether one letter is missing, too many or another, or two beside each other are swapped."""
    if not -1 <= len(typed) - len(name) <= 1:
        return False
    longer, shorter = sorted((typed, name), key=len, reverse=True)
    at = next((n for n, (a, b) in enumerate(zip(longer, shorter, strict=False)) if a != b), len(shorter))
    if len(longer) == len(shorter) + 1:
        return longer[at + 1 :] == shorter[at:]
    if len(longer) != len(shorter) or longer == shorter:
        return False
    return typed[at + 1 :] == name[at + 1 :] or _is_swapped(typed, name, at)


def is_slip(typed: str, name: str) -> bool:
    """Return whether *typed* is hardly anything else than *name* with one slip of the keyboard."""
    if len(name) > 3 and typed[:1] == name[0] and sorted(typed) == sorted(name):
        return typed != name
    if len(typed) < 2 or not is_one_edit(typed, name):
        return False
    at = next((n for n, (a, b) in enumerate(zip(typed, name, strict=False)) if a != b), len(name))
    if len(typed) == len(name):
        return _is_swapped(typed, name, at) or (len(name) > 3 and (_are_near(typed[at], name[at]) or at > 4))
    if len(typed) > len(name):  # another ending is another word, or another language's: “starte”, “visita”
        return (len(name) > 3 and at < len(name)) or typed[at] == typed[at - 1]
    return len(name) > 2 and at > 0


def _is_swapped(typed: str, name: str, at: int) -> bool:
    return typed[at : at + 2] == name[at : at + 2][::-1] and typed[at + 2 :] == name[at + 2 :]


def _are_near(one: str, other: str) -> bool:
    """Return whether the keys of two letters are beside each other."""
    places = [(n, row.index(key)) for key in (one, other) for n, row in enumerate(_KEYS) if key in row]
    return len(places) == 2 and all(abs(a - b) < 2 for a, b in zip(*places, strict=True))


def repaired(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield *words* with one of them put right, in each way in which a plain command may come of it."""
    for place, word in enumerate(map(str.lower, words)):
        for meant in sorted(_WORDS):
            if _is_spelt(word) and word not in _WORDS and _may_be(word, meant) and word != f"{meant}s":
                yield (*words[:place], meant, *words[place + 1 :])


def _may_be(typed: str, name: str) -> bool:
    """Return whether *typed* is *name* with a slip, or without its first letter; a long one with more."""
    if len(name) < _LONG:
        return is_slip(typed, name) or (len(typed) > 2 and typed == name[1:])
    common = sum(min(typed.count(letter), name.count(letter)) for letter in set(typed))
    return 2 * common >= _ALIKE * (len(typed) + len(name))


def _is_spelt(word: str) -> bool:
    """Return whether *word* is letters alone: signs around it are meant."""
    return word.replace("-", "").isalpha()


def misspelt_verb(word: str) -> str:
    """Return the verb of a plain command, or of a search, that *word* is with a slip; empty if it is none."""
    typed = word.lower()
    known = () if typed in _OWN | _WORDS or not _is_spelt(typed) else sorted(_VERBS | _SEEKS)
    return next((verb for verb in known if is_slip(typed, verb)), "")


def seeks(word: str) -> bool:
    return word in _SEEKS


def is_unfinished(words: Sequence[str]) -> bool:
    """Return whether *words* only begin to ask for something: a verb, and nothing that it is about."""
    typed = tuple(word.lower() for word in words)
    ends = (end for end in range(1, len(typed) + 1) if _SMALL.issuperset(typed[end:]))
    return any(_is_beginning(typed[:end]) for end in ends)


def _is_beginning(words: tuple[str, ...]) -> bool:
    """Return whether *words* are a verb's, or its first ones: “take me” of “take me to”."""
    is_verb = len(words) == 1 and words[0] in _BEGIN
    return is_verb or any(words == phrase[: len(words)] for phrase in _PHRASES)
