"""Find the app that a name means by its desktop entry, and start it by its own command.

No words of a plan ever reach that command. A broken entry is skipped: it must not hide all other apps.
Source: Desktop Entry Specification 1.5, Desktop Menu Specification (ids).
"""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...config.sources import home_of
from ...core.errors import LaunchFailed, NoHandler, NotInstalled
from ...core.files import read_text
from ...core.text import digest, one_line
from ...core.types import AppsFound
from .. import apps
from ..apps import ENTRY, LONGEST_NAME, App, entry_id, normalise
from ..desktop import HANDED_OVER, RUNNING, Launched, check_only_ours, which
from . import (
    GRAPHICAL,
    chosen_browser,
    config_folder,
    read_lines,
    require,
    require_xdg_open,
    spawn_detached,
)

_SECTION = re.compile(r"(?m)^\[Desktop Entry\][ \t\r]*$")
_KEYS = (
    "Type|Name|GenericName|Exec|TryExec|Hidden|NoDisplay|OnlyShowIn|NotShowIn|Terminal|DBusActivatable|Path"
    "|Categories"
)
_ESCAPES = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# Many sessions leave these out of XDG_DATA_DIRS.
_OFTEN_MISSING = ("/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop")
# Each with the arguments that go before the command, the user's own choice first.
_TERMINALS = (
    "xdg-terminal-exec/x-terminal-emulator -e/gnome-terminal --/kgx --/konsole -e/xfce4-terminal -x/"
    "kitty/alacritty -e/foot/wezterm start --/xterm -e"
)


class Menu(NamedTuple):
    """The apps of the session's menu."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep their list in, or ""

    def find(self, name: str) -> AppsFound:
        """Return the apps that *name* means, or else those with a similar name."""
        return apps.apps_found(name, self.all(), self.for_role)

    def launch(self, name: str, grace: float) -> Launched:
        """Start the app that *name* means or is the key of, and watch it for *grace* seconds."""
        require(self.env)
        app = apps.find_app(name, self.known_apps, self.all, self.for_role)
        argv = _command(app, self.env)
        status = spawn_detached(argv, self.env, cwd=_folder(app, self.env), grace=grace)
        if status:
            message = f"{app.name} failed right after its start (status {status})."
            raise LaunchFailed(message, hint=f"See why: {shlex.join(argv)}")
        return Launched(app.name, RUNNING if status is None else HANDED_OVER)

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the apps whose whole name, program or role is one of *names*, each as (name shown, key).

        names: in lower case, without signs, best first.
        """
        hits = apps.exact_matches(names, self.known_apps())
        if not hits and roles:  # an app of that very name comes before the one that has the role
            hits = list(filter(None, [self.for_role(names)]))
        return [(app.name, app.key) for app in hits]

    def all(self) -> list[App]:
        """Return every app that a menu would show."""
        return index(self.env)

    def known_apps(self) -> list[App]:
        """Return the same without their translations: as they are kept, unless an entry has changed."""
        if not self.cache:
            return self.all()
        file, state = os.path.join(self.cache, "apps.json"), _state(self.env)
        found = apps.kept_apps(file, state)
        if found is None:
            apps.keep_apps(file, state, found := self.all())
        return found

    def for_role(self, names: Sequence[str]) -> App | None:
        """Return the system's app for the role among *names*, or None.

        Source: MIME Applications Associations 1.0. For terminals: Debian's links.
        """
        if not (role := apps.role_in(names)):
            return None
        by_id = {app.id: app for app in self.known_apps()}
        return next((by_id[id_] for id_ in _ids(role, by_id.values(), self.env) if id_ in by_id), None)


def _command(app: App, env: Mapping[str, str]) -> list[str]:
    # An app without Exec is started over D-Bus, which gio does.
    argv = expand_exec(app.command, name=app.name, path=app.path) or ["gio", "launch", app.path]
    program = which(argv[0], env)
    if not program:
        raise NotInstalled(f"{app.name} is in the menu, but its program ({argv[0]}) is not installed.")
    for path in (app.path, program):
        check_only_ours(path, app.name, env)
    argv[0] = program
    return in_terminal(argv, app.name, env) if app.terminal else argv


def _folder(app: App, env: Mapping[str, str]) -> str:
    wanted = (app.cwd, home_of(env))
    return next((folder for folder in wanted if os.path.isabs(folder) and os.path.isdir(folder)), "/")


def opener(env: Mapping[str, str]) -> str:
    """Return the browser for addresses, if there is a screen. Raises NoHandler and LaunchFailed."""
    require_xdg_open(env)  # files need it, even if $BROWSER takes addresses
    if argv := chosen_browser("https://example.org", env):
        check_only_ours(argv[0], os.path.basename(argv[0]), env)
        return f"{argv[0]}, by $BROWSER"
    if browser := next(_browsers(env), ""):
        return f"{browser}, by xdg-open"
    other = "or one that is there: xdg-settings set default-web-browser NAME.desktop"
    raise NoHandler("No browser is set up.", hint=f"sudo apt install firefox-esr   ({other})")


def _browsers(env: Mapping[str, str]) -> Iterator[str]:
    """Yield the browsers that xdg-open may come to, the most important first."""
    if default := Menu(env).for_role(["browser"]):
        yield default.name
    yield from (name for name in GRAPHICAL.split(":") if which(name, env))


# The system's app for a role.


_TYPES = {
    "browser": "x-scheme-handler/https",
    "mail": "x-scheme-handler/mailto",
    "files": "inode/directory",
    "editor": "text/plain",
}
# The apps for settings: no default can be chosen, since each desktop has its own. Nor is one for calculators.
_SETTINGS = {
    "gnome": ("org.gnome.Settings", "gnome-control-center"),
    "kde": ("systemsettings", "org.kde.systemsettings", "kdesystemsettings"),
    "xfce": ("xfce-settings-manager",),
    "x-cinnamon": ("cinnamon-settings",),
    "mate": ("matecc",),
    "lxqt": ("lxqt-config",),
}


