"""Installed apps, the same on every system, and the ones that match a name.

The best level that fits a name decides. Jarvis asks about a name that is only similar.
"""

import contextlib
import functools
import os
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from json import dumps, loads
from shlex import quote
from typing import NamedTuple, TypeVar

from ..core.errors import ActionFailed, NotInstalled, StoreFailed
from ..core.files import check_owner, private_folder, replace_file
from ..core.intent import SHORT_NAME
from ..core.text import fold_case
from ..core.types import AppFound, AppsFound

# Common short names: each means this one app, never for a similar one.
SHORT_NAMES = {
    "chrome": "google chrome", "edge": "microsoft edge", "vs code": "visual studio code",
    "vscode": "visual studio code", "word": "microsoft word", "excel": "microsoft excel",
    "powerpoint": "microsoft powerpoint", "obs": "obs studio", "brave": "brave browser",
}  # fmt: skip
# Roles: the system has an app for each. After each, its other names.
_ROLES = {
    "browser": "web browser/internet browser/internet",
    "mail": "email/e mail/mail client/email client/mail program/email program",
    "files": "file manager/file browser",
    "terminal": "terminal window/terminal emulator/console",
    "editor": "text editor",
    "settings": "system settings",
    "calculator": "scientific calculator",
}
ROLES = {name: role for role, others in _ROLES.items() for name in (role, *others.split("/"))}
START_MENU = "shell:AppsFolder\\"
ENTRY = ".desktop"
LONGEST_NAME = 80

_ARTICLES = ("the", "my", "a", "an")
_AFTER = ("app", "application", "program")
# These run another program, so their name says nothing about the app.
_WRAPPERS = {
    "env", "sh", "bash", "flatpak", "snap", "gapplication", "gio", "dbus-launch", "python3", "java", "wine",
}  # fmt: skip
_MOST_FOUND = 9


class App(NamedTuple):
    """One app that can be started."""

    id: str  # the system's own name for it: a desktop id without `.desktop`, a bundle's id, an AppID
    path: str  # of its desktop entry or bundle, or the address that Windows' shell opens
    names: tuple[str, ...]  # in the user's language first, then in English
    generic: tuple[str, ...] = ()  # “Web Browser”; in the same two languages
    command: tuple[str, ...] = ()  # Exec with its field codes, or () if the system starts it by its path
    terminal: bool = False  # runs in a terminal window
    cwd: str = ""
    is_terminal: bool = False  # by its own word
    # In every language; only to compare with, not cleaned for printing.
    translations: tuple[str, ...] = ()
    generic_translations: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name to show."""
        return self.names[0]

    @property
    def key(self) -> str:
        """The key: it identifies only this app, and never looks like a name."""
        return self.id + ENTRY if self.path.endswith(ENTRY) else self.path


def entry_id(key: str) -> str:
    """Return the id of the desktop entry in *key*, or "" for another key."""
    return key.removesuffix(ENTRY) if key.endswith(ENTRY) else ""


def is_key(name: str) -> bool:
    """Return whether *name* has the form of an app's key."""
    return name.startswith(("/", START_MENU)) or bool(entry_id(name))


def _names(app: App) -> list[str]:
    return [*map(normalise, app.names)]


def _programs(app: App) -> list[str]:
    program = os.path.basename(app.command[0]) if app.command else ""
    # Not the last part of an id: com.obsproject.Studio is not called “studio”.
    return [normalise(name) for name in (app.id, app.name, program) if name not in _WRAPPERS]


_Fits = Callable[[str, App], bool]
_Role = Callable[[Sequence[str]], "App | None"]
_Listed = Callable[[], Sequence[App]]
_T = TypeVar("_T")


def apps_found(name: str, apps: Sequence[App], role: _Role = lambda names: None) -> AppsFound:
    """Return those of *apps* that match *name*, or else similar ones, at most nine."""
    found, is_near = _find(name, apps, role)
    return AppsFound(tuple(AppFound(app.key, app.name) for app in found[:_MOST_FOUND]), is_near)


