"""Read plain words: polite words around a verb, and what the verb is about.

A sentence is read as a whole. The words that are not listed here are a name: so a sentence is plain
only if they are the whole name of something, and any further word makes them another name.
Few regular expressions: compiling them would take a plain command longer than all of this.
"""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..core.text import MARK
from ..core.types import ParsedWords

# The words of plain commands, each list once; slashes separate phrases, spaces single words. Only plain
# commands are read by them: the model reads all else, and needs none.

# Kinds of verbs.
OPENS, STARTS, GOES, RETURNS, SHOWS = "opens", "starts", "goes", "returns", "shows"

VERBS = {
    OPENS: "open/open up/reopen/re-open/bring up/pull up/load/load up",
    STARTS: "launch/start/start up/run/fire up/boot up/spin up",
    GOES: (
        "visit/go to/goto/browse/browse to/navigate to/surf to/jump to/hop over to/go over to/head to/"
        "head over to/take me to/take me over to/bring me to/get me to/get me over to"
    ),
    RETURNS: (
        "go back to/head back to/navigate back to/jump back to/take me back to/bring me back to/"
        "get me back to/switch to/switch over to/switch back to"
    ),
    SHOWS: "show/show me/let me see/let me look at/display/view",  # an address; all else is to be told
}
# The same as OPENS; no typing slip of an English word is taken for one of these.
OPENS_ABROAD = ("öffne", "oeffne", "ouvre", "abre")
# The name may come before the “up”: “bring gmail up”.
PARTED = frozenset("bring pull load fire boot spin".split())
# “I want to start …”, “I want to run …” are about more than a command: a family, a marathon.
NOT_WISHED = frozenset(("start", "start up", "run"))

COURTESIES = (
    "please/pls/plz/kindly/ok/okay/alright/all right/hey/hey there/hi/hi there/hello/hello there/yo/um/uh/"
    "well/oh/yes/yeah/yep/sure/jarvis/now/so/just/quickly/real quick/go ahead and/"
    "do me a favor and/do me a favour and/be so kind as to/"
    "i want you to/i need you to/i'd like you to/i would like you to"
)
ASKING = "can you/could you/would you/will you/can u/could u/would u/will u"
WISHING = (
    "i want to/i just want to/i wanna/i need to/i just need to/i'd like to/i would like to/let's/lets/let us"
)
CLOSING = (
    "please/pls/plz/thanks/thanks a lot/thx/ty/thank you/thank you very much/cheers/if you please/"
    "if you can/if you could/if you would/if you don't mind/if possible/"
    "now/right now/right away/asap/quickly/real quick/for me/again/once more/jarvis"
)
ASKING_LAST = "will you/would you/could you/can you/ok/okay"
# Cut even from the query of an alias.
PLEASE = frozenset("please pls plz".split())

ARTICLES = ("the", "my", "a", "an")
ARTICLES_ABROAD = tuple("der die das den mein meine le la les mon ma mes el los las mi mis".split())
ORDINALS = {
    word: n
    for n, words in enumerate(
        "first 1st one|second 2nd two|third 3rd three|fourth 4th four|fifth 5th five|sixth 6th six|"
        "seventh 7th seven|eighth 8th eight|ninth 9th nine|tenth 10th ten".split("|"),
        1,
    )
    for word in words.split()
}
# What has a number in our list. “Go to line 3” may mean the line of a file.
NUMBERED = {
    OPENS: frozenset("number no nr result link line item entry site website".split()),
    GOES: frozenset("result link site website".split()),
}
# What “the first …” may be in our list; “the first story” or “song” is not in it.
ENTRIES = frozenset(
    "one/result/search result/link/site/website/web site/entry/of them/of those/of these/in the list/"
    "one in the list/one on the list/result in the list".split("/")
)
# What is asked of the list last shown has one of these words, and most else has none: see follow_ups.py.
OF_LISTS = frozenset(
    "sort sorted rank ranked order ordered by cheapest lowest least dearest most priciest highest best "
    "top newest latest only under below cheaper less up over above more all next everything undo "
    "back free first show details".split()
)
DOWNLOADS = ("downloads", "downloads folder", "download folder")
SITE_WORDS = "web site/website/site/home page/homepage"
APP_WORDS = "app/application/program"
# These may come before an address.
ADDRESSES = frozenset("website site page url link address".split())

# After an alias that takes a query, these may begin something else than a query.
GOES_ON = frozenset("and then in with using not but via on or if unless don't later tomorrow".split())

