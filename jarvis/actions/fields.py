"""The kinds of fields in a plan. On the wire each is a string. Here it becomes a Python value.

Numbers and bounds in a schema would use up a model's grammar, whose limits nobody documents. Strings also
stay exact, and are easier for weak models.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from ..core.errors import Refused, Unusable, UsageError
from ..core.follow_ups import SORTS, leading
from ..core.money import CURRENCIES, Money, amount_in, home_currency, read_decimal
from ..core.tables import BEST_RATED, COUNTING, FollowUp, Row, currencies
from ..core.text import fold_case, has_word, one_line, words_of
from ..core.types import Facts, Step
from ..language.dates import DAY, can_be, read_date, without_dates
from ..language.follow_ups import NTH, change_in, spelt_in, to_follow_up
from .base import Action, Field


class Kind(NamedTuple):
    """How the text of a field is read, and how its value is looked for in the person's own words."""

    read: Callable[[str, Field, Facts], Any]  # raises Unusable
    is_said: Callable[[Any, str, Facts], bool]


def values(action: Action, arguments: Mapping[str, object], facts: Facts) -> dict[str, object]:
    """Return the *arguments* as its fields' kinds read them. Raises Unusable."""
    fields = {field.name: field for field in action.fields if field.kind != "text"}
    return {
        name: _value(fields[name], str(value), facts) if name in fields else value
        for name, value in arguments.items()
    }


def unstated_fields(
    action: Action, arguments: Mapping[str, object], words: str, before: str, facts: Facts
) -> list[str]:
    """Return the names of *arguments* that the user must state but didn't. Raises Unusable.

    before: the words of the turn before. Unusable if such an argument is required or would be written
    elsewhere. Also for counts: without its offers, an action would take others.
    """
    read, both = values(action, arguments, facts), f"{one_line(before)}\n{words}"
    # How many of something are meant only the person knows.
    owed = [each for each in action.fields if each.name in read and (each.stated or each.kind == _COUNTS)]
    free = [field.name for field in action.fields if field.kind == "text" and not field.stated]
    counted = without_dates(both)
    counted_fields = dict.fromkeys(("number", _COUNTS), counted)
    counted_fields["money"] = _without_numbers(counted, " ".join(str(arguments.get(name)) for name in free))
    found = [
        f for f in owed if not KINDS[f.kind].is_said(read[f.name], counted_fields.get(f.kind, both), facts)
    ]
    for field in found:
        if not field.optional or field.kind == _COUNTS or action.effect in ("writes", "spends"):
            raise Unusable(f"`{field.name}` is something that the person did not say")
    return [field.name for field in found]


def unused_limits(words: str, steps: Sequence[Step], actions: Mapping[str, Action]) -> list[str]:
    """Return the amounts in *words* that no step used, if one of its actions has a limit."""
    planned = [(field, step.plan.arguments) for step in steps for field in actions[step.plan.action].fields]
    if not any(field.kind == "money" and field.stated for field, _ in planned):
        return []
    given = [str(arguments.get(field.name)) for field, arguments in planned if field.kind in _WITH_AMOUNTS]
    taken = numbers_in(" ".join(given))
    return [
        amount[0]
        for amount in re.finditer(_AMOUNT, words, re.IGNORECASE)
        if any(sign and not _is_word(sign) for sign in amount.group(1, 3))
        and not taken.intersection(_readings(amount[2]))
    ]


def _without_numbers(words: str, text: str) -> str:
    """Return *words* without the bare numbers in *text*: the 24 of “a 24 inch monitor under 150”.

    In a search for a 24 inch monitor, 24 is not a limit.
    """
    for number in re.findall(r"(?<![\w.,])\d+(?![\w.,])", text):
        words = re.sub(rf"(?<![\w.,]){number}(?![\w.,])", "", words, count=1)
    return words


def _value(field: Field, wire: str, facts: Facts) -> object:
    try:
        return KINDS[field.kind].read(wire, field, facts)
    except Unusable as error:
        raise Unusable(f"`{field.name}`: {error}") from None


def _as_it_is(wire: str, field: Field, facts: Facts) -> str:
    return wire


def _stands_in(text: str, words: str, facts: Facts) -> bool:
    """Return whether *words* contain *text* as whole words, ignoring spaces and capitals."""
    return has_word(one_line(words).casefold(), one_line(text).casefold())


