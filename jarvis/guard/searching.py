"""Whether a query may be sent: it goes out, so it may not carry away what was said before."""

from __future__ import annotations

import re

from ..turn import Effect, Facts, Grant
from .verdict import Verdict, allow, ask, refuse

LONGEST = 200  # characters
_RUN = 6  # words in a row
_DIGITS = 7  # in a row, whatever stands between them
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
    if _runs(query) & _runs(facts.said_before) - _runs(words):
        return "words of the conversation that you did not say now"
    before = f"{facts.said_before}\n{facts.material}"
    if _figures(query, before) and not _figures(query, words):
        return "figures that you did not say now"
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
    found = re.findall(r"\w+", text.casefold())
    return {" ".join(found[n : n + _RUN]) for n in range(len(found) - _RUN + 1)}


def _figures(query: str, text: str) -> bool:
    """Whether a long row of figures in *query* is in *text* too."""
    rows = [re.sub(r"\D", "", row) for row in re.findall(r"\d(?:[ .,:/()-]*\d)+", query)]
    all_of_it = re.sub(r"\D", "", text)
    return any(len(row) >= _DIGITS and row in all_of_it for row in rows)


def _is_secret(word: str) -> bool:
    """Letters mixed with figures, as in no word that people say."""
    return len(word) > 5 and bool(re.search(r"\d", word)) and bool(re.search(r"[^\W\d]", word))


def _is_long(word: str) -> bool:
    return len(word) >= _LONG
