"""`jarvis completion …`: print the script by which a shell completes jarvis, or put it where it is loaded."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Annotated

import typer

from ...config.paths import home_of
from ...core.errors import StoreFailed, UsageError
from ...core.files import replace_file
from ...core.text import one_line
from .. import completion
from ..work import current

app = typer.Typer(name="completion", help="What Tab completes in your shell.")
_SHELLS = ("bash", "zsh", "fish")
_PROGRAM = "jarvis"
# By this a file is known as ours.
_OURS = f"_{_PROGRAM.upper()}_COMPLETE="

# zsh loads the file at the first Tab, which is to be answered too.
_ZSH_FIRST = '[[ $funcstack[1] == _jarvis ]] && _jarvis_completion "$@"'


@app.command("bash", help="Print the script for bash.")
def print_bash() -> None:
    current().screen.out(_script("bash"))


@app.command("zsh", help="Print the script for zsh.")
def print_zsh() -> None:
    current().screen.out(_script("zsh"))


@app.command("fish", help="Print the script for fish.")
def print_fish() -> None:
    current().screen.out(_script("fish"))


@app.command("install", help="Put it where your shell, or SHELL, looks for it.")
def install_script(
    shell: Annotated[str, typer.Argument(metavar="[SHELL]", autocompletion=completion.a_shell)] = "",
) -> None:
    """Write the script to where the shell loads it from, and tell what was written."""
    screen = current().screen
    shell = shell or os.path.basename(screen.environment.get("SHELL", ""))
    if shell not in _SHELLS:
        other = one_line(shell, 40) or "others"
        told = f"There is completion for {', '.join(_SHELLS)}, and none for {other}."
        raise UsageError(told, hint="Name the shell: jarvis completion install bash")
    path = _place(shell, screen.environment)
    _write(path, shell)
    screen.out(f"Wrote {path}\n  undo: rm {shlex.quote(path)}")
    for line in _loading(shell, path):
        screen.err(line)


def _script(shell: str) -> str:
    from typer._completion_shared import get_completion_script  # shells

    script = get_completion_script(prog_name=_PROGRAM, complete_var=_OURS[:-1], shell=shell)
    return f"{script}\n{_ZSH_FIRST}" if shell == "zsh" else script


def _place(shell: str, environment: Mapping[str, str]) -> str:
    """Return the path from which *shell* loads what completes jarvis."""
    home = home_of(environment)
    data = environment.get("XDG_DATA_HOME") or os.path.join(home, ".local/share")
    if shell == "bash":
        own = environment.get("BASH_COMPLETION_USER_DIR", "").partition(":")[0]
        return os.path.join(own or os.path.join(data, "bash-completion"), "completions", "jarvis")
    if shell == "zsh":
        return os.path.join(data, "zsh", "site-functions", "_jarvis")
    config = environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return os.path.join(config, "fish", "completions", "jarvis.fish")


def _write(path: str, shell: str) -> None:
    """Put the script for *shell* at *path*. Raises UsageError where a file that is not ours stands there."""
    try:
        if _OURS not in _text(path):
            raise UsageError(
                f"{path} is there already, and is not ours: it was left as it is.",
                hint=f"Move it away, then try again: mv {shlex.quote(path)} {shlex.quote(path)}.old",
            )
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise StoreFailed(
            f"{path} can't be written: {error.strerror}.",
            hint=f"Print the script, and put it elsewhere: jarvis completion {shell}",
        ) from None
    replace_file(path, f"{_script(shell)}\n")


def _text(path: str) -> str:
    """Return what stands in the file at *path*; where there is none, what stands in ours."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return _OURS


def _loading(shell: str, path: str) -> list[str]:
    """Return what to tell of how *shell* comes to load the file at *path*."""
    if shell == "fish":
        return ["Every fish has it from now on."]
    if shell == "bash":
        return [
            "New terminals have it, if the package bash-completion is there. For this one, or without it:",
            f"  source {shlex.quote(path)}",
        ]
    return [
        "zsh does not look there by itself. Add these lines to your .zshrc, then open a new terminal:",
        f"  fpath=({shlex.quote(os.path.dirname(path))} $fpath)",
        "  autoload -Uz compinit && compinit",
    ]
