"""What the words ask to be done, clause by clause. English only: what can't be read asks for nothing."""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 1000  # characters that are looked at: a pasted text asks for nothing

_STARTS = (
    r"open(?: up)?|re-?open|launch|start(?: up)?|run|fire up|boot up|bring up|pull up|pop open|load(?: up)?"
)
_GOES = (
    r"visit|(?:go|get|head|jump|switch|navigate|browse)(?: back| over)?(?: me)? (?:on)?to|goto|view|"
    r"(?:take|bring|get|direct|send|lead) me (?:back |over )?(?:on)?to"
)
_SHOWS = r"show(?: me)?|let me see|display|see|look at"
_POLITE = re.compile(
    r"(?i)(?:(?:hey|hi|hello|ok(?:ay)?|so|now|next|first|finally|also|just|quickly|please|kindly|pls|plz|"
    r"jarvis|can you|could you|would you|will you|can u|would you mind|"
    r"if you (?:can|could|would|find (?:it|one|them))|"
    r"i(?:'d| would| also)* (?:like|want|need|wish)(?: you)?(?: to)?(?: have)?|go ahead(?: and)?|"
    r"let's|lets|help me(?: to)?|try to|for me|maybe|once (?:found|done)|when (?:found|done)|after that|"
    r"then|and|thanks|thank you|be so kind(?: as)? to|use the browser to|in (?:my|the) browser|to)\b[\s,:]*)+"
)
_ACT = re.compile(rf"(?i)(?:(?P<starts>{_STARTS})|(?P<goes>{_GOES})|(?P<shows>{_SHOWS}))(?=\W|\Z)[\s:]*")
# Another verb, or a word with which no name begins: a list of things to open ends here.
_ELSE = re.compile(
    r"(?i)(?:find|search|look|google|tell|say|give|take|make|save|read|let|get|check|ask|send|write|play|list|"
    r"summari[sz]e|translate|explain|compare|describe|remind|remember|note|copy|print|close|stop|quit|kill|"
    r"screenshot|capture|snap|grab|"
    r"what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|should|if|whether|so|"
    r"i|we|it's|don'?t|do not|never|without|not|no|but|because|since|about)\b"
)
# Where clauses part: but not within quotes, where somebody else's words stand.
_PART = re.compile(
    r"(?i)\s*(?:[,;&]|[.!?](?=\s)|\band\b|\bplus\b|\bthen\b|\bas well as\b|\bbut\b|\bso (?:that )?i can\b)\s*"
)
_QUOTED = re.compile(r"“[^”]*”|«[^»]*»|\"[^\"]*\"|(?<!\w)'[^']* [^']*'(?!\w)|‘[^’]* [^’]*’|`[^`]*`")
_NO = (
    r"(?:don['’]?t|do n['’]t|do not|never|without|not|no need to|stop|avoid|refrain from|"
    r"instead of|rather than)"
)
_FORBIDS = re.compile(
    rf"(?i)\b{_NO}\b[^.;!?]{{0,40}}?\b(?P<what>"
    r"(?:re-?)?open\w*|launch\w*|start\w*|run(?:ning)?|visit\w*|go(?:ing)? to|load\w*|bring\w* up|pull\w* up|"
    r"navigat\w+|brows\w+|tak(?:e|ing)|captur\w+|screenshot\w*|snap\w*|grab\w*|do(?:ing)? anything)\b"
    r"|\b(?:open|launch|start|visit) nothing\b"
    r"|\bno (?P<noun>opening|launching|browser|screenshots?|pictures?)\b"
)
_REST = re.compile(r"(?i)(?:(?!\b(?:but|just|only|instead)\b)[^,.;!?\n])*")


class Clause(NamedTuple):
    """One thing that is asked for."""

    kind: str  # "starts" | "goes" | "shows" | "": something else
    thing: str  # what stands after its verb; all of it, where there is no such verb


def clauses(words: str) -> list[Clause]:
    """The clauses of *words*, in order. A name in a list is a clause of the verb before it."""
    found: list[Clause] = []
    for part in _parts(words[:LONGEST]):
        polite = _POLITE.match(part)
        bare = part[polite.end() :] if polite else part
        if act := _ACT.match(bare):
            found.append(Clause(act.lastgroup or "", bare[act.end() :].strip()))
        elif found and found[-1].kind and bare and not _ELSE.match(bare):
            found.append(Clause(found[-1].kind, bare.strip()))
        elif bare or not found:
            found.append(Clause("", bare.strip()))
    return found


def forbidden(words: str) -> tuple[bool, bool]:
    """Whether *words* say that nothing is to be opened, and that no picture is to be taken."""
    opening = picture = False
    for match in _FORBIDS.finditer(words[:LONGEST].replace("\n", " ")):
        what = (match["what"] or match["noun"] or "open").lower()
        is_picture = what.startswith(("tak", "captur", "screenshot", "snap", "grab", "picture"))
        picture = picture or is_picture or what.startswith("do")
        opening = opening or not is_picture
    return opening, picture


def without_forbidden(words: str) -> str:
    """*words* but for what they say is not to be done, to the end of its clause."""
    kept, at = [], 0
    for match in _FORBIDS.finditer(words[:LONGEST]):
        kept.append(words[at : match.start()])
        rest = _REST.match(words, match.end())
        at = rest.end() if rest else match.end()
    return "".join((*kept, words[at:]))


def _parts(words: str) -> list[str]:
    quoted = [match.span() for match in _QUOTED.finditer(words)]
    parts, start = [], 0
    for match in _PART.finditer(words):
        if not any(begin < match.end() and match.start() < end for begin, end in quoted):
            parts.append(words[start : match.start()])
            start = match.end()
    return [part.strip() for part in (*parts, words[start:])]
