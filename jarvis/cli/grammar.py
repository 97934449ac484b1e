"""A command line, taken apart: which of its words are a command, and what Typer is to see of it."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Sequence
from typing import NoReturn

import typer

from .. import __version__
from ..core.errors import UsageError
from ..core.options import USAGE
from ..core.stdlib import NamedTuple
from ..core.types import EFFECTS
from ..policy.rules import WORDS, effect_of


class Form(NamedTuple):
    """What may follow a command."""

    least: int = 0  # words
    most: int = 0
    fits: Callable[[Sequence[str]], bool] = lambda words: True


def _is_rule(words: Sequence[str]) -> bool:
    """Whether *words*, after a verdict, may be what a rule is about: `open www.example.com`."""
    near = difflib.get_close_matches(words[0].lower(), (*WORDS, *EFFECTS), n=1, cutoff=0.8)
    if not near:
        return False
    return len(words) - 1 <= {"opens": 1, "launches": 8}.get(effect_of(near[0]), 0)


def _is_turn(words: Sequence[str]) -> bool:
    """Whether *words* are nothing, or what may be a turn's number or id: `why` begins many a question."""
    return all(re.fullmatch(r"(?=.*\d)[0-9a-f]{1,16}", word) for word in words)


_RULE = Form(1, 9, _is_rule)
# A first word is a command only if the whole line fits: what may follow each of its own commands, or
# follow it itself where it has none.
_COMMANDS = {
    "threads": {
        "list": Form(),
        "show": Form(0, 1),
        "search": Form(1, 20),
        "delete": Form(1, 1),
        "export": Form(0, 1000),
        "import": Form(1, 1),
    },
    "policy": {
        "list": Form(),
        "test": Form(1, 1000),
        "allow": _RULE,
        "ask": _RULE,
        "deny": _RULE,
        "rm": Form(1, 1, lambda words: words[0].isdecimal()),
    },
    "alias": {
        "list": Form(),
        "add": Form(2, 2),
        "rm": Form(1, 3),
    },
    "brain": {"status": Form(), "stop": Form(), "restart": Form()},
    "chat": {"": Form()},
    "usage": {"": Form()},
    "why": {"": Form(0, 1, _is_turn)},
}
_MOST_MISUSED = 3  # words of a command that does not fit: “policy allow remote work” is a sentence
_WITH_VALUE = {
    "--thread": "a name",
    "--timeout": "a number of seconds",
    "--env-file": "a file",
    "--log-file": "a file",
    "--days": "a number",
    "--as": "a name",
    "--for": "a doubt",
    "--answer": "ID=OPTION",
}


class Line(NamedTuple):
    """A command line, taken apart."""

    options: list[str]
    words: list[str]
    only_words: bool  # `--` stood before the first word


def split(argv: Sequence[str]) -> Line:
    options: list[str] = []
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return Line(options, [*words, *rest], not words)
        if needed := _needs(word):
            if not rest:
                raise UsageError(f"{word} needs {needed}.", hint="jarvis --help")
            options += [word, rest.pop(0)]
        # A quoted sentence is words, even if it starts with a dash.
        elif word.startswith("-") and word != "-" and (" " not in word or "=" in word.split(" ")[0]):
            _refuse_if_nearly_alone(word)
            options.append(word)
        else:
            words.append(word)
    return Line(options, words, False)


def _needs(word: str) -> str:
    """What the next word is to be, if it is the value of this option: `-t`, and `-nt` of several in one."""
    if word.startswith("--"):
        return _WITH_VALUE.get(word, "")
    is_last = word.startswith("-") and word.find("t") == len(word) - 1 > 0
    return _WITH_VALUE["--thread"] if is_last else ""


def _refuse_if_nearly_alone(option: str) -> None:
    """Typer, which knows what else there is, does not know of these two."""
    near = difflib.get_close_matches(option, ("--help", "--version"), n=1, cutoff=0.8)
    if near and option not in near:
        raise UsageError(f"No such option: {option} (Possible options: {near[0]})", hint="jarvis --help")


def as_command(line: Line) -> list[str]:
    """*line* as Typer is to see it: its command first, then options, then `--` and the words.

    Raises UsageError for one or two words that nearly fit a command.
    """
    options, words, only_words = line
    asks_for_help = bool({"-h", "--help"} & set(options))
    if not only_words and words and words[0] in _COMMANDS and _fits(words, asks_for_help):
        # Help takes no other option, and the wrapper always gives one.
        return [*words, *(["--help"] if asks_for_help or _is_group(words) else options)]
    if not only_words and names_one(words):  # Typer says what it misses, or has too much
        return [*words, *options]
    if not only_words and len(words) == 2 and words[0] == "help" and words[1] in _COMMANDS:
        return [words[1], "--help"]
    if asks_for_help or (words == ["help"] and not only_words):
        _print(USAGE)
    if "--version" in options or (words == ["version"] and not only_words):
        _print(f"jarvis {__version__}\n")
    if words[:1] == ["ask"] and not only_words:
        return ["ask", *options, "--", *words[1:]]
    if not only_words and len(words) in (1, 2):
        _refuse_if_near(words)
    return ["ask", *options, "--", *words]


def _fits(words: Sequence[str], asks_for_help: bool) -> bool:
    """Whether *words*, which begin with a command's name, are a command as a whole."""
    forms = _COMMANDS[words[0]]
    own = 1 if "" in forms else 2  # words that name it
    form = forms.get(words[1] if own == 2 and len(words) > 1 else "", Form(1, 0))
    if (asks_for_help or _is_group(words)) and len(words) <= own:
        return True
    return form.least <= len(words) - own <= form.most and form.fits(words[own:])


def names_one(words: Sequence[str]) -> bool:
    """Whether they name one of a group's commands and little more: hardly a sentence."""
    forms = _COMMANDS.get(words[0], {}) if words else {}
    named = "" not in forms and words[1:2] and words[1] in forms
    return bool(named) and len(words) <= _MOST_MISUSED and not words[-1].endswith("?")


def _is_group(words: Sequence[str]) -> bool:
    """Whether *words* are the name of several commands alone, which asks for their help."""
    return len(words) == 1 and "" not in _COMMANDS.get(words[0], {"": Form()})


def _refuse_if_near(words: Sequence[str]) -> None:
    near = difflib.get_close_matches(words[0], _COMMANDS, n=1, cutoff=0.8)
    takes = [form for form in _COMMANDS[near[0]] if form] if near else []
    known = f" ({' | '.join(takes)})" if takes else ""
    if len(words) == 1:
        is_meant = True
    elif words[0] in _COMMANDS:
        is_meant = words[0] != "why"  # two words of a question
    else:
        is_meant = bool(difflib.get_close_matches(words[1], takes, n=1, cutoff=0.8))
    if near and is_meant:
        raise UsageError(
            f"That is nearly the command {near[0]}{known}.",
            hint=f"To send it as words: jarvis -- {shlex.join(words)}",
        )


def _print(text: str) -> NoReturn:
    typer.echo(text, nl=False)
    raise typer.Exit(0)
