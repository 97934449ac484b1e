"""What a person asks to be done now, as one reading of their words says it; from then on it is frozen.

A reading is one line, `open site MIT; picture`. The model writes it before it sees anything foreign; Python
parses it and checks every later step against it. Each action's file says which parts let it act.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .errors import Unusable
from .text import one_line
from .urls import host_of, typed, typed_addresses

# The forms that a part may have. A word in capitals at the end stands for what the person named; uN is the
# Nth address in their words.
TYPED, LINE, LINES = "open uN", "open line N", "open lines"
OWN_FILE = "open fN"  # the Nth file or folder in their words; of a plain command alone
SITE, FOUND = "open site NAME", "open found N"
START, PICTURE = "start NAME", "picture"
NOTHING = "nothing"
ROLES = ("browser", "mail", "files", "terminal", "editor", "settings")
MOST_LINES = 6  # that `open lines` opens, and pages that `open found` does

_LONGEST = 80  # characters of a name
_MOST = 20  # things that one reading asks for
_AROUND = " \t\n.\"'`“”‘’«»"


class Part(NamedTuple):
    """One thing that is asked for."""

    form: str
    value: str = ""  # what stands for the word in capitals: a name in the person's own spelling, a number
    unsure: bool = False

    @property
    def number(self) -> int:
        """The number in it; 1 where there is none."""
        return int(self.value) if self.value.isdecimal() else 1

    @property
    def told(self) -> str:
        """The part as it is written: `open site MIT`, with a question mark where it is unsure."""
        return (
            f"{self.form[: len(self.form) - len(_slot(self.form))]}{self.value}{'?' if self.unsure else ''}"
        )

    @property
    def most(self) -> int:
        """How many steps it takes at most."""
        return {LINES: MOST_LINES, FOUND: self.number}.get(self.form, 1)


class Intent(NamedTuple):
    """All that is asked for. Without parts nothing is to be done."""

    parts: tuple[Part, ...] = ()
    is_command: bool = False  # whether the words are nothing but a command for its parts

    @property
    def told(self) -> tuple[str, ...]:
        return tuple(part.told for part in self.parts)

    @property
    def targets(self) -> int:
        """How many things are to be done; a whole list counts as one."""
        return sum(part.number if part.form == FOUND else 1 for part in self.parts)

    @property
    def sites(self) -> tuple[str, ...]:
        """The names whose own sites are asked for."""
        return tuple(part.value for part in self.parts if part.form == SITE)


def parsed(wants: str, forms: Iterable[str], words: str, before: Sequence[str] = ()) -> Intent:
    """Return the intent that *wants* says. Raises Unusable.

    forms: those that the actions know. words: the person's own, now. before: those of earlier turns that
    the reading was made from. The name of an app must stand in one of them, or its part is unsure.
    """
    said = [one_line(part, _LONGEST + 40).strip(_AROUND) for part in wants.split(";")]
    said = [part for part in said if part]
    if not said:
        raise Unusable("`wants` is empty; where nothing is asked for it says `nothing`")
    if [part.casefold() for part in said] == [NOTHING]:
        return Intent()
    addresses = typed_addresses(words)
    ordered = sorted(forms, key=len, reverse=True)
    # No more than so many: each is looked up, and lengthens the turn.
    found = [_checked(_part(part, ordered), addresses, words, before) for part in said[: _MOST + 1]]
    once = {(part.form, folded(part.value)): part for part in reversed(found)}
    intent = Intent(tuple(reversed(once.values())))
    if len(said) > _MOST or intent.targets > _MOST:
        raise Unusable(f"`wants` asks for more than {_MOST} things")
    return intent


def asked_for(told: str) -> int:
    """Return how many things the part *told* asks for; for a whole list, the most that it may have."""
    number = told.removeprefix(FOUND[:-1]).rstrip("?")
    return MOST_LINES if told.rstrip("?") == LINES else int(number) if number.isdecimal() else 1


def _part(said: str, forms: Sequence[str]) -> Part:
    unsure = said.endswith("?")
    said = said.rstrip("? ")
    folded = said.casefold()
    for form in forms:
        slot = _slot(form)
        head = form[: len(form) - len(slot)]
        value = said[len(head) :].strip(_AROUND) if slot and folded.startswith(head) else ""
        if not slot and folded == form:
            return Part(form, unsure=unsure)
        if value and (slot != "N" or (value.isascii() and value.isdecimal() and 0 < int(value[:4]) < 1000)):
            return Part(form, str(int(value)) if slot == "N" else value[:_LONGEST], unsure)
    raise Unusable(f"`{said}` is no part that `wants` may have")


def _checked(part: Part, addresses: Sequence[str], words: str, before: Sequence[str]) -> Part:
    """Return *part* as it is meant. Raises Unusable for an address that they did not type."""
    if part.form == TYPED and part.number > len(addresses):
        raise Unusable(f"`{part.told}` names an address that does not stand in the words")
    if part.form == SITE and (place := _place_of(part.value, addresses)):
        return part._replace(form=TYPED, value=str(place))
    if part.form == FOUND:
        return part._replace(value=str(min(part.number, MOST_LINES)))
    if part.form == START and part.value.casefold() not in ROLES:
        is_said = any(_stands_in(folded(part.value), folded(text)) for text in (words, *before))
        return part._replace(unsure=part.unsure or not is_said)
    return part


def _stands_in(name: str, text: str) -> bool:
    """Return whether *name* begins where a word of *text* does. Some scripts put nothing between words."""
    if not any(map(str.isalnum, name)):
        return False
    at = text.find(name)
    while at > 0 and f"{text[at - 1]}{name[0]}".isascii() and text[at - 1].isalnum():
        at = text.find(name, at + 1)
    return at >= 0


def _place_of(name: str, addresses: Sequence[str]) -> int:
    """Return which of *addresses*, from 1, *name* is, or is the host of; 0: none."""
    url = typed(name)
    hosts = [host_of(address) for address in addresses]
    if url in addresses:
        return addresses.index(url) + 1
    is_host = url is not None and url.partition("://")[2].rstrip("/").count("/") == 0
    return hosts.index(host_of(url)) + 1 if url and is_host and host_of(url) in hosts else 0


def folded(text: str) -> str:
    """Return *text* without case and accents, on one line."""
    if text.isascii():
        return " ".join(text.lower().split())
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def _slot(form: str) -> str:
    """Return the word in capitals at the end of *form*; empty where there is none."""
    head = form.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return form[len(head) :]
