"""`jarvis ask WORDS…` and `jarvis chat`, with the options of a request, for help, Tab and a chat."""

from __future__ import annotations

from typing import Annotated

import typer

from ...core.types import Options
from .. import completion
from ..router import model_of, seconds_of
from ..work import current

single = typer.Typer()


Thread = Annotated[
    str | None,
    typer.Option(
        "--thread",
        "-t",
        metavar="NAME",
        help="The conversation to use (default: this terminal's own).",
        autocompletion=completion.a_thread,
    ),
]
Continue = Annotated[bool, typer.Option("--continue", "-c", help="The conversation used last.")]
Resume = Annotated[bool, typer.Option("--resume", "-r", help="A conversation that you pick from a list.")]
Files = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="FILE", help="Read FILE beside the words; may be given again."),
]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="NAME", help="The model to ask; jarvis models lists them."),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", "-n", help="Say what would be done on the desktop, and do nothing there."),
]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Say yes to what would be asked; what is refused stays refused."),
]
Answer = Annotated[
    str | None,
    typer.Option(
        "--answer", metavar="ID=OPTION", help="Answer a question that nobody could answer when it came."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="The answer only.")]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        help="Each step, with its reason; -vv prompts, raw answers and the log too.",
    ),
]
OneObject = Annotated[bool, typer.Option("--json", help="One JSON object.")]
Records = Annotated[bool, typer.Option("--ndjson", help="One JSON record a line, as it happens.")]
Csv = Annotated[bool, typer.Option("--csv", help="Tables as CSV, with a header; all else goes to stderr.")]
Timeout = Annotated[
    str | None, typer.Option("--timeout", metavar="SECONDS", help="Give up after so long (default: 60).")
]
EnvFile = Annotated[
    str | None, typer.Option("--env-file", metavar="FILE", help="Read NAME=value settings from FILE.")
]
LogFile = Annotated[str | None, typer.Option("--log-file", metavar="FILE", help="Write the log to FILE.")]


@single.command("ask", help="The same as jarvis WORDS…, for scripts.")
def declare_request(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS…", autocompletion=completion.a_word)
    ] = None,
    thread: Thread = None,
    continue_last: Continue = False,
    resume: Resume = False,
    files: Files = None,
    model: Model = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    answer: Answer = None,
    quiet: Quiet = False,
    verbose: Verbose = 0,
    json: OneObject = False,
    ndjson: Records = False,
    csv: Csv = False,
    timeout: Timeout = None,
    env_file: EnvFile = None,
    log_file: LogFile = None,
) -> None:
    """Declare what a request takes: router.py reads it."""


@single.command("chat", help="One request after the other; /help there tells more.")
def begin_chat(
    context: typer.Context,
    thread: Thread = None,
    continue_last: Continue = False,
    resume: Resume = False,
    model: Model = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    quiet: Quiet = False,
    verbose: Verbose = 0,
    timeout: Timeout = None,
    env_file: EnvFile = None,
    log_file: LogFile = None,
) -> int:
    from ..chat import run_chat  # prompt_toolkit

    options = Options(**{**context.params, "env_file": current().options.env_file})
    model, seconds = model_of(model) if model else None, seconds_of(timeout) if timeout else None
    return run_chat(options._replace(model=model, timeout=seconds), current().screen)