def _ids(kind: str, installed: Iterable[App], env: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids of apps that may have the role *kind*, the most important first."""
    if kind == "terminal":
        return _terminals(installed, env)
    if kind == "settings":
        return (id_ for desktop in (*_desktops(env), *_SETTINGS) for id_ in _SETTINGS.get(desktop, ()))
    if kind == "calculator":
        return (app.id for app in installed if apps.role_in([*map(normalise, app.generic)]) == kind)
    return map(entry_id, _defaults(_TYPES[kind], env))


def _defaults(kind: str, env: Mapping[str, str]) -> Iterator[str]:
    """Yield the file names of the default desktop entries for *kind*, the most important first."""
    for path in _lists(env):
        section = ""
        for line in read_lines(path):
            if line.startswith("["):
                section = line
            key, equals, value = line.partition("=")
            if section == "[Default Applications]" and equals and key.strip() == kind:
                yield from filter(None, map(str.strip, value.split(";")))


def _terminals(installed: Iterable[App], env: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids of terminals: the one that Debian links to, then those that say so, usual ones first."""
    if linked := which("x-terminal-emulator", env):
        program = os.path.basename(os.path.realpath(linked)).partition(".")[0]
        yield program
        # The entry that starts it may be called otherwise: that of `kgx` is org.gnome.Console.
        yield from (app.id for app in installed if program in map(os.path.basename, app.command[:1]))
    # Of two with one program the plainer counts: `foot`, not `foot --server`.
    terminals = sorted((app for app in installed if app.is_terminal), key=lambda app: -len(app.command))
    own = {os.path.basename("".join(app.command[:1])): app.id for app in terminals}
    yield from (own[program] for program, *_ in _usual_terminals(env) if program in own)
    yield from own.values()


def _usual_terminals(env: Mapping[str, str]) -> list[list[str]]:
    """Return the rows of _TERMINALS. The one that needs Wayland comes last without Wayland."""
    rows = map(str.split, _TERMINALS.split("/"))
    return sorted(rows, key=lambda row: row[0] == "foot" and not env.get("WAYLAND_DISPLAY"))


def _lists(env: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths where lists of defaults may be: for this desktop before those for any."""
    system = env.get("XDG_CONFIG_DIRS") or "/etc/xdg"
    for place in (config_folder(env), *system.split(":"), *entry_folders(env)):
        yield from (os.path.join(place, f"{desktop}-mimeapps.list") for desktop in _desktops(env))
        yield os.path.join(place, "mimeapps.list")


def _desktops(env: Mapping[str, str]) -> list[str]:
    """Return the names of this desktop, in lower case, the closest first."""
    names = env.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    return [name for name in names if name and "/" not in name]


# Desktop entries.


def index(env: Mapping[str, str]) -> list[App]:
    """Return every app that a menu would show, each id once."""
    found: dict[str, App | None] = {}
    for root, path in _entries(env):
        app_id = os.path.relpath(path, root).removesuffix(ENTRY).replace("/", "-")
        if app_id not in found:  # a hidden entry hides those of the same id in later folders
            found[app_id] = read_entry(path, app_id, env)
    return [app for app in found.values() if app]


def _state(env: Mapping[str, str]) -> str:
    """Return one word for everything that `index` depends on."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG", "XDG_CURRENT_DESKTOP", "PATH")
    stamps = [(path, _stamp(path)) for _, path in _entries(env)]
    return digest(repr((stamps, [env.get(name) for name in names])))


def _stamp(path: str) -> tuple[int, int]:
    """Return numbers that change with the file at *path*, or zeros if a link leads nowhere."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_ino, status.st_mtime_ns


def entry_folders(env: Mapping[str, str]) -> list[str]:
    """Return the folders that may hold entries, the most important first."""
    own = env.get("XDG_DATA_HOME") or os.path.join(home_of(env), ".local/share")
    everyones = env.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    folders = (own, *everyones.split(":"), f"{own}/flatpak/exports/share", *_OFTEN_MISSING)
    absolute = dict.fromkeys(folder.rstrip("/") for folder in folders if folder.startswith("/"))
    return [f"{folder}/applications" for folder in absolute]


def _entries(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each folder of `entry_folders` with the path of each entry in it."""
    for root in entry_folders(env):
        for folder, _, names in sorted(os.walk(root)):
            yield from ((root, f"{folder}/{name}") for name in sorted(names) if name.endswith(ENTRY))


def read_entry(path: str, app_id: str, env: Mapping[str, str]) -> App | None:
    """Return the app whose entry is at *path*, or None if it is hidden or broken."""
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
        is_terminal="TerminalEmulator" in _listed(keys.get("Categories", "")),
        translations=_translations(section, "Name"),
        generic_translations=_translations(section, "GenericName"),
    )


def _section(path: str) -> str:
    """Return the [Desktop Entry] at *path*, or ""."""
    text = read_text(path)
    head = _SECTION.search(text)
    return text[head.end() :].partition("\n[")[0] if head else ""


def _keys(section: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return the known keys in *section*, the first of each, with translations only for this session."""
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


def in_terminal(arguments: list[str], name: str, env: Mapping[str, str]) -> list[str]:
    """Return the command for *arguments* in a new terminal window. Raises LaunchFailed."""
    for terminal in _usual_terminals(env):
        if which(terminal[0], env):
            return [*terminal, *arguments]
    message = f"{name} needs a terminal window, and no terminal is installed."
    raise LaunchFailed(message, hint="sudo apt install xterm")