# Verbs that begin something to do, besides VERBS.
DOES_MORE = frozenset(
    "capture close compare find give list look play read search send show summarize take tell write".split()
)

# Pictures of the screen. “Get the screenshot” means one that exists.
TAKES_THE = frozenset("take grab capture make do snap shoot".split())
TAKES = TAKES_THE | frozenset("save get create".split())
TAKES_SCREEN = frozenset("screenshot capture grab snap photograph".split())
SCREENS = "screen desktop display monitor".split()

# Signs that may stand at the beginning or the end of a word.
STOPS = ",.!?:"
# Signs with which a sentence may end.
_ENDS = "?!.)…\"'” "
LAST = -1
_MOST_WORDS = 8  # of a name


Phrase = tuple[str, ...]


def _phrases(*listed: str, step: int = 1) -> dict[str, list[Phrase]]:
    """Return the phrases as tuples of words, grouped by first word. step: -1 for backwards."""
    found: dict[str, list[Phrase]] = {}
    for phrase in "/".join(listed).split("/"):
        words = tuple(phrase.split()[::step])
        found.setdefault(words[0], []).append(words)
    return found


_LEADS = _phrases(COURTESIES, ASKING, WISHING)
_TAILS = _phrases(CLOSING, ASKING_LAST, step=-1)
_VERBS = _phrases(*VERBS.values(), *OPENS_ABROAD)
_KIND_OF = {phrase: kind for kind, listed in VERBS.items() for phrase in listed.split("/")}
_KIND_OF |= dict.fromkeys(OPENS_ABROAD, OPENS)
_ASKING = frozenset(f"{ASKING}/{ASKING_LAST}".split("/"))
_WISHING = frozenset(WISHING.split("/"))
_KINDS_OF_THING = tuple(
    (tuple(phrase.split()), kind)
    for kind, listed in (("site", SITE_WORDS), ("app", APP_WORDS))
    for phrase in listed.split("/")
)


def parse_words(text: str) -> ParsedWords:
    """Return the parts of *text*, without its polite words. Words are parsed once, and handed on as this."""
    words, polite = text.split(), []
    while lead := _longest(map(_folded, words[:5]), _LEADS):
        polite.append(" ".join(lead))
        words = words[len(lead) :]
    wished = not _WISHING.isdisjoint(polite)
    whole = words
    while tail := _longest(map(_folded, words[:-6:-1]), _TAILS):
        polite.append(" ".join(tail[::-1]))
        words = words[: -len(tail)]
    doubts = "?" in text[len(text.rstrip(_ENDS)) :] and _ASKING.isdisjoint(polite)
    verb, rest, loose = _verb(words, wished=wished)
    articles = ARTICLES_ABROAD if words and words[0].lower() in OPENS_ABROAD else ARTICLES
    after, folded = tuple(whole[len(words) :]), " ".join(filter(None, map(_folded, rest)))
    return ParsedWords(text, verb, tuple(rest), folded, doubts, after, wished, articles, loose)


def _verb(words: list[str], *, wished: bool) -> tuple[str, list[str], Phrase]:
    """Return the kind of verb that *words* begin with, its object, and the articles that make that loose."""
    if len(words) > 2 and words[0].lower() in PARTED and _folded(words[-1]) == "up":
        return _KIND_OF[f"{words[0].lower()} up"], words[1:-1], ("the", "a", "an")
    verb = " ".join(found := _longest(map(str.lower, words[:5]), _VERBS))
    kind = _KIND_OF.get(verb, "")
    if wished and (kind == RETURNS or verb in NOT_WISHED):
        return "", words, ()
    return kind, words[len(found) :], ARTICLES if verb == "run" else ("a", "an")


def address(parsed: ParsedWords) -> str:
    """Return the only word that is to be opened and may be an address, or is dictated so: `a dot example`.

    Empty if there is no such word.
    """
    words = parsed.words
    if not parsed.verb or not words:
        return ""
    # “Start” and “launch” take an address only if it has a scheme, and “run” takes none.
    if parsed.verb == STARTS and ("://" not in words[0] or parsed.loose == ARTICLES):
        return ""
    rest = words[words[0].lower() in ("the", "this") :]
    if rest and rest[0].lower().rstrip(":") in ADDRESSES:
        words = rest[1:]
    kind, bare = _kind([_folded(word) for word in rest])
    if kind == "site" and bare:  # “the a.example website”
        words = rest[: len(bare)]
    spelt = " ".join(words).replace(" dot ", ".")
    return "" if " " in spelt else spelt


