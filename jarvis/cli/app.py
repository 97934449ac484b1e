"""The commands, declared for Typer: for shells and chats, for help and completion.

Most have their own file, which is imported when a line names the command. A request never comes here: see
line.py. Its options are declared only for help and completion.
"""

import os
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

import typer
from typer import _completion_classes as shells
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from ..core.errors import EXIT_STATUSES, UsageError
from ..core.types import Options
from ..output.screen import Screen
from ..packs.pack import commands_of
from . import completion
from .invocation import current, invoked
from .line import (
    COMMANDS,
    FRONT_PAGE,
    NOT_OF_CHATS,
    OPTIONS,
    PACK_COMMANDS,
    VARIABLE,
    VERSION,
    telling_failures,
)

_ELSEWHERE = {  # not `app` in a file of their name: file and variable
    "completion": ("completion", "app"),
    "models": ("commands.keys", "models"),
    "paths": ("commands.config", "paths"),
    "setup": ("commands.keys", "setup"),
}
_HELP = {"-h", "--help"}
_ALL = "all"  # the word after help for all commands
_is_tried: ContextVar[bool] = ContextVar("_is_tried", default=False)  # a line is only checked


class Misfit(UsageError):
    """The line fits no command. Nothing was done."""

    is_near = False  # it has a group's command or an option: hardly a sentence
    is_begun = False  # it only lacks an argument


class _Front(TyperGroup):
    """All commands. While completing, other words count as a request."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        return super().resolve_command(ctx, args if args[0] in COMMANDS else ["ask", *args])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        return [*super().shell_complete(ctx, incomplete), *_WORDS.shell_complete(ctx, incomplete)]


@cache
def command(name: str) -> Any:
    """Return the command or group called *name*, one of COMMANDS."""
    found: Any = next((each for each in _PROGRAM if each.name == name), None) or _declared(name)
    for leaf in leaves(found).values():
        leaf.callback = _telling_failures(leaf.callback)
    return found


def _declared(name: str) -> Any:
    """Return a file's declaration called *name*."""
    if name in PACK_COMMANDS:
        app = commands_of(name)
    else:
        file, app_name = _ELSEWHERE.get(name, (f"commands.{name}", "app"))
        app = getattr(import_module(f".{file}", __package__), app_name)
    # rich would print help and errors, and traces; the completion is ours to install.
    app.info.rich_markup_mode = None
    app.rich_markup_mode, app.pretty_exceptions_enable, app._add_completion = None, False, False  # noqa: SLF001
    return typer.main.get_command(app)


def leaves(command: Any) -> Any:
    """Return the commands in *command* by name if it is a group, else itself."""
    return getattr(command, "commands", {"": command})


def _telling_failures(do: Callable[..., Any]) -> Callable[..., int]:
    """Wrap *do* so that its failures are reported."""

    def call(**values: Any) -> int:
        if _is_tried.get():
            return 0
        screen, options = current()
        options = options._replace(json=bool(values.get("as_json")))
        with invoked(screen, options):
            return telling_failures(options, screen, lambda: do(**values) or 0)

    return call


# Checking and running a line.


def run_command(line: Sequence[str], screen: Screen, env_file: str | None = None) -> int:
    """Run the command in *line*. Returns its exit status. Raises Misfit, with nothing done, if it isn't
    one.
    """
    try:
        with invoked(screen, Options(env_file=env_file)) as invocation:
            status = ROOT.main(_in_full(line), prog_name="jarvis", standalone_mode=False, obj=invocation)
    except TyperException as error:
        raise _misfit(error, line) from None
    except OSError as error:  # a help page that nobody can read
        return screen.lost(error)
    return int(status or 0)


def misfit_of(line: Sequence[str]) -> Misfit | None:
    """Return the problem with *line*, or None if all of it fits a command. Runs nothing."""
    if _HELP & {*_in_full(line)}:  # a page of help would be printed
        return None
    before = _is_tried.set(True)
    try:
        run_command(line, Screen())
    except Misfit as misfit:
        return misfit
    finally:
        _is_tried.reset(before)
    return None


def _in_full(line: Sequence[str]) -> list[str]:
    """Return *line* with the default command of a group: list, show, or else its help."""
    name, *rest = line
    group = getattr(command(name), "commands", ())
    if not group or _HELP & {*rest} or not all(word.startswith("-") for word in rest):
        return [*line]
    return [name, next((verb for verb in ("list", "show") if verb in group), "--help"), *rest]


