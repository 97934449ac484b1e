"""What stands before an order and is none: a greeting, a please, “could you”."""

from __future__ import annotations

import re

_POLITE = re.compile(
    r"(?i)(?:(?:hey|hi|hello|yo|alright|all right|right|well|great|cool|perfect|sure|yes|yeah|yep|no|nope|"
    r"um|uh|oh|hmm|sorry|ok(?:ay)?|k|so|now|next|first|second|finally|lastly|also|just|simply|quickly|"
    r"real quick|quick|please|kindly|pls|plz|plss?|thx|ty|cheers|mate|buddy|man|jarvis|"
    r"(?:can|could|would|will)(?: you| u| ya)(?: please| pls)?(?: be able to)?|"
    r"(?:would|do) you mind|do me a favou?r|be a dear|mind(?= \w+ing\b)|don'?t forget to|"
    r"make sure (?:to|you)|feel free to|"
    r"if you (?:can|could|would|find (?:it|one|them)|don'?t mind|please)|if possible|"
    r"i(?:'d| would| also| really| just)* (?:like|love|want|need|wish)(?: (?:you|u))?(?: to)?(?: have)?|"
    r"(?:i(?:'d| would)? )?(?:wanna|gotta)|i (?:have|ought|got) to|i mean(?:t)?|actually|oops|"
    r"go ahead(?: and)?|time to|"
    r"(?:is there )?any chance (?:that )?you could|(?:do you )?think you (?:can|could)|"
    r"would it be possible (?:for you )?to|(?:can|could|may) i (?:please )?(?:get|have)|(?:can|could) we|"
    r"let me(?= (?:go|visit|look|see)\b)|use (?:\w+ ){1,3}?to|let's|lets|help me(?: to)?|try to|"
    r"for me|maybe|perhaps|"
    r"once (?:you(?:'re| are) )?(?:found|done)|"
    r"when (?:you(?:'re| are) )?(?:found|done)|after that|afterwards|"
    r"then|and|thanks|thank you|be so kind(?: as)? to|in (?:my|the) browser|"
    r"(?<=\s)to)\b[\s,:]*)+"
)


def courtesy(part: str) -> int:
    """Where in *part* the order begins."""
    polite = _POLITE.match(part)
    return polite.end() if polite else 0
