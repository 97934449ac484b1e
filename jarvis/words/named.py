"""Which addresses do the words name as what is to be opened, and which only speak of it?"""

from __future__ import annotations

import re

from ..urls import typed

# “The front page of a.example”, “search for a.example”: the address is the very thing.
_OF_IT = re.compile(
    r"(?i)(?:\A|\b(?:the|an?|my|find|get|check) )(?:(?:home|front|main|start|landing|login|official|web) ?)?"
    r"(?:page|web ?site|site|url|link|address|tab) (?:of|for|to)\b"
    r"|\b(?:search|look|searching|looking)(?: up)? for\b"
)
# “The wikipedia page about a.example”, “an alternative to a.example”: it is about the address.
_ABOUT = re.compile(
    r"(?i)\b(?:about|of|for|from|to|against|like|than|versus|vs|not|except|without|instead|rather|but|"
    r"who|whom|whose|which|that|how|why|if|whether|owns)\b"
)
_LIST = re.compile(r"(?i)\W*(?:(?:and|or|plus|then|also|both)\b\W*)*")


def named_in(thing: str) -> list[str]:
    """The addresses that *thing* is: one that it begins with or leads to, and those listed with it.

    “A.example to scan b.example”, “a.example instead of b.example” name the first alone.
    """
    found: list[str] = []
    between: list[str] = []
    for word in thing.split():
        if (address := typed(word)) is None:
            between.append(word)
            continue
        said = re.sub(r"(?i) for me\b", "", " ".join(between))
        if not (_LIST.fullmatch(said) if found else not _ABOUT.search(_OF_IT.sub("", said))):
            break
        found.append(address)
        between = []
    return found
