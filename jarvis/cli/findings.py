"""What doctor looks at, group by group, and what it finds. Nothing is changed by looking."""

from __future__ import annotations

import os
import platform
import shlex
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from .. import __version__
from ..agent.retry import ENDS
from ..config.keys import GOOGLE, KEYS, NEEDS_MODEL, Key
from ..config.settings import DEFAULT_MODEL, SETTINGS, Settings, places_of, sources_of, with_kept_keys
from ..core.errors import JarvisError, NoDisplay, SettingsError, StoreFailed, foreseen
from ..core.text import counted
from ..desktop import own_platform, system
from ..packs.pack import PackState, settings_of, states, warnings
from ..store.open import condition_of

FINE, NOTED, WRONG = "ok", "note", "wrong"
_OTHERS_READ = 0o044
_ANOTHER_MODEL = f"export JARVIS_MODEL={DEFAULT_MODEL}"
_LIBRARIES = (
    *("google-search-results", "keyring", "langchain-google-genai", "langgraph", "pillow", "prompt-toolkit"),
    *("psycopg", "publicsuffixlist", "rapidfuzz", "rich"),
)


class Patient(NamedTuple):
    """What is looked at."""

    environment: Mapping[str, str]
    env_file: str | None
    settings: Settings  # where services are asked, with the keyring's keys, if it gives them
    is_online: bool  # whether services are asked


class Finding(NamedTuple):
    """What was found out about one thing."""

    name: str
    text: str
    cure: str = ""  # to be pasted, where that is possible
    state: str = FINE


def finding(name: str, look: Callable[[], str], lesser: type[JarvisError] | None = None) -> Finding:
    """Return what *look* tells of the thing called *name*; where it raises, that is wrong with it.

    lesser: an error of which the cause is told by another finding.
    """
    try:
        with foreseen():
            return Finding(name, look())
    except JarvisError as error:
        if lesser and isinstance(error, lesser):
            return Finding(name, error.message, state=NOTED)
        return Finding(name, error.message, error.hint, WRONG)


def settings(patient: Patient) -> Iterator[Finding]:
    folders, sources = sources_of(patient.environment, patient.env_file)
    places = {found.place for each in SETTINGS.values() if each.is_secret for found in each.found_in(sources)}
    with_secrets = set(filter(os.path.exists, places))
    for path in dict.fromkeys([folders.toml, folders.env_file, *sorted(with_secrets)]):
        yield finding(os.path.basename(path), partial(_file, path, has_secret=path in with_secrets))
    for warning in warnings(patient.settings):
        yield Finding("config.toml", warning, state=NOTED)
    yield finding("packs", lambda: _packs(patient.settings))


def _file(path: str, *, has_secret: bool) -> str:
    """Return where a file of settings is. Raises SettingsError where others may read a secret in it."""
    if not os.path.exists(path):
        return "there is none"
    mode = os.stat(path).st_mode & 0o777
    if has_secret and mode & _OTHERS_READ and os.name != "nt":
        told = f"by its mode ({mode:o}) others may read {path}, which holds a secret"
        raise SettingsError(told, hint=f"chmod 600 {shlex.quote(path)}")
    return path


def _packs(settings: Settings) -> str:
    """Return which packs are on, and with which settings. Raises SettingsError for a wrong one."""
    on = [_pack(state, settings) for state in states(settings) if state.is_on]
    return f"on: {', '.join(on)}" if on else "none is on: jarvis packs list"


def _pack(state: PackState, settings: Settings) -> str:
    told = [f"{name} {value}" for name, value in settings_of(state.pack, settings).items() if value]
    told += [f"not used without {state.missing}"] if state.missing else []
    return f"{state.pack.name} ({', '.join(told)})" if told else state.pack.name


def keys(patient: Patient) -> Iterator[Finding]:
    _, sources = sources_of(patient.environment, patient.env_file)
    for key in KEYS.values():
        if places := places_of(key, sources):
            first, *hidden = (place.origin for place in places)
            told = f"{first}; hides {', '.join(hidden)}" if hidden else first
            yield finding(key.name, partial(_tried, key, told, patient))
        elif key is GOOGLE:
            yield Finding(key.name, f"not set. {NEEDS_MODEL}", f"jarvis keys set {key.name}", WRONG)
        else:
            told = "not set. The web is not searched without one."
            yield Finding(key.name, told, f"jarvis keys set {key.name}", NOTED)


