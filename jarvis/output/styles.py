"""Styles and links on a terminal. Every style can be read on black and on white.

The colors are those few of the 256 that have a contrast of 4.5 with both.
"""

from collections.abc import Mapping

from ..core.urls import page_url

BOLD = "bold"  # the user's own words, headings, what to look at first
FAINT = "color(243)"  # what may be missed
GREEN, RED = "color(29)", "color(131)"  # good and bad, beside a sign that says so too
VIOLET = "color(98)"  # code
STYLES = {  # rich's names, and a terminal's codes
    BOLD: "1",
    "italic": "3",
    "underline": "4",
    "strike": "9",
    FAINT: "38;5;243",
    GREEN: "38;5;29",
    RED: "38;5;131",
    VIOLET: "38;5;98",
}

# Terminals that show links (OSC 8), by what each puts into the environment. Between us and them, tmux and
# screen drop links or print them.
_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "rio", "WarpTerminal")
_TERMS = ("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour")
_VARIABLES = ("WT_SESSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "KONSOLE_VERSION")
_OLDEST_VTE = 5000  # 0.50


def styled(text: str, style: str, *, color: bool) -> str:
    """Return *text* in a *style*, if the terminal has colors."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if text and style and color else text


def takes_links(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal is known to show links."""
    term, vte = environment.get("TERM", ""), environment.get("VTE_VERSION", "")
    if "TMUX" in environment or term.startswith(("tmux", "screen", "dumb")):
        return False
    if term.startswith(_TERMS) or environment.get("TERM_PROGRAM") in _PROGRAMS:
        return True
    return any(map(environment.get, _VARIABLES)) or (vte.isdecimal() and int(vte) >= _OLDEST_VTE)


def linked(text: str, address: str) -> str:
    """Return *text* as a link to *address*, or unchanged if that isn't on the web. *text* has the host."""
    url = "".join(each if each.isascii() else _encoded(each) for each in page_url(address))
    return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if url else text


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())
