"""Installed apps, alike on every system, and which of them a name means.

The best level on which a name fits decides; names that are only similar are told as near.
"""

import os
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from shlex import quote
from typing import NamedTuple

from ..core.errors import ActionFailed, NotInstalled
from ..core.types import AppFound, AppsFound

# Common short names: each stands for this one app, never for a similar one.
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
_MOST_TOLD = 5


class App(NamedTuple):
    """One app that can be started."""

    id: str  # the system's own name for it: a desktop id without `.desktop`, a bundle's id, an AppID
    path: str  # of its desktop entry or bundle; on Windows, what the shell is told to open
    names: tuple[str, ...]  # in the person's language first, then in English
    generic: tuple[str, ...] = ()  # “Web Browser”; in the same two languages
    command: tuple[str, ...] = ()  # Exec, field codes not filled in; empty: the system starts it by its path
    terminal: bool = False  # runs in a terminal window
    cwd: str = ""
    # In every language; only to compare with, not cleaned for printing.
    translations: tuple[str, ...] = ()
    generic_translations: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name to show."""
        return self.names[0]

    @property
    def key(self) -> str:
        """The key, which means this app alone and can't be mistaken for a name."""
        return self.id + ENTRY if self.path.endswith(ENTRY) else self.path


def entry_id(key: str) -> str:
    """Return the id of the desktop entry that *key* names; empty if it names none."""
    return key.removesuffix(ENTRY) if key.endswith(ENTRY) else ""


def is_key(name: str) -> bool:
    """Return whether *name* has the form of an app's key."""
    return name.startswith(("/", START_MENU)) or bool(entry_id(name))


class Keys(NamedTuple):
    """An app, and what it may be called, normalised."""

    app: App
    names: Sequence[str]
    programs: Sequence[str]
    generic: Sequence[str] = ()


def _keys_of(app: App) -> Keys:
    program = os.path.basename(app.command[0]) if app.command else ""
    # Not the last part of an id: com.obsproject.Studio is not called “studio”.
    programs = [app.id, app.name] if program in _WRAPPERS else [app.id, app.name, program]
    return Keys(app, *(tuple(map(normalise, group)) for group in (app.names, programs, app.generic)))


_Fits = Callable[[str, Keys], bool]
_Role = Callable[[Sequence[str]], "App | None"]
_Listed = Callable[[], Sequence[App]]


def apps_found(name: str, apps: Sequence[App], role: _Role = lambda names: None) -> AppsFound:
    """Return those of *apps* that *name* means, or else those with a similar name; at most nine."""
    meant = find(name, apps, role)
    near = [] if meant else _near(name, apps)
    found = (AppFound(app.key, app.name) for app in (meant or near)[:_MOST_FOUND])
    return AppsFound(tuple(found), is_near=bool(near))


def find(name: str, apps: Sequence[App], role: _Role = lambda names: None) -> list[App]:
    """Return those of *apps* that *name* means: all that fit on the best level on which one does.

    role: returns the system's app for a role, if one of the names given to it is a role.
    """
    wanted, keys = forms(name), [*map(_keys_of, apps)]
    if hits := _best(wanted, keys, _EXACT):
        return hits
    if chosen := role(wanted):
        return [chosen]
    return _best(_long(wanted), keys, _EXACT) or _best(wanted, keys, _ABBREVIATED)


def exact_matches(names: Sequence[str], apps: Iterable[App]) -> list[App]:
    """Return those of *apps* whose whole name, or else whose program's name, is one of *names*.

    What was said with an article is no program: “the code” is not the program `code`.
    """
    wanted, keys = [*map(normalise, names)], [*map(_keys_of, apps)]
    for each in (wanted, _long(wanted)):
        if hits := _best(each, keys, _NAMED) or _best(_without_article(each), keys, _BY_PROGRAM):
            return hits
    return []


def only_app(apps: Sequence[App]) -> list[tuple[str, str]]:
    """Return the only one of *apps* as (name, key); nothing for several: the loop has to choose."""
    return [(app.name, app.key) for app in apps] if len(apps) == 1 else []


def meant(name: str, known: _Listed, listed: _Listed, role: _Role = lambda names: None) -> App:
    """Return the one app that *name* means or is the key of. Raises ActionFailed.

    known, listed: as of `candidates`.
    """
    if is_key(name):
        return _by_key(name, known, listed)
    found = find(name, candidates(name, known, listed), role)
    if not found:
        raise NotInstalled(f"No app called “{name}” is installed.", hint="Use the name that your menu shows.")
    if len(found) > 1:
        raise _ambiguous(name, found)
    return found[0]


