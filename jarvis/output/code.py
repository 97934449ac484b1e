"""Colours of code, a line at a time: it is shown while more of it is being written."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import TerminalFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_LONGEST = 500  # characters of a line that is coloured


def highlighted(line: str, language: str) -> str:
    """Return *line* with colours, as it is where *language* is not known."""
    if len(line) > _LONGEST or not line.strip():
        return line
    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return line
    return str(highlight(line, lexer, TerminalFormatter())).rstrip("\n")
