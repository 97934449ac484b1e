"""Find the apps that a name means. The best level with a hit decides; similar names are marked as near."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..core.errors import Ambiguous, NotInstalled
from ..core.types import AppFound, AppsFound
from .apps import ARTICLES, SHORT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .apps import App

    Thing = TypeVar("Thing")

_MOST_FOUND = 9
_MOST_TOLD = 5
_AFTER = ("app", "application", "program")
# These run another program, so their name says nothing about the app.
_WRAPPERS = {
    "env", "sh", "bash", "flatpak", "snap", "gapplication", "gio", "dbus-launch", "python3", "java", "wine",
}  # fmt: skip


class _Keys(NamedTuple):
    """The names that an app can be called by, normalised."""

    app: App
    names: tuple[str, ...]
    programs: tuple[str, ...]
    generic: tuple[str, ...]


_Level = Callable[[str, _Keys], bool]
_Role = Callable[["Sequence[str]"], "App | None"]


def apps_found(name: str, apps: Sequence[App], role: _Role = lambda names: None) -> AppsFound:
    """Return those of *apps* that *name* means, or else those with a similar name; at most nine."""
    meant = find(name, apps, role)
    near_names = [] if meant else _near(name, apps)
    return AppsFound(
        tuple(AppFound(app.key, app.name) for app in (meant or near_names)[:_MOST_FOUND]), bool(near_names)
    )


def find(name: str, apps: Sequence[App], role: _Role = lambda names: None) -> list[App]:
    """Return those of *apps* that *name* means: all that fit on the best level on which one does.

    role: returns the system's app for a role, if one of the names given to it is a role.
    """
    wanted = forms(name)
    keys = [_keys(app) for app in apps]
    if hits := _best(wanted, keys, _EXACT):
        return hits
    if chosen := role(wanted):
        return [chosen]
    return _best(_long(wanted), keys, _EXACT) or _best(wanted, keys, _ABBREVIATED)


def only_one(name: str, apps: Sequence[App]) -> App:
    """Return the only one of *apps*, all of which *name* means. Raises Ambiguous or NotInstalled."""
    if not apps:
        raise NotInstalled(f"No app called “{name}” is installed.", hint="Use the name that your menu shows.")
    if len(apps) > 1:
        raise _ambiguous(name, apps)
    return apps[0]


def by_key(key: str, *lists: Callable[[], Iterable[App]]) -> App:
    """Return the app with that *key* from the first of *lists* that has it. Raises NotInstalled."""
    hits = (app for listed in lists for app in listed() if app.key == key)
    if app := next(hits, None):
        return app
    raise NotInstalled(f"{key} is no longer installed.", hint="Use the name that your menu shows.")


def matching(name: str, apps: Sequence[App]) -> App | None:
    """Return the one of *apps* whose own name is *name*; None for none or several.

    *apps* need not be complete: no match is better than an app's own name.
    """
    hits = exact(forms(name), apps, _EXACT[:1])
    return hits[0] if len(hits) == 1 else None


def exact(names: Sequence[str], apps: Sequence[App], levels: Sequence[_Level] = ()) -> list[App]:
    """Return those of *apps* whose whole name, or else whose program's name, is one of *names*."""
    wanted = [normalise(name) for name in names]
    keys = [_keys(app) for app in apps]
    levels = levels or _EXACT
    return _best(wanted, keys, levels) or _best(_long(wanted), keys, levels)


def is_called(name: str, app: App) -> bool:
    """Return whether *name* is a whole name of *app*, or of its program."""
    return bool(exact(forms(name), [app]))


def whole_names(app: App) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the names of *app*, normalised: its own, the same without spaces, and its program's."""
    keys = _keys(app)
    return keys.names, tuple(map(_squashed, keys.names)), keys.programs


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
    bare = words[1:] if len(words) > 1 and words[0] in ARTICLES else words
    bare = bare[:-1] if len(bare) > 1 and bare[-1] in _AFTER else bare
    return [form for form in dict.fromkeys((" ".join(words), " ".join(bare))) if form]


def _long(names: Sequence[str]) -> list[str]:
    return [SHORT_NAMES[name] for name in names if name in SHORT_NAMES]


