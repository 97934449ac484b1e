"""Does the person want the website of somebody or something, and whose?

Judged by the person's words; the query, which the model wrote, only fills in for a pronoun.
English only: in other languages, and where in doubt, the answer is None, and results keep
their plain order.
"""

from __future__ import annotations

import re

from ..text import one_line

_OPEN = (
    r"open(?: up)?|visit|go(?: back)? to|take me (?:back )?to|bring me to|get me (?:on)?to|"
    r"bring up|pull up|load(?: up)?|launch|show(?: me)?|navigate to|browse to|head (?:over )?to|"
    r"jump to|switch to|direct me to|let me see|see|display|view"
)
_LOOK = r"find(?: me)?|look up|look for|search(?: the web| online)? for|search up|google|locate|get(?: me)?"
_THEN = (
    r"tell|read|summari[sz]e|take|save|capture|screenshot|check|search|look|find|get|give|list|send|make|"
    r"copy|print|play|sign|log|click|see|let|close|start|show|note"
)
_SPLIT = re.compile(
    rf"[,;.!?]*\s+(?:and|then|so you can|so i can|to)\s+(?:then\s+)?(?=(?:{_OPEN}|{_THEN})\b)"
    rf"|[,;]\s+(?=(?:{_OPEN}|{_THEN})\b)|[.!?;]+\s+",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:(?:hey|hi|ok(?:ay)?|so|now|please|kindly|jarvis|just|then|quickly|first|"
    r"(?:can|could|would|will) you|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|"
    r"let's|help me|try to)\b[\s,]*)+",
    re.IGNORECASE,
)
_VERB = re.compile(rf"(?:(?P<open>{_OPEN})|(?P<look>{_LOOK}))\s+", re.IGNORECASE)
_AFTER = re.compile(
    r"[\s,]+(?:please|for me|again|now|right now|online|on the web|on the internet|thanks|thank you|"
    r"in (?:a new |another |my |the |a )?"
    r"(?:tab|window|browser|web browser|firefox|chrome|chromium|safari|edge))\Z",
    re.IGNORECASE,
)
_SITE = r"(?:web ?sites?|(?:home|web|landing|start|front|main)[ -]?pages?|sites?|pages?|web presence)"
_OWN = r"(?:(?:official|own|main|actual|real|public|company|corporate) )*"
_OF = re.compile(rf"(?:the )?{_OWN}(?P<noun>{_SITE}) (?:of|for|belonging to) (?P<name>.+)\Z", re.IGNORECASE)
_POSSESSIVE = re.compile(rf"(?P<name>.+?)(?:['’]s|(?<=s)['’]) {_OWN}(?P<noun>{_SITE})\Z", re.IGNORECASE)
_BEFORE = re.compile(rf"(?:the )?{_OWN}(?P<name>.+?) {_OWN}(?P<noun>{_SITE})\Z", re.IGNORECASE)
# The site of somebody named elsewhere.
_THEIRS = re.compile(
    rf"(?:the|their|its|his|her|this|that|this one's|that one's)"
    rf"(?: (?:artist|author|band|club|company|hotel|maker|museum|place|restaurant|school|shop|team)['’]s)?"
    rf" {_OWN}{_SITE}\Z",
    re.IGNORECASE,
)
_IT = re.compile(r"(?:it|that|this|them|him|her|that one|this one)\Z", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:(?:what|where|which)(?:['’]s| is| are)|do you know|tell me|give me|i want|i need)\s+", re.IGNORECASE
)
# What is sought is something on the web, not somebody's place there. Written with a capital, such
# a word may be part of a name (“BBC News”) unless it says of what it is.
_THINGS = (
    r"answers?|apps?|articles?|blogs?|books?|clips?|definitions?|docs|documentation|downloads?|entry|episodes?|"
    r"examples?|facts?|files?|folders?|forecasts?|forms?|guides?|how|images?|information|info|jobs?|links?|lists?|"
    r"lyrics|manuals?|maps?|meanings?|menus?|movies?|music|names?|news|numbers?|ones?|pages?|papers?|pdfs?|"
    r"photos?|pictures?|places?|posts?|prices?|problems?|products?|questions?|recipes?|releases?|reports?|"
    r"restaurants?|results?|reviews?|schedules?|scores?|screenshots?|shops?|sites?|solutions?|songs?|something|"
    r"stores?|stor(?:y|ies)|summary|synonyms?|tabs?|tables?|texts?|things?|threads?|tickets?|times?|tips|"
    r"trailers?|translations?|tutorials?|videos?|ways?|weather|websites?|when|why|windows?|words?"
)
_THING = re.compile(rf"\b(?:{_THINGS})\b")
_THING_OF = re.compile(rf"\b(?:{_THINGS}) (?:about|at|by|for|from|in|of|on|to|that|with)\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"(?:an?|any|every|all|each|my|our|your|some|one|two|both|either|another|several|good|nice|cheap|"
    r"the (?:first|second|third|fourth|fifth|last|next|previous|other|same|top|right|\w+est|most|best|first)|"
    r"best|cheapest|nearest|closest|latest|newest|oldest|most|top|if|whether|how|what|where|who|when|why|which|out)\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:about|that|which|where|who|whose|near me|nearby|how|versus|vs)\b", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|here|one|you|me|us)\Z",
    re.IGNORECASE,
)
_LONGEST_NAME = 10  # words
_LONGEST_GOAL = 500  # characters; a pasted text asks for no site


def wanted_site(goal: str, query: str) -> str | None:
    """The name of what the person wants the own website of; None if it's something else they want."""
    looked = ""
    for clause in _SPLIT.split(_tidy(goal[:_LONGEST_GOAL])):
        verb, thing = _parted(clause)
        if _THEIRS.match(thing) or (verb == "open" and _IT.match(thing)):
            if verb == "open" or not looked:
                return _referred(looked, thing, query)
            continue
        name = _named(thing)
        if name is None and verb == "open":
            name = _bare_name(thing)
            if name is None:
                return None
        if name:
            return name
        looked = thing if verb == "look" else looked
    return None


def _parted(clause: str) -> tuple[str, str]:
    """What is to be done ("open", "look" or ""), and with what."""
    clause = _POLITE.sub("", clause, count=1) if _POLITE.match(clause) else clause
    verb = _VERB.match(clause)
    rest = clause[verb.end() :] if verb else _QUESTION.sub("", clause, count=1)
    while (shorter := _AFTER.sub("", rest)) != rest:
        rest = shorter
    return (verb.lastgroup or "") if verb else "", _tidy(rest)


def _named(thing: str) -> str | None:
    """X, where *thing* is “X's website”, “the website of X” or “the X website”."""
    for pattern in (_OF, _POSSESSIVE, _BEFORE):
        match = pattern.match(thing)
        if match:
            noun, name = match["noun"].lower(), match["name"]
            within = noun == "page" and re.search(r"['’]s? \w+\Z", name)  # “Acme's careers page”
            return None if noun.endswith("s") or within else _name(name)
    return None


def _bare_name(thing: str) -> str | None:
    if _THING_OF.search(thing) or _THING.search(thing) or _DESCRIBES.search(thing):
        return None
    return _name(thing)


def _name(words: str) -> str | None:
    name = _tidy(words)
    if _VAGUE.match(name) or _DESCRIBES.search(name):
        return None
    name = re.sub(r"(?i)\Athe\s+(?=\S)", "", name)
    if not re.search(r"\w", name) or _PRONOUN.match(name) or re.fullmatch(r"[\d#. ]+", name):
        return None
    return name if len(name.split()) <= _LONGEST_NAME else None


def _referred(looked: str, thing: str, query: str) -> str | None:
    """Whom “their website” or “it” means: what was to be found, else what the model searches for."""
    if looked:
        return _name(looked) if _THEIRS.match(thing) else _bare_name(looked)
    stripped = re.sub(
        rf"(?i)['’]s?(?= {_OWN}{_SITE}\Z)|\b(?:the |an? )?(?:official|{_SITE})\b(?: (?:of|for)\b)?",
        " ",
        one_line(query),
    )
    says_site = stripped.split() != one_line(query).split()
    return _name(stripped) if says_site or _THEIRS.match(thing) else None


def _tidy(words: str) -> str:
    return one_line(words).strip(" \"“”‘.,;:!?'()")
