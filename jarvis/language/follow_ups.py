"""Reads follow-ups on the last list: “cheapest first”, “only used”, “under $130”, “more”.

The whole sentence must match, without polite words. The model gets anything longer. These phrases stand for
the verbs of core/follow_ups.py. The model writes the shortest of each, in any language of the user, so other
code reads English only here. The list of phrases stays small: the model understands the rest, and each extra
phrase may misread other words.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..core.money import price_in
from ..core.tables import COST, FollowUp, Table, currencies, meaning

_LEADING = {
    "cheapest": "cheapest/least expensive/lowest price/lowest priced",
    "dearest": "dearest/most expensive/priciest/highest price/highest priced",
    "best rated": "best rated/top rated/highest rated/best reviewed",
    "worst": "worst/worst performing",
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
_WAYS = {
    "rising": "rising/ascending/low to high/from low to high/lowest first/up",
    "falling": "falling/descending/high to low/from high to low/highest first/down",
}
_SORT = "sort/sorted/rank/ranked/order/ordered"
_BUYS = ("order", "ordered")  # “order by friday” is hardly about the list
_LISTS = "it/them/these/those/this/all/the list/this list/the results/these results/the table"
_NUMBERED = "number/no/nr/line/result/item/offer"
_DETAILS = "details/details of/details on/details for/more about/more on/more details on"
_THINGS = "ones/one/lines/results/items/offers/of them"
_FROM = "from/at/on/by/in"  # before the name of a shop
_MOST_LINES = 999


class Change(NamedTuple):
    """A follow-up, before it is compared with a list's columns."""

    verb: str  # as in core/follow_ups.py
    word: str = ""  # a column's name, what a row has to say, or a limit as it was said
    falling: bool | None = None
    number: int = 0  # how many rows, or the number of a line
    opens: bool = False  # whether the line that it puts first is to be opened, or all that it shows
    is_sure: bool = True  # whether it can hardly be anything else, even where the list has no such thing


def change_in(sentence: str) -> Change | None:
    """Return the follow-up in the words *sentence*, or None if they say less or more than that."""
    words = [word.rstrip(",.!:?") for word in sentence.casefold().replace("’", "'").split()]
    text = " ".join(filter(None, words))
    matches = ((re.fullmatch(form, text), read) for form, read in _FORMS)
    return next((change for match, read in matches if match and (change := read(match))), None)


def to_follow_up(table: Table, change: Change, country: str = "") -> FollowUp | None:
    """Return *change* as a follow-up on *table*, or None if its limit isn't an amount.

    country: of the user. It decides the meaning of $ in a list without it.
    """
    verb, word, falling, number = change[:4]
    if verb not in _LIMITS:
        return FollowUp(verb, word, falling, number=number)
    column = meaning(table, COST)
    in_table = currencies(row.cells.get(column.key) for row in table.rows) if column else []
    if not in_table:
        return FollowUp(verb)  # which tells that there are no prices
    found = next((price for code in in_table if (price := price_in(word, country, default=code))), None)
    if found is None:
        return None
    is_bare = set(word) <= set("0123456789.,'’ ")
    return FollowUp(verb, amount=found.amount, currency="" if is_bare and in_table[1:] else found.currency)


def _leading(match: re.Match[str]) -> Change:
    """Read cheapest first, the top-rated ones, open the cheapest, sort by the newest."""
    parts = match.groupdict()
    verb = _verb(match["lead"].replace("-", " "), _LEADING)
    return Change(verb, opens=bool(parts.get("open")), is_sure=bool(parts.get("head", True)))


def _whole(match: re.Match[str]) -> Change | None:
    """Read what has no more words to it: more, undo, open all."""
    verb, opens = _verb(match["whole"], _WHOLE), bool(match["open"])
    return None if opens and verb != "all" else Change(verb, opens=opens)


def _sorted(match: re.Match[str]) -> Change:
    """Read “sort these by price, falling”. A bare “by price” counts if the list has prices."""
    head, column, way = match.group("head", "words", "way")
    falling = _verb(way, _WAYS) == "falling" if way else None
    is_sure = bool(head) and head not in _BUYS and " " not in column
    return Change("sort", column, falling, is_sure=is_sure)


