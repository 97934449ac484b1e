"""`jarvis completion …`: print the script by which a shell completes jarvis, or put it where it is loaded."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from ...config.sources import home_of
from ...core.errors import StoreFailed, UsageError
from ...core.files import replace_file
from ...core.text import one_line
from .. import completion
from ..work import current

_VARIABLE = "_JARVIS_COMPLETE"
# zsh loads the file at the first Tab, which is to be answered too.
_ZSH_FIRST = '[[ $funcstack[1] == _jarvis ]] && _jarvis_completion "$@"'
_SHELLS = {  # how each comes to load the file, whose path and folder stand for {0} and {1}
    "bash": """New terminals have it, if the package bash-completion is there. For this one, or without it:
  source {0}""",
    "zsh": """zsh does not look there by itself. Add these lines to your .zshrc, then open a new terminal:
  fpath=({1} $fpath)
  autoload -Uz compinit && compinit""",
    "fish": "Every fish has it from now on.",
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
    path = _place(shell, screen.environment)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        replace_file(path, f"{_script(shell)}\n")
    except OSError as error:
        told = f"{path} can't be written: {error.strerror}."
        hint = f"Print the script, and put it elsewhere: jarvis completion {shell}"
        raise StoreFailed(told, hint=hint) from None
    screen.out(f"Wrote {path}\n  undo: rm {shlex.quote(path)}")
    screen.err(_SHELLS[shell].format(*map(shlex.quote, (path, os.path.dirname(path)))))


def _script(shell: str) -> str:
    from typer._completion_shared import get_completion_script  # shells

    script = get_completion_script(prog_name="jarvis", complete_var=_VARIABLE, shell=shell)
    return f"{script}\n{_ZSH_FIRST}" if shell == "zsh" else script


def _place(shell: str, environment: Mapping[str, str]) -> str:
    """Return the path from which *shell* loads what completes jarvis."""
    home = home_of(environment)
    data = environment.get("XDG_DATA_HOME") or f"{home}/.local/share"
    config = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return {
        "bash": f"{data}/bash-completion/completions/jarvis",
        "zsh": f"{data}/zsh/site-functions/_jarvis",
        "fish": f"{config}/fish/completions/jarvis.fish",
    }[shell]
