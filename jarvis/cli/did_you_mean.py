"""Suggests a command or plain words for a line with a typo."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from ..core.errors import UsageError
from ..language.command_grammar import ARTICLES, DOES_MORE, TAKES, TAKES_SCREEN, VERBS, parse_words
from ..launcher import parse_command
from .line import COMMANDS, RequestLine, are_few, as_words

_HALF = 3  # letters of a word that is half typed
_NO_VERB = "for"  # it is no half of “forget”: “shop for desks”
# What other programs call a command of ours. The first word of each line is ours.
_SAME = """
rm remove del delete erase forget drop
delete rm remove del erase forget drop
list ls show
add new create set
set add change
on enable
off disable
show view cat print list ls get
search find grep
stop kill end quit
status state info
restart reload start begin
rename mv
allow permit
deny forbid block
test check
"""
# The verbs of plain words, and what a request may begin with.
_PHRASES = tuple(tuple(phrase.split()) for listed in VERBS.values() for phrase in listed.split("/"))
_VERBS = frozenset(phrase[0] for phrase in _PHRASES if len(phrase) == 1) | {"find", "search"}
_BEGIN = DOES_MORE | TAKES | TAKES_SCREEN
_SPELT = frozenset(word for phrase in _PHRASES for word in phrase) | _BEGIN | {"screen", "screenshot"}
_SMALL = frozenset((*ARTICLES, "another", "me"))


def refuse_mistyped(
    request: RequestLine, environment: Mapping[str, str], *, has_material: bool = False
) -> None:
    """Raise UsageError for up to three words that are a command or plain words with a typo."""
    words = request.words
    if request.are_words or not are_few(words):
        return
    options = request.options
    plain = (each for each in _repaired(words) if parse_command(parse_words(each), options, environment))
    first, *rest = words
    near = [first] if first in COMMANDS else sorted(name for name in COMMANDS if is_near(first, name))
    lines = (_form(name, first, rest) for name in near)
    alone = "" if rest else first.lower()
    verbs = sorted(f"{verb} …" for verb in _VERBS if alone not in _SPELT and is_slip(alone, verb))
    if command := next(filter(None, lines), "") or next(plain, "") or (*verbs, "")[0]:
        raise UsageError(f"Did you mean: jarvis {command}", hint=as_words(words))
    if _is_unfinished(words) and not has_material:
        typed = " ".join(words)
        raise UsageError(f"“{typed}” needs more words: jarvis {typed} …", hint=as_words(words))


def is_near(typed: str, name: str) -> bool:
    """Return whether *typed* may stand for *name*: its beginning, its plural, or a typo."""
    is_half = len(typed) >= _HALF and name.startswith(typed)
    return is_half or typed in (name, f"{name.removesuffix('y')}ies") or is_slip(typed, name)


def is_slip(typed: str, name: str) -> bool:
    """Return whether *typed* is *name* with a letter or two missing, too many, elsewhere or another."""
    if not typed or typed == name:
        return False
    # Most short words that begin with another letter are words of their own: “best” is no “test”.
    least = 0.75 if typed[0] == name[0] else 0.8
    return sorted(typed) == sorted(name) or SequenceMatcher(None, typed, name).ratio() >= least


# Of commands.


def _form(name: str, first: str, rest: Sequence[str]) -> str:
    """Return the line that *first* (similar to the command *name*) and *rest* stand for, or ""."""
    from .app import command, misfit_of  # Typer: only for lines that begin with almost a command

    if name == "help" and rest:
        return next((f"{each} --help" for each in sorted(COMMANDS) if is_near(rest[0], each)), "")
    group = getattr(command(name), "commands", None)
    if group and not rest:
        return f"{name} ({' | '.join(group)})"
    verbs = _verbs(group, rest[0]) if group else []
    lines = [[name, verb, *rest[1:]] for verb in verbs] if group else [[name, *rest]] * (first != name)
    misfits = ((line, misfit_of(line)) for line in lines)
    candidate = (line for line, misfit in misfits if not misfit or misfit.is_begun)
    return " ".join(next(candidate, ()))


def _verbs(group: Iterable[str], typed: str) -> list[str]:
    """Return the verbs of *group* that *typed* may stand for: similar ones, or words for the same."""
    if typed == _NO_VERB:
        return []
    near = [verb for verb in group if is_near(typed, verb) or (len(typed) > 1 and verb.startswith(typed))]
    lines = map(str.split, _SAME.strip().splitlines())
    same = {verb for verb, *others in lines if any(is_near(typed, each) for each in others)}
    return near or [verb for verb in group if verb in same]


# Of plain words.


def _repaired(words: Sequence[str]) -> Iterator[str]:
    """Yield *words* with one word corrected, in each way that may give a plain command."""
    for place, word in enumerate(map(str.lower, words)):
        for candidate in sorted(_SPELT - {word} if word.replace("-", "").isalpha() else ()):
            if is_near(word, candidate) and word not in _SPELT:
                yield " ".join((*words[:place], candidate, *words[place + 1 :]))


def _is_unfinished(words: Sequence[str]) -> bool:
    """Return whether *words* only begin to ask for something: a verb, and nothing that it is about."""
    typed = tuple(word.lower() for word in words)
    begun = [typed[:end] for end in range(1, len(typed) + 1) if _SMALL.issuperset(typed[end:])]
    # “Take me” begins “take me to”.
    return any(each == phrase[: len(each)] for each in begun for phrase in (*_PHRASES, *zip(_BEGIN)))
