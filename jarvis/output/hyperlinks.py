"""Which terminals know hyperlinks (OSC 8): none tells, so it goes by the variables they are known by."""

from __future__ import annotations

from collections.abc import Mapping

# A terminal that doesn't know them may print them. Those without such a variable are told by the person.
_VARIABLES = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "GHOSTTY_RESOURCES_DIR")
_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal")
_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "contour", "wezterm")
_FIRST_VTE = 5000  # GNOME Terminal, Tilix and others: 0.50


def are_known(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal knows hyperlinks. FORCE_HYPERLINK says so, or with 0 that it does not."""
    forced = environment.get("FORCE_HYPERLINK", "")
    term = environment.get("TERM", "")
    if forced or term == "dumb":
        return forced not in ("", "0") and term != "dumb"
    if environment.get("TMUX") or term.startswith(("screen", "tmux")):
        return False  # it hands them on to some terminals only
    vte = environment.get("VTE_VERSION", "")
    return (
        term in _TERMS
        or environment.get("TERM_PROGRAM") in _PROGRAMS
        or (vte.isdecimal() and int(vte) >= _FIRST_VTE)
        or any(environment.get(name) for name in _VARIABLES)
    )