def _find(name: str, apps: Sequence[App], role: _Role) -> tuple[list[App], bool]:
    """Return those of *apps* that match *name* and False, or else similar ones and True.

    role: returns the system's app for a role, if one of the names is a role.
    """
    wanted = forms(name)
    if hits := _best(wanted, apps, _EXACT):
        return hits, False
    if chosen := role(wanted):
        return [chosen], False
    if hits := _best(_long(wanted), apps, _EXACT):
        return hits, False
    near = nearest(rated(name, apps))
    certain = [each for each in near if each[0] >= _HAS_WORDS]  # “Gimpy” begins like GIMP, and is another app
    return distinct(app for _, app in certain or near), bool(near) and not certain


def exact_matches(names: Sequence[str], apps: Sequence[App]) -> list[App]:
    """Return those of *apps* whose whole name, or else whose program's name, is one of *names*.

    A name with an article isn't a program: “the code” isn't the program `code`.
    """
    wanted = [*map(normalise, names)]
    for each in (wanted, _long(wanted)):
        if hits := _best(each, apps, _NAMED) or _best(_without_article(each), apps, _BY_PROGRAM):
            return hits
    return []


def role_in(names: Sequence[str]) -> str:
    """Return the role among *names*, or "". “The files” are files mentioned before."""
    return "" if "the files" in names else next((ROLES[name] for name in names if name in ROLES), "")


def find_app(name: str, instant: _Listed, listed: _Listed, role: _Role = lambda names: None) -> App:
    """Return the one app that *name* means or is the key of. Raises ActionFailed.

    instant, listed: as of `candidates`.
    """
    if is_key(name):
        return _by_key(name, instant, listed)
    found, is_near = _find(name, candidates(name, instant, listed), role)
    if not found or is_near:
        raise NotInstalled(f"No app called “{name}” is installed.", hint="Use the name in your app menu.")
    if len(found) > 1:
        raise _ambiguous(name, found)
    return found[0]


def candidates(name: str, instant: _Listed, listed: _Listed) -> Sequence[App]:
    """Return the apps to search for *name*: all, or the only one with exactly that name.

    instant: returns apps without running a program. Only an exact name is looked up there, since another app
    may fit any other name better. listed: returns all, which may take seconds.
    """
    exact = exact_matches(forms(name), instant())
    return exact if len(exact) == 1 else listed()


def _by_key(key: str, *lists: _Listed) -> App:
    """Return the app with that *key* from the first of *lists* that has it. Raises NotInstalled."""
    hits = (app for listed in lists for app in listed() if app.key == key)
    if app := next(hits, None):
        return app
    raise NotInstalled(f"{key} is no longer installed.", hint="Use the name in your app menu.")


@functools.lru_cache(8192)  # each level looks at the same names
def normalise(text: str) -> str:
    """Return *text* in lower case, without accents and signs (+ and # stay, for C++ and C#)."""
    return " ".join("".join(c if _is_letter(c) else " " for c in fold_case(text)).split())


def _is_letter(c: str) -> bool:
    # Unicode counts the vowels of Indian scripts as marks, not as letters.
    return c.isalnum() or c in "+#" or unicodedata.category(c)[0] == "M"


def forms(name: str) -> list[str]:
    """Return the normalized forms of *name*: whole (as MyPaint needs it), and without “the … app”."""
    words = normalise(name).split()
    bare = words[1:] if len(words) > 1 and words[0] in _ARTICLES else words
    bare = bare[:-1] if len(bare) > 1 and bare[-1] in _AFTER else bare
    return [form for form in dict.fromkeys((" ".join(words), " ".join(bare))) if form]


def distinct(apps: Iterable[App]) -> list[App]:
    """Return *apps* without those that start the same program under the same name."""
    kept: dict[object, App] = {}
    for app in apps:
        kept.setdefault((app.name, app.command or app.path, app.terminal), app)
    return list(kept.values())


# A list of apps that takes long to make is kept in a file.


def kept_apps(file: str, state: object) -> list[App] | None:
    """Return the apps kept in *file* if *state*, a JSON value, is still the same, else None."""
    try:
        check_owner(file)  # their commands are run
        with open(file, encoding="utf-8") as stream:
            was, rows = loads(stream.read())
        cells = ([tuple(cell) if isinstance(cell, list) else cell for cell in row] for row in rows)
        return [*map(App._make, cells)] if was == state else None
    except (StoreFailed, OSError, ValueError, TypeError):  # another's, or broken; or there is no file
        return None