def _choice(wire: str, field: Field, facts: Facts) -> str:
    text = one_line(wire)
    for choice in field.choices:
        if choice.casefold() == text.casefold():
            return choice
    raise Unusable(f"`{one_line(wire, 60)}` is not one of: {', '.join(field.choices)}")


def _is_change_said(value: str, words: str, facts: Facts) -> bool:
    """Return whether *words* contain the limit in *value*. Without a limit, any language will do."""
    change = change_in(value)
    follow_up = to_follow_up(facts.table, change, facts.country) if change and facts.table else None
    if follow_up is None or follow_up.amount is None:
        return True
    if not follow_up.currency:
        return follow_up.amount in numbers_in(words)
    return _is_amount_said(Money(follow_up.amount, follow_up.currency), words, facts)


# Days and places. What was asked before is known from the lists at hand: it need not be said again.

# How many days it may be away: flights are not sold further ahead. A “day” may be over, and any one; but of a
# weekday by itself it is the last, or the next.
_REACH = {"date": range(331), "day": range(-7, 8)}


def _day(wire: str, field: Field, facts: Facts) -> str:
    """Return the day that *wire* is, as 2027-05-13, of a date the month, too, as 2027-05. Raises Refused."""
    text, today, is_date = one_line(wire, 20), date.today(), field.kind == "date"
    if (day := read_date(text, today)) is None or not (is_date or len(text) == DAY):
        raise Unusable(f"`{text}` is no day: write it as 2027-05-13{', or a month as 2027-05' * is_date}")
    if is_date and (away := (day - today).days) not in _REACH["date"]:
        why = "past" if away < 0 else "too far ahead: none is sold more than 330 days before"
        raise Refused(f"{text} is {why}.", hint="Choose another day.")
    return text


def _is_day_said(value: str, words: str, facts: Facts, reach: range) -> bool:
    before, _, now = words.partition("\n")  # the turn before stands first
    fits = (can_be(value, each, date.today(), reach) for each in (now, before))
    return next((each for each in fits if each is not None), _was_asked(value, facts))


def _place(wire: str, field: Field, facts: Facts) -> str:
    """Return the name of a place: as it is written, or of the line of a list that *wire* names."""
    text = one_line(wire, 60)
    id_ = {str(n): each for n, each in enumerate(facts.shown, 1)}.get(text, text)
    return next((row.private["place"] for row in _places(facts) if row.id == id_), text)


def _is_place_said(value: str, words: str, facts: Facts) -> bool:
    is_code = re.fullmatch("[A-Z]{3}", value)  # “to the sea” names no airport
    is_said = has_word(words, value) if is_code else has_word(fold_case(words), fold_case(value))
    return is_said or _was_asked(value, facts) or _is_picked(value, words, facts)


def _places(facts: Facts) -> list[Row]:
    """Return the places in the question that the user got, one per line."""
    return [row for table in facts.tables for row in table.rows if row.private.get("place")]


def _is_picked(value: str, words: str, facts: Facts) -> bool:
    """Return whether *words* choose that place in the question, by line or name."""
    typed = {*words_of(words.split("\n", 1)[-1])}  # the turn before stands first
    lines = enumerate((row.private["place"] for row in _places(facts)), 1)
    met = {place: len(typed & {str(n), *NTH[n - 1 : n], *words_of(place)}) for n, place in lines}
    return value in met and met.pop(value) > max(met.values(), default=-1)


def _was_asked(value: str, facts: Facts) -> bool:
    """Return whether a current list was found with that *value*."""
    rows = [row.private for table in facts.tables for row in table.rows if not row.private.get("place")]
    return any(fold_case(value) == fold_case(each) for private in rows for each in private.values())


# Offers of this thread, by their ids, by the lines of the list last shown, or the first of it by a rank.

_MOST_OFFERS = 10
_MOST_OF_ONE = 99
_COUNTS = "quantities"  # the kind of field that says how many of each
_WITH_AMOUNTS = ("money", "change")  # the kinds of field that may hold a limit
_BETWEEN = r"[\s,;&\[\](){}\"'`#]+|\band\b"
# The count stands before the offer, or behind a sign: 2 of o3, 2 x o3, 2x 3, o3 x2
_TIMES = r"\b(?:([0-9]{1,4}) ?(?:of|[x×*]) ?(o?[0-9]{1,6})|(o[0-9]{1,6}) ?[x×*] ?([0-9]{1,4}))\b"
_VERBS = "|".join(SORTS)
_RANKED = rf"(?:the )?(?:top )?(?:([0-9]{{1,3}}) )?({_VERBS})(?: first)?|top (?:([0-9]{{1,3}}) )?by (.+)"
_BY = {"price": "cheapest", "rating": "best rated"}  # what "top by" means of these; else it is sorted by name


