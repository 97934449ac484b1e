"""What a reply rests on: the sources and lines that it names.

Its marks, such as [r3], become the numbers of its sources, as it is written; those of offers in the tables of
its turn become the numbers of their lines, behind which the sources are numbered on. Those of earlier offers
become their lines in the list that still stands, unless the reply lists sources, which then is the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..core.types import OFFER, Address
from .plan_schema import partial_reply

_ID = r"[urso]\d{1,6}"
_MARK = re.compile(rf"[ ]?\[ ?({_ID}(?: ?[,;] ?{_ID}){{0,9}}) ?\]")
# As long as the longest mark: what is held back may still become one.
_UNFINISHED = re.compile(r"[ ]?\[[^\]\[\n]{0,120}\Z|[ ]\Z")


class Earlier(NamedTuple):
    """The offers of a thread that are on no line of this turn."""

    lines: Mapping[str, int]  # of those in the list of before, where that still stands
    given: int  # how many ids of offers the thread has given

    def has(self, id_: str) -> bool:
        return id_.startswith(OFFER) and 0 < int(id_[1:]) <= self.given


NO_OFFERS = Earlier({}, 0)


class Citations:
    def __init__(
        self, addresses: Sequence[Address], listed: Sequence[str] = (), earlier: Earlier = NO_OFFERS
    ) -> None:
        """listed: the ids on the lines of the turn's tables, in their order. earlier: all other offers."""
        self._known = {address.id: address for address in addresses}
        self._lines = {id_: line for line, id_ in reversed([*enumerate(listed, 1)])}
        self._before = len(listed)
        self._earlier = earlier
        self._is_on_earlier: bool | None = None  # whether it names lines of before, as its first mark says
        self.cited: list[Address] = []

    def rewritten(self, text: str, *, whole: bool = True) -> str:
        """Return *text* with numbers for ids; if it isn't *whole*, without an end that may still change."""
        if not whole and (unfinished := _UNFINISHED.search(text)):
            text = text[: unfinished.start()]
        return _MARK.sub(self._numbers, text)

    def _numbers(self, match: re.Match[str]) -> str:
        ids = re.findall(_ID, match[1])
        if not all(id_ in self._known or id_ in self._lines or self._earlier.has(id_) for id_ in ids):
            return match[0]  # no mark of ours: text may well speak of [r1] or [h2]
        numbers = [number for id_ in ids if (number := self._lines.get(id_) or self._number(id_))]
        space = " " if match[0].startswith(" ") and numbers else ""
        return space + "".join(f"[{number}]" for number in dict.fromkeys(numbers))

    def _number(self, id_: str) -> int:
        """Return the number of a source or of an earlier line; 0: none, as they would be of two lists."""
        address, line = self._known.get(id_), self._earlier.lines.get(id_, 0)
        if self._is_on_earlier is None and (line or address):
            self._is_on_earlier = bool(line)
        if self._is_on_earlier:
            return line
        return self._source(address) if address else 0

    def _source(self, address: Address) -> int:
        for number, cited in enumerate(self.cited, self._before + 1):
            if cited.url == address.url:
                return number
        self.cited.append(address)
        return self._before + len(self.cited)


class Writing:
    """A reply while it is written: what is new of it goes to whoever shows it at once."""

    def __init__(
        self,
        addresses: Sequence[Address],
        show: Callable[[str], None] | None,
        listed: Sequence[str] = (),
        earlier: Earlier = NO_OFFERS,
    ) -> None:
        """show: is given what is new; None: nobody watches. listed, earlier: as of Citations."""
        self.shown = ""
        self._addresses = addresses
        self._listed = listed
        self._earlier = earlier
        self._show = show
        self.begin()

    @property
    def cited(self) -> list[Address]:
        return self._citations.cited

    def begin(self) -> None:
        """Begin a new answer. What one that was of no use cited counts no more."""
        self._citations = Citations(self._addresses, self._listed, self._earlier)
        self._heard = ""
        self._looked = 0

    def rewritten(self, text: str) -> str:
        return self._citations.rewritten(text)

    def go_on(self, text: str) -> bool:
        """Show what is new of the reply in *text*, the plan as far as it is written; empty: it begins.

        Return whether any of it was shown.
        """
        if not text:
            self.begin()
        # A long one is looked at now and then: each look reads it from its beginning.
        elif self._show is not None and len(text) >= self._looked * 1.02:
            self._looked = len(text)
            self._heard = partial_reply(text)
            self.show(self._citations.rewritten(self._heard, whole=False))
        return bool(self.shown)

    def show_the_rest(self) -> None:
        """Show what was held back of a reply that broke off: nothing will change it any more."""
        if self.shown:
            self.show(self._citations.rewritten(self._heard))

    def show(self, text: str) -> None:
        """Show what is new of *text*, which begins with what was shown so far."""
        if self._show is not None and len(text) > len(self.shown):
            self._show(text[len(self.shown) :])
            self.shown = text
