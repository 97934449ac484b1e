"""What a person's words ask for: its clauses, once what they forbid is out of them."""

from __future__ import annotations

from ..typed import NamedTuple
from ..urls import typed, unwrapped
from .clauses import LONGEST, Clause, as_read, clauses
from .forbidding import forbidden, is_unclear, without_forbidden

_ADDRESS = "addressnumber{}x"


class Asked(NamedTuple):
    text: str  # the words, as they are read
    readable: bool  # not so if long, or on several lines: pasted, at least in part
    clauses: tuple[Clause, ...] = ()
    forbids_opening: bool = False
    forbids_pictures: bool = False


def asked(words: str) -> Asked:
    text = as_read(words)
    hidden, addresses = _hidden(text[:LONGEST])
    forbids = forbidden(hidden)
    if len(text) > LONGEST or "\n" in text.strip():
        return Asked(text, False, (), *forbids)
    unclear = is_unclear(hidden)
    found = tuple(
        clause._replace(thing=_shown(clause.thing, addresses), framed=clause.framed or unclear)
        for clause in clauses(without_forbidden(hidden))
    )
    return Asked(text, True, found, *forbids)


def _hidden(text: str) -> tuple[str, list[str]]:
    """*text* with a word for each address: what stands in one says nothing, and parts no clauses."""
    addresses: list[str] = []
    words = text.split(" ")
    for n, word in enumerate(words):
        if typed(word) and (address := unwrapped(word)) in word:
            words[n] = word.replace(address, _ADDRESS.format(len(addresses)), 1)
            addresses.append(address)
    return " ".join(words), addresses


def _shown(thing: str, addresses: list[str]) -> str:
    for n, address in enumerate(addresses):
        thing = thing.replace(_ADDRESS.format(n), address)
    return thing
