"""Reads what is asked of the list last shown: “cheapest first”, “only used”, “under $130”, “more”.

The whole sentence has to be it, without polite words; anything more is for the model. These phrases are
what people say in place of the verbs of core/follow_ups.py. The model writes the shortest of each, whatever
the person speaks; so this is read where no other English is, and needs none of it. The table stays small:
what it lacks the model understands, and what it has too much of would take words away from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..core.money import Money
    from ..core.tables import FollowUp, Table

_LEADING = {
    "cheapest": "cheapest/least expensive/lowest price/lowest priced",
    "dearest": "dearest/most expensive/priciest/highest price/highest priced",
    "best rated": "best rated/top rated/highest rated/best reviewed",
    "newest": "newest/latest/most recent",
}
_WHOLE = {
    "more": "more/more of them/more results/next/next page",
    "all": "all/all of them/them all/all results/everything",
    "undo": "undo/undo that/undo it/back/go back",
    "free delivery": (
        "free delivery/with free delivery/only free delivery/only with free delivery/"
        "free shipping/with free shipping/only free shipping/only with free shipping"
    ),
}
_LIMITS = {
    "under": "under/below/less than/cheaper than/at most/up to/no more than/not more than",
    "over": "over/above/more than/at least/no less than/not less than",
}
_SORT = "sort/sorted/rank/ranked/order/ordered"
_BUYS = ("order", "ordered")  # “order by friday” is hardly about the list
_LISTS = "it/them/these/those/this/all/the list/this list/the results/these results/the table"
_WAYS = {
    "rising": "rising/ascending/low to high/from low to high/lowest first/up",
    "falling": "falling/descending/high to low/from high to low/highest first/down",
}
_NUMBERED = "number/no/nr/line/result/item/offer"
_DETAILS = "details/details of/details on/details for/more about/more on/more details on"
_THINGS = "ones/one/lines/results/items/offers/of them"
_FROM = "from/at/on/by/in"  # before the name of a shop
_MOST_WORDS = 3  # of a column's name, or of what a row has to say
_DIGITS = 3  # of a number of lines
_MOST_DIGITS = 12  # of an amount

Words = Sequence[str]


class Change(NamedTuple):
    """What is asked of a list, before it is known what that list has."""

    verb: str  # as in core/follow_ups.py
    word: str = ""  # a column's name, what a row has to say, or a limit as it was said
    falling: bool | None = None
    number: int = 0  # how many rows, or the number of a line
    opens: bool = False  # whether the line that it puts first is to be opened
    is_sure: bool = True  # whether it can hardly be anything else, even where the list has no such thing


def change_in(said: str) -> Change | None:
    """Return what the words *said* ask of a list; None where they say less than that, or more."""
    words = [word.rstrip(",.!:?") for word in said.casefold().replace("’", "'").split()]
    words = [word for word in words if word]
    if words[:1] == ["open"]:
        verb = _leading(_without_last(words[1:], _THINGS))
        return Change(verb, opens=True) if verb else None
    shown = words[1:] if words[:1] == ["show"] else words
    readers = (_whole, _sorted, _limited, _numbered, _first, _only)
    return next((change for read in readers if (change := read(shown, words))), None)


def asked_of(table: Table, change: Change, country: str = "") -> FollowUp | None:
    """Return what *change* asks of *table*; None where its limit is no amount.

    country: where they are, which says what $ means in a list without it.
    """
    # Most words are read without a list before them.
    from ..core.money import price_in
    from ..core.tables import FollowUp, currencies, price_column

    verb, word, falling, number = change[:4]
    if verb not in _LIMITS:
        return FollowUp(verb, word, falling, number=number)
    column = price_column(table)
    known = currencies(row.cells.get(column.key) for row in table.rows) if column else []
    if not known:
        return FollowUp(verb)  # which tells that there are no prices
    found = _whole_amount(word, known) or next(
        (price for code in known if (price := price_in(word, country, asked=code))), None
    )
    if found is None:
        return None
    is_bare = set(word) <= set("0123456789.,'’ ")
    return FollowUp(verb, amount=found.amount, currency="" if is_bare and known[1:] else found.currency)


def _whole_amount(word: str, known: Sequence[str]) -> Money | None:
    """Return the amount that *word* is as most are said: 130, $130. It saves importing what reads all."""
    from decimal import Decimal  # as above

    from ..core.currencies import CURRENCIES
    from ..core.money import Money

    sign = word[: not word[:1].isdigit()]
    digits = word[len(sign) :]
    of_sign = [code for code in known if not sign or CURRENCIES[code].has(sign)]
    is_whole = digits.isascii() and digits.isdigit() and len(digits) < _MOST_DIGITS
    return Money(Decimal(digits), of_sign[0]) if is_whole and of_sign and int(digits) else None


def _whole(shown: Words, _: Words) -> Change | None:
    """Read what has no more words to it: cheapest first, more, undo."""
    first = _without_last(_without_last(shown, "first"), _THINGS)
    verb = _leading(first) or _phrase(" ".join(shown), _WHOLE)
    return Change(verb) if verb else None


def _sorted(shown: Words, _: Words) -> Change | None:
    """Read sort these by price, falling; a bare “by price” is one where the list has prices."""
    head = _first_of(shown, _SORT)
    rest = _without_first(shown[len(head) :], _LISTS) if head else shown
    if rest[:1] != ["by"]:
        return None
    rest = rest[1:]
    if verb := _leading(_without_last(rest, "first")):
        return Change(verb, is_sure=bool(head))
    column, way = _parted(rest)
    if not 0 < len(column) <= _MOST_WORDS:
        return None
    falling = way == "falling" if way else None
    is_sure = len(column) == 1 and bool(head) and head[0] not in _BUYS
    return Change("sort", " ".join(column), falling, is_sure=is_sure)


def _limited(shown: Words, _: Words) -> Change | None:
    """Read under $130, only under 130 dollars: what the amount is shows with the list."""
    rest = _without_first(shown, "only")
    for verb, phrases in _LIMITS.items():
        amount = rest[len(_first_of(rest, phrases)) :]
        if amount != rest and 0 < len(amount) <= _MOST_WORDS and any(map(str.isdigit, " ".join(amount))):
            return Change(verb, " ".join(amount))
    return None


def _numbered(shown: Words, words: Words) -> Change | None:
    """Read show 3, details of line 3."""
    named = _first_of(shown, _DETAILS)
    rest = _without_first(shown[len(named) :], _NUMBERED)
    number = _number(rest[0].lstrip("#")) if len(rest) == 1 else 0
    return Change("show", number=number) if number and (named or shown != words) else None


def _first(shown: Words, _: Words) -> Change | None:
    """Read the first 3, top five."""
    rest = _without_first(_without_first(shown, "only"), "the")
    if rest[:1] not in (["first"], ["top"]):
        return None
    number = _number(" ".join(_without_last(rest[1:], _THINGS)))
    return Change("first", number=number) if number else None


def _only(shown: Words, _: Words) -> Change | None:
    """Read only used, only the used ones, only from eBay."""
    if shown[:1] != ["only"]:
        return None
    rest = _without_first(_without_first(shown[1:], "the"), _FROM)
    rest = _without_last(rest, _THINGS)
    is_word = 0 < len(rest) <= _MOST_WORDS and not rest[0].isdigit()
    return Change("only", " ".join(rest), is_sure=len(rest) == 1) if is_word else None


def _leading(words: Words) -> str:
    """Return the verb of the sort that *words* put first: the cheapest, top-rated; empty: they are none."""
    return _phrase(" ".join(_without_first(words, "the")).replace("-", " "), _LEADING)


def _parted(words: Words) -> tuple[Words, str]:
    """Return *words* without the way to sort at their end, and that way; empty: they say none."""
    for way, phrases in _WAYS.items():
        if (rest := _without_last(words, phrases)) != words:
            return rest, way
    return words, ""


def _number(text: str) -> int:
    """Return the number that *text* is, in digits or spelt out; 0: it is none, or no number of lines."""
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= _DIGITS else 0
    if not text.replace("-", "").isalpha():
        return 0
    from .spelt_numbers import spelt  # few spell them out

    number = int(spelt(text) or 0)
    return number if number < 10**_DIGITS else 0


def _phrase(text: str, table: Mapping[str, str]) -> str:
    return next((verb for verb, phrases in table.items() if text in phrases.split("/")), "")


def _first_of(words: Words, phrases: str) -> Words:
    """Return the longest of *phrases* that *words* begin with; nothing, if they begin with none."""
    known = [phrase.split() for phrase in phrases.split("/")]
    return max((each for each in known if list(words[: len(each)]) == each), key=len, default=[])


def _without_first(words: Words, phrases: str) -> Words:
    return words[len(_first_of(words, phrases)) :]


def _without_last(words: Words, phrases: str) -> Words:
    """Return *words* without the longest of *phrases* at their end."""
    known = [phrase.split() for phrase in phrases.split("/")]
    ends = [len(each) for each in known if list(words[-len(each) :]) == each]
    return words[: len(words) - max(ends, default=0)]