def candidates(name: str, known: _Listed, listed: _Listed) -> Sequence[App]:
    """Return the apps in which to look for *name*: all, or the one with exactly that name.

    known: returns those that are known at once; only an exact name is looked up there, since another app may
    fit any other name better. listed: returns all, which may take seconds.
    """
    exact = exact_matches(forms(name), known())
    return exact if len(exact) == 1 else listed()


def _by_key(key: str, *lists: _Listed) -> App:
    """Return the app with that *key* from the first of *lists* that has it. Raises NotInstalled."""
    hits = (app for listed in lists for app in listed() if app.key == key)
    if app := next(hits, None):
        return app
    raise NotInstalled(f"{key} is no longer installed.", hint="Use the name that your menu shows.")


def normalise(text: str) -> str:
    """Return *text* in lower case, without accents and signs (+ and # stay, for C++ and C#)."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c for c in letters if not unicodedata.combining(c))
    return " ".join("".join(c if _is_letter(c) else " " for c in letters).split())


def _is_letter(c: str) -> bool:
    # Unicode counts the vowels of Indian scripts as marks, not as letters.
    return c.isalnum() or c in "+#" or unicodedata.category(c)[0] == "M"


def forms(name: str) -> list[str]:
    """Return *name*, normalised: whole (some apps are called MyPaint or A to Z), and without “the … app”."""
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


# The levels, best first: each tells whether the words mean an app.
_NAMED: tuple[_Fits, ...] = (
    lambda words, keys: words in keys.names,
    lambda words, keys: _squashed(words) in map(_squashed, keys.names),
)
_BY_PROGRAM: tuple[_Fits, ...] = (lambda words, keys: words in keys.programs,)
_EXACT: tuple[_Fits, ...] = (
    *_NAMED,
    *_BY_PROGRAM,
    lambda words, keys: _squashed(words) in map(_squashed, map(normalise, keys.app.translations)),
)
_ABBREVIATED: tuple[_Fits, ...] = (
    lambda words, keys: words in keys.generic or words in map(normalise, keys.app.generic_translations),
    lambda words, keys: len(words) > 1 and any(f" {words} " in f" {name} " for name in keys.names),
    lambda words, keys: len(words) > 2 and any(name.startswith(words) for name in keys.names),
    lambda words, keys: len(words) > 2 and any(_initials(name) == words for name in keys.names),
)


def _best(wanted: Sequence[str], keys: Sequence[Keys], levels: Sequence[_Fits]) -> list[App]:
    """Return the apps that fit on the first of *levels* on which one does."""
    for fits in levels:
        if hits := distinct(k.app for k in keys if any(fits(words, k) for words in wanted)):
            return hits
    return []


def _without_article(names: Sequence[str]) -> list[str]:
    return [name for name in names if not any(f"{article} {name}" in names for article in _ARTICLES)]


def _long(names: Sequence[str]) -> list[str]:
    return [SHORT_NAMES[name] for name in names if name in SHORT_NAMES]


def _squashed(words: str) -> str:
    return words.replace(" ", "")


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split())


def _ambiguous(name: str, apps: Sequence[App]) -> ActionFailed:
    named_alike = len({app.name for app in apps}) < len(apps)
    matching = [app.id if named_alike else app.name for app in apps]
    shown, more = matching[:_MOST_TOLD], len(matching) - _MOST_TOLD
    last = f"{more} more" if more > 0 else shown.pop()
    return ActionFailed(
        f"“{name}” could be {', '.join(shown)} or {last}.",
        hint=f"Say which one: jarvis {quote(f'open {matching[0]}')}",
        code="ambiguous",
    )


_LEAST = 75  # percent of the letters that have to be alike
_REACH = 12  # percent by which a rival may be less alike than the best one
_SHORTEST = 4
_MOST_WORDS = 3


def _near(name: str, apps: Sequence[App]) -> list[App]:
    """Return those of *apps* that *name* may be a misspelling of, the nearest first."""
    names = [form for form in forms(name) if len(form.split()) <= _MOST_WORDS]
    scored = [(_nearness(names, _keys_of(app)), app) for app in apps]
    best = max((nearness for nearness, _ in scored), default=0)
    reached = [each for each in scored if each[0] and each[0] > best - _REACH]
    return distinct(app for _, app in sorted(reached, key=lambda each: -each[0]))


def _nearness(names: Sequence[str], keys: Keys) -> float:
    called = (*keys.names, *keys.programs, *map(normalise, keys.app.translations))
    return max((alike(name, other) for name in names for other in called), default=0)


def alike(name: str, called: str) -> float:
    """Return the percentage of letters alike; 0 where *name* is hardly a misspelling of *called*."""
    # The first letter is seldom mistyped, and a short word with one other letter is often another word.
    if len(name) < _SHORTEST or name[0] != called[:1]:
        return 0
    from rapidfuzz import fuzz  # few names are misspelt

    return fuzz.ratio(name, called, score_cutoff=_LEAST)