def _tried(key: Key, told: str, patient: Patient) -> str:
    """Return what is *told* of *key*, and that its service takes it, if it is to be asked."""
    if not patient.is_online:
        return told
    from .key_prompt import check_key  # requests takes 0.1 s

    secret = patient.settings.key(key)
    if secret.is_in_keyring:  # which did not give it before, and tells why
        secret = with_kept_keys(patient.settings).key(key)
    checked = check_key(key, secret.reveal(), patient.settings)
    if error := checked.error(key, secret):
        raise error
    return f"{told}; {key.service} {checked.taken}"


def model(patient: Patient) -> Iterator[Finding]:
    name = patient.settings.model
    found = next(SETTINGS["model"].found_in(sources_of(patient.environment, patient.env_file)[1]), None)
    told = f"{name} ({found.origin if found else 'the default'})"
    if not (day := ENDS.get(name)):
        yield finding("model", partial(_known, told, patient))
    elif time.strftime("%Y-%m-%d") >= day:
        yield Finding("model", f"{told} was retired on {day}", _ANOTHER_MODEL, WRONG)
    else:
        yield Finding("model", f"{told} will be retired on {day}", _ANOTHER_MODEL, NOTED)


def _known(told: str, patient: Patient) -> str:
    """Return what is *told* of the model, and that Gemini has it, if that is to be asked."""
    key = patient.settings.google_key
    if not (patient.is_online and key):
        return told
    from .key_prompt import check_model  # as above

    name = patient.settings.model
    checked = check_model(name, key.reveal(), patient.settings)
    if checked.is_taken is False:
        text = f"Gemini has no model named {name}, or has retired it."
        raise SettingsError(text, hint=_ANOTHER_MODEL)
    return f"{told}; Gemini has it" if checked.is_taken else told  # else that is told of the key


def database(patient: Patient) -> Iterator[Finding]:
    yield finding("history", lambda: condition_of(patient.settings))


def folder_findings(patient: Patient) -> Iterator[Finding]:
    for name, path in patient.settings.folders._asdict().items():
        yield finding(name, partial(_folder, path))


def _folder(path: str) -> str:
    """Return where a folder is, or will be. Raises StoreFailed where it can't be used."""
    there = path
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        hint = f"ls -ld {shlex.quote(there)}"
        raise StoreFailed(f"{there} is no folder that can be written to.", hint=hint)
    return path if there == path else f"{path}; it is made when it is needed"


def desktop_findings(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is found of the desktop: its screen, its browser, what takes pictures, its apps."""
    name = system(environment)
    if name == "linux":
        from ..desktop.linux import readiness  # other systems can't import it

        yield finding("display", lambda: readiness.screen(environment))
        yield finding("browser", lambda: readiness.opener(environment), NoDisplay)
        yield finding("screenshots", lambda: readiness.camera(environment), NoDisplay)
    else:
        yield Finding("display", f"not looked at on this system ({name})", state=NOTED)
    yield finding("pictures", lambda: _folder(os.path.join(own_platform(environment).pictures(), "Jarvis")))
    if name not in ("windows", "wsl"):  # which list them by a program of its own that takes seconds
        count = len(own_platform(environment).apps())
        yield Finding("apps", f"{counted(count, 'apps')} can be started", state=FINE if count else NOTED)


def versions() -> Iterator[Finding]:
    from importlib.metadata import version  # a tenth of a second

    yield Finding("jarvis", __version__)
    yield Finding("python", f"{platform.python_version()} on {platform.system()} {platform.release()}")
    yield Finding("sqlite", sqlite3.sqlite_version)
    yield from (finding(name, partial(version, name)) for name in _LIBRARIES)


# What needs the settings.
LOOKS: Mapping[str, Callable[[Patient], Iterator[Finding]]] = {
    "settings": settings,
    "keys": keys,
    "model": model,
    "database": database,
    "folders": folder_findings,
}
