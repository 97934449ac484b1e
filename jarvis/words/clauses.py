"""What the words ask to be done, clause by clause. English only: what can't be read asks for nothing."""

from __future__ import annotations

import re

from ..text import clean
from ..typed import NamedTuple
from .courtesy import courtesy
from .doubting import is_doubted
from .frames import Frames, is_statement, qualifies, takes_back

LONGEST = 1000  # characters that are looked at: a pasted text asks for nothing

OPEN = r"(?:re-?open|open(?: up)?|opne|oepn|opem|opn|oppen|opwn)"
_RUNS = (
    r"(?:re-?)?launch|lauch|(?:re-?)?start(?: up)?|strat|satrt|run|execute|kick off|fire up|boot up|spin up|"
    r"(?<=mind )(?:launching|starting|running)"
)
_STARTS = (
    rf"{OPEN}|bring up|pull up|(?:pop|crack|flip) open|load(?: up)?|"
    r"(?<=mind )(?:opening(?: up)?|bringing up|pulling up)"
)
_GOES = (
    r"visit|vist|(?:go|get|head|hop|jump|switch|navigate|browse|surf)(?: back| over| me)* (?:on)?to|"
    r"hop on|goto|"
    r"(?:take|bring|get|direct|send|lead) me (?:back |over )?(?:on)?to|"
    r"(?:go|(?:take|bring|get) me)(?: back)?(?= (?:back )?there\b)"
)
_SHOWS = (
    r"show(?: me)?|(?:click|tap)(?: on)?|let me see|let me look at|display|view|put up|"
    r"(?:see|(?:have a |take a )?look at|check out)(?= \S)"
)
# With these the verb is another word: “open source”, “run time”, “launch date”.
_NO_ORDER = (
    r"(?!(?<=open )(?:neither|none|"
    r"(?:no|zero|not a)(?: more| single)? (?:web ?)?(?:sites?|pages?|apps?|links?|tabs?|thing))\b"
    r"|(?<=open )(?:source|questions?|hours?|ended|minded|air\b|letters?|secrets?|sesame(?! street)|"
    r"relationships?|for business|heart|about)\b"
    r"|(?<=run )(?:times?|through|me|us|down|over|for|out|into|of|away|by|(?:that|this|it) by|"
    r"an? mile|late)\b"
    r"|(?<=launch )(?:dates?|times?|of|pads?|part(?:y|ies)|vehicles?)\b"
    r"|(?<=start )(?:dates?|times?|of|by|with|over|from|at|line|out|\w{3,}ing|my \w+ out)\b"
    r"|(?<=load )(?:balanc\w+|of|factors?|shedding|testing)\b"
    r"|(?<=up )about\b"
    r"|(?<=view )(?:on|from|of|points?)\b"
    r"|(?<=visit )to\b"
    r"|(?<=to )(?:know|market|conclusions|sleep|hell|bed|war|work|school|church|jail|prison|college)\b"
    r"|(?<=ing )hours\b|(?:if|whether|how|why|what(?! you (?:find|found|get)\b)|when|who|"
    r"that (?:the|it|they|he|she|there)|you)\b)"
)
_ACT = re.compile(
    rf"(?i)(?>(?:(?P<starts>{_STARTS})|(?P<runs>{_RUNS})|(?P<goes>{_GOES})|(?P<shows>{_SHOWS}))(?=\W|\Z)"
    rf"[\s:]*){_NO_ORDER}"
)
# “Get firefox running”, “I need the calculator open”.
_WANTS = re.compile(
    r"(?i)\W*(?:(?:please|jarvis|(?:can|could) you) )*(?:get|(?:i(?:'d|"
    r" would)? )?(?:really )?(?:need|want|like)"
    r"(?: to have)?) (?!to\b|you\b|him\b|her\b|them\b|(?:my|our) \w+ \w+ed\b)"
    r"(?P<thing>(?:(?!\b(?:if|that|who|is|are|not|i)\b).){2,60}?) "
    r"(?:open|running|up and running)(?:\W+(?:please|now|pls|for me|again))*\W*\Z"
)
# “Pull it up”, “bring their site up please”.
_UP = re.compile(
    r"(?i)(?:bring|pull|load|fire|boot|get|put) "
    r"(?P<thing>(?:it|that|this|them|.{1,50}\b(?:web ?site|site|page|link|result|article|one|app))) up"
    r"(?:\W+(?:please|now|pls|for me|again|on (?:my|the) screen))*\W*\Z"
)
# Another verb, or a word with which no name begins: a list of things to open ends here.
_ELSE = re.compile(
    r"(?i)(?:find|search|look|google|tell|say|give|take|make|save|read|let|get|check|ask|send|write|"
    r"play|list|"
    r"summari[sz]e|translate|explain|compare|describe|remind|remember|note|copy|print|close|stop|quit|kill|"
    r"screenshot|capture|snap|grab|"
    r"what|who|whom|whose|when|where|why|how|which|is|are|was|were|do|does|did|should|if|whether|so|"
    r"i|we|it's|don'?t|do not|never ?mind|forget|cancel|actually|nah|nope|wait|maybe|later|tomorrow|"
    r"never|without|not|no|but|because|since|about)\b"
)
# Where clauses part: but not within quotes, where somebody else's words stand.
_PART = re.compile(
    r"(?i)\s*(?:[,;&]|(?<!\bst)(?<!\bdr)(?<!\bmr)(?<!\bmt)(?<!\bmrs)(?<!\bvs)[.!?](?=\s)|"
    r"(?<=\w)\s+(?:\d+[.)]|\+)(?=\s)|\band\b|\bplus\b|\bso\b(?= (?:please |just )?(?:open|launch|start) \w)|"
    r"\bthen\b|\bas well as\b|\bbut\b|\bso (?:that )?i can\b)\s*"
)
_QUOTED = re.compile(r"“[^”]*”|«[^»]*»|\"[^\"]*\"|(?<!\w)'[^']* [^']*'(?!\w)|‘[^’]* [^’]*’|`[^`]*`")
_APOSTROPHES = re.compile("(?<=\\w)[\u2018\u2019\u02bc\u02b9\u2032\u00b4\uff07`](?=\\w)")


