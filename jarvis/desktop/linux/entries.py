"""Read the installed apps from their desktop entries, and the commands that start them.

Source: Desktop Entry Specification 1.5, Desktop Menu Specification (ids).
A broken entry is skipped: it must not hide all other apps.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

from ...config.sources import home_of
from ...core.text import one_line
from ..apps import ENTRY, LONGEST_NAME, App
from . import read_text, which

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SECTION = re.compile(r"(?m)^\[Desktop Entry\][ \t\r]*$")
_KEYS = (
    "Type|Name|GenericName|Exec|TryExec|Hidden|NoDisplay|OnlyShowIn|NotShowIn|Terminal|DBusActivatable|Path"
)
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# Many sessions leave these out of XDG_DATA_DIRS.
_OFTEN_MISSING = ("/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop")
# Each with the arguments that go before the command; the person's own choice first.
_TERMINALS: tuple[tuple[str, ...], ...] = (
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


def index(env: Mapping[str, str]) -> list[App]:
    """Return every app that a menu would show, each id once."""
    seen: set[str] = set()
    apps = []
    for root in entry_folders(env):
        for path in _entries(root):
            app_id = os.path.relpath(path, root).removesuffix(ENTRY).replace("/", "-")
            if app_id in seen:
                continue
            seen.add(app_id)  # before it is read: a hidden entry hides those of the same id in later folders
            if app := read_entry(path, app_id, env):
                apps.append(app)
    return apps


def entry_folders(env: Mapping[str, str]) -> list[str]:
    """Return the folders that may hold entries, the most important first."""
    own = env.get("XDG_DATA_HOME") or os.path.join(home_of(env), ".local/share")
    everyones = env.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = (own, *everyones.split(":"), f"{own}/flatpak/exports/share", *_OFTEN_MISSING)
    absolute = dict.fromkeys(folder.rstrip("/") for folder in folders if folder.startswith("/"))
    return [f"{folder}/applications" for folder in absolute]


def _entries(root: str) -> Iterator[str]:
    for folder, _, names in sorted(os.walk(root)):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(ENTRY))


def read_entry(path: str, app_id: str, env: Mapping[str, str]) -> App | None:
    """Return the app whose entry is at *path*; None if it is hidden or broken."""
    section = _section(path)
    keys = _keys(section, env)
    if not _is_shown(keys, env):
        return None
    names = _localised(keys, "Name", env)
    try:
        command = split_exec(keys.get("Exec", ""))
    except ValueError:
        return None
    if not names or not (command or keys.get("DBusActivatable") == "true"):
        return None
    return App(
        id=app_id,
        path=path,
        names=names,
        generic=_localised(keys, "GenericName", env),
        command=tuple(command),
        terminal=keys.get("Terminal") == "true",
        cwd=unescape(keys.get("Path", "")),
        translations=_translations(section, "Name"),
        generic_translations=_translations(section, "GenericName"),
    )


def _section(path: str) -> str:
    """Return the [Desktop Entry] at *path*; empty if there is none."""
    text = read_text(path)
    head = _SECTION.search(text)
    return text[head.end() :].partition("\n[")[0] if head else ""


def _keys(section: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return the known keys in *section*, the first of each; of translations those for this session."""
    here = "|".join(map(re.escape, _locales(env)))
    found = re.findall(rf"\n((?:{_KEYS})(?:\[(?:{here})\])?)[ \t]*=(.*)", section)
    return {key: value.strip() for key, value in reversed(found)}


def _is_shown(keys: Mapping[str, str], env: Mapping[str, str]) -> bool:
    if keys.get("Type") != "Application" or "true" in (keys.get("Hidden"), keys.get("NoDisplay")):
        return False
    here = set(env.get("XDG_CURRENT_DESKTOP", "").split(":"))
    if "OnlyShowIn" in keys and not here & _listed(keys["OnlyShowIn"]):
        return False
    if here & _listed(keys.get("NotShowIn", "")):
        return False
    needed = unescape(keys.get("TryExec", ""))
    return not needed or which(needed, env) is not None


def _listed(value: str) -> set[str]:
    return {part for part in value.split(";") if part}


def _localised(keys: Mapping[str, str], key: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the best translation and the untranslated value, cleaned for printing."""
    best = next((keys[name] for at in _locales(env) if (name := f"{key}[{at}]") in keys), "")
    values = (one_line(unescape(value), LONGEST_NAME) for value in (best, keys.get(key, "")))
    return tuple(dict.fromkeys(filter(None, values)))


def _locales(env: Mapping[str, str]) -> list[str]:
    """Return the locales whose names to take, best first: `sr_RS@latin`, `sr_RS`, `sr@latin`, `sr`."""
    locale = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG") or ""
    place, at, modifier = locale.partition("@")
    country = place.partition(".")[0]
    language = country.partition("_")[0]
    return [country + at + modifier, country, language + at + modifier, language] if language else []


def _translations(section: str, key: str) -> tuple[str, ...]:
    """Return the beginnings of all the translations of *key*."""
    return tuple(re.findall(rf"\n{key}\[.*?\][ \t]*=[ \t]*(.{{,{LONGEST_NAME}}})", section))


def unescape(value: str) -> str:
    r"""Return *value* of a key with `\s`, `\n`, `\t`, `\r` and `\\` resolved."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), value) if "\\" in value else value


def split_exec(line: str) -> list[str]:
    """Return the arguments in *line*, the raw value of Exec. Raises ValueError if it is broken."""
    line = unescape(line)
    if not any(sign in line for sign in "'\"\\"):
        return line.split()
    # Of what may be escaped between double quotes, shlex leaves these two as they are.
    return shlex.split(re.sub(r"\\(\\|[$`])", lambda m: m[0] if m[1] == "\\" else m[1], line))


def expand_exec(arguments: Sequence[str], *, name: str, path: str) -> list[str]:
    """Return *arguments* with their field codes filled in.

    Nothing is ever opened *with* an app, so the codes for files and addresses are left out.
    """
    values = {"\0": "%", "c": name, "k": path}
    filled = [(_filled(argument, values), argument) for argument in arguments]
    return [new for new, old in filled if new or not old]


def _filled(argument: str, values: Mapping[str, str]) -> str:
    filled, *codes = argument.replace("%%", "%\0").split("%")
    return filled + "".join(values.get(code[0], "") + code[1:] if code else "%" for code in codes)


def in_terminal(arguments: list[str], env: Mapping[str, str]) -> list[str] | None:
    """Return the command for *arguments* in a new terminal window; None if no terminal is installed."""
    terminal = next((terminal for terminal in _TERMINALS if which(terminal[0], env)), None)
    return [*terminal, *arguments] if terminal else None
