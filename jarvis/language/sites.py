"""The sites and programs that are known by name: they stand in known_names.txt, in sections."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence

# The sections of sites: a site's name may name other things as well.
SITES, INSTITUTIONS, PLACES, SOFTWARE = "sites", "institutions", "places", "software"
ALL = (SITES, INSTITUTIONS, PLACES, SOFTWARE)
_PROGRAMS = "programs"
_FILE = os.path.join(os.path.dirname(__file__), "known_names.txt")


@functools.cache
def _sections() -> Mapping[str, str]:
    """Return the lines of each section, each with a line end on either side."""
    with open(_FILE, encoding="utf-8") as file:
        _, *sections = file.read().split("\n[")
    return dict(section.split("]", 1) for section in sections)


def site(name: str, among: Sequence[str] = ALL) -> str:
    """Return the address of the site of that *name*, in lower case without signs; empty if none is known.

    among: the sections that count.
    """
    for called in filter(None, dict.fromkeys((name, name.replace(" ", "")))):
        for section in among:
            if row := _row(called, section):
                return f"https://{row[0]}"
    return ""


def program(name: str) -> tuple[str, str]:
    """Return the program of that *name*, in lower case, as (what to call it, its maker's address).

    Both are empty where none is known.
    """
    address, title = (_row(name, _PROGRAMS) or ["", ""])[:2] if name else ("", "")
    return title, f"https://{address}" if address else ""


def names() -> list[tuple[str, str]]:
    """Return every name of a site with its address."""
    return [(name, f"https://{address}") for address, *called in _rows(ALL) for name in called]


def programs() -> list[tuple[str, str, list[str]]]:
    """Return every program as (what to call it, its maker's address, its names)."""
    return [(title, f"https://{address}", names) for address, title, *names in _rows([_PROGRAMS])]


def hosts() -> set[str]:
    """Return the host of every known site, without www."""
    return {address.partition("/")[0].removeprefix("www.") for address, *_ in _rows(ALL)}


def _row(name: str, section: str) -> list[str]:
    """Return the address and the names on the line that has *name*; nothing where none has it."""
    text = _sections()[section]
    at = text.find(f"|{name}|")
    return text[text.rindex("\n", 0, at) + 1 : text.index("\n", at)].split("|")[:-1] if at >= 0 else []


def _rows(sections: Sequence[str]) -> list[list[str]]:
    lines = "".join(_sections()[section] for section in sections).split("\n")
    return [line.split("|")[:-1] for line in lines if line.endswith("|")]