def line(parsed: ParsedWords) -> int:
    """Return the number of the list's line to open, LAST for the last one, or 0."""
    words = " ".join(word.rstrip(STOPS) for word in parsed.words).lower().replace("#", " ").split()
    if parsed.verb not in NUMBERED or not words:
        return 0
    if len(words) == 1 and parsed.verb == OPENS:
        return _number(words[0].strip("[]()"))  # as the numbers of a list are printed
    if len(words) == 2 and words[0] in NUMBERED[parsed.verb]:
        # “Number one” is a line, but “no one” means nobody.
        return _number(words[1]) or (ORDINALS.get(words[1], 0) if words[0] != "no" else 0)
    nth, entry = words[0], " ".join(words[1:])
    if nth == "the":
        nth, _, entry = entry.partition(" ")
        entry = entry or "one" * (parsed.verb == OPENS)  # “open the first”
    # “The third of them” is one line, but “three of them” are three.
    if entry not in ENTRIES or not nth.endswith(("st", "nd", "rd", "th")):
        return 0
    return LAST if nth == "last" else ORDINALS.get(nth, 0)


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and word.isascii() and len(word) < 3 and word[0] != "0" else 0


def _folded(word: str) -> str:
    return word.lower().replace("’", "'").strip(STOPS)


def _longest(words: Iterable[str], phrases: Mapping[str, list[Phrase]]) -> Phrase:
    """Return the longest of *phrases* that *words* begin with, or ()."""
    first_words = tuple(words)
    candidates = phrases.get(first_words[0], ()) if first_words else ()
    return max((phrase for phrase in candidates if first_words[: len(phrase)] == phrase), key=len, default=())


class Name(NamedTuple):
    """The name of what is to be opened."""

    names: tuple[str, ...]  # in lower case, without signs: as it was said, then without its article
    kind: str = ""  # "site" | "app", if it can only be that: “the spotify app”, “go to spotify”
    kind_said: str = ""  # the same, if the words say so: “the spotify app”
    loose: bool = False  # without its article it may be no name: “run the numbers”


def parse_name(parsed: ParsedWords) -> Name | None:
    """Return the name that all words after the verb form, or None."""
    if parsed.verb in ("", SHOWS) or parsed.doubts or any(map(_is_path, parsed.words)):
        return None
    words = letters(parsed.text).split()
    kind_said, words = _kind(words)
    kind = kind_said or ("site" if parsed.verb == GOES else "")
    bare = words[1:] if words[:1] and words[0] in parsed.articles else words
    is_no_name = not bare or len(words) > _MOST_WORDS or are_several(parsed.words)
    if is_no_name or (kind == "site" and parsed.verb == STARTS):
        return None
    names = [" ".join(words), " ".join(bare)]
    _, sign, owned = parsed.text.rpartition("'s ")
    # “Nasa's website” is that of nasa, but “mcdonald's” is a name.
    if sign and _kind([sign, *owned.split()])[1] == [sign]:
        names.append(names[-1].removesuffix("s"))
    loose = not kind_said and bare != words and words[0] in parsed.loose
    return Name(tuple(dict.fromkeys(names)), kind, kind_said, loose)


def _is_path(word: str) -> bool:
    """Return whether *word* can only be a file, a folder or an option: `./steam`, `Dropbox/`, `--help`."""
    return word.startswith(("~", ".", "-")) or "/" in word or "\\" in word


def are_several(words: Sequence[str]) -> bool:
    """Return whether *words* are a list, or more than one sentence: `google, maps`."""
    return any(word.endswith((",", ";", ":", "?")) for word in words[:-1])


def _kind(words: list[str]) -> tuple[str, list[str]]:
    """Return "site" or "app" if *words* end by saying so, and *words* without that."""
    for phrase, kind in _KINDS_OF_THING:
        if len(words) > len(phrase) and tuple(words[-len(phrase) :]) == phrase:
            return kind, words[: -len(phrase)]
    return "", words


def letters(text: str) -> str:
    """Return *text* with spaces for signs. Keeps + and # for C++ and C#, and closes up at apostrophes."""
    return "".join(c if c.isalnum() or c in "+#" else "" if c == "'" else " " for c in text)


# Reads whole lines of plain commands: one that is nothing but a name, one that lists several things.


_LONGEST_NAME = 3  # of a name that stands alone: what is longer is more often a sentence
_LONGEST_OF_LIST = 100  # characters of what is asked of a list
_AND = " and "


