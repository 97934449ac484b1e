"""Which app is meant by a name? One, or none: never one that is merely alike."""

from __future__ import annotations

import os
import unicodedata

from ..errors import Ambiguous, NotInstalled
from ..typed import TYPE_CHECKING, NamedTuple
from .apps import ARTICLES, SHORT_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .apps import App

_MOST_CANDIDATES = 5
# What may stand around a name; one of each, in this order.
_BEFORE = (("please",), ("open", "launch", "start", "run"), ARTICLES)
_AFTER = ("app", "application", "program")
# They run another program, so their name says nothing of the app.
_WRAPPERS = {
    "env", "sh", "bash", "flatpak", "snap", "gapplication", "gio", "dbus-launch", "python3", "java", "wine",
}  # fmt: skip


class _Keys(NamedTuple):
    """What an app can be called by, normalised."""

    app: App
    names: tuple[str, ...]
    programs: tuple[str, ...]
    generic: tuple[str, ...]


def match(name: str, apps: Sequence[App]) -> App:
    """The one app that *name* means. Raises Ambiguous, or NotInstalled."""
    if hits := _best(name, apps, _LEVELS):
        if len(hits) == 1:
            return hits[0]
        raise _ambiguous(name, hits)
    raise NotInstalled(f"No app called “{name}” is installed.", hint="Use the name that your menu shows.")


def called(name: str, apps: Sequence[App]) -> App | None:
    """The only one of *apps* whose very name is *name*: right, even if *apps* is not all that there is."""
    hits = _best(name, apps, _LEVELS[:1])
    return hits[0] if len(hits) == 1 else None


def all_called(names: Sequence[str], apps: Sequence[App]) -> list[App]:
    """Those of *apps* that one of *names*, best first, is the whole name or the id of."""
    return next((hits for name in names if (hits := _best(name, apps, _LEVELS[:3]))), [])


def forms(name: str) -> list[str]:
    """*name*, normalised, then without “open the … app” around it, then what it is short for."""
    found = _forms(name)
    return [*found, *(SHORT_NAMES[form] for form in found if form in SHORT_NAMES)]


def is_called(name: str, app: App) -> bool:
    """Whether *name* is a whole name of *app*, or of its program."""
    wanted = forms(name)
    names = whole_names(app)
    return any(form in names[0] or _squashed(form) in names[1] or form in names[2] for form in wanted)


def whole_names(app: App) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What *app* goes by, normalised: its names, these without spaces, and its program's."""
    keys = _keys(app)
    return keys.names, tuple(map(_squashed, keys.names)), keys.programs


def normalise(text: str) -> str:
    """*text* in lower case, without accents and signs (+ and # stay, for C++ and C#)."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c for c in letters if not unicodedata.combining(c))
    return " ".join("".join(c if c.isalnum() or c in "+#" else " " for c in letters).split())


def _forms(name: str) -> list[str]:
    """*name* as it is, for there are apps called Start and MyPaint; and without “open the … app”."""
    words = normalise(name).split()
    bare = words
    for before in _BEFORE:
        bare = bare[1:] if len(bare) > 1 and bare[0] in before else bare
    bare = bare[:-1] if len(bare) > 1 and bare[-1] in _AFTER else bare
    return [form for form in dict.fromkeys((" ".join(words), " ".join(bare))) if form]


def _best(name: str, apps: Sequence[App], levels: Sequence[Callable[[str, _Keys], bool]]) -> list[App]:
    """All that fit on the best of *levels* on which one does."""
    wanted = forms(name)
    keys = [_keys(app) for app in apps]
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


# Best first; each says whether an app is meant by the words.
_LEVELS: tuple[Callable[[str, _Keys], bool], ...] = (
    lambda words, app: words in app.names,
    lambda words, app: _squashed(words) in map(_squashed, app.names),
    lambda words, app: words in app.programs,
    lambda words, app: words in app.generic,
    lambda words, app: len(words) > 1 and any(f" {words} " in f" {name} " for name in app.names),
    lambda words, app: len(words) > 2 and any(name.startswith(words) for name in app.names),
    lambda words, app: len(words) > 2 and any(_initials(name) == words for name in app.names),
)


def distinct(apps: Sequence[App]) -> list[App]:
    """*apps* without those that do the same under the same name."""
    kept: dict[object, App] = {}
    for app in apps:
        kept.setdefault((app.name, app.command or app.path, app.terminal), app)
    return list(kept.values())


def _ambiguous(name: str, apps: list[App]) -> Ambiguous:
    import shlex

    named_alike = len({app.name for app in apps}) < len(apps)
    called = [app.id if named_alike else app.name for app in apps]
    shown, more = called[:_MOST_CANDIDATES], len(called) - _MOST_CANDIDATES
    last = f"{more} more" if more > 0 else shown.pop()
    return Ambiguous(
        f"“{name}” could be {', '.join(shown)} or {last}.",
        hint=f"Say which one: jarvis {shlex.quote(f'open {called[0]}')}",
    )
