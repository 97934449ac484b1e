"""The Exec line of a desktop entry, as a list of arguments.

Source: Desktop Entry Specification 1.5, “The Exec key”. Not shlex: a single quote means nothing there.
"""

from __future__ import annotations

import re

from ..typed import TYPE_CHECKING
from .proc import which

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 4096  # an unclosed quote costs the square of it

_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# One argument: quoted and plain pieces, side by side.
_ARGUMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+', re.DOTALL)
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|([^"]+)', re.DOTALL)

# Each with what stands between it and the command; the person's own choice first.
TERMINALS: tuple[tuple[str, ...], ...] = (
    ("xdg-terminal-exec",),
    ("x-terminal-emulator", "-e"),
    ("gnome-terminal", "--"),
    ("kgx", "--"),
    ("konsole", "-e"),
    ("xfce4-terminal", "-x"),
    ("kitty",),
    ("alacritty", "-e"),
    ("foot",),
    ("wezterm", "start", "--"),
    ("xterm", "-e"),
)


def unescape(value: str) -> str:
    r"""*value* of a key with `\s`, `\n`, `\t`, `\r` and `\\` resolved."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), value) if "\\" in value else value


def split(line: str) -> list[str]:
    """The arguments in *line*, the value of Exec as it stands in the file. ValueError if it is broken."""
    line = unescape(line)
    if len(line) > _LONGEST:
        raise ValueError("Exec is too long")
    if _ARGUMENT.sub("", line).strip():
        raise ValueError("a quote in Exec is not closed")
    return [_unquoted(argument[0]) for argument in _ARGUMENT.finditer(line)]


def expand(arguments: list[str], *, name: str, path: str) -> list[str]:
    """*arguments* with their field codes filled in.

    Nothing is ever opened *with* an app, so all that stands for files and addresses falls away.
    """
    values = {"%": "%", "c": name, "k": path}
    filled = [(re.sub("%(.)", lambda m: values.get(m[1], ""), a), a) for a in arguments]
    return [new for new, old in filled if new or not old]


def in_terminal(arguments: list[str], env: Mapping[str, str]) -> list[str] | None:
    """*arguments* in a new terminal window; None where no terminal is installed."""
    for terminal in TERMINALS:
        if which(terminal[0], env):
            return [*terminal, *arguments]
    return None


def _unquoted(argument: str) -> str:
    pieces = _PIECE.finditer(argument)
    return "".join(p[2] or re.sub(r'\\(["`$\\])', r"\1", p[1]) for p in pieces)
