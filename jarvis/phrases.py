"""What plain words are made of: courtesy around a verb, and what the verb is about.

No regular expressions: to compile them would cost a plain command more than all of this.
"""

from __future__ import annotations

from collections.abc import Sequence

from .typed import NamedTuple

OPENS, GOES, STARTS = "opens", "goes", "starts"

_VERBS = {
    OPENS: "open/open up/bring up/pull up/load/load up",
    GOES: "visit/go to/goto/browse to/navigate to/take me to/bring me to/head to/head over to",
    STARTS: "launch/start/start up/run/fire up/boot up/spin up",
}
_BEFORE = (
    "please/pls/plz/kindly/ok/okay/alright/hey/hi/hello/yo/jarvis/now/so/just/quickly/go ahead and/"
    "let's/lets/i want you to/i need you to/i'd like you to/i would like you to"
)
_ASKS = "can you/could you/would you/will you/can u"
_AFTER = "please/pls/plz/thanks/thx/ty/thank you/if you please/now/right now/asap/for me/jarvis"
# What may stand at an end of a word besides the word.
_STOPS = ",.!?:"
# What a sentence may end with.
_ENDS = "?!.)…\"'” "

ORDINALS = {
    word: n
    for n, words in enumerate(
        "first 1st one|second 2nd two|third 3rd three|fourth 4th four|fifth 5th five|sixth 6th six|"
        "seventh 7th seven|eighth 8th eight|ninth 9th nine|tenth 10th ten".split("|"),
        1,
    )
    for word in words.split()
}
_COUNTED = {
    OPENS: frozenset("number no nr result link line item entry site website".split()),
    GOES: frozenset("result link site website".split()),  # one goes to a line of a file, too
}
# What has such a number in our list; stories, songs and recipes are somebody else's.
_ENTRIES = frozenset(
    "one/result/search result/link/site/website/web site/entry/of them/of those/of these/in the list/"
    "one in the list/one on the list/result in the list".split("/")
)
LAST = -1
ARTICLES = ("the", "my", "a", "an")
_MOST_WORDS = 8  # of a name
_KINDS_OF_THING = (
    *((tuple(words.split()), "site") for words in ("web site", "website", "site", "home page", "homepage")),
    *(((word,), "app") for word in ("app", "application", "program")),
)


def _phrases(listed: str) -> tuple[tuple[str, ...], ...]:
    """Each as its words; the longest first."""
    return tuple(sorted((tuple(phrase.split()) for phrase in listed.split("/")), key=len, reverse=True))


_LEADS = _phrases(f"{_BEFORE}/{_ASKS}")
_ASKED = _phrases(_ASKS)
_TAILS = _phrases(_AFTER)
_KINDS = tuple((phrase, kind) for kind, listed in _VERBS.items() for phrase in _phrases(listed))


class Said(NamedTuple):
    """Words, taken apart."""

    verb: str  # OPENS | GOES | STARTS; empty: it begins with no such verb
    words: tuple[str, ...]  # as typed; what follows the verb, or all of it, without polite words at its end
    doubts: bool  # whether it ends with a question mark though nothing was asked for politely
    after: tuple[str, ...] = ()  # those polite words, which may be meant otherwise: “apocalypse now”

    @property
    def text(self) -> str:
        """The words in lower case, without stops."""
        return " ".join(filter(None, map(_folded, self.words)))


def said(text: str) -> Said:
    """*text* without its polite words."""
    words, asked = text.split(), False
    while lead := _at_start(words, _LEADS):
        asked = asked or lead in _ASKED
        words = words[len(lead) :]
    whole = words
    while tail := _at_end(words, _TAILS):
        words = words[: -len(tail)]
    doubts = "?" in text[len(text.rstrip(_ENDS)) :] and not asked
    longest = max(
        ((phrase, kind) for phrase, kind in _KINDS if _begins(words, phrase)),
        key=lambda found: len(found[0]),
        default=((), ""),
    )
    return Said(longest[1], tuple(words[len(longest[0]) :]), doubts, tuple(whole[len(words) :]))