def _misfit(error: TyperException, line: Sequence[str]) -> Misfit:
    group = getattr(command(line[0]), "commands", ())
    names = line[:2] if line[1:] and line[1] in group else line[:1]
    misfit = Misfit(error.format_message(), hint=f"jarvis {' '.join(names)} --help")
    # Its classes are private. An option's error has its name, that of a missing argument its type.
    param, lacks = getattr(error, "param", None), hasattr(error, "param_type")
    is_of_option = hasattr(error, "option_name") or (isinstance(param, TyperOption) and not lacks)
    misfit.is_near = len(names) > 1 or is_of_option
    misfit.is_begun = lacks and isinstance(param, TyperArgument)
    return misfit


# Completion.


def complete(env_file: str | None) -> NoReturn:
    """Complete a word for a shell. Does not return."""
    shells.completion_init()
    shells._sanitize_help_text = lambda text: text  # noqa: SLF001 (else it imports rich, for markup)
    shells.BashComplete.format_completion = _for_bash  # type: ignore[assignment,method-assign]
    with invoked(Screen(), Options(env_file=env_file)):
        raise SystemExit(ROOT.main([], prog_name="jarvis", complete_var=VARIABLE))


def _for_bash(_: object, item: Any) -> str:
    """Return a word for bash, with its spaces escaped unless it is in quotes."""
    typed = os.environ["COMP_WORDS"].split("\n")[: int(os.environ["COMP_CWORD"]) + 1][-1]
    return str(item.value) if typed.startswith(("'", '"')) else item.value.replace(" ", "\\ ")


def offered(before: list[str], begun: str, screen: Screen, env_file: str | None) -> list[tuple[str, str]]:
    """Return the completions of the word *begun* after *before*, each with its help."""
    shell = shells.BashComplete(ROOT, {}, "jarvis", VARIABLE)
    with invoked(screen, Options(env_file=env_file)):
        return [(each.value, each.help or "") for each in shell.get_completions(before, begun)]


# The commands of the program itself.


def show_help(words: Sequence[str]) -> None:
    if not words:
        current().screen.out(FRONT_PAGE)
    elif words == (_ALL,):
        every = [(name, *leaf) for name in sorted(COMMANDS) for leaf in leaves(command(name)).items()]
        rows = {f"{name} {verb}".rstrip(): each.get_short_help_str(200) for name, verb, each in every}
        width = max(map(len, rows))
        current().screen.out("\n".join(f"{names:<{width}}  {help_text}" for names, help_text in rows.items()))
    else:
        ROOT.main([*words, "--help"], prog_name="jarvis", standalone_mode=False)


_STATUSES = "\n".join(["\b", "Exit status:", *(f"{n:>5}  {text}" for n, text in EXIT_STATUSES.items())])


def _program(name: str, about: str, *params: Any, do: Callable[..., Any] = dict, **more: Any) -> TyperCommand:
    return TyperCommand(name, help=about, callback=do, params=[*params], rich_markup_mode=None, **more)


_OPTIONS = [
    TyperOption(
        param_decls=[field, *names.split()],
        metavar=metavar or None,
        help=help_,
        is_flag=not metavar and field != "verbose",
        count=field == "verbose",
        type=int if field == "verbose" else None,
        multiple=field == "files",
        autocompletion=completion.a_thread if field == "thread" else None,
    )
    for field, (names, metavar, help_) in OPTIONS.items()
]
_OF_CHAT = [each for each in _OPTIONS if each.name not in NOT_OF_CHATS]
_WORDS = TyperArgument(param_decls=["words"], nargs=-1, metavar="WORDS…", autocompletion=completion.a_word)
# “help me” is a sentence.
_a_command = completion.only(lambda words: words[0] in (*COMMANDS, _ALL), "it isn't a command")
_COMMAND = TyperArgument(
    param_decls=["words"],
    nargs=-1,
    metavar="[COMMAND]",
    callback=lambda ctx, param, words: _a_command(words),
    autocompletion=completion.words(sorted((*COMMANDS, _ALL))),
)
_PROGRAM = (
    # __main__.py runs the first two.
    _program("ask", "Run a request, as jarvis WORDS… does.", _WORDS, *_OPTIONS, epilog=_STATUSES),
    _program("chat", "Start a chat. Type /help in it for more.", *_OF_CHAT),
    _program("version", "Show the version.", do=lambda: current().screen.out(VERSION)),
    _program("help", "Show help for a command, or for all of them: jarvis help all.", _COMMAND, do=show_help),
)
_SETTINGS = {"help_option_names": ["-h", "--help"]}
ROOT = _Front(name="jarvis", params=[*_OPTIONS], context_settings=_SETTINGS, rich_markup_mode=None)
