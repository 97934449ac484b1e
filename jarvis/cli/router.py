"""Tells requests from commands, by the standard library alone.

A request's options and words are read here. Only a line whose first word names a command imports Typer, which
then parses all of it: a line that does not fit has done nothing, and is words.
"""

from __future__ import annotations

import getopt
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..core.errors import UsageError
from ..core.types import Options
from ..packs import with_commands

# Held against the app by a test, as are the options.
_OWN = (
    "alias ask brain chat completion config doctor help keys models packs paths policy setup threads usage"
    " version why"
)
COMMANDS = frozenset(_OWN.split()).union(with_commands())
# The options of a request: the field that each sets, and its names, with `=` where it takes a value.
OPTIONS = {
    "thread": "-t --thread=",
    "continue_last": "-c --continue",
    "resume": "-r --resume",
    "files": "-f --file=",
    "model": "-m --model=",
    "dry_run": "-n --dry-run",
    "yes": "-y --yes",
    "answer": "--answer=",
    "quiet": "-q --quiet",
    "verbose": "-v --verbose",
    "json": "--json",
    "ndjson": "--ndjson",
    "csv": "--csv",
    "timeout": "--timeout=",
    "env_file": "--env-file=",
    "log_file": "--log-file=",
    "help": "-h --help",
    "version": "--version",
}
_NAMES = {name.rstrip("="): field for field, names in OPTIONS.items() for name in names.split()}
_LONG = [name[2:] for names in OPTIONS.values() for name in names.split() if name.startswith("--")]
_SHORT = "".join(
    name[1:] + ":" * names.endswith("=") for names in OPTIONS.values() for name in names.split()[:-1]
)
_ENV_FILE = "--env-file"
_HALF, _SHORT_NAME, _LONG_NAME = 3, 4, 6  # letters of a word that is half typed; of names with a slip
_FEW = 3  # words of a line that may be a command with a slip: more are a sentence
_SHORTEST, _LONGEST = 0.1, 86400  # seconds of --timeout
_IN_MODEL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
_LONGEST_MODEL = 100  # characters


class RequestLine(NamedTuple):
    """What a line asks for in words."""

    words: Sequence[str]
    options: Options
    are_words: bool = False  # it is said that they are: by `--` before them, or by `ask`
    asks_for: str = ""  # instead: `help` or `version`


def without_env_file(argv: Sequence[str]) -> tuple[list[str], str | None]:
    """Return *argv* without --env-file, which any command may have, and the file that it names."""
    rest, path = list(argv), None
    end = rest.index("--") if "--" in rest else len(rest)
    for at in reversed(range(end)):
        name, equals, value = rest[at].partition("=")
        if name == _ENV_FILE and equals:
            path, rest[at : at + 1] = path or value, []
        elif name == _ENV_FILE and at + 1 < end:
            path, rest[at : at + 2] = path or rest[at + 1], []
    return rest, path


def command_in(argv: Sequence[str]) -> list[str]:
    """Return the line of the command that *argv* may be, its options behind its words; empty: it is words."""
    rest = _behind_options(argv)
    at = len(argv) - len(rest)
    if not rest or rest[0] not in COMMANDS or "--" in argv[:at]:
        return []
    if rest[0] == "ask" and not {"-h", "--help"} & {*argv}:
        return []
    end = rest.index("--") if "--" in rest else len(rest)
    try:
        options, words = getopt.gnu_getopt([*argv[:at], *rest[:end]], _SHORT, _LONG)
    except getopt.GetoptError:  # one of the command's own is among them
        options, words = [], [*rest[:end], *argv[:at]]
    given = [each for option in options for each in option if each]
    return [*words, *given, *rest[end:]]


def request_in(argv: Sequence[str], env_file: str | None = None) -> RequestLine:
    """Take options and words apart, wherever they stand. Raises UsageError."""
    try:
        given, words = getopt.gnu_getopt(list(argv), _SHORT, _LONG)
        _refuse_abbreviated(argv)
    except getopt.GetoptError as error:
        raise _misused(error, argv) from None
    fields = [(_NAMES[name], value) for name, value in given]
    asked = [field for field, _ in fields if field in ("help", "version")]
    is_ask = words[:1] == ["ask"] and not _are_quoted(argv)
    are_words = is_ask or _are_quoted(argv)
    options = _options(fields)._replace(env_file=env_file)
    return RequestLine(words[int(is_ask) :], options, are_words, (*sorted(asked), "")[0])