def keep_apps(file: str, state: object, apps: Iterable[App]) -> None:
    """Keep *apps*, without their translations, in *file* for as long as *state* is the same."""
    with contextlib.suppress(StoreFailed):  # a full disk only makes the next time slower
        private_folder(os.path.dirname(file))
        rows = [app._replace(translations=(), generic_translations=()) for app in apps]
        replace_file(file, dumps([state, rows]))  # ASCII: a name may not be valid text


# The levels, best first: each tells whether the words mean an app.
_NAMED: tuple[_Fits, ...] = (
    lambda words, app: words in _names(app),
    lambda words, app: _squashed(words) in map(_squashed, _names(app)),
)
_BY_PROGRAM: tuple[_Fits, ...] = (lambda words, app: words in _programs(app),)
_EXACT: tuple[_Fits, ...] = (
    *_NAMED,
    *_BY_PROGRAM,
    lambda words, app: _squashed(words) in map(_squashed, map(normalise, app.translations)),
)


def _best(wanted: Sequence[str], apps: Sequence[App], levels: Sequence[_Fits]) -> list[App]:
    """Return the apps that fit on the first of *levels* that any app fits."""
    for fits in levels:
        if hits := distinct(app for app in apps if any(fits(words, app) for words in wanted)):
            return hits
    return []


def _without_article(names: Sequence[str]) -> list[str]:
    return [name for name in names if not any(f"{article} {name}" in names for article in _ARTICLES)]


def _long(names: Sequence[str]) -> list[str]:
    return [SHORT_NAMES[name] for name in names if name in SHORT_NAMES]


def _squashed(words: str) -> str:
    return words.replace(" ", "")


def _ambiguous(name: str, apps: Sequence[App]) -> ActionFailed:
    alike = len({app.name for app in apps}) < len(apps)
    *others, last = [app.id if alike else app.name for app in apps][:_MOST_FOUND]
    hint = f"Choose one: jarvis {quote(f'open {others[0]}')}"
    return ActionFailed(f"“{name}” could be {', '.join(others)} or {last}.", hint=hint, code="ambiguous")


# How near a name comes, from 0 to 100: of an app, or of a site that is known by name.


_HAS_WORDS = 92  # from here on a name has each word, or it is the general name
_REACH = 12  # a rival is at most this much less near than the best one
_LEAST = 75  # percent of the letters that must match
_SHORTEST = 4


def nearest(rates: Iterable[tuple[float, _T]]) -> list[tuple[float, _T]]:
    """Return the nearest thing in *rates* with its rivals, the nearest first."""
    ranked = sorted(rates, key=lambda each: -each[0])
    return [each for each in ranked if each[0] and each[0] > ranked[0][0] - _REACH]


def rated(name: str, apps: Iterable[App]) -> list[tuple[float, App]]:
    """Return each of *apps* with how near it is to *name*."""
    wanted = [form for form in forms(name) if len(form.split()) <= SHORT_NAME]
    return [(max((_rate(form, app) for form in wanted), default=0), app) for app in apps]


def _rate(name: str, app: App) -> float:
    generic = [normalise(each) for each in (*app.generic, *app.generic_translations)]
    if name in generic:
        return 100
    close = (_alike(name, each) for each in (*generic, *_programs(app), *map(normalise, app.translations)))
    return max(0, *(nearness(name, each) for each in _names(app)), *close)


def nearness(name: str, called: str) -> float:
    """Rate how near *called* is to *name*: whole words count, then a beginning, initials, a misspelling."""
    if name == called:
        return 100
    share = 6 * len(name) / (len(called) or 1)
    if len(name) > 1 and f" {name} " in f" {called} ":
        return _HAS_WORDS + share
    if len(name) > 2 and called.startswith(name):
        return 86 + share
    if len(name) > 2 and name == "".join(word[0] for word in called.split()):
        return 84
    return _alike(name, called)


def _alike(name: str, called: str) -> float:
    """Rate how many letters match, up to 80, or 0 if *name* is hardly a misspelling of *called*."""
    # The first letter is seldom mistyped, and a short word with one other letter is often another word.
    if len(name) < _SHORTEST or name[0] != called[:1]:
        return 0
    from rapidfuzz import fuzz  # few names are misspelt

    return fuzz.ratio(name, called, score_cutoff=_LEAST) * 0.8
