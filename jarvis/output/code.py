"""Colours of code, a line at a time: it is shown while more of it is being written."""

from __future__ import annotations

import re

from pygments import highlight
from pygments.formatters import TerminalFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_LONGEST = 500  # characters of a line that is coloured
_COLOUR = r"\x1b\[[0-9;]*m"


def highlighted(line: str, language: str) -> str:
    """Return *line* with colours, as it is where *language* is not known."""
    if len(line) > _LONGEST or not line.strip():
        return line
    try:
        lexer = get_lexer_by_name(language.lower(), stripnl=False)
    except ClassNotFound:
        return line
    # Those of sessions, such as `console`, wait for the end of a line. Some change tabs, or leave words out.
    coloured = str(highlight(f"{line}\n", lexer, TerminalFormatter())).rstrip("\n")
    return coloured if re.sub(_COLOUR, "", coloured) == line else line
