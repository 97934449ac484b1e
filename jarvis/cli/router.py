"""Tells requests from commands, by the standard library alone.

A request's options and words are read here. Only a line whose first word names a command imports Typer, which
then parses all of it: a line that does not fit has done nothing, and is words.
"""

from __future__ import annotations

import getopt
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, NoReturn

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
_FEW = 3  # words of a line that may be a command with a slip: more are a sentence
_MARK = "\0"  # before a quoted sentence that begins with a dash: it is no option
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
    marked = _marked(argv)
    rest = _behind_options(marked)
    at = len(marked) - len(rest)
    if not rest or rest[0] not in COMMANDS or "--" in marked[:at]:
        return []
    if rest[0] == "ask" and not {"-h", "--help"} & {*marked}:
        return []
    end = rest.index("--") if "--" in rest else len(rest)
    try:
        options, words = getopt.gnu_getopt([*marked[:at], *rest[:end]], _SHORT, _LONG)
    except getopt.GetoptError:  # one of the command's own is among them
        options, words = [], [*rest[:end], *marked[:at]]
    given = [each for option in options for each in option if each]
    return [word.removeprefix(_MARK) for word in (*words, *given, *rest[end:])]


def request_in(argv: Sequence[str], env_file: str | None = None) -> RequestLine:
    """Take options and words apart, wherever they stand. Raises UsageError."""
    try:
        given, marked = getopt.gnu_getopt(_marked(argv), _SHORT, _LONG)
        _refuse_abbreviated(argv)
    except getopt.GetoptError as error:
        raise _misused(error, argv) from None
    words = [word.removeprefix(_MARK) for word in marked]
    fields = [(_NAMES[name], value.removeprefix(_MARK)) for name, value in given]
    asked = [field for field, _ in fields if field in ("help", "version")]
    is_ask = words[:1] == ["ask"] and not _are_quoted(argv)
    are_words = is_ask or _are_quoted(argv)
    options = _options(fields)._replace(env_file=env_file)
    return RequestLine(words[int(is_ask) :], options, are_words, (*sorted(asked), "")[0])


def are_few(words: Sequence[str]) -> bool:
    """Return whether *words* may be a command with a slip: up to three, none quoted, and no question."""
    return 0 < len(words) <= _FEW and words[-1][-1:] != "?" and not any(" " in word for word in words)


def is_like_command(word: str) -> bool:
    """Return whether *word* has most letters in common with a command: cheaper than to look closely."""

    def is_like(name: str) -> bool:
        common = sum(min(word.count(letter), name.count(letter)) for letter in {*word})
        return name.startswith(word) or 2 * common >= 0.7 * (len(word) + len(name))

    return any(map(is_like, COMMANDS))


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


def _options(fields: Sequence[tuple[str, str]]) -> Options:
    read = {"timeout": seconds_of, "model": model_of}
    values: dict[str, object] = {}
    for field, value in fields:
        if field == "files":
            values[field] = (*_files(values), value)
        elif field == "verbose":
            values[field] = sum(each == field for each, _ in fields)
        elif field in Options._fields:
            values[field] = read.get(field, str)(value) if OPTIONS[field].endswith("=") else True
    return Options(**values)  # type: ignore[arg-type]


def _files(values: dict[str, object]) -> tuple[str, ...]:
    files = values.get("files", ())
    return files if isinstance(files, tuple) else ()


def _behind_options(marked: Sequence[str]) -> list[str]:
    """Return what begins with the first word; nothing where an option before it is none of a request."""
    try:
        return getopt.getopt(list(marked), _SHORT, _LONG)[1]
    except getopt.GetoptError:
        return []


def _are_quoted(argv: Sequence[str]) -> bool:
    """Return whether `--` stands before the first word."""
    marked = _marked(argv)
    return "--" in marked[: len(marked) - len(_behind_options(marked))]


def _marked(argv: Sequence[str]) -> list[str]:
    """Return *argv* with a mark before what is a sentence, though it begins with a dash."""

    def is_sentence(word: str) -> bool:
        return word.startswith("-") and " " in word.partition("=")[0]

    return [f"{_MARK}{word}" if is_sentence(word) else word for word in argv]


def _refuse_abbreviated(argv: Sequence[str]) -> None:
    """Raise GetoptError for `--verb`: a script that has it may mean something else one day."""
    for name in _long_names(argv):
        if name not in _NAMES:
            raise getopt.GetoptError("", name)


def _long_names(argv: Sequence[str]) -> Iterator[str]:
    for word in _marked(argv):
        if word == "--":
            return
        if word.startswith("--"):
            yield word.partition("=")[0]


def _misused(error: getopt.GetoptError, argv: Sequence[str]) -> UsageError:
    """Return what is wrong with the option that *error* names, and what may have been meant."""
    name = error.opt if error.opt.startswith("-") else f"{'--' if len(error.opt) > 1 else '-'}{error.opt}"
    if name in _NAMES and OPTIONS[_NAMES[name]].endswith("="):
        return UsageError(f"{name} needs a value.", hint="jarvis --help")
    if name in _NAMES:
        return UsageError(f"{name} takes no value.", hint="jarvis --help")
    near = near_options(name, [each for each in _NAMES if each.startswith("--")])
    meant = f" (Possible options: {', '.join(near)})" if near else ""
    has_words = any(not word.startswith("-") for word in argv)
    return UsageError(f"No such option: {name}{meant}", hint=as_words(argv) if has_words else "jarvis --help")


def near_options(typed: str, known: Sequence[str]) -> list[str]:
    """Return the options that *typed* may be meant for. known: those of its command."""
    import difflib  # which takes longer than all else here

    if near := difflib.get_close_matches(typed, ("--help", "--version"), n=1, cutoff=0.8):
        return near
    return sorted(difflib.get_close_matches(typed, known, cutoff=0.7)) if typed.startswith("--") else []


def as_words(words: Iterable[str]) -> str:
    """Return a hint: how to send *words* as words, whatever they look like."""
    import shlex  # few are told so

    return f"To send it as words: jarvis -- {shlex.join(words)}"


def refuse(form: Sequence[str], words: Sequence[str], more: str = "") -> NoReturn:
    """Raise UsageError for *words*, which are nearly *form*. more: what that still lacks."""
    import shlex  # as above

    raise UsageError(f"That is nearly the command: jarvis {shlex.join(form)}{more}", hint=as_words(words))