class Ranked(tuple[str, ...]):
    """The ids of the offers that lead by a rank."""

    by = ""  # the rank, as people read it


def _offers(wire: str, field: Field, facts: Facts) -> tuple[str, ...]:
    """Return the ids in *wire*, each repeated by its count: o3 2, or 2 of o3, or top 3 by rating."""
    line = one_line(wire, 200).casefold()
    ranked = re.fullmatch(_RANKED, line)
    ids = _leading(facts, *ranked.groups()) if ranked else tuple(_offer_ids(line, facts))
    counts = Counter(ids)
    if not ids:
        raise Unusable("it names no offer")
    if len(counts) > _MOST_OFFERS:
        raise Unusable(f"it names {len(counts)} offers: name {_MOST_OFFERS} at most")
    if many := [id_ for id_, count in counts.items() if count > _MOST_OF_ONE]:
        raise Unusable(f"`{many[0]}` is wanted more than {_MOST_OF_ONE} times")
    return ids


def _offer_ids(line: str, facts: Facts) -> Iterator[str]:
    """Yield the offer ids in *line*, each as often as it appears."""
    found = {row.id for table in facts.tables for row in table.rows}
    lines = {str(n): id_ for n, id_ in enumerate(facts.shown, 1)}
    for word in filter(None, re.split(_BETWEEN, re.sub(_TIMES, _repeated, line))):
        id_ = lines.get(word, word)
        if id_ not in found:
            shown = one_line(word, 60)
            raise Unusable(f"`{shown}` is no offer of this thread: name ids as they stand, as o3 o7")
        yield id_


def _repeated(match: re.Match[str]) -> str:
    count, offer = match[1] or match[4], match[2] or match[3]
    return f" {offer} " * int(count)


def _leading(
    facts: Facts, count: str | None, verb: str | None, first: str | None, column: str | None
) -> Ranked:
    """Return the ids of the offers that the table listed last has first by a rank."""
    if facts.table is None:
        raise Unusable("there is no list to rank: name ids as they stand, as o3 o7")
    by = _BY.get(column, "sort") if column else verb or ""
    try:
        rows = leading(facts.table, FollowUp(by, word=column or ""), int(count or first or 1))
    except UsageError as error:
        raise Unusable(error.message) from None
    ranked = Ranked(row.id for row in rows)
    ranked.by = COUNTING if by == BEST_RATED else f"by {column}" if by == "sort" else by
    return ranked


def _are_counts_said(value: tuple[str, ...], words: str, facts: Facts) -> bool:
    """Return whether *words* contain each count above one. The model may choose the offers."""
    return {Decimal(count) for count in Counter(value).values()} - {Decimal(1)} <= numbers_in(words)


# Numbers and amounts of money in a person's own words.

_DIGITS = 40  # of a number; what is longer is none
_FACTORS = {"k": 1_000, "thousand": 1_000, "million": 1_000_000}
# A number as it is written, and what multiplies it: 1.299,00, -5, 2k
# Of groups of digits nine at most: before 3.11.5 Python matches a `(…)*+` wrongly where it has to go back.
_NUMBER = (
    rf"(?:(?<!\S)[-−])?\d[\d.,'’]*+(?:[ \u00a0\u202f]\d{{3}}(?!\d)){{0,9}}(?:\s?(?:{'|'.join(_FACTORS)})\b)?"
)
_SIGNS = {sign for each in CURRENCIES.values() for sign in (each.code.lower(), *each.signs, *each.home)}
_SIGN = "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True)))
_LETTER = r"[^\W\d_\u2e80-\uffff]"  # of a script that puts spaces between words
# A number that may be an amount, and the signs beside it: no part of 1080p, RTX-4070, 24-inch, #9, 100%.
_AMOUNT = (
    rf"(?<!{_LETTER})(?<!{_LETTER}-)(?<![\d.,#])(?:({_SIGN})[ \u00a0]?)?({_NUMBER})"
    rf"(?:[ \u00a0]?({_SIGN})(?!{_LETTER}))?+(?!-?{_LETTER}|%)"
)
_WORD = r"[\u2e80-\uffff]|[^\s\d.,:;!?()]+"  # of Chinese and Japanese each character
_HOME = "us"  # where prices are asked where it is not known where they are