class Clause(NamedTuple):
    """One thing that is asked for."""

    kind: str  # "starts" | "runs" | "goes" | "shows" | "": something else
    thing: str  # what stands after its verb; all of it, where there is no such verb
    framed: bool = (
        False  # it is no order of the person's own: quoted, asked about, on a condition, taken back
    )


def as_read(words: str) -> str:
    """*words* with one kind of apostrophe, and without what can't be seen."""
    return re.sub(" {2,}", " ", _APOSTROPHES.sub("'", clean(words)))


def clauses(words: str) -> list[Clause]:
    """The clauses of *words*, in order. A name in a list is a clause of the verb before it."""
    found: list[Clause] = []
    frames = Frames()
    for part in _parts(words[:LONGEST]):
        if takes_back(part.text) or (found and qualifies(part.text, part.after)):
            found = [clause._replace(framed=True) for clause in found]
        _add(found, part, frames)
        if part.ends:
            frames.sentence_ends()
    if any(is_doubted(clause.thing) for clause in found if not clause.kind):
        return [clause._replace(framed=True) for clause in found]
    return found


def _add(found: list[Clause], part: _Part, frames: Frames) -> None:
    start = courtesy(part.text)
    bare = part.text[start:]
    framed = frames.holds(part.text, bare)
    if act := _ACT.match(part.text, start):
        thing = part.text[act.end() :].strip()
        found.append(Clause(act.lastgroup or "", thing, framed or is_statement(thing)))
    elif wants := _WANTS.match(part.text) or _WANTS.match(bare) or _UP.match(bare):
        found.append(Clause("starts", wants["thing"], framed))
    elif found and found[-1].kind and part.after == "but" and bare and not _ELSE.match(bare):
        found[-1] = found[-1]._replace(thing=f"{found[-1].thing} but {bare.strip()}")
    elif found and found[-1].kind and bare and part.may_go_on and not _ELSE.match(bare):
        found.append(Clause(found[-1].kind, bare.strip(), framed or found[-1].framed))
    elif bare or not found:
        frames.heard(bare)
        found.append(Clause("", bare.strip(), framed))


class _Part(NamedTuple):
    text: str
    after: str = ""  # what parts it from the one before
    ends: bool = False  # whether a sentence ends with it

    @property
    def may_go_on(self) -> bool:
        """Whether it may be one more of a list: that ends with its sentence."""
        return self.after not in (".", "?", "!")


def _parts(words: str) -> list[_Part]:
    quoted = [match.span() for match in _QUOTED.finditer(words)]
    parts, start, after = [], 0, ""
    for match in _PART.finditer(words):
        if not any(begin < match.end() and match.start() < end for begin, end in quoted):
            sign = match[0].strip().lower()
            parts.append(_Part(words[start : match.start()].strip(), after, sign in (".", "!", "?")))
            start, after = match.end(), sign
    return [*parts, _Part(words[start:].strip(), after, ends=True)]
