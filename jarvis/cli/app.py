"""The commands, declared for Typer in a file each: a shell's and a chat's, their help and what Tab offers.

A file is imported once a line names its command. A request never comes here: see router.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from ..core.errors import UsageError
from ..core.types import Options
from ..output.screen import Screen
from ..packs import with_commands
from ..packs.pack import commands_of
from .router import COMMANDS
from .work import Invocation, begin, current, end, guarded

_COMPLETE = "_JARVIS_COMPLETE"  # by which a shell asks what a word may become
# The files of commands that stand in no file of their name.
_FILES = {"ask": "request", "chat": "request", "setup": "keys", "version": "help"}
_is_tried: ContextVar[bool] = ContextVar("_is_tried", default=False)  # only whether a line fits


class Misfit(UsageError):
    """The line fits no command. Nothing was done."""

    is_near = False  # it names one of a group, or nearly one: hardly a sentence


class _Front(TyperGroup):
    """All commands. Where a word is completed, words that name none are those of a request."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return command(cmd_name) if cmd_name in COMMANDS else None

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if extra.get("resilient_parsing") and args and args[0] not in COMMANDS:
            args = ["ask", *args]
        return super().make_context(info_name, args, parent, **extra)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        request = command("ask")
        if incomplete.startswith("-"):
            return list(request.shell_complete(ctx, incomplete))
        of_words = next(param for param in request.params if param.name == "words")
        return [*super().shell_complete(ctx, incomplete), *of_words.shell_complete(ctx, incomplete)]


@cache
def command(name: str) -> Any:
    """Return the command, or the group of them, of that *name*, which is one of COMMANDS."""
    app = commands_of(name) if name in with_commands() else _own(name)
    # rich would print help and errors, and traces; the completion is ours to install.
    app.info.rich_markup_mode = None
    app.rich_markup_mode, app.pretty_exceptions_enable, app._add_completion = None, False, False  # noqa: SLF001
    found: Any = typer.main.get_command(app)
    found = getattr(found, "commands", {}).get(name, found)
    for _, leaf in leaves(found):
        leaf.callback = _guarded(leaf.callback)
    return found


def _own(name: str) -> Any:
    module = import_module(f".commands.{_FILES.get(name, name)}", __package__)
    return module.single if name in (*_FILES, "help") else module.app


ROOT = _Front(name="jarvis", context_settings={"help_option_names": ["-h", "--help"]}, rich_markup_mode=None)


def run_command(line: Sequence[str], screen: Screen, env_file: str | None = None) -> int:
    """Do the command that *line* is; return its exit status.

    Raises Misfit, with nothing done, where it fits none.
    """
    if len(line) == 1 and hasattr(command(line[0]), "commands"):
        line = [*line, "--help"]
    before = begin(Invocation(screen, Options(env_file=env_file)))
    try:
        status = ROOT.main([*line], prog_name="jarvis", standalone_mode=False, obj=current())
    except TyperException as error:
        raise _misfit(error, line) from None
    except OSError as error:  # a help page that nobody can read
        return screen.lost(error)
    finally:
        end(before)
    return int(status or 0)


def misfit_of(line: Sequence[str]) -> Misfit | None:
    """Return what is wrong with *line*; None where all of it fits a command. Nothing is done."""
    is_bare = len(line) == 1 and hasattr(command(line[0]), "commands")
    if is_bare or {"-h", "--help"} & {*line}:  # a page of help would be printed
        return None
    before = _is_tried.set(True)
    try:
        run_command(line, Screen())
    except Misfit as misfit:
        return misfit
    finally:
        _is_tried.reset(before)
    return None


def complete(env_file: str | None) -> int:
    """Answer a shell that asks what a word may become."""
    from typer import _completion_classes as shells  # which a command does without

    shells.completion_init()
    shells._sanitize_help_text = lambda text: text  # noqa: SLF001 (else it imports rich, for markup)
    shells.BashComplete.format_completion = _for_bash  # type: ignore[assignment,method-assign]
    begin(Invocation(Screen(), Options(env_file=env_file)))
    ROOT.main([], prog_name="jarvis", complete_var=_COMPLETE)
    return 0


def _for_bash(_: object, item: Any) -> str:
    """Return a word as bash takes it, which escapes none: its spaces are, unless a quote was begun."""
    typed = os.environ["COMP_WORDS"].split("\n")[: int(os.environ["COMP_CWORD"]) + 1][-1]
    return str(item.value) if typed.startswith(("'", '"')) else item.value.replace(" ", "\\ ")


def offered(before: list[str], begun: str, screen: Screen, env_file: str | None) -> list[tuple[str, str]]:
    """Return what the word that is *begun* after *before* may become, and what tells of each."""
    from typer._completion_classes import BashComplete  # as above

    outer = begin(Invocation(screen, Options(env_file=env_file)))
    try:
        found = BashComplete(ROOT, {}, "jarvis", _COMPLETE).get_completions(before, begun)
    finally:
        end(outer)
    return [(each.value, each.help or "") for each in found if each.value.startswith(begun)]


def leaves(command: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield *command*, or each of those in it, with its names in there."""
    if not hasattr(command, "commands"):
        yield names, command
        return
    for name, each in command.commands.items():
        yield from leaves(each, (*names, name))


def _misfit(error: TyperException, line: Sequence[str]) -> Misfit:
    group = getattr(command(line[0]), "commands", ())
    names = line[:2] if line[1:] and line[1] in group else line[:1]
    message = error.format_message()
    misfit = Misfit(message, hint=f"jarvis {' '.join(names)} --help")
    is_option = getattr(getattr(error, "param", None), "param_type_name", "") == "option"
    misfit.is_near = len(names) > 1 or is_option or message.startswith("No such option")
    return misfit


def _guarded(do: Callable[..., Any]) -> Callable[..., int]:
    """Return *do*, whose failures are told."""

    def call(**values: Any) -> int:
        if _is_tried.get():
            return 0
        screen, options = current()
        return guarded(options._replace(json=bool(values.get("as_json"))), screen, lambda: do(**values) or 0)

    return call
