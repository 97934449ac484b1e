"""Looks at what may be wrong with offers that are added up: not what was wanted, or not known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from ...core.money import Money
from ...core.tables import Check, Price
from ...core.text import one_line
from .offers import Offer, Tax

_LONGEST = 30  # characters of what is quoted
_NAMED = 2  # lines that are named; of more their number is told
_LONGEST_TITLE = 500  # characters that are looked at
_FEWEST = 5  # prices, below which a list has no usual one
_LONGEST_SUFFIX = 3  # letters of what belongs to a model's word before it
_RUN = r"[0-9]+(?:[.,][0-9]+)*|[^\W\d_]+"  # of digits or letters
_BETWEEN = r"[\s\-‐-―.]{0,2}"  # may stand between two of them: 128 GB, WH-1000


class Line(NamedTuple):
    """One line of a receipt."""

    offer: Offer
    quantity: int = 1


def checks_of(
    lines: Sequence[Line],
    total: Sequence[Money | Price],
    lists: Mapping[str, Sequence[Offer]],
    tax: Tax,
) -> tuple[Check, ...]:
    """Return what came of each check of *lines*, which come to that *total*, an amount for each currency.

    lists: the offers that each was found among, by its id.
    """
    return (_delivery(lines), _tax(total, tax), *_states(lines), *_doubtful(lines, lists))


def plausible(want: Sequence[Offer]) -> list[Offer]:
    """Return those of *want* that are probably what was wanted; all of it where that is said of none."""
    told = [
        each for each in want if not is_far_below(each, want) and not words_missing(each.query, each.title)
    ]
    return told or list(want)


def words_missing(query: str, title: str) -> list[str]:
    """Return the words for a model in *query* that *title* has not: S24 FE, 128GB."""
    text = _folded(title[:_LONGEST_TITLE])
    return [word for word in _model_words(query) if not re.search(_pattern(word), text)]


def is_far_below(offer: Offer, offers: Sequence[Offer]) -> bool:
    """Return whether *offer* costs less than 40 % of what is usual (the median) in the list it stands in."""
    alike = (each for each in offers if each.query == offer.query)
    prices = [each.price.amount for each in alike if each.price.currency == offer.price.currency]
    return len(prices) >= _FEWEST and offer.price.amount * 5 < median(prices) * 2


def _delivery(lines: Sequence[Line]) -> Check:
    if unknown := [line.offer for line in lines if line.offer.delivery is None]:
        return Check("delivery", None, f"delivery of {_named(unknown)} unknown")
    if more := [line.offer for line in lines if isinstance(line.offer.to_pay(line.quantity), Price)]:
        return Check("delivery", None, f"delivery of {_named(more)} may be more for several")
    return Check("delivery", is_met=True, said="delivery")


def _tax(total: Sequence[Money | Price], tax: Tax) -> Check:
    if tax.is_apart is False:
        return Check("tax", None, "tax as the shops have it in their prices")
    is_known = tax.rate is not None and len(total) == 1
    return Check("tax", True if is_known else None, "tax by your rate" if is_known else "tax not known")


def _states(lines: Sequence[Line]) -> Iterator[Check]:
    """Yield whether all are in the state that was asked for, where one was."""
    asked = [line.offer for line in lines if line.offer.states]
    if not asked:
        return
    said = " or ".join(dict.fromkeys(state for offer in asked for state in offer.states))
    other = [offer for offer in asked if offer.state not in offer.states]
    if wrong := [offer for offer in other if offer.state]:
        yield Check("state", is_met=False, said=f"{_named(wrong)} not {said}")
    elif other:
        yield Check("state", None, f"not known whether {_named(other)} is {said}")
    else:
        yield Check("state", is_met=True, said=f"{said}, as searched for")


def _doubtful(lines: Sequence[Line], lists: Mapping[str, Sequence[Offer]]) -> Iterator[Check]:
    """Yield what may not be what was wanted."""
    for offer, _ in lines:
        if words := words_missing(offer.query, offer.title):
            said = f"{one_line(', '.join(words), _LONGEST)} not in the name of {_named([offer])}"
            yield Check("model", is_met=False, said=said, is_hard=False)
    if far := [offer for offer, _ in lines if is_far_below(offer, lists.get(offer.row.id, ()))]:
        said = f"{_named(far)} far cheaper than the rest: accessory or used?"
        yield Check("price", is_met=False, said=said, is_hard=False)


def _named(offers: Sequence[Offer]) -> str:
    """Return what *offers* are, in words: their numbers change, as other lists stand before them."""
    names = [f"“{one_line(each.title or 'a nameless line', _LONGEST)}”" for each in offers]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return " and ".join([", ".join(names[:_NAMED]), *more])


def _model_words(query: str) -> list[str]:
    """Return the words of *query* with a digit in them, each with the capitals behind it: S24 FE."""
    named: list[str] = []
    is_open = False
    for word in (each.strip("\"'“”″.,;:()") for each in query.split()):
        if re.search(r"[0-9]", _folded(word)):
            named, is_open = [*named, word], True
        elif is_open and word.isalpha() and word.isupper() and len(word) <= _LONGEST_SUFFIX:
            named[-1] += f" {word}"
        else:
            is_open = False
    return named


def _pattern(word: str) -> str:
    """Return what *word* looks like in a title, however its parts are joined there."""
    runs = re.findall(_RUN, _folded(word))
    # A number may have its unit behind it, which the query says in another way: 27 inch, 27in.
    behind = r"(?![0-9])" if len(runs) == 1 else r"(?![a-z0-9])"
    return rf"(?<![a-z0-9])(?<![0-9][.,]){_BETWEEN.join(map(re.escape, runs))}{behind}(?![.,][0-9])"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
