"""Do the words ask for a picture of the screen?"""

from __future__ import annotations

import re

from .clauses import Clause
from .frames import is_statement

_PICTURE = (
    r"(?:screen ?-?shots?|screen ?-?grabs?|screen ?-?caps?|print ?screen|screen ?shoots?|sc?re?e?n ?shots?|"
    r"(?:pictures?|photos?|images?|snapshots?|shots?|captures?) of (?:my|the|this|our) "
    r"(?:whole |entire |full |current )?(?:screen|desktop|display|monitor|windows?))"
)
_SCREEN = r"(?:my|the|this|our) (?:whole |entire |full |current )?(?:screen|desktop|display|monitor|window)"
_TAKE = r"(?:take|grab|make|get|capture|snap|do|save|create|shoot|give me|have)(?: me| us)?"
_ENDS = (
    rf"(?: of (?:it|that|this|everything|{_SCREEN}|(?:the|this|that) (?:page|web ?site|site)))?"
    r"(?:\W*(?:please|pls|plz|now|right now|for me|thanks|quickly|again))*"
)
_TAKES = re.compile(
    rf"(?i){_TAKE}\b[^.;!?]{{0,30}}?{_PICTURE}"
    rf"|(?:screen ?-?shot|screen ?-?cap|screen ?-?grab)(?: (?:it|that|this|everything|{_SCREEN}))?{_ENDS}"
    r"(?:\W*\Z|\W+(?:as|to|in)\b)"
    rf"|(?:capture|snap|photograph|grab|print|save) (?:{_SCREEN}|screen|what(?:'s| is) on my screen)\b"
    rf"|(?:(?:a|an|one|another|new|quick|full) )+{_PICTURE}{_ENDS}\W*\Z"
    rf"|(?:full )?{_PICTURE}{_ENDS}\W*\Z"
)
_MENTIONS = re.compile(rf"(?i){_PICTURE}|\b(?:capture|photograph|record)\b.{{0,20}}{_SCREEN}")


def asks_for_picture(clause: Clause) -> bool:
    if clause.kind or clause.framed or is_statement(clause.thing):
        return False
    return bool(_TAKES.match(clause.thing))


def mentions_picture(words: str) -> bool:
    """Whether *words* speak of a picture of the screen at all; in many languages it is called the same."""
    return bool(_MENTIONS.search(words))
