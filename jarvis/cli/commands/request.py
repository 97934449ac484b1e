"""`jarvis ask WORDS…` and `jarvis chat`, with the options of a request, for help, Tab and a chat.

The options are those of the router's table, which reads a request: here is what tells of each.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from ...core.types import Options
from .. import completion
from ..router import OPTIONS, READ
from ..work import current

single = typer.Typer()

# By the field that an option sets: what stands for its value, if it takes one, and its help.
_TOLD = {
    "thread": ("NAME", "The conversation to use (default: this terminal's own)."),
    "continue_last": ("", "The conversation used last."),
    "resume": ("", "A conversation that you pick from a list."),
    "files": ("FILE", "Read FILE beside the words; may be given again."),
    "model": ("NAME", "The model to ask; jarvis models lists them."),
    "dry_run": ("", "Say what would be done on the desktop, and do nothing there."),
    "yes": ("", "Say yes to what would be asked; what is refused stays refused."),
    "answer": ("ID=OPTION", "Answer a question that nobody could answer when it came."),
    "quiet": ("", "The answer only."),
    "verbose": ("", "Each step, with its reason; -vv prompts, raw answers and the log too."),
    "json": ("", "One JSON object."),
    "ndjson": ("", "One JSON record a line, as it happens."),
    "csv": ("", "Tables as CSV, with a header; all else goes to stderr."),
    "timeout": ("SECONDS", "Give up after so long (default: 60)."),
    "env_file": ("FILE", "Read NAME=value settings from FILE."),
    "log_file": ("FILE", "Write the log to FILE."),
}
_NOT_OF_CHATS = ("files", "answer", "json", "ndjson", "csv")
_TYPES = {"files": list[str] | None, "verbose": int}  # of what is neither a text nor a truth
_WORDS = Parameter(
    "words",
    Parameter.KEYWORD_ONLY,
    default=None,
    annotation=Annotated[
        list[str] | None, typer.Argument(metavar="WORDS…", autocompletion=completion.a_word)
    ],
)


def _option(field: str) -> Parameter:
    """Return the option that sets *field*, as Typer takes it."""
    metavar, told = _TOLD[field]
    option = typer.Option(
        *reversed(OPTIONS[field].rstrip("=").split()),
        metavar=metavar or None,
        help=told,
        count=field == "verbose",
        autocompletion=completion.a_thread if field == "thread" else None,
    )
    kind: Any = _TYPES.get(field, str | None if metavar else bool)
    default = None if metavar else kind()
    return Parameter(field, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _taking(*parameters: Parameter) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: the function has these parameters, for Typer."""

    def declared(do: Callable[..., Any]) -> Callable[..., Any]:
        do.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        do.__annotations__ = {each.name: each.annotation for each in parameters}
        return do

    return declared


@single.command("ask", help="The same as jarvis WORDS…, for scripts.")
@_taking(_WORDS, *map(_option, _TOLD))
def declare_request(**_: Any) -> None:
    """Declare what a request takes: router.py reads it."""


@single.command("chat", help="One request after the other; /help there tells more.")
@_taking(*(_option(field) for field in _TOLD if field not in _NOT_OF_CHATS))
def begin_chat(**given: Any) -> int:
    from ..chat import run_chat  # prompt_toolkit

    values = {field: READ.get(field, type(value))(value) for field, value in given.items() if value}
    screen, options = current()
    return run_chat(Options(**values)._replace(env_file=options.env_file), screen)