def spelt(words: Sequence[str]) -> str:
    """The address that is spelt out, as in `news dot ycombinator dot com`; empty where none is."""
    signs = [{"dot": ".", "slash": "/"}.get(word.lower(), "") for word in words[1::2]]
    if len(words) < 3 or len(words) % 2 == 0 or not all(signs) or "." not in signs:
        return ""
    return words[0] + "".join(sign + word for sign, word in zip(signs, words[2::2], strict=True))


def line(meant: Said) -> int:
    """The number of the line of a list that is to be opened, LAST for the last one; 0: none is."""
    words = " ".join(word.rstrip(_STOPS) for word in meant.words).lower().replace("#", " ").split()
    if meant.verb not in _COUNTED or not words:
        return 0
    if len(words) == 1 and meant.verb == OPENS:
        return _number(_in_brackets(words[0]))
    if len(words) == 2 and words[0] in _COUNTED[meant.verb]:
        # “No one” is nobody.
        return _number(words[1]) or (ORDINALS.get(words[1], 0) if words[0] != "no" else 0)
    nth, *entry = words[1:] if words[0] == "the" else words
    # “Three of them” are three.
    if " ".join(entry) not in _ENTRIES or not nth.endswith(("st", "nd", "rd", "th")):
        return 0
    return LAST if nth == "last" else ORDINALS.get(nth, 0)


def _in_brackets(word: str) -> str:
    """*word* without the brackets that a list's numbers are printed in."""
    return word[1:-1] if word[:1] + word[-1:] in ("[]", "()") else word


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and word.isascii() and len(word) < 3 and word[0] != "0" else 0


def _folded(word: str) -> str:
    return word.lower().replace("’", "'").strip(_STOPS)


def _begins(words: Sequence[str], phrase: Sequence[str]) -> bool:
    return len(words) >= len(phrase) and all(
        word.lower() == wanted for word, wanted in zip(words, phrase, strict=False)
    )


def _at_start(words: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    folded = [_folded(word) for word in words[:5]]
    return next((phrase for phrase in phrases if _begins(folded, phrase)), ())


def _at_end(words: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    folded = [_folded(word) for word in words[-3:]]
    return next((phrase for phrase in phrases if _begins(folded[-len(phrase) :], phrase)), ())


class Called(NamedTuple):
    """What is to be opened, by its name."""

    names: tuple[str, ...]  # in lower case, without signs: as it was said, then without its article
    kind: str = ""  # "site" | "app", where it can be one only: “the spotify app”, “go to spotify”
    kind_said: str = ""  # the same, where they say so


def called(meant: Said) -> Called | None:
    """The name that is the whole rest of the words after a verb; None where there is none."""
    if not meant.verb or meant.doubts or any(map(_is_path, meant.words)) or _are_several(meant.words):
        return None
    words = _letters(meant.text).split()
    kind_said, words = _kind(words)
    kind = kind_said or ("site" if meant.verb == GOES else "")
    bare = words[1:] if words[:1] and words[0] in ARTICLES else words
    if not bare or len(words) > _MOST_WORDS or (kind == "site" and meant.verb == STARTS):
        return None
    names = [" ".join(words), " ".join(bare)]
    _, sign, owned = meant.text.rpartition("'s ")
    if sign and _kind([sign, *owned.split()])[1] == [sign]:  # nasa's website; mcdonald's is a name
        names.append(names[-1].removesuffix("s"))
    return Called(tuple(dict.fromkeys(names)), kind, kind_said)


def _is_path(word: str) -> bool:
    """Whether it is written as only files and folders are: `./steam`, `~/Dropbox`, `Dropbox/`."""
    return word.startswith(("~", ".")) or "/" in word or "\\" in word


def _are_several(words: Sequence[str]) -> bool:
    """Whether they are a list, or more than one sentence: `google, maps`."""
    return any(word.endswith((",", ";", ":", "?")) for word in words[:-1])


def _kind(words: list[str]) -> tuple[str, list[str]]:
    """Whether a site or an app is named so, and *words* without what says so."""
    for phrase, kind in _KINDS_OF_THING:
        if len(words) > len(phrase) and tuple(words[-len(phrase) :]) == phrase:
            return kind, words[: -len(phrase)]
    return "", words


def _letters(text: str) -> str:
    """*text* without signs; + and # stay, for C++ and C#, and what joins a word: mcdonald's, coca-cola."""
    return "".join(c if c.isalnum() or c in "+#" else "" if c == "'" else " " for c in text)
