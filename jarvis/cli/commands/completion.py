"""`jarvis completion …`: print the script by which a shell completes jarvis, or put it where it is loaded."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...config.paths import home_of
from ...core.errors import StoreFailed, UsageError
from ...core.files import replace_file
from ...core.text import one_line
from ..completion.scripts import OURS, SCRIPTS
from ..work import guarded

if TYPE_CHECKING:
    from ...output.screen import Screen
    from ..grammar import Call


def print_script(call: Call, screen: Screen) -> int:
    """Print the script for the shell that the command is called after."""
    screen.out(SCRIPTS[call.command.name], end="")
    return 0


def install_script(call: Call, screen: Screen) -> int:
    """Write the script to where the shell loads it from, and tell what was written."""

    def work() -> int:
        shell = call.words[0] if call.words else os.path.basename(screen.environment.get("SHELL", ""))
        if shell not in SCRIPTS:
            other = one_line(shell, 40) or "others"
            raise UsageError(
                f"There is completion for {', '.join(SCRIPTS)}, and none for {other}.",
                hint="Name the shell: jarvis completion install bash",
            )
        path = _place(shell, screen.environment)
        _write(path, shell)
        screen.out(f"Wrote {path}\n  undo: rm {shlex.quote(path)}")
        for line in _loading(shell, path):
            screen.err(line)
        return 0

    return guarded(call.options, screen, work)


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
        if OURS not in _text(path):
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
    replace_file(path, SCRIPTS[shell])


def _text(path: str) -> str:
    """Return what stands in the file at *path*; where there is none, what stands in ours."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return OURS


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
