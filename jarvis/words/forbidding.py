"""What the words say is not to be done. It is looked for before anything else."""

from __future__ import annotations

import re

from .clauses import LONGEST, OPEN

_ING = (
    r"(?:re-?)?(?:opening|launching|starting|running|visiting|going to|loading|bringing up|pulling up|"
    r"navigating|browsing|taking|capturing|screenshot\w*|snapping|grabbing|doing (?:anything|it))"
)
_DO = (
    rf"{OPEN}\w*|launch\w*|start\w*|run(?:ning)?|visit\w*|go(?:ing)? to|load\w*|bring\w* up|pull\w* up|"
    r"navigat\w+|brows\w+|tak(?:e|ing)|captur\w+|screenshot\w*|snap\w*|grab\w*|do(?:ing)? anything"
)
# “I don't know their address, open it” forbids nothing.
_NOTHING = r"(?! (?:know|care|mind|worry|remember|have|see|understand|like|waste|forget|hesitate)\b)"
_NOT = (
    rf"(?:(?:do ?n't|dont|do not){_NOTHING}|never(?! ?mind\b)|(?:must|should)(?:n't| not)|"
    r"not(?! (?:(?:sure|certain|only)\b|(?:that|this)(?: one)?,))|no need to)"
)
# A comma ends what is forbidden, unless the words only insist: “don't, ever, please, open it”.
_INSISTS = r",? *(?:you dare|ever|even|please|under|in any|at all|i (?:repeat|beg)|whatever|jarvis)\b"
_ON = r"(?:(?!\b(?:but|just|only|instead)\b)[^.;!?]){0,40}?"
_WITHIN = r"(?:(?!\b(?:but|just|only|instead)\b)[^,.;!?]){0,40}?"
# “Don't click, open or visit it” may forbid all of them, or one. “I don't smoke, open it” forbids nothing.
_UNCLEAR = re.compile(
    r"(?i)(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bit )(?<!\byou )\b(?:do ?n't|dont|do not|never(?! ?mind\b))"
    rf"{_NOTHING}(?:(?!\b(?:but|just|only|instead)\b)[^,.;!?]){{1,40}},{_ON}\b(?:{_DO})\b"
)
_AS_IT_IS = r"(?!(?<=\bit's not) \w+ing\b)"  # “it's not loading, open it”
_FORBIDS = re.compile(
    rf"(?i)(?<!\bwhy )(?<!\bif it's )(?<!\bif it is )\b{_NOT}\b{_AS_IT_IS}(?:{_INSISTS}{_ON}|{_WITHIN})\b"
    rf"(?P<what>{_DO})\b"
    rf"|\b(?:without|no need for|stop|avoid|refrain from|quit|cease|skip|cancel|hold off(?: on)?|instead of|"
    rf"rather than|against)\b (?:\w+ ){{0,2}}?(?P<ing>{_ING})\b"
    rf"|\b(?:refuse|decline) to (?P<refused>{_DO})\b"
    r"|\b(?:rather|prefer)(?: that| if)? you (?:did ?n't|did not|do ?n't) (?P<rather>\w+)"
    r"|\b(?:open|launch|start|visit) nothing\b"
    r"|\bno (?P<noun>opening|launching|browser|screen ?-?shots?|pictures?|pics?|photos?)\b"
)
_REST = re.compile(r"(?i)(?:(?!\b(?:but|just|only|instead)\b)[^,.;!?\n])*")


def forbidden(words: str) -> tuple[bool, bool]:
    """Whether *words* say that nothing is to be opened, and that no picture is to be taken."""
    opening = picture = False
    for match in _FORBIDS.finditer(words[:LONGEST].replace("\n", " ")):
        groups = ("what", "ing", "refused", "rather", "noun")
        what = next((match[group] for group in groups if match[group]), "open").lower()
        is_picture = what.startswith(("tak", "captur", "screen", "snap", "grab", "pic", "photo"))
        picture = picture or is_picture or what.startswith("do")
        opening = opening or not is_picture
    return opening, picture


def is_unclear(words: str) -> bool:
    """Whether it can be read in two ways what *words* forbid: then nothing in them is an order."""
    return bool(_UNCLEAR.search(words[:LONGEST]))


def without_forbidden(words: str) -> str:
    """*words* but for what they say is not to be done, to the end of its clause."""
    kept, at = [], 0
    for match in _FORBIDS.finditer(words[:LONGEST]):
        kept.append(words[at : match.start()])
        rest = _REST.match(words, match.end())
        at = rest.end() if rest else match.end()
    return "".join((*kept, words[at:]))
