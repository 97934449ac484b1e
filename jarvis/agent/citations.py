"""Turns the ids that a reply rests on, such as [r3], into the numbers of its sources, as it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.types import Address

_ID = r"[urs]\d{1,6}"
_MARK = re.compile(rf"[ ]?\[ ?({_ID}(?: ?[,;] ?{_ID}){{0,9}}) ?\]")
# As long as the longest mark: what is held back may still become one.
_UNFINISHED = re.compile(r"[ ]?\[[^\]\[\n]{0,120}\Z|[ ]\Z")


class Citations:
    def __init__(self, addresses: Sequence[Address]) -> None:
        self._known = {address.id: address for address in addresses}
        self.cited: list[Address] = []

    def rewritten(self, text: str, *, whole: bool = True) -> str:
        """*text* with numbers for ids; where it isn't *whole*, without an end that may still change."""
        if not whole and (unfinished := _UNFINISHED.search(text)):
            text = text[: unfinished.start()]
        return _MARK.sub(self._numbers, text)

    def _numbers(self, match: re.Match[str]) -> str:
        ids = re.findall(_ID, match[1])
        if not set(ids) <= set(self._known):
            return match[0]  # no mark of ours: text may well speak of [r1] or [h2]
        numbers = [self._number(self._known[id_]) for id_ in ids]
        space = " " if match[0].startswith(" ") else ""
        return space + "".join(f"[{number}]" for number in dict.fromkeys(numbers))

    def _number(self, address: Address) -> int:
        for number, cited in enumerate(self.cited, 1):
            if cited.url == address.url:
                return number
        self.cited.append(address)
        return len(self.cited)
