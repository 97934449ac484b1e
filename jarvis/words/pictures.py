"""Do the words ask for a picture of the screen?"""

from __future__ import annotations

import re

from .clauses import Clause
from .frames import is_statement

_SCREEN = r"(?:my|the|this|our) (?:whole |entire |full |current )?(?:screen|desktop|display|monitor|window)"
_SHOWN = r"(?:what(?:'s| is)|everything) on (?:my|the) screen|what i(?:'m| am) (?:looking at|seeing)"
_PICTURE = (
    r"(?:screen ?-?shot|screenie|screen ?-?capture|screen ?-?grab|screen ?-?cap|print ?screen|screen ?shoot|"
    rf"sc?re?e?n ?shot|(?:picture|pic|photo|image|snapshot|shot|capture) of (?:{_SCREEN}|(?:{_SHOWN})))"
)
_FORMAT = r"(?:an? )?(?:png|jpe?g|image|picture|file|proof|evidence)"
# What it is for, or how it is kept: it names nothing else. “A screenshot tool”, “to pdf” do.
_FOR = (
    rf"(?:as {_FORMAT}|in (?:png|jpe?g|full|high|color)|so|before|after|showing|"
    r"for (?:an?|my|the|our|this|that|him|her|them|us)|"
    r"to (?:an? file|my|the|show|send|share|see|keep|prove))\b"
)
_ENDS = (
    rf"(?: of (?:it|that|this|everything|{_SCREEN}|(?:the|this|that) (?:page|web ?site|site)))?"
    r"(?:\W*\b(?:please|pls|plz|now|right now|for me|thanks|quickly|again|real quick|asap|first|"
    r"if you can)\b)*"
    rf"(?:\W*\Z|\W+{_FOR})"
)
_SOME = (
    r"(?:(?:an?|one|another|some|two|new|quick|full|fresh|good|clear|last|final|single|more|"
    r"full[- ]?screen) )*"
)
# Whoever takes or grabs is at the screen; “get screenshots”, “create screenshots” is asked of the web.
_TAKES = re.compile(
    r"(?i)(?:take|mind taking|grab|capture|snap|shoot)(?: me| us)? (?:the )?"
    rf"(?:{_SOME}(?:{_PICTURE}|snapshot)|(?:two|some|more) {_PICTURE}s){_ENDS}"
    rf"|(?:make|get|do|save|create|give me|have)(?: me| us)? {_SOME}{_PICTURE}{_ENDS}"
    r"|(?:screen ?-?(?:shot|cap|grab)|capture|snap|photograph|grab|print|save) "
    rf"(?:{_SCREEN}|(?:{_SHOWN})|screen){_ENDS}"
    rf"|screen ?-?(?:shot|cap|grab) (?:it|(?:that|this)(?: page| web ?site| site)?|everything){_ENDS}"
    rf"|{_SOME}{_PICTURE}{_ENDS}"
)
_MENTIONS = re.compile(rf"(?i){_PICTURE}|\b(?:capture|photograph|record)\b.{{0,20}}{_SCREEN}")


def asks_for_picture(clause: Clause) -> bool:
    if clause.kind or clause.framed or is_statement(clause.thing):
        return False
    return bool(_TAKES.match(clause.thing))


def mentions_picture(words: str) -> bool:
    """Whether *words* speak of a picture of the screen at all; in many languages it is called the same."""
    return bool(_MENTIONS.search(words))
