"""The full command line, in Typer: commands and options → a front end."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from . import __version__
from .commandline import USAGE, Options
from .errors import UsageError
from .frontends import alias, answering, brains, policy, request, threads, usage, why
from .frontends.screen import Screen
from .frontends.shown import show_error
from .rules import WORDS, effect_of
from .turn import EFFECTS
from .typed import NamedTuple

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(threads.app, name="threads")
app.add_typer(policy.app, name="policy")
app.add_typer(alias.app, name="alias")
app.add_typer(brains.app, name="brain")
app.command()(usage.usage)
app.command()(why.why)

SHORTEST, LONGEST = 0.1, 86400  # seconds


def _is_rule(words: Sequence[str]) -> bool:
    """Whether *words*, after a verdict, may be what a rule is about: `open www.example.com`."""
    near = difflib.get_close_matches(words[0].lower(), (*WORDS, *EFFECTS), n=1, cutoff=0.8)
    if not near:
        return False
    return len(words) - 1 <= {"opens": 1, "launches": 8}.get(effect_of(near[0]), 0)


def _is_turn(words: Sequence[str]) -> bool:
    """Whether *words* are nothing, or what may be a turn's number or id: `why` begins many a question."""
    return all(re.fullmatch(r"(?=.*\d)[0-9a-f]{1,16}", word) for word in words)


class Form(NamedTuple):
    """What may follow a command."""

    least: int = 0  # words
    most: int = 0
    fits: Callable[[Sequence[str]], bool] = lambda words: True


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
_WITH_VALUE = {
    "--thread": "a name",
    "--timeout": "a number of seconds",
    "--env-file": "a file",
    "--log-file": "a file",
    "--days": "a number",
    "--as": "a name",
    "--answer": "ID=OPTION",
}


def _seconds(value: float | None) -> float | None:
    if value is not None and not SHORTEST <= value <= LONGEST:
        raise UsageError(
            f"--timeout must be from {SHORTEST} to {LONGEST} seconds.", hint="jarvis --timeout 90 …"
        )
    return value


Timeout = Annotated[float | None, typer.Option("--timeout", callback=_seconds)]


@app.command(add_help_option=False)
def ask(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument()] = None,
    thread: Annotated[str | None, typer.Option("-t", "--thread")] = None,
    continue_last: Annotated[bool, typer.Option("-c", "--continue")] = False,
    dry_run: Annotated[bool, typer.Option("-n", "--dry-run")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet")] = False,
    verbose: Annotated[int, typer.Option("-v", "--verbose", count=True)] = 0,
    json: Annotated[bool, typer.Option("--json")] = False,
    ndjson: Annotated[bool, typer.Option("--ndjson")] = False,
    timeout: Timeout = None,
    env_file: Annotated[str | None, typer.Option("--env-file")] = None,
    log_file: Annotated[str | None, typer.Option("--log-file")] = None,
    yes: Annotated[bool, typer.Option("-y", "--yes")] = False,
    answer: Annotated[str | None, typer.Option("--answer")] = None,
) -> None:
    """Do what WORDS ask."""
    options = Options(
        thread=thread,
        continue_last=continue_last,
        dry_run=dry_run,
        quiet=quiet,
        verbose=verbose,
        json=json,
        ndjson=ndjson,
        timeout=timeout,
        env_file=env_file,
        log_file=log_file,
        yes=yes,
        answer=answer,
    )
    if answer is not None:
        raise typer.Exit(answering.run(options, words or [], context.obj))
    if not words and context.obj.is_interactive and not (json or ndjson):
        raise typer.Exit(_chat(options, context.obj))
    raise typer.Exit(request.ask(options, words or [], context.obj))


@app.command()
def chat(
    context: typer.Context,
    thread: Annotated[str | None, typer.Option("-t", "--thread")] = None,
    continue_last: Annotated[bool, typer.Option("-c", "--continue")] = False,
    dry_run: Annotated[bool, typer.Option("-n", "--dry-run")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet")] = False,
    verbose: Annotated[int, typer.Option("-v", "--verbose", count=True)] = 0,
    timeout: Timeout = None,
    env_file: Annotated[str | None, typer.Option("--env-file")] = None,
    log_file: Annotated[str | None, typer.Option("--log-file")] = None,
    yes: Annotated[bool, typer.Option("-y", "--yes")] = False,
) -> None:
    """Talk: one request after the other."""
    options = Options(
        thread=thread,
        continue_last=continue_last,
        dry_run=dry_run,
        quiet=quiet,
        verbose=verbose,
        timeout=timeout,
        env_file=env_file,
        log_file=log_file,
        yes=yes,
    )
    raise typer.Exit(_chat(options, context.obj))


def _chat(options: Options, screen: Screen) -> int:
    from .frontends.chat import run  # prompt_toolkit and asyncio, which nothing else here needs

    return run(options, screen)


def main(argv: Sequence[str], screen: Screen) -> int:
    """The exit status of `jarvis ARGV…`."""
    try:
        # Outside its standalone mode Typer returns the status of an Exit.
        command = as_command(_split(argv))
        return int(app(command, standalone_mode=False, prog_name="jarvis", obj=screen) or 0)
    except typer.Exit as leave:  # from before Typer ran
        return leave.exit_code
    except TyperException as error:
        usage = UsageError(error.format_message(), hint=_hint(error, argv))
    except UsageError as error:
        usage = error
    except OSError as error:  # from help, which is printed past the screen
        return screen.lost(error)
    options = argv[: argv.index("--")] if "--" in argv else argv
    return show_error(screen, usage, as_json="--json" in options, as_records="--ndjson" in options)


def _hint(error: TyperException, argv: Sequence[str]) -> str:
    """An option that there is not may have been meant as a word; one that there is, never."""
    # The wrapper, scripts/jarvis, puts this before what they typed.
    own = list(argv)
    own = own[2:] if own[:1] == ["--env-file"] else own
    if not hasattr(error, "possibilities") or not _split(own).words:
        return "jarvis --help"
    return f"To send it as words: jarvis -- {shlex.join(own)}"


class Line(NamedTuple):
    """A command line, taken apart."""

    options: list[str]
    words: list[str]
    only_words: bool  # `--` stood before the first word


def as_command(line: Line) -> list[str]:
    """*line* as Typer is to see it: its command first, then options, then `--` and the words.

    Raises UsageError for one or two words that nearly fit a command.
    """
    options, words, only_words = line
    asks_for_help = bool({"-h", "--help"} & set(options))
    if not only_words and words and words[0] in _COMMANDS and _fits(words, asks_for_help):
        # Help takes no other option, and the wrapper always gives one.
        return [*words, *(["--help"] if asks_for_help or _is_group(words) else options)]
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


def _is_group(words: Sequence[str]) -> bool:
    """Whether *words* are the name of several commands alone, which asks for their help."""
    return len(words) == 1 and "" not in _COMMANDS.get(words[0], {"": Form()})


def _split(argv: Sequence[str]) -> Line:
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
