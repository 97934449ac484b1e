"""Orders to open at the end of other words: “find it and open it”, “the MIT site in my browser”."""

from __future__ import annotations

import re

from .clauses import Clause

SITES = (
    r"\b(?:web ?sites?|(?:home|web|landing|main)? ?-?pages?|sites?|urls?|links?|web ?shops?|results?|"
    r"browser|tab|it|that|them|there)\b"
)
_LOOKS = re.compile(
    r"(?i)(?:find|search|look|google|get|locate|once you|when you|after you|as soon as you|the |my |https?://|"
    r"(?:take|use) the \w+ (?:link|result))"
)
# An order of its own: it begins the words, or follows what it is about.
_OPEN_IT = re.compile(
    r"(?i)(?:\A|[,;:–—-] ?|\S\.\S+ |\b(?:and|n|then|please|it|one|them|(?:web ?)?site|page|address|link|url|"
    r"result|found|done|just|to me) )"
    r"(?:re-?open|open(?: up)?|visit|launch) (?:it|them|that|this|both)(?: one)?(?: up)?"
    r"(?=\W*(?:\Z|please|now|for me|in|on|with|thanks))"
)
_OPENED = re.compile(
    r"(?i)\A(?!.*\b(?:is|are|was|were|be|been|has|had|have|gets?|got|who|which|i|you|u|he|she|we|they|why|how)\b)"
    rf".{{0,80}}{SITES}.{{0,60}}\bopened(?: up)?(?: please| now| for me)*\W*\Z"
)
_IN_BROWSER = re.compile(
    r"(?i)\A(?!.*\b(?:is|are|was|were|be|been|has|had|have|does|did|says?|said|read|crash\w*|error|"
    r"virus|problem|"
    r"issue|bug|there|saw|works?|fails?|tell|explain|close|clear|delete|disable|enable|install|block)\b)"
    rf".*(?:{SITES}|\S\.\w\S*) (?:up |open )?(?:in|into|with|on) (?:my|the|a|a new|another) (?:web )?"
    r"(?:browser|tab)(?:,? (?:please|now|for me|thanks))*\W*\Z"
)


def ends_in_opening(clause: Clause) -> bool:
    """“Once you have the address open it”, “the MIT site in my browser”."""
    if clause.kind or clause.framed:
        return False
    if _LOOKS.match(clause.thing) and _OPEN_IT.search(clause.thing):
        return True
    return bool(_OPENED.search(clause.thing) or _IN_BROWSER.search(clause.thing))