def _limited(match: re.Match[str]) -> Change | None:
    """Read under $130, only under 130 dollars: what the amount is shows with the list."""
    amount = match["words"]
    return Change(_verb(match["limit"], _LIMITS), amount) if any(map(str.isdigit, amount)) else None


def _numbered(match: re.Match[str]) -> Change | None:
    """Read “show 3”, “details of line 3”, “the first 3”, “top five”."""
    number = _number(match["number"])
    verb = "first" if "first" in match.groupdict() else "show"
    return Change(verb, number=number) if number else None


def _only(match: re.Match[str]) -> Change:
    """Read only used, only the used ones, only from eBay."""
    return Change("only", match["words"], is_sure=" " not in match["words"])


def _number(text: str) -> int:
    """Return the number in *text*, in digits or words, or 0 if it isn't a line number."""
    number = int(text) if text.isascii() and text.isdigit() else _SPELT.get(text, 0)
    return number if number <= _MOST_LINES else 0


def _verb(phrase: str, phrases: Mapping[str, str]) -> str:
    return next(verb for verb, alternatives in phrases.items() if phrase in alternatives.split("/"))


def _any(phrases: str | Mapping[str, str]) -> str:
    """Return the form of any of *phrases*, the longest first."""
    all_of_them = phrases if isinstance(phrases, str) else "/".join(phrases.values())
    return f"(?:{'|'.join(sorted(all_of_them.split('/'), key=len, reverse=True))})"


_LEAD = rf"(?:the )?(?P<lead>{_any(_LEADING).replace(' ', '[ -]')})"
_BY = rf"(?:show )?(?:(?P<head>{_any(_SORT)})(?: {_any(_LISTS)})? )?by "
_WORDS = r"(?P<words>\S+(?: \S+){0,2}?)"  # few: of a column's name, an amount, or what a row has to say
_ONES = f"(?: {_any(_THINGS)})?"
_NOT_ONES = rf"(?!{_any(_THINGS)}\Z)"
_FORMS: tuple[tuple[str, Callable[[re.Match[str]], Change | None]], ...] = (
    (rf"(?P<open>open ){_LEAD}{_ONES}", _leading),
    (rf"(?:show )?{_LEAD}{_ONES}(?: first)?", _leading),
    (rf"(?:show |(?P<open>open ))?(?P<whole>{_any(_WHOLE)})", _whole),
    (rf"{_BY}{_LEAD}(?: first)?", _leading),
    (rf"{_BY}{_WORDS}(?: (?P<way>{_any(_WAYS)}))?", _sorted),
    (rf"(?:show )?(?:only )?(?P<limit>{_any(_LIMITS)}) {_WORDS}", _limited),
    (rf"(?:show |(?:show )?{_any(_DETAILS)} )(?:{_any(_NUMBERED)} )?#*(?P<number>\S+)", _numbered),
    (rf"(?:show )?(?:only )?(?:the )?(?P<first>first|top) {_NOT_ONES}(?P<number>\S+){_ONES}", _numbered),
    (rf"(?:show )?only (?:the )?+(?:{_any(_FROM)} )?+{_NOT_ONES}(?!\d+(?: |\Z)){_WORDS}{_ONES}", _only),
)


# Numbers that are spelt out: models write English ones even where the person speaks another language. That
# more of their words is read as a number does no harm: what counts as unsaid is told, what is said is used.

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
NTH = "first second third fourth fifth sixth seventh eighth ninth".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SPELT = {word: n for n, word in enumerate(_SMALL)} | {
    f"{ten}-{one}".removesuffix("-"): 10 * tens + n
    for tens, ten in enumerate(_TENS, 2)
    for n, one in enumerate(["", *_SMALL[1:10]])
}


def spelt_in(words: str) -> list[int]:
    """Return each number below a hundred that *words* (lower case) spell out: two, twenty-five."""
    return [_SPELT[word] for word in re.findall(r"[a-z]+(?:-[a-z]+)?", words) if word in _SPELT]
