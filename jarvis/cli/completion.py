"""Shared arguments and options of commands, and the completions of each kind of word.

Completions come from this machine when the user presses Tab. They write nothing and ask no server or program.
`jarvis completion …` prints the script for a shell, or installs it.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import typer
from typer._completion_shared import get_completion_script

from ..config.settings import SETTABLE, Settings, read_settings
from ..config.sources import home_of
from ..core.errors import JarvisError, StoreFailed, UsageError
from ..core.files import replace_file
from ..core.text import one_line
from ..desktop.desktop import own_platform
from ..language import command_grammar
from ..launcher import aliases
from ..launcher.names import known_sites
from ..packs.pack import pack_settings
from .invocation import current
from .line import VARIABLE

Found = tuple[str, str]  # a word and its description
Completer = Callable[[typer.Context, list[str], str], list[Found]]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]  # its parameter is called `as_json`
# bash and zsh evaluate what they are offered. A title may also have spaces.
_HARMLESS = re.compile(r"[\w.@%+=:,/-]+|\w[\w.,-]*(?: [\w.,-]+)*")
_SIGNS = re.compile(r"[^\w .,;!?:/-]")  # that may mean something to a shell
_LONGEST = 60  # characters of a description
# zsh loads the file at the first Tab, which needs an answer too.
_ZSH_FIRST = '\n[[ $funcstack[1] == _jarvis ]] && _jarvis_completion "$@"'
_SHELLS = {  # how each loads the file. {0} is its path, {1} its folder
    "bash": """New terminals have it, if the package bash-completion is there. For this one, or without it:
  source {0}""",
    "zsh": """zsh doesn't look there on its own. Add these lines to your .zshrc, then open a new terminal:
  fpath=({1} $fpath)
  autoload -Uz compinit && compinit""",
    "fish": "Each new fish has it.",
}
_FOLDERS = {"XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config"}  # in the home, unless they are set
_FILES = {
    "bash": "{XDG_DATA_HOME}/bash-completion/completions/jarvis",
    "zsh": "{XDG_DATA_HOME}/zsh/site-functions/_jarvis",
    "fish": "{XDG_CONFIG_HOME}/fish/completions/jarvis.fish",
}


def _beginning(
    entries: Callable[[typer.Context], Iterable[Found]], *, in_any_case: bool = False
) -> Completer:
    """Return a completer for the words of *entries*. Unreadable files offer none.

    in_any_case: also for capitals, which stay. Shells and Typer drop other spellings.
    """

    def complete(ctx: typer.Context, args: list[str], incomplete: str) -> list[Found]:
        found: dict[str, str] = {}
        with suppress(JarvisError):  # nobody reads an error in the middle of a line
            for name, help_text in entries(ctx):
                is_begun = in_any_case and name.casefold().startswith(incomplete.casefold())
                word = incomplete + name[len(incomplete) :] if is_begun else name
                if word.startswith(incomplete) and _HARMLESS.fullmatch(word):
                    found.setdefault(word, _SIGNS.sub("", one_line(help_text))[:_LONGEST])
        return [*found.items()]

    return complete


def words(entries: Iterable[str]) -> Completer:
    """Return a completer for the words *entries*."""
    return _beginning(lambda ctx: ((word, "") for word in entries))


a_setting = _beginning(lambda ctx: ((name, "") for name in SETTABLE | pack_settings()))


def _settings() -> Settings:
    screen, options = current()
    return read_settings(screen.environment, env_file=options.env_file)


def _aliases() -> Iterator[Found]:
    return ((alias.name, alias.target) for alias in aliases.load(_settings().folders.aliases).values())


def _next_words(found: Iterable[Found], typed: Sequence[str]) -> Iterator[Found]:
    """Yield the next word of each name that *typed* is the beginning of."""
    before, at = [word.casefold() for word in typed], len(typed)
    for name, about in found:
        words = name.casefold().split()
        if len(words) > at and words[:at] == before:
            yield words[at], about if len(words) == at + 1 else ""


@partial(_beginning, in_any_case=True)
def an_alias(ctx: typer.Context) -> Iterable[Found]:
    return _next_words(_aliases(), ctx.params.get("name") or ())


@_beginning
def a_thread(ctx: typer.Context) -> Iterable[Found]:
    """Yield each thread by its name, and by its title."""
    from ..store.threads import known_threads  # history, which a page of help does without

    settings = _settings()
    # A server is not asked at a key press.
    threads = [] if settings.database_url else known_threads(settings.folders.history)
    for name, title, last in threads:
        yield name, title or last
        yield title, ""


@partial(_beginning, in_any_case=True)
def a_word(ctx: typer.Context) -> Iterable[Found]:
    """Return the verbs of plain commands, or after one, the names that it opens."""
    typed = ctx.params.get("words") or ()
    if not typed:
        verbs = (listed.partition("/")[0] for listed in command_grammar.VERBS.values())
        return ((verb, "") for verb in verbs if " " not in verb)
    parsed = command_grammar.parse_words(" ".join(typed))
    found: list[Found] = []
    if parsed.verb in (command_grammar.OPENS, command_grammar.GOES, command_grammar.RETURNS):
        found += [*_aliases(), *known_sites().items()]
    if parsed.verb in (command_grammar.OPENS, command_grammar.STARTS, command_grammar.RETURNS):
        listed = own_platform(current().screen.environment, cache=_settings().folders.cache).names()
        found += ((name, f"{title} (app)") for name, title in listed)
    return _next_words(found, parsed.words)


# What several commands take.


def only(fits: Callable[[Any], bool], message: str) -> Callable[[Any], Any]:
    """Return the callback that refuses an argument unless it *fits*: such a line is a sentence."""

    def check(value: Any) -> Any:
        if value and not fits(value):
            raise typer.BadParameter(message)
        return value

    return check


InThread = Annotated[
    str | None,
    typer.Option("--thread", "-t", metavar="NAME", help="The conversation to use.", autocompletion=a_thread),
]
ThreadName = Annotated[str, typer.Argument(metavar="NAME", autocompletion=a_thread)]
File = Annotated[str, typer.Argument(metavar="FILE", help="A file, or - for stdin.")]
Words = Annotated[list[str], typer.Argument(metavar="WORDS…", autocompletion=a_word)]


# The script of a shell.

app = typer.Typer(name="completion", help="Tab completion for your shell.")


def _printing(shell: str) -> Callable[[], None]:
    return lambda: current().screen.out(_script(shell))


for _shell in _SHELLS:
    app.command(_shell, help=f"Print the script for {_shell}.")(_printing(_shell))


@app.command("install", help="Install it for your shell, or for SHELL.")
def install_script(
    shell: Annotated[str, typer.Argument(metavar="[SHELL]", autocompletion=words(_SHELLS))] = "",
) -> None:
    screen = current().screen
    shell = shell or os.path.basename(screen.environment.get("SHELL", ""))
    if shell not in _SHELLS:
        message = f"Completion supports only {', '.join(_SHELLS)}."
        raise UsageError(message, hint="Name the shell: jarvis completion install bash")
    home = home_of(screen.environment)
    path = _FILES[shell].format_map(
        {name: screen.environment.get(name) or f"{home}/{usual}" for name, usual in _FOLDERS.items()}
    )
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, f"{_script(shell)}\n")
    except OSError as error:
        hint = f"Print it and save it yourself: jarvis completion {shell}"
        raise StoreFailed(f"Can't write {path}: {error.strerror}.", hint=hint) from None
    screen.out(f"Wrote {path}\n  undo: rm {shlex.quote(path)}")
    screen.err(_SHELLS[shell].format(*map(shlex.quote, (path, os.path.dirname(path)))))


def _script(shell: str) -> str:
    script = get_completion_script(prog_name="jarvis", complete_var=VARIABLE, shell=shell)
    return script + _ZSH_FIRST * (shell == "zsh")
