"""What takes an order back: it is somebody else's words, a question, a condition, or not meant after all.

English only, like the clauses that are read with it. Where it is too careful, the person is asked.
"""

from __future__ import annotations

import re

# The rest is text to be worked on, or what is to be told to somebody: to the end of the words.
_TEXT = re.compile(
    r"(?i)(?:translate|spell|define|rewrite|rephrase|paraphrase|proof-?read|pronounce|write|compose|draft|"
    r"type|dictate|e-?mail|text|message|send|reply|post|tweet|say|repeat|quote|imagine|pretend|"
    r"suppose|remind|"
    r"schedule|teach|warn|let (?!me\b|us\b)\w+ know|tell (?!me\b|us\b)|ask (?!me\b|for\b)|"
    r"the (?:phrase|words?|text|command|sentence|mail|message|page|prompt|"
    r"instructions?)\b(?=.*\b(?:is|are|was|reads|says)\b))"
)
# So is what is asked to be told step by step.
_MATERIAL = re.compile(
    r"(?i)\Adear\b(?! jarvis)|\A(?:ignore|disregard|override|bypass|finish|complete|continue|"
    r"rhyme|count|correct|"
    r"fix|add|jot|note)\b|\Aset (?:an?|the|my) (?:alarm|reminder|timer)\b"
    r"|\A(?:explain|describe|list|outline|give|tell|show|write)\b.*\b(?:steps?|instructions|"
    r"commands?|shortcuts?)\b"
)
# Or what follows a colon.
_TOLD = re.compile(
    r"(?i):(?:\s|\Z)|\b(?:said|says|saying|told|tells|wrote|writes|wants me to|wanted me to|asked me|asks me|"
    r"advise[sd]?|texted|e-?mailed|messaged|claim(?:s|ed)?|reads|warned|insist(?:s|ed)?|"
    r"instruct(?:s|ed)|according to|quote|unquote)\b"
)
# To the end of the sentence: what is asked about, and what is to be done another time or never.
_ASKS = re.compile(
    r"(?i)(?:should|shall|may i|might|must i|is (?:it|this|that|there|the|an?|my)|was (?:it|this|"
    r"that|there)|would it|"
    r"will it|what (?:would|will|if|do|does|did|happens?|happened)|what's the (?:best|right) way|"
    r"how (?:do|does|can|"
    r"could|would|to|did|should)|why|can (?:i|one|we|any)|could (?:i|one|we|any)|do (?:i|we|you|"
    r"they)|does|did|"
    r"have (?:i|you|we)|has|am i|are (?:you|we|they|there)(?! able))\b"
)
_HOW_TO = re.compile(
    r"(?i)(?:explain|describe|list|give|tell|show|find out|google|search|look up|check|see|learn|teach)\b.*"
    r"\b(?:how (?:to|do|can|i|you|one)|whether|if (?!you)|what happens|ways? to)\b"
)
# “Open is a verb”: the verb that makes it a statement, but not in “open the page that is listed first”.
# What follows these says something of the thing: “open github because my build is red”.
_ABOUT_IT = r"that|which|who|what|where|whose|whatever|how|because|since|so|as|while"
_STATES = re.compile(
    rf"(?i)\A(?:(?!\b(?:{_ABOUT_IT})\b).)*?"
    r"\b(?:is|was|were|are|seems?|(?:gives?|returns?|returned|shows?|throws?) (?:an?|me|\d+)\b|"
    r"fail(?:s|ed)|crash(?:es|ed)|hangs?\b|freezes|takes (?:forever|long|ages|an?|too|\d+)\b|"
    r"makes (?:my|me|the|it)\b|costs (?:me|us)\b|(?:he|she|they|people) (?:said|says?|told|keep)|"
    r"(?:would|might|could|may) be|means? (?:that|what|it|you|to)\b|"
    r"sounds? (?:like|good|great|fine|bad|odd|risky|right|wrong)|sa(?:ys|id) (?:the|my|an?|he|she))\b"
)
# “If you have time, open it” is no condition.
_POLITELY = (
    r" (?:you (?:can|could|have (?:a )?(?:time|moment|minute|sec(?:ond)?)|like|want|please|"
    r"(?:do|would) ?n'?t mind)|it(?:'s| is) not too much \w+)\W*\Z"
)
_UNLESS = re.compile(
    rf"(?i)(?:who(?:so)?ever|(?:only )?if(?! possible|{_POLITELY})|unless|in case|provided|assuming|"
    r"every time|each time|until|before(?! (?:i forget|(?:we|i) (?:start|begin|continue)))|"
    r"once(?! (?:you|we|found|done|more|again|(?:it|that)(?:'s| is) (?:done|found))\b)(?= \w)|"
    r"the (?:moment|minute|second|instant)(?= (?:i|it|he|she|we|they|my|the|his|her|our) \w)|"
    r"by the time|given that|only (?:then|when|after|once|with)|were (?:it|he|she|they)|"
    r"wait(?: (?:for|until|till|a|an)\b)|"
    r"when(?:ever)?(?! (?:done|found|ready|"
    r"you(?:'re| are| have| find|'ve| get (?:a|the) (?:chance|moment|minute|sec)(?!\w* to\b))))|"
    r"as long as|as soon as(?! (?:you|possible))|after (?!that|you)|tomorrow|tonight|later|at \d|"
    r"in \d+ (?:sec|min|hour|day|week)|next (?:week|month|time|year)|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_REFRAINS = re.compile(
    r"(?i)(?:under no circumstances?|in no case|on no account|at no (?:point|time|moment))\b|"
    r"(?:you )?(?:do not|do ?n'?t|never|not|must not|should not|mustn't|shouldn't)"
    r"(?=\W*\Z|\W+(?:under|in|at|for|ever|even|on|no|please|by|with|whatever|whatsoever)\b)"
)
_INSTEAD = re.compile(r"(?i)(?:but|instead|just|only(?!\W*\Z| (?:then|if|when))|rather)\b")
# Within what is to be done.
_CONDITION = re.compile(
    r"(?i)\b(?:(?:only )?if(?! you (?:can|could|would|like|find|want|please|do ?n'?t mind)| possible|"
    r" (?:it'?s |they'?re )?available| there is one| need be)|unless|whenever|provided|assuming|in case|"
    r"as long as|when (?!done|found|ready|you)|as soon as (?!you|possible)|"
    r"after (?:i|he|she|they|we|the|my|this|breakfast|lunch|dinner|work|school|midnight|noon)\b|"
    r"every (?:day|morning|evening|night|week|hour)\b|(?:this|in the) (?:morning|afternoon|evening)\b|"
    r"(?<!for )(?<!in )(?:tomorrow|tonight|later)\W*\Z|at \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)|"
    r"in (?:\d+|an?|two|five|ten) (?:seconds?|minutes?|hours?|days?|weeks?)\b|"
    r"once (?:i|it|he|she|they|we|the|my)\b|after asking|"
    r"(?:with|on|at) my (?:permission|ok(?:ay)?|consent|go|signal|command|mark|word)\b|"
    r"next (?:week|month|time|year)|(?:by|next|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|"
    r"in an? (?:while|bit|moment|few)\b|"
    r"(?:some ?day|one day|eventually|at some point|some other (?:time|day)|"
    r"hypothetically|theoretically|more often|(?<!as )soon|never ?mind|no stop|stop|forget (?:it|that)|"
    r"not (?:now|yet|today))\W*\Z|"
    r"(?:just|only) (?:kidding|joking)|(?:do not|do ?n'?t|not|never|jk|lol|as if)\W*\Z|"
    r"at \d{1,2}\W*\Z|at (?:noon|midnight|dawn|dusk|night|lunch(?: ?time)?)\b|in half an hour|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"(?:on|at|after|upon) (?:log-?in|log-?on|start-?up|boot|wake-?up)\b|myself\b|safely\b)"
    r"|[(\[–—-] ?\W*(?:do ?n'?t|do not|never|no|not|cancel|kidding|joking|jk)\b"
)
_BACK = re.compile(
    r"(?i)(?:(?:oh|wait|actually|hmm+|no|nah|nope|sorry|or|um|uh|well|please|and|but|ok|okay|"
    r"on second thoughts?)\W+)*"
    r"(?:no(?: wait)?|nope|nah|never ?mind(?: (?:that|it))?|forget (?:it|that|about it)|"
    r"(?:i'?m |i am |i was )?(?:just |only )?(?:kidding|joking)|jk|cancel(?: (?:it|that))?|"
    r"(?:scratch|scrap|strike|undo|disregard|ignore) (?:it|that)|disregard|"
    r"leave it(?: closed| alone| be)?|(?:do not|do ?n'?t)(?: (?:do|open|start|run|take))?"
    r"(?: (?:it|that))?|never|(?:maybe |perhaps |rather |better )?(?:not|do ?n'?t)(?: (?:really|now|that))?|"
    r"stop(?: (?:it|that))?|"
    r"(?:i(?:'ve| have)? )?changed my mind|"
    r"i (?:do ?n'?t|do not) think so|said (?:nobody|no ?one)(?: ever)?|as if|yeah right|"
    r"lol)(?: please| now| then)?\W*"
)
_ONLY_THEN = re.compile(r"(?i)\bonly (?:after|when|once|if)\b")
# “Open it, but only if it is safe”, “open it, provided it is free”, “open it. But ask me first”.
_QUALIFIES = re.compile(
    r"(?i)(?:(?:but|and|only|just|though|though,|well)\W+)*"
    r"(?:(?:if|when)(?! (?:you|possible|done|found|ready|not|need)\b)|"
    r"once(?! (?:you|more|again|done|found)\b)|"
    r"unless|until|till|provided|assuming|in case|given that|as (?:long|soon) as(?! (?:you|possible))|"
    r"after(?! (?:that|you)\b)|"
    r"not (?:before|until|till|yet|now|today|if|unless|when|of)\b|ask me|"
    r"check with me|with my|wait\b|let me (?:know|check|confirm)|only (?:at|on|in|by|with|from|for)\b)"
)
# “Open it, that is what the mail told me”.
_ATTRIBUTED = re.compile(
    r"(?i)(?:that'?s what|that is what|(?:it|he|she|they|who) (?:said|says|told|wrote|claims?)|"
    r"(?:said|says|claims|reads|wrote)\b|(?:this|the|that) (?:\w+ )?(?:said|says|told|wrote|claims?)\b)"
)