def _best(wanted: Sequence[str], keys: Sequence[_Keys], levels: Sequence[_Level]) -> list[App]:
    """Return the apps that fit on the first of *levels* on which one does."""
    for fits in levels:
        if hits := distinct([k.app for k in keys if any(fits(words, k) for words in wanted)]):
            return hits
    return []


def _keys(app: App) -> _Keys:
    program = os.path.basename(app.command[0]) if app.command else ""
    programs = [app.id, app.name] if program in _WRAPPERS else [app.id, app.name, program]
    # Not the last part of an id: com.obsproject.Studio is not called “studio”.
    return _Keys(app, *(tuple(map(normalise, group)) for group in (app.names, programs, app.generic)))


def _squashed(words: str) -> str:
    return words.replace(" ", "")


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.split())


# The levels, best first: each tells whether the words mean an app.
_EXACT: tuple[_Level, ...] = (
    lambda words, keys: words in keys.names,
    lambda words, keys: _squashed(words) in map(_squashed, keys.names),
    lambda words, keys: words in keys.programs,
    lambda words, keys: _squashed(words) in map(_squashed, map(normalise, keys.app.translations)),
)
_ABBREVIATED: tuple[_Level, ...] = (
    lambda words, keys: words in keys.generic or words in map(normalise, keys.app.generic_translations),
    lambda words, keys: len(words) > 1 and any(f" {words} " in f" {name} " for name in keys.names),
    lambda words, keys: len(words) > 2 and any(name.startswith(words) for name in keys.names),
    lambda words, keys: len(words) > 2 and any(_initials(name) == words for name in keys.names),
)


def _near(name: str, apps: Sequence[App]) -> list[App]:

    def called(app: _Keys) -> tuple[str, ...]:
        return *app.names, *app.programs, *map(normalise, app.app.translations)

    return distinct([app.app for app in near_names(forms(name), map(_keys, apps), called)])


def distinct(apps: Sequence[App]) -> list[App]:
    """Return *apps* without those that start the same program under the same name."""
    kept: dict[object, App] = {}
    for app in apps:
        kept.setdefault((app.name, app.command or app.path, app.terminal), app)
    return list(kept.values())


def _ambiguous(name: str, apps: Sequence[App]) -> Ambiguous:
    import shlex  # few names are ambiguous

    named_alike = len({app.name for app in apps}) < len(apps)
    matching = [app.id if named_alike else app.name for app in apps]
    shown, more = matching[:_MOST_TOLD], len(matching) - _MOST_TOLD
    last = f"{more} more" if more > 0 else shown.pop()
    return Ambiguous(
        f"“{name}” could be {', '.join(shown)} or {last}.",
        hint=f"Say which one: jarvis {shlex.quote(f'open {matching[0]}')}",
    )


_LEAST = 75  # percent of the letters that have to be alike
_REACH = 12  # percent by which a rival may be less alike than the best one
_SHORTEST = 4
_MOST_WORDS = 3


def near_names(
    names: Sequence[str], things: Iterable[Thing], called: Callable[[Thing], Iterable[str]]
) -> list[Thing]:
    """Return those of *things* of which one of *names* may be a misspelling, the nearest first.

    called: returns the names of a thing, normalised as *names* are.
    """
    names = [name for name in names if len(name.split()) <= _MOST_WORDS]
    scored = [
        (max((alike(n, c) for n in names for c in called(thing)), default=0), thing) for thing in things
    ]
    best = max((nearness for nearness, _ in scored), default=0)
    reached = [each for each in scored if each[0] and each[0] > best - _REACH]
    return [thing for _, thing in sorted(reached, key=lambda each: -each[0])]


def alike(name: str, called: str) -> float:
    """Return the percentage of letters alike; 0 where *name* is hardly a misspelling of *called*."""
    # The first letter is seldom mistyped, and a short word with one other letter is often another word.
    if len(name) < _SHORTEST or name[0] != called[:1]:
        return 0
    from rapidfuzz import fuzz  # few names are misspelt

    return fuzz.ratio(name, called, score_cutoff=_LEAST)
