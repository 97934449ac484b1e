"""The full command line, in Typer: commands and options → a front end."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from ..core.errors import UsageError
from ..core.options import Options
from ..output.screen import Screen
from ..output.summary import show_error
from . import alias, brain, policy, request, threads, usage, why
from .answer import answer_question
from .grammar import as_command, names_one, split

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(threads.app, name="threads")
app.add_typer(policy.app, name="policy")
app.add_typer(alias.app, name="alias")
app.add_typer(brain.app, name="brain")
app.command()(usage.usage)
app.command()(why.why)

SHORTEST, LONGEST = 0.1, 86400  # seconds


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
        raise typer.Exit(answer_question(options, words or [], context.obj))
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
    from .chat.chat import run  # prompt_toolkit and asyncio, which nothing else here needs

    return run(options, screen)


def main(argv: Sequence[str], screen: Screen) -> int:
    """The exit status of `jarvis ARGV…`."""
    try:
        # Outside its standalone mode Typer returns the status of an Exit.
        command = as_command(split(argv))
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
    words = split(own).words
    if names_one(words):
        return f"jarvis {' '.join(words[:2])} --help"
    if not hasattr(error, "possibilities") or not words:
        return "jarvis --help"
    return f"To send it as words: jarvis -- {shlex.join(own)}"