# “He told me about a site”, “says hello”: no words of somebody else's follow.
_NO_WORDS = re.compile(
    r"(?i)\bsa(?:id|ys) (?:hi|hello)\W*\Z|\btold (?:me|us) about an? (?:site|web ?site|page|app|program)\b"
)


class Frames:
    """Follows the parts of what is said, in order, and knows which of them stand in a frame."""

    def __init__(self) -> None:
        self._to_the_end = False
        self._in_sentence = False

    def holds(self, part: str, bare: str) -> bool:
        """Whether *part* is no order of the person's own, for what it says or what stood before it.

        bare: the same without what is only polite.
        """
        if _INSTEAD.match(part) and not self._to_the_end:
            self._in_sentence = False
        if _TEXT.match(bare) or _REFRAINS.match(bare) or _MATERIAL.search(bare):
            self._to_the_end = True
        if any(pattern.match(bare) for pattern in (_ASKS, _HOW_TO, _UNLESS)) or _UNLESS.match(part):
            self._in_sentence = True
        return self._to_the_end or self._in_sentence or bool(_CONDITION.search(bare))

    def heard(self, part: str) -> None:
        """*part* was no order: what follows may be what somebody else said in it."""
        if _TOLD.search(_NO_WORDS.sub("", part)):
            self._to_the_end = True

    def sentence_ends(self) -> None:
        self._in_sentence = False


def is_statement(thing: str) -> bool:
    """Whether what stands after the verb makes it no order: “open x is what he said”."""
    return bool(_STATES.match(thing))


def qualifies(part: str, after: str) -> bool:
    """Whether *part* says when, or on what condition, what stands before it is to be done."""
    if after in (".", "!", "?") and not re.match(r"(?i)but\b|only\b|ask me|wait\b|after asking", part):
        return False
    return bool(_QUALIFIES.match(part) or _ONLY_THEN.search(part))


def takes_back(part: str) -> bool:
    """Whether *part* says that what was said before it is not to be done, or is somebody else's."""
    return bool(_BACK.fullmatch(part) or _ATTRIBUTED.match(part))