def numbers_in(words: str) -> set[Decimal]:
    """Return all possible numbers in *words*. 1.299 has two readings."""
    lower = words.casefold()
    written = {number for each in re.finditer(_NUMBER, lower) for number in _readings(each[0])}
    return written | {Decimal(number) for number in spelt_in(lower)}


def _readings(text: str) -> set[Decimal]:
    """Return the possible values of *text* with either decimal mark, or none."""
    digits = "".join(str(int(each)) if each.isdecimal() else each for each in text.casefold())
    factor = next((word for word in _FACTORS if digits.endswith(word)), "")
    number = digits.removesuffix(factor).strip().rstrip(".,'’")
    read = [read_decimal(number, mark) for mark in ".,"] if len(number) <= _DIGITS else []
    return {each * _FACTORS.get(factor, 1) for each in read if each is not None}


class Number(NamedTuple):
    """A number. A price limit may have more digits than its currency."""

    value: Decimal
    currency: str = ""  # the code of the one that stands beside it


def _number(wire: str, field: Field, facts: Facts) -> Number:
    """Return the number that *wire* is, as 5 or 112.3045, perhaps with a currency's code, as 112.30 USD."""
    text, _, code = one_line(wire, 60).partition(" ")
    value = read_decimal(text, ".")
    if value is None or code.upper() not in ("", *CURRENCIES):
        raise Unusable(f"`{one_line(wire, 60)}` is no number: write it as 112.30, or as 112.30 USD")
    return Number(value, code.upper())


def _is_number_said(number: Number, words: str, facts: Facts) -> bool:
    """Return whether *words* contain the number, with the same sign or without one."""
    currency, lower = CURRENCIES.get(number.currency), words.lower()
    found = [match for match in re.finditer(_AMOUNT, lower) if number.value in _readings(match[2])]
    signs = [[sign for sign in match.group(1, 3) if sign and not _is_word(sign)] for match in found]
    if currency is None:
        return [] in signs or number.value in spelt_in(lower)
    is_meant = any(map(currency.has, re.findall(_WORD, lower)))
    return is_meant and any(all(map(currency.has, each)) for each in signs)


def _amount(wire: str, field: Field, facts: Facts) -> Money:
    """Return the amount that *wire* is, in a currency that is sure: 150 USD, $150, €1.299,00."""
    amount = amount_in(wire, facts.country, facts.currency)
    if amount is None or amount.amount <= 0:
        shown = one_line(wire, 60)
        raise Unusable(f"`{shown}` is no amount of money: write it with its currency, as 150 USD")
    return amount


def _is_amount_said(value: Money, words: str, facts: Facts) -> bool:
    """Return whether *words* contain the amount, without a sign of another currency."""
    lower, currency = words.lower(), CURRENCIES[value.currency]
    if not _is_meant(value.currency, lower, facts):
        return False
    written = {
        amount
        for before, number, after in re.findall(_AMOUNT, lower)
        if all(_is_word(sign) or currency.has(sign) for sign in (before, after) if sign)
        for amount in _readings(number)
    }
    return value.amount in written or value.amount in spelt_in(lower)


def _is_word(sign: str) -> bool:
    """Return whether *sign* is a word of a language sooner: French “le 150” is no Egyptian pound."""
    return len(sign) <= 2 and re.fullmatch(f"{_LETTER}+", sign) is not None


def _is_meant(currency: str, lower: str, facts: Facts) -> bool:
    """Return whether an amount may be in *currency*: that of where they are, of a list, or in their words."""
    home = home_currency(facts.country or _HOME)
    cells = [cell for table in facts.tables for row in table.rows for cell in row.cells.values()]
    currencies_meant = {facts.currency.upper(), home.code if home else "", *currencies(cells)}
    return currency in currencies_meant or any(map(CURRENCIES[currency].has, re.findall(_WORD, lower)))


KINDS: Mapping[str, Kind] = {
    "text": Kind(_as_it_is, _stands_in),
    "choice": Kind(_choice, _stands_in),
    "money": Kind(_amount, _is_amount_said),
    "number": Kind(_number, _is_number_said),
    _COUNTS: Kind(_offers, _are_counts_said),
    "change": Kind(_as_it_is, _is_change_said),
    **{kind: Kind(_day, partial(_is_day_said, reach=reach)) for kind, reach in _REACH.items()},
    "place": Kind(_place, _is_place_said),
}
