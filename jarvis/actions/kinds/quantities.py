"""Offers of this thread, as ids are read, and how many of each: named as often, or as 2 of o3."""

from __future__ import annotations

import re
from decimal import Decimal

from ...core.text import one_line
from ...core.types import Facts
from . import ids
from .unusable import Unusable
from .wording import numbers_in

_MOST = 99  # of one offer
# The count stands before the offer, or behind a sign: 2 of o3, 2 x o3, 2x 3, o3 x2
_OF = r"\b([0-9]{1,4}) ?(?:of|x|×|\*) ?(o?[0-9]{1,6})\b"
_TIMES = r"\b(o[0-9]{1,6}) ?[x×*] ?([0-9]{1,4})\b"


def parse(wire: str, words: str, facts: Facts) -> tuple[str, ...]:
    """Return the ids that *wire* means, each as often as it is wanted. Raises Unusable."""
    line = re.sub(_TIMES, lambda m: _repeated(m[1], m[2]), one_line(wire, 200).casefold())
    line = re.sub(_OF, lambda m: _repeated(m[2], m[1]), line)
    found = ids.each_in(line, facts)
    if many := [id_ for id_ in found if found.count(id_) > _MOST]:
        raise Unusable(f"`{many[0]}` is wanted more than {_MOST} times")
    return found


def is_said(value: tuple[str, ...], words: str, facts: Facts) -> bool:
    """Return whether each count beyond one stands in *words*: which offers they are, the model may choose."""
    counts = {Decimal(value.count(id_)) for id_ in value} - {Decimal(1)}
    return counts <= numbers_in(words)


def _repeated(offer: str, count: str) -> str:
    if not 1 <= int(count) <= _MOST:
        raise Unusable(f"`{count}` is no count of an offer: write a whole number from 1 to {_MOST}")
    return f" {offer} " * int(count)
