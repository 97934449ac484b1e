"""What stands before an order and is none: a greeting, a please, “could you”."""

from __future__ import annotations

import re

_CALLS = (
    r"(?:hey|hi|hello)(?: there)?|yo|oi|jarvis|computer|mate|buddy|man|dude|bro|um|uh|oh|hmm|sorry|oops|"
    r"come on|alright|all right|right|well|great|cool|perfect|fine|nice|awesome|excellent|sure|yes|yeah|"
    r"yep|no|nope|ok(?:ay)?|k|thx|ty|cheers|thanks|thank you|i mean(?:t)?|actually"
)
_PLEASE = (
    r"please|kindly|pls|plz|plss?|possibly|just|simply|quickly|real quick|quick|maybe|perhaps|for me|"
    r"do me a favou?r|be a dear|be so kind(?: as)? to|go ahead(?: and)?|feel free to|"
    r"make sure (?:to|you)|don'?t forget to|try to|help me(?: to)?|"
    r"if (?:possible|you (?:can|could|would|find (?:it|one|them)|don'?t mind|please|"
    r"have (?:a )?(?:time|moment|minute|sec(?:ond)?))|it(?:'s| is) not too much \w+)|"
    r"when(?:ever)? you (?:get|have) (?:a|the) (?:chance|moment|minute|sec(?:ond)?)(?! to\b)"
)
_COULD_YOU = (
    r"(?:can|could|would|will)(?: you| u| ya)(?: please| pls)?(?: be able to)?|"
    # “Would you mind taking a screenshot” is read with its “mind”: “taking” alone is no order.
    r"(?:would|do) you mind(?! taking)|mind(?= (?!taking)\w+ing\b)|"
    r"(?:is there )?any chance (?:that )?you could|(?:do you )?think you (?:can|could)|"
    r"are you able to|(?:is it|would it be) possible (?:for you )?to|"
    r"why (?:do ?n'?t (?:you|we)|not)(?= \w+ )|"
    r"i was (?:wondering|hoping)(?: (?:if|whether))? you (?:could|can|would)|"
    r"i(?:'d| would) (?:be grateful|appreciate it) if you (?:could|would)"
)
_I_WANT = (
    # Whoever likes a site asks for nothing.
    r"i(?:'d| would)(?: also| really| just)* (?:like|love|want|need|wish)(?: (?:you|u))?(?: to)?(?: have)?|"
    r"i(?: also| really| just)* (?:(?:want|need|wish)(?: (?:you|u))?(?: to)?|(?:like|love) (?:(?:you|u) )?to)"
    r"(?: have)?|"
    r"(?:i(?:'d| would)? )?(?:wanna|gotta)|(?:i|we) (?:have|need|ought|got) to|time to|"
    r"(?:can|could|may) i(?: (?:please )?(?:get|have)|(?= (?:please )?see\b))|(?:can|could) we|"
    r"let me(?= (?:go|visit|look|see)\b)|use (?:\w+ ){1,3}?to|let's|lets|let us"
)
_IN_ORDER = (
    r"so|now|next|first of all|finally|"
    r"(?:first|second)(?! (?:ones?|result|link|hit|site|page|entry|of)\b|\W*\Z|"
    r"\W+(?:please|pls|plz|too|now)\b)|"
    r"(?:one |the |and )?(?:last|final|quick|other) (?:thing|one)(?=\s*[:,–—-])(?:\s*[–—-])?|btw|"
    r"in the meantime|for now|hello again|lastly|also|then|and|after that|afterwards|in that case|"
    r"one more thing|before i forget|step \d+|\d+[.)](?= )|task|to-?do|in (?:my|the) browser|"
    r"(?:once|when) (?:you(?:'re| are) )?(?:found|done)"
)
_POLITE = re.compile(
    rf"(?i)(?:[\s>•*@-]+(?=\w))?(?:(?:{_CALLS}|{_PLEASE}|{_COULD_YOU}|{_I_WANT}|{_IN_ORDER}|(?<=\s)to)"
    r"(?!\w)[\s,:]*)+|\A[\s>•*-]+(?=\w)"
)


def courtesy(part: str) -> int:
    """Where in *part* the order begins."""
    polite = _POLITE.match(part)
    return polite.end() if polite else 0
