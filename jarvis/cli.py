"""The full command line, in Typer: commands and options → a front end."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from . import __version__
from .commandline import USAGE, Options
from .errors import JarvisError, UsageError
from .frontends import oneshot, threads
from .frontends.screen import Screen
from .frontends.shown import show_error

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(threads.app, name="threads")

# A first word is a command only if the whole line fits: how many words may follow each.
_COMMANDS = {"threads": {"list": (0, 0), "show": (0, 1), "delete": (1, 1)}}
_WITH_VALUE = ("-t", "--thread", "--timeout", "--env-file")


@app.command(add_help_option=False)
def ask(
    words: Annotated[list[str] | None, typer.Argument()] = None,
    thread: Annotated[str | None, typer.Option("-t", "--thread")] = None,
    continue_last: Annotated[bool, typer.Option("-c", "--continue")] = False,
    dry_run: Annotated[bool, typer.Option("-n", "--dry-run")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose")] = False,
    json: Annotated[bool, typer.Option("--json")] = False,
    ndjson: Annotated[bool, typer.Option("--ndjson")] = False,
    timeout: Annotated[float | None, typer.Option("--timeout", min=0.1)] = None,
    env_file: Annotated[str | None, typer.Option("--env-file")] = None,
) -> None:
    """Do what WORDS ask."""
    options = Options(thread, continue_last, dry_run, quiet, verbose, json, ndjson, timeout, env_file)
    raise typer.Exit(oneshot.ask(options, words or [], Screen()))


def main(argv: Sequence[str]) -> int:
    """The exit status of `jarvis ARGV…`."""
    try:
        # Outside its standalone mode Typer returns the status of an Exit.
        return int(app(as_command(argv), standalone_mode=False) or 0)
    except typer.Exit as leave:  # from before Typer ran
        return leave.exit_code
    except TyperException as error:
        usage = UsageError(error.format_message(), hint="jarvis --help")
        return _told(usage, argv)
    except JarvisError as error:
        return _told(error, argv)


def as_command(argv: Sequence[str]) -> list[str]:
    """*argv* as Typer is to see it: its command first, then options, then `--` and the words.

    Raises UsageError for one or two words that nearly fit a command.
    """
    options, words, all_words = _split(argv)
    if not all_words and not words and set(options) & {"-h", "--help"}:
        return _help()
    if words[:1] == ["ask"] and not all_words:
        return ["ask", *options, "--", *words[1:]]
    if not all_words and words and words[0] in _COMMANDS:
        commands = _COMMANDS[words[0]]
        least, most = commands.get(words[1] if len(words) > 1 else "", (1, 0))
        if least <= len(words) - 2 <= most:
            return [*words, *options]
        if len(words) == 1 and set(options) & {"-h", "--help"}:
            return [*words, "--help"]
    if not all_words and len(words) in (1, 2):
        _refuse_if_near(words)
    return ["ask", *options, "--", *words]


def _split(argv: Sequence[str]) -> tuple[list[str], list[str], bool]:
    """Options, words, and whether `--` stood before the first word."""
    options: list[str] = []
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return options, [*words, *rest], not words
        if word in _WITH_VALUE and rest:
            options += [word, rest.pop(0)]
        # A quoted sentence is words, even if it starts with a dash.
        elif word.startswith("-") and word != "-" and (" " not in word or "=" in word.split(" ")[0]):
            options.append(word)
        else:
            words.append(word)
    return options, words, False


def _refuse_if_near(words: Sequence[str]) -> None:
    near = difflib.get_close_matches(words[0], _COMMANDS, n=1, cutoff=0.8)
    if near:
        known = " | ".join(_COMMANDS[near[0]])
        raise UsageError(
            f"That is nearly the command {near[0]} ({known}).",
            hint=f"To send it as words: jarvis -- {' '.join(words)}",
        )


def _help() -> list[str]:
    typer.echo(USAGE, nl=False)
    raise typer.Exit(0)


def _told(error: JarvisError, argv: Sequence[str]) -> int:
    return show_error(Screen(), error, as_json="--json" in argv, as_records="--ndjson" in argv)


__all__ = ["__version__", "app", "as_command", "main"]