def bare_name(parsed: ParsedWords) -> str:
    """Return the name that they may be, in lower case without signs, where they say no more than that."""
    words, typed = parsed.as_typed.split(), parsed.as_typed.strip()
    if not words or len(words) > _LONGEST_NAME or "?" in typed:
        return ""
    if not (typed[0].isalnum() and (typed[-1].isalnum() or typed[-1] in "+#.!")):
        return ""
    if parsed.verb or list(parsed.words) != words or are_several(parsed.words):
        return ""
    return " ".join(letters(parsed.text).split())


def is_typed(text: str) -> bool:
    """Return whether *text* is one line of a person's: what is pasted may be somebody else's."""
    return text.isprintable() and MARK not in text


def list_request_in(parsed: ParsedWords) -> str:
    """Return the follow-up on the last list, without polite words, or "".

    Cheap, since every request comes here.
    """
    if len(parsed.as_typed) > _LONGEST_OF_LIST or not is_typed(parsed.as_typed):
        return ""
    words = parsed.as_typed.lower().replace("-", " ").split()
    if OF_LISTS.isdisjoint([word.strip(STOPS) for word in words]):
        return ""
    from .follow_ups import change_in  # most words have none of these

    lead = {"": "", SHOWS: "show ", OPENS: "open ", GOES: "open "}.get(parsed.verb)
    request = "" if parsed.doubts or lead is None else lead + " ".join(parsed.words)
    return request if change_in(request) else ""


def listed(parsed: ParsedWords) -> list[str]:
    """Split `open A, B and C` and `open 1 2` into single commands, or return [] for anything else.

    “Launch A and B” may be one thing called “A and B”. “Open A, B” may be about B in A.
    """
    things, numbers = " ".join(parsed.words), line_numbers(parsed.words)
    first, link, last = things.replace(f",{_AND}", _AND).rpartition(_AND)
    if parsed.verb != OPENS or parsed.doubts or not (link or numbers):
        return []
    lead = " ".join(parsed.as_typed.split()[: -len(parsed.words) - len(parsed.after)])
    return [f"{lead} {thing}" for thing in numbers or (*first.replace(_AND, ", ").split(", "), last)]


def line_numbers(words: Sequence[str]) -> list[str]:
    """Return *words* if they are only numbers of lines: 1 2, or 1, 2 and 3."""
    numbers = [word.rstrip(",") for word in words if word != "and"]
    return numbers if all(map(_number, numbers)) else []


def objects(parsed: ParsedWords) -> tuple[str, ...]:
    """Return the text after the verb as typed, since a file's name may contain any sign and space.

    First the whole text, then without polite words, then without a final stop, then without quotes.
    """
    behind = len(parsed.words) + len(parsed.after)
    before = len(parsed.as_typed.split()) - behind
    whole = parsed.as_typed.split(None, before)[before].rstrip() if behind else ""
    bare = " ".join(parsed.words)
    if whole.split()[: len(parsed.words)] != list(parsed.words):  # “bring … up”
        whole = bare
    quoted = bare[1:-1] if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"`" else ""
    return tuple(filter(None, dict.fromkeys((whole, bare, bare.rstrip(STOPS), quoted))))


# Tells whether words ask for a picture of the screen, and don't say how, of what else or where to.


@functools.cache  # few words are about one, and it takes a while to compile
def _picture() -> re.Pattern[str]:
    """Return the form of `take a screenshot`, `capture my screen`, and of what says no verb: `screenshot`."""
    which, shot = "(?:(?:a|an|another|one) )?", "screen ?(?:shot|grab|capture|cap)"
    screen = f"(?:screen|desktop|(?:my|the|this) (?:(?:whole|entire|full|current) )?{_any(SCREENS)})"
    picture = f"(?:{shot}|picture|photo|image|snapshot|shot|capture) of {screen}"
    noun = f"(?:(?:new|quick|full screen|fullscreen|full) )*(?:{shot}|{picture})"
    takes = f"(?P<verb>{_any(TAKES)} (?:me )?{which}|{_any(TAKES_THE)} (?:me )?the )"
    return re.compile(f"{takes}{noun}|(?P<of>(?:{shot}|{_any(TAKES_SCREEN)}) {screen})|{which}{noun}")


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


def is_picture(parsed: ParsedWords) -> bool:
    """Return whether *parsed*, which has no verb of another kind, asks for a picture of the screen."""
    text = parsed.text.replace("-", " ")
    match = _picture().fullmatch(text) if any(word in text for word in SCREENS) else None
    return bool(match and (match["verb"] or match["of"] or not parsed.wished))
