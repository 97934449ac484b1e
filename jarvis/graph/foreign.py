"""Addresses in the model's words that this thread does not know: shown, but so that none can be followed.

A reply may quote what a stranger wrote: `https://evil.example` in it becomes `hxxps://evil[.]example`.
What is kept in history is what was shown, so no such address comes back in a later turn either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from ..turn import Address
from ..urls import host_of, key_of, typed, typed_addresses, unwrapped

# What a name without a scheme ends in, if it is an address for sure. Left out are those that are common in
# code (`main.py`, `self.id`, `logging.info`): they count where a path follows.
_GENERIC = "com org net edu gov mil biz online website xyz icu vip"
_COUNTRIES = (
    "ae ar au az ba bd bg bo br ca ch ci cl cn co cr cu cz de dk dz ec ee eg es eu fi fr ge gg gh gr hk hr "
    "hu ie il io ir jo jp ke kr kw kz lb li lk lt lu lv ly ma mx ng nl np nz pa pe ph pk pt qa ro ru sa se "
    "sg si sk su th tk tn tr tv tw ua ug uk us uy uz ve vn ws za zw"
)
_ENDING = rf"(?:(?:ac|co|com|edu|gov|net|org)\.[a-z]{{2}}|{'|'.join((_GENERIC + ' ' + _COUNTRIES).split())})"
_PART = r"[^\s<>\"'`()\[\]{}|]"  # as far as a terminal takes an address to go
_LABELS = r"(?<![\w@.-])(?:[a-z0-9_-]{1,63}\.)+"
_ADDRESS = re.compile(
    rf"(?ai)[a-z][a-z0-9+.-]{{1,30}}://{_PART}*|\bhttps?:{_PART}+|\bwww\.{_PART}+"
    rf"|{_LABELS}{_ENDING}(?![\w@-]|\.\w){_PART}*|{_LABELS}[a-z]{{2,12}}(?::\d+)?/{_PART}*"
)
_SCHEME = re.compile(r"(?ai)([a-z][a-z0-9+.-]*):(?=//)|\b(https?):")
_FIRST = re.compile(r"[A-Za-z0-9_-]")  # what an address may begin with


class Foreign:
    """Which addresses a turn knows: those that are offered to the model, and those the person named."""

    def __init__(self, addresses: Iterable[Address], goal: str, transcript: str = "") -> None:
        self._offered = _keys(address.url for address in addresses)
        self._goal = goal
        self._transcript = transcript

    def defanged(self, text: str, *, whole: bool = True) -> str:
        """*text* with every unknown address taken apart.

        Where it isn't *whole*: without the word in progress, which may still become one.
        """
        return re.sub(r"\S+", lambda word: self._word(word[0]), text if whole else _settled(text))

    def _word(self, word: str) -> str:
        is_one = ("." in word or ":" in word) and _ADDRESS.search(word)
        if not is_one or self._knows(word):
            return word
        return _ADDRESS.sub(lambda run: run[0] if self._knows(run[0]) else _apart(run[0]), word)

    def _knows(self, word: str) -> bool:
        url = typed(unwrapped(word))
        return url is not None and (key_of(url) in self._offered or key_of(url) in self._named)

    @cached_property
    def _named(self) -> frozenset[str]:
        # Each exchange is on lines of its own, so nothing that was replied begins one like this.
        before = [line for line in self._transcript.split("\n") if line.startswith("Person: ")]
        return _keys(url for said in (self._goal, *before) for url in typed_addresses(said))


def _keys(urls: Iterable[str]) -> frozenset[str]:
    """What stands for *urls*, and for the front pages of their hosts and of what these are part of."""
    keys: set[str] = set()
    for url in urls:
        labels = host_of(url).split(".")
        keys |= {key_of(url), *_fronts(labels)}
    return frozenset(keys)


def _fronts(labels: Sequence[str]) -> list[str]:
    return [".".join(labels[at:]) for at in range(max(1, len(labels) - 1))]


def _settled(text: str) -> str:
    """*text* up to where what is still to come may change what stands there."""
    last = text.split()[-1] if text and not text[-1].isspace() else ""
    first = _FIRST.search(last)
    return (text[: len(text) - len(last) + first.start()] if first else text).rstrip()


def _apart(run: str) -> str:
    return re.sub(r"(?<=\S)[.。．｡](?=\S)", "[.]", _SCHEME.sub(_scheme, run))


def _scheme(match: re.Match[str]) -> str:
    name = match[1] or match[2]
    return re.sub("(?i)tt", "xx", name) + ":" if name.lower() in ("http", "https") else f"{name}[:]"
