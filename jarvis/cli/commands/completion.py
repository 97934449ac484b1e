"""`jarvis completion …`: print the script by which a shell completes jarvis, or put it where it is loaded."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from typing import Annotated

import typer
from typer._completion_shared import get_completion_script

from ...config.sources import home_of
from ...core.errors import StoreFailed, UsageError
from ...core.files import replace_file
from ...core.text import one_line
from .. import completion
from ..router import VARIABLE
from ..work import current

# zsh loads the file at the first Tab, which is to be answered too.
_ZSH_FIRST = '\n[[ $funcstack[1] == _jarvis ]] && _jarvis_completion "$@"'
_SHELLS = {  # how each comes to load the file, whose path and folder stand for {0} and {1}
    "bash": """New terminals have it, if the package bash-completion is there. For this one, or without it:
  source {0}""",
    "zsh": """zsh does not look there by itself. Add these lines to your .zshrc, then open a new terminal:
  fpath=({1} $fpath)
  autoload -Uz compinit && compinit""",
    "fish": "Every fish has it from now on.",
}
_FOLDERS = {"XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config"}  # in the home, unless they are set
_FILES = {
    "bash": "{XDG_DATA_HOME}/bash-completion/completions/jarvis",
    "zsh": "{XDG_DATA_HOME}/zsh/site-functions/_jarvis",
    "fish": "{XDG_CONFIG_HOME}/fish/completions/jarvis.fish",
}

app = typer.Typer(name="completion", help="What Tab completes in your shell.")


def _printing(shell: str) -> Callable[[], None]:
    return lambda: current().screen.out(_script(shell))


for _shell in _SHELLS:
    app.command(_shell, help=f"Print the script for {_shell}.")(_printing(_shell))


@app.command("install", help="Put it where your shell, or SHELL, looks for it.")
def install_script(
    shell: Annotated[str, typer.Argument(metavar="[SHELL]", autocompletion=completion.words(_SHELLS))] = "",
) -> None:
    screen = current().screen
    shell = shell or os.path.basename(screen.environment.get("SHELL", ""))
    if shell not in _SHELLS:
        other = one_line(shell, 40) or "others"
        told = f"There is completion for {', '.join(_SHELLS)}, and none for {other}."
        raise UsageError(told, hint="Name the shell: jarvis completion install bash")
    home = home_of(screen.environment)
    path = _FILES[shell].format_map(
        {name: screen.environment.get(name) or f"{home}/{usual}" for name, usual in _FOLDERS.items()}
    )
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, f"{_script(shell)}\n")
    except OSError as error:
        hint = f"Print the script, and put it elsewhere: jarvis completion {shell}"
        raise StoreFailed(f"{path} can't be written: {error.strerror}.", hint=hint) from None
    screen.out(f"Wrote {path}\n  undo: rm {shlex.quote(path)}")
    screen.err(_SHELLS[shell].format(*map(shlex.quote, (path, os.path.dirname(path)))))


def _script(shell: str) -> str:
    script = get_completion_script(prog_name="jarvis", complete_var=VARIABLE, shell=shell)
    return script + _ZSH_FIRST * (shell == "zsh")