def are_few(words: Sequence[str]) -> bool:
    """Return whether *words* may be a command with a slip: up to three, none quoted, and no question."""
    return 0 < len(words) <= _FEW and words[-1][-1:] != "?" and not any(" " in word for word in words)


def seconds_of(text: str) -> float:
    """Return the value of --timeout, in seconds. Raises UsageError for one that makes no sense."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not _SHORTEST <= seconds <= _LONGEST:
        told = f"--timeout must be from {_SHORTEST} to {_LONGEST} seconds."
        raise UsageError(told, hint="jarvis --timeout 90 …")
    return seconds


def model_of(text: str) -> str:
    """Return the name of a model that --model gives. Raises UsageError for what can't be one."""
    name = text.removeprefix("models/")
    if not name or len(name) > _LONGEST_MODEL or name.strip(_IN_MODEL):
        raise UsageError("That can't be the name of a model.", hint="jarvis models")
    return name


READ: dict[str, Callable[[str], object]] = {"timeout": seconds_of, "model": model_of}  # the others are texts


def _options(fields: Sequence[tuple[str, str]]) -> Options:
    values: dict[str, Any] = {
        field: READ.get(field, str)(value) if OPTIONS[field].endswith("=") else True
        for field, value in fields
        if field in Options._fields
    }
    files = tuple(value for field, value in fields if field == "files")
    verbose = sum(field == "verbose" for field, _ in fields)
    return Options(**{**values, "files": files, "verbose": verbose})


def _behind_options(argv: Sequence[str]) -> list[str]:
    """Return what begins with the first word; nothing where an option before it is none of a request."""
    try:
        return getopt.getopt(list(argv), _SHORT, _LONG)[1]
    except getopt.GetoptError:
        return []


def _are_quoted(argv: Sequence[str]) -> bool:
    """Return whether `--` stands before the first word."""
    return "--" in argv[: len(argv) - len(_behind_options(argv))]


def _refuse_abbreviated(argv: Sequence[str]) -> None:
    """Raise GetoptError for `--verb`: a script that has it may mean something else one day."""
    end = argv.index("--") if "--" in argv else len(argv)
    for name in (word.partition("=")[0] for word in argv[:end] if word.startswith("--")):
        if name not in _NAMES:
            raise getopt.GetoptError("", name)


def _misused(error: getopt.GetoptError, argv: Sequence[str]) -> UsageError:
    """Return what is wrong with the option that *error* names, and what may have been meant."""
    name = error.opt if error.opt.startswith("-") else f"{'--' if len(error.opt) > 1 else '-'}{error.opt}"
    if name in _NAMES:
        takes = "needs a value" if OPTIONS[_NAMES[name]].endswith("=") else "takes no value"
        return UsageError(f"{name} {takes}.", hint="jarvis --help")
    near = [each for each in _NAMES if is_near(name, each)]
    meant = f" (Possible options: {', '.join(near)})" if near else ""
    has_words = any(" " in word or not word.startswith("-") for word in argv)
    return UsageError(f"No such option: {name}{meant}", hint=as_words(argv) if has_words else "jarvis --help")


def as_words(words: Iterable[str]) -> str:
    """Return a hint: how to send *words* as words, whatever they look like."""
    import shlex  # few are told so

    return f"To send it as words: jarvis -- {shlex.join(words)}"


def is_near(typed: str, name: str) -> bool:
    """Return whether *typed* may be meant as *name*: half typed, as one of several, or with a slip."""
    is_half = len(typed) >= _HALF and name.startswith(typed)
    is_same = typed in (name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies")
    return is_half or is_same or is_slip(typed, name) or is_slip(typed, name.removesuffix("s"))


def is_slip(typed: str, name: str) -> bool:
    """Return whether one letter of *name* is missing, too many, elsewhere or another in *typed*."""
    if typed == name or min(len(typed), len(name)) < 2:
        return False
    # Most short words with another letter are words of their own: “hat” is no “cat”.
    is_another = len(typed) == len(name) and sorted(typed) != sorted(name)
    if is_another and not (len(name) >= _LONG_NAME or (len(name) >= _SHORT_NAME and typed[0] == name[0])):
        return False
    return not _with_one_less(typed).isdisjoint(_with_one_less(name))


def _with_one_less(word: str) -> set[str]:
    """Return *word*, and it without any one of its letters."""
    return {word, *(word[:n] + word[n + 1 :] for n in range(len(word)))}
