"""What do the person's words allow? Read from their own text alone, before anything foreign is near.

Negation comes first. What can't be read, other languages included, allows nothing: then they are asked.
"""

from __future__ import annotations

import re

from .clauses import LONGEST, Clause, clauses, forbidden, without_forbidden
from .counting import things_named
from .search.wanted import wanted_site
from .turn import FORBIDDEN, SAID, UNSAID, Grant
from .urls import typed, typed_addresses

_SITE = re.compile(
    r"(?i)\b(?:web ?sites?|(?:home|web|landing|main)? ?-?pages?|sites?|urls?|links?|web ?shops?|results?|"
    r"browser|tab|it|that|them|there)\b"
)
_QUESTION = re.compile(
    r"(?i)\W*(?:what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|should|can i|"
    r"could i|may i|am i|has|have|had|tell me|explain|whether)\b"
)
_OPEN_IT = re.compile(r"(?i)\b(?:re-?open|open(?: up)?|visit|launch) (?:it|them|that|this|both)(?: one)?\b")
_OPENED = re.compile(r"(?i)\b(?:want|like|have|get)\b.{1,80}\bopened\b")
_IN_BROWSER = re.compile(r"(?i)\b(?:in|into|with|on) (?:my|the|a|a new|another) (?:web )?(?:browser|tab)\b")
_AGAIN = re.compile(
    r"(?i)\W*(?:(?:ok|okay|please|now|just|and|then)\W+)*"
    r"(?:(?:try|do|open|run|start|launch)(?: it| that| this)? )?"
    r"(?:again|once more|one more time|re-?try|repeat)(?: it| that)?(?: please| now)?\W*"
)
_NTH = {
    word: n
    for n, words in enumerate(
        "first 1st one|second 2nd two|third 3rd three|fourth 4th four|fifth 5th five|sixth 6th six|"
        "seventh 7th seven|eighth 8th eight|ninth 9th nine|tenth 10th ten".split("|"),
        1,
    )
    for word in words.split()
}
_ORDINAL = "|".join(word for word in _NTH if word[0].isdigit() or word.endswith(("st", "nd", "rd", "th")))
_ENTRY = r"(?:one|results?|links?|sites?|web ?sites?|pages?|entry|item|of (?:them|those|these)|in the list)"
_LINE = re.compile(
    rf"(?i)\b(?:the )?(?P<nth>{_ORDINAL}|last)(?: {_ENTRY}\b|(?=\W*(?:\Z|,|and\b|please\b)))"
    r"|(?:#|\b(?:number|no\.|result|line|link|item|entry|nr\.?) ?#?)(?P<n>[1-9]\d?)\b"
    r"|\A\W*(?:please )?(?:open|go to|visit|launch) #?(?P<bare>[1-9]\d?)(?: please)?\W*\Z"
)
_PICTURE = (
    r"(?:screen ?-?shots?|screen ?-?grabs?|screen ?-?caps?|print ?screen|"
    r"(?:pictures?|photos?|images?|snapshots?|shots?|captures?) of (?:my|the|this|our) "
    r"(?:whole |entire |full |current )?(?:screen|desktop|display|monitor|windows?))"
)
_SCREEN = r"(?:my|the|this|our) (?:whole |entire |full |current )?(?:screen|desktop|display|monitor|window)"
_TAKE = r"(?:take|grab|make|get|capture|snap|do|save|create|shoot|give me|have)(?: me| us)?"
_TAKES = re.compile(
    rf"(?i){_TAKE}\b[^.;!?]{{0,30}}?{_PICTURE}"
    rf"|(?:capture|screenshot|snap|photograph|print|grab|screen ?cap)\b(?: (?:it|that|this|{_SCREEN}))?"
    r"\W*(?:\Z|now|please|for me|as\b|to\b|of\b|with\b)"
    rf"|(?:(?:a|an|one|another|new|quick|the|full) )*{_PICTURE}(?:\W*(?:please|now|for me|thanks))*\W*\Z"
)
_MENTIONS = re.compile(rf"(?i){_PICTURE}|\b(?:capture|photograph|record)\b.{{0,20}}{_SCREEN}")


def grant_of(words: str, before: str = "") -> Grant:
    """What *words* allow. Those on several lines are pasted, at least in part: they allow nothing.

    before: what they asked last, which is what “try again” means.
    """
    if before and _AGAIN.fullmatch(words):
        words = before
    readable = len(words) <= LONGEST and "\n" not in words.strip()
    asked = clauses(without_forbidden(words)) if readable else []
    no_opening, no_picture = forbidden(words)
    opening = [clause for clause in asked if _opens(clause)]
    if _is_an_address(words):
        opening = [Clause("goes", words.strip())]
    said = bool(opening) or (readable and _ends_in_opening(words))
    return Grant(
        words,
        opens=_settled(said, forbids=no_opening),
        captures=_settled(any(map(_captures, asked)), forbids=no_picture),
        most=things_named(words),
        named=frozenset(_addresses(opening, words, everywhere=not opening and said)),
        things=tuple(clause.thing for clause in opening) or ((words,) if said else ()),
        objects=tuple(clause.thing for clause in opening if clause.kind == "starts"),
        lines=_lines(words) if readable else (),
        site=(wanted_site(words, "") or "") if readable else "",
    )


def mentions_picture(words: str) -> bool:
    """Whether *words* speak of a picture of the screen at all; in many languages it is called the same."""
    return bool(_MENTIONS.search(words))


def _settled(said: bool, *, forbids: bool) -> str:
    """Both at once can't be read: “open the one, but don't open the other”."""
    return UNSAID if said == forbids else FORBIDDEN if forbids else SAID


def _opens(clause: Clause) -> bool:
    if clause.kind == "shows":  # “show me the weather” asks for an answer
        return not clause.thing or bool(_SITE.search(clause.thing) or typed_addresses(clause.thing))
    return bool(clause.kind)


def _captures(clause: Clause) -> bool:
    return not clause.kind and bool(_TAKES.match(clause.thing))


def _is_an_address(words: str) -> bool:
    return len(words.split()) == 1 and typed(words.strip()) is not None


def _ends_in_opening(words: str) -> bool:
    """“Once you have the address open it”, “the MIT site in my browser”."""
    left = without_forbidden(words)
    patterns = (_OPEN_IT, _OPENED, _IN_BROWSER)
    return not _QUESTION.match(words) and any(pattern.search(left) for pattern in patterns)


def _addresses(opening: list[Clause], words: str, *, everywhere: bool) -> list[str]:
    """The addresses in what is to be opened; “open it” means those that stand elsewhere."""
    refers = everywhere or any(_SITE.match(clause.thing) or not clause.thing for clause in opening)
    return typed_addresses(words if refers else " ".join(clause.thing for clause in opening))


def _lines(words: str) -> tuple[int, ...]:
    found = [_line(match) for match in _LINE.finditer(words[:LONGEST])]
    return tuple(dict.fromkeys(found))


def _line(match: re.Match[str]) -> int:
    if number := match["n"] or match["bare"]:
        return int(number)
    nth = match["nth"].lower()
    return -1 if nth == "last" else _NTH[nth]
