"""Whether a query may be sent: it goes out, so it may not carry away what was said before."""

from __future__ import annotations

import re
import unicodedata

from ..turn import Effect, Facts, Grant
from .disguises import disguises
from .verdict import Verdict, allow, ask, refuse

LONGEST = 200  # characters
_RUN = 6  # words in a row
_DIGITS = 7  # in a row, whatever stands between them
_PIECE = 5  # digits of a longer row
_ROW = 9  # digits, and a piece of it tells something
_NO_ROW = r"\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,3}(?:,\d{3})+\b"  # a date, and 8,336,817
_KEY, _OF_A_KEY = 16, 10  # characters; of a longer one, so many tell something
_LONG = 24  # letters and digits without a space: what is encoded, or a key


def searching(effect: Effect, grant: Grant, facts: Facts) -> Verdict:
    query = effect.target
    if len(query) > LONGEST or not query.isprintable():
        return refuse("that is no query.")
    if reason := _carries(query, grant.words, facts):
        return ask(f"the query carries {reason}", "carries away")
    return allow("a search")


def _carries(query: str, words: str, facts: Facts) -> str:
    """What of the conversation *query* would carry away that this turn's *words* don't say."""
    if _bare(query) in _bare(words):
        return ""
    if _runs(query) & _runs(facts.said_before) - _runs(words):
        return "words of the conversation that you did not say now"
    before = f"{facts.said_before}\n{facts.material}"
    if _figures(query, before) and not _figures(query, words):
        return "figures that you did not say now"
    if any(_figures(read, before) and not _figures(read, words) for read in disguises(query)):
        return "figures that you did not say now, in another form"
    if _hides(query, _secrets(before) - _secrets(words)):
        return "what looks like a key or a code that you did not say now"
    said = words.casefold()
    for word in re.findall(r"\S+", query.casefold()):
        if word in said:
            continue
        if "@" in word.strip("@") and word.strip(".,;:\"'()") in before.casefold():
            return "an address that you did not say now"
        if _is_secret(word) and (_is_long(word) or word.strip(".,;:\"'()") in before.casefold()):
            return "what looks like a key or a code"
    return ""


def _runs(text: str) -> set[str]:
    found = re.findall(r"[^\W_]+", text.casefold())
    return {" ".join(found[n : n + _RUN]) for n in range(len(found) - _RUN + 1)}


def _figures(query: str, text: str) -> bool:
    """Whether a long row of figures in *query*, or a piece of a long one, is in *text* too."""
    rows, known = [*_rows(query), _digits(query)], _rows(text)
    if any(len(row) >= _PIECE and any(len(k) >= _ROW and row in k for k in known) for row in rows):
        return True
    all_of_it = _digits(text)
    return any(len(row) >= _DIGITS and row in all_of_it for row in rows)


def _rows(text: str) -> list[str]:
    """The rows of figures in *text*, whatever signs stand between them."""
    return [_digits(row) for row in re.findall(r"\d(?:(?:[\W_]|\band\b)*\d)+", _plain(text))]


def _digits(text: str) -> str:
    return "".join(c for c in _plain(text) if c.isdecimal())


def _plain(text: str) -> str:
    """*text* with figures of any script as 0 to 9, without dates and numbers in thousands."""
    plain = "".join(
        str(unicodedata.decimal(c)) if c.isdecimal() else c for c in unicodedata.normalize("NFKC", text)
    )
    return re.sub(_NO_ROW, " x ", plain)


def _secrets(text: str) -> set[str]:
    """The mail addresses, keys and codes in *text*, in letters and figures alone."""
    found = (word.strip(".,;:\"'()") for word in text.casefold().split())
    return {_bare(word) for word in found if "@" in word.strip("@") or _is_secret(word)}


def _hides(query: str, secrets: set[str]) -> bool:
    """Whether one of *secrets* is in *query*: apart, backwards or encoded too."""
    read = [_bare(form) for form in (query, *disguises(query))]
    pieces = {
        secret[at : at + _OF_A_KEY]
        for secret in secrets
        if len(secret) > _KEY
        for at in range(len(secret) - _OF_A_KEY + 1)
    }
    return any(len(secret) > 5 and any(secret in form for form in read) for secret in secrets | pieces)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _is_secret(word: str) -> bool:
    """Letters mixed with figures more than once, as in no word that people say: not iphone16, gpt-4o-mini.

    The price: a password that is a word and a year is not held back.
    """
    changes = (len(re.findall(r"\d(?=[^\W\d_])|[^\W\d_](?=\d)", part)) for part in re.split(r"[-.]", word))
    return len(word) > 5 and max(changes) > 1


def _is_long(word: str) -> bool:
    return len(word) >= _LONG
