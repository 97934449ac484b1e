"""Read the Exec line of a desktop entry as a list of arguments.

Source: Desktop Entry Specification 1.5, “The Exec key”. Not shlex: in Exec, a single quote means nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .session import which

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 4096  # the time for an unclosed quote grows with its square

_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# One argument: quoted and plain pieces, side by side. Compiled when needed: few apps have a quote.
_ARGUMENT = r'(?s)(?:"(?:[^"\\]|\\.)*"|[^\s"])+'
_PIECE = r'(?s)"((?:[^"\\]|\\.)*)"|([^"]+)'

# Each with the arguments that go before the command; the person's own choice first.
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
    r"""Return *value* of a key with `\s`, `\n`, `\t`, `\r` and `\\` resolved."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), value) if "\\" in value else value


def split(line: str) -> list[str]:
    """Return the arguments in *line*, the raw value of Exec. Raises ValueError if it is broken."""
    line = unescape(line)
    if len(line) > _LONGEST:
        raise ValueError("Exec is too long")
    if '"' not in line:
        return line.split()
    if re.sub(_ARGUMENT, "", line).strip():
        raise ValueError("a quote in Exec is not closed")
    return [_unquoted(argument[0]) for argument in re.finditer(_ARGUMENT, line)]


def expand(arguments: list[str], *, name: str, path: str) -> list[str]:
    """Return *arguments* with their field codes filled in.

    Nothing is ever opened *with* an app, so the codes for files and addresses are left out.
    """
    values = {"\0": "%", "c": name, "k": path}
    filled = [(_filled(argument, values), argument) for argument in arguments]
    return [new for new, old in filled if new or not old]


def in_terminal(arguments: list[str], env: Mapping[str, str]) -> list[str] | None:
    """Return the command for *arguments* in a new terminal window; None if no terminal is installed."""
    for terminal in TERMINALS:
        if which(terminal[0], env):
            return [*terminal, *arguments]
    return None


def _filled(argument: str, values: Mapping[str, str]) -> str:
    filled, *codes = argument.replace("%%", "%\0").split("%")
    return filled + "".join(values.get(code[0], "") + code[1:] if code else "%" for code in codes)


def _unquoted(argument: str) -> str:
    pieces = re.finditer(_PIECE, argument)
    return "".join(p[2] or re.sub(r'\\(["`$\\])', r"\1", p[1]) for p in pieces)
