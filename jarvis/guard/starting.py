"""Whether an app may be started, and the screen be photographed: only if the words ask for it."""

from __future__ import annotations

from ..light import re
from ..shortened import is_any, is_short_for
from ..turn import FORBIDDEN, SAID, Effect, Facts, Grant
from .verdict import Verdict, allow, ask, refuse

# What may stand around a name; the expressions are compiled only where something does.
_LEADS = "the/my/a/an/our/up/a new/another/new/second".split("/")
_TAILS = (
    "app/application/program/programme/software/browser/editor/client/please/pls/now/again/for me/thanks/too/"
    "first/quickly/immediately/right away/straight away/already/game/window/instance/tab/session/right now/"
    "thank you/jarvis/player/real quick/asap/would you/will you".split("/")
)
_FIRST, _LAST = {"for", *(lead.split()[0] for lead in _LEADS)}, {tail.split()[-1] for tail in _TAILS}
_BEFORE = (
    rf"\A(?:for me )?(?:(?:{'|'.join(_LEADS)}) )+"
    r"(?:(?:(?:app|application|program|programme|game|tool) )(?:(?:called|named) )?)?"
)
_AFTER = rf"(?: (?:{'|'.join(_TAILS)}))+\Z"
# Nothing with which an argument begins, or a command ends.
_NAME = r"(?!.*\s-)(?!.*&&)[^\W_](?:[\w .,+#'’&()!:-]*[\w+#)!])?"
# What follows says how, or what for: the name ended before it.
_HOWS = (
    "but in on with for so to at using via from by if when because since before while without as instead "
    "rather app application program".split()
)
_HOW = rf" (?:{'|'.join(_HOWS)})\b.*"


def starting(effect: Effect, grant: Grant, facts: Facts) -> Verdict:
    """No argument is ever passed to an app, and which one it is, the index of apps says."""
    if grant.opens == FORBIDDEN:
        return refuse("you said that nothing is to be opened.")
    if facts.done.count("launches") >= grant.most:
        return refuse("no more was asked to be started.")
    name = _bare(effect.target)
    if not name or not (_is_plain(effect.target) or re.fullmatch(_NAME, effect.target)):
        return refuse("that is no name of an app.")
    if grant.opens == SAID and any(_is_called(thing, name) for thing in grant.objects):
        return allow("you named it")
    if f" {name} " in f" {_folded(grant.words)} ":
        return ask("you named it, but did not plainly ask for it to be started", "asked for")
    return refuse("you did not name that app. An app goes by the name that you give it.")


def capturing(grant: Grant, facts: Facts) -> Verdict:
    if grant.captures == FORBIDDEN:
        return refuse("you said that no picture is to be taken.")
    if "captures" in facts.done:
        return refuse("one picture was taken, and no more were asked for.")
    if grant.captures == SAID:
        return allow("you asked for it")
    from ..words.pictures import mentions_picture

    if facts.searches and not mentions_picture(grant.words):
        return refuse("you did not ask for a picture of your screen.")
    return ask("you did not plainly ask for a picture of your screen", "asked for")


def _is_called(thing: str, name: str) -> bool:
    """Whether what is to be opened, in the person's words, is the app of that *name*."""
    said = _folded(thing)
    may_be_short = "." not in name and not is_any(said.split())
    return any(
        bare.replace(" ", "") == name.replace(" ", "")  # “fire fox”
        or (may_be_short and is_short_for(bare.split(), name.split()))
        for bare in {said, _bare(thing), _bare(without_how(said))}
        if bare
    )


def names_of_app(target: str) -> tuple[str, ...]:
    """By what a rule may name the app: as it was named, and without “the … app” around it."""
    return tuple(dict.fromkeys((" ".join(target.casefold().split()), _bare(target))))


def without_how(said: str) -> str:
    """The name that *said* begins with."""
    return re.sub(_HOW, "", said) if any(f" {how}" in said for how in _HOWS) else said


def _bare(text: str) -> str:
    folded = _folded(text)
    if _is_plain(folded):
        return folded
    return re.sub(_AFTER, "", re.sub(_BEFORE, "", folded)) or folded


def _is_plain(name: str) -> bool:
    """Whether *name* has no sign, and nothing around it: most names need no expression."""
    words = name.split()
    is_bare = words and words[0].lower() not in _FIRST and words[-1].lower() not in _LAST
    return bool(is_bare) and name.isascii() and name == " ".join(words) and "".join(words).isalnum()


def _folded(text: str) -> str:
    """*text* in lower case, without signs: + and # stay, for C++ and C#."""
    if _is_plain(text):
        return text.lower()
    return " ".join(re.sub(r"[^\w+#.]+|\.(?!\w)", " ", text.casefold()).split())
