"""`jarvis doctor`: look at all that a request needs, and tell what is wrong and how to mend it.

Nothing is changed by looking. What it prints can be shown to others: no key, no password, and `~` in place of
the home folder.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ... import __version__
from ...config.keys import GOOGLE, KEYS, NEEDS_MODEL, SERPAPI, Key
from ...config.settings import (
    DEFAULT_MODEL,
    MODEL_ENDS,
    SETTINGS,
    Settings,
    places_of,
    read_settings,
    sources_of,
    with_kept_keys,
)
from ...config.sources import Sources, home_of
from ...core.errors import JarvisError, SettingsError, StoreFailed, foreseen
from ...core.text import counted, one_line, redact
from ...desktop import own_platform, system
from ...output.records import dumped
from ...output.screen import fitted
from ...packs.context import PackContext
from ...packs.pack import PackState, known_keys, names_on, ready, settings_of, states, warnings
from ...store.open import condition_of
from ..completion import Json
from ..work import current
from .keys import check_key, told_taken

if sys.platform == "linux":
    from ...desktop.linux import readiness

if TYPE_CHECKING:
    from ...output.screen import Screen

FINE, NOTED, WRONG = "ok", "note", "wrong"
_OTHERS_READ = 0o044
_LIBRARIES = (
    *("google-search-results", "keyring", "langchain-google-genai", "langgraph", "pillow", "prompt-toolkit"),
    *("psycopg", "publicsuffixlist", "rapidfuzz", "rich"),
)


class Finding(NamedTuple):
    """What was found out about one thing."""

    name: str
    text: str
    cure: str = ""  # to be pasted, where that is possible
    state: str = FINE


app = typer.Typer()


@app.command("doctor")
def examine(
    online: Annotated[
        bool, typer.Option("--online", help="Ask the services too: whether they take the keys.")
    ] = False,
    as_json: Json = False,
) -> int:
    """What is wrong, from the keys to the desktop, and what mends it.

    Nothing is changed by looking. What it prints can be shown to others: no key is in it, and ~ stands for
    your home folder. Exit status 1: something is wrong.
    """
    screen = current().screen
    records: list[dict[str, str]] = []
    wrong: list[Finding] = []
    for group, found in _groups(is_online=online):
        if screen.out_tty:  # else it might stand in a row of a pager
            screen.passing(f"looking at the {group}…")
        told = [_shareable(each, screen) for each in found]
        records += [{"group": group, **each._asdict()} for each in told]
        wrong += [each for each in told if each.state == WRONG]
        if not as_json:
            _print_group(group, told, screen)
    if as_json:
        screen.out(dumped({"ok": not wrong, "findings": records}))
    else:
        screen.out(f"\nWrong: {', '.join(each.name for each in wrong)}." if wrong else "\nNothing is wrong.")
    return int(bool(wrong))


def _print_group(group: str, found: list[Finding], screen: Screen) -> None:
    screen.out(group)
    for each in found:
        named = each.text if each.name == group else f"{each.name}: {each.text}"
        screen.out(fitted(f"  {each.state:<5}  {named}", screen))
        if each.cure:
            # A command is never broken: it is to be pasted.
            cure = f"         {each.cure}"
            screen.out(fitted(cure, screen) if each.cure.endswith(".") else cure)


def _shareable(found: Finding, screen: Screen) -> Finding:
    """Return *found* without secrets, and with `~` for the home folder: its name is often the person's."""
    home = re.escape(home_of(screen.environment).rstrip("/") or "/nowhere")

    def shared(text: str) -> str:
        # A shell leaves a quoted `~` as it is, so the quote comes after it.
        return re.sub(rf"('?){home}(?![\w.-])(/?)", r"~\2\1", redact(one_line(text), screen.secrets))

    return found._replace(text=shared(found.text), cure=shared(found.cure))


def _groups(*, is_online: bool) -> Iterator[tuple[str, Iterable[Finding]]]:
    """Yield what is looked at, and what is found there once that is read."""
    screen, options = current()
    try:
        settings = read_settings(screen.environment, env_file=options.env_file)
    except JarvisError as error:  # nothing else can be told of what they set
        yield "settings", [Finding("settings", error.message, error.hint, WRONG)]
    else:
        _, sources = sources_of(screen.environment, options.env_file)
        if is_online:
            with suppress(SettingsError):  # of the keyring, which is told of its key
                settings = with_kept_keys(settings)
        screen.secrets = settings.secrets()
        yield "settings", _files(settings, sources, is_online=is_online)
        wanted = {*KEYS, *names_on(settings)}
        keys = [key for name, key in known_keys().items() if name in wanted]
        yield "keys", (_key(key, settings, sources, is_online=is_online) for key in keys)
        yield "model", [_model(settings, sources)]
        yield "database", [_looked("history", partial(condition_of, settings))]
        folders = settings.folders._asdict()
        yield "folders", (_looked(name, partial(_folder, path)) for name, path in folders.items())
    yield "desktop", _desktop(screen.environment)
    yield "versions", _versions()


def _looked(name: str, look: Callable[[], str]) -> Finding:
    """Return what *look* tells of the thing called *name*; where it raises, that is wrong with it."""
    try:
        with foreseen():
            return Finding(name, look())
    except JarvisError as error:
        return Finding(name, error.message, error.hint, WRONG)


def _files(settings: Settings, sources: Sources, *, is_online: bool) -> Iterator[Finding]:
    places = {found.place for each in SETTINGS.values() if each.is_secret for found in each.found_in(sources)}
    folders, with_secrets = settings.folders, set(filter(os.path.exists, places))
    for path in dict.fromkeys([folders.toml, folders.env_file, *sorted(with_secrets)]):
        yield _looked(os.path.basename(path), partial(_file, path, has_secret=path in with_secrets))
    for warning in warnings(settings):
        yield Finding("config.toml", warning, state=NOTED)
    yield _looked("packs", lambda: _packs(settings))
    for pack in ready(settings):
        context = PackContext(pack, settings, is_online=is_online)
        for name, check in pack.checks.items():
            yield _looked(f"{pack.name} {name}", partial(_checked, check, context))


def _checked(check: Callable[[PackContext], Awaitable[str]], context: PackContext) -> str:
    """Return what a pack's own *check* tells. Raises JarvisError where something is wrong."""
    from ...core.concurrency import run_async  # asyncio, which all other looks do without

    async def work() -> str:
        async with aclosing(context):
            return await check(context)

    return run_async(work())


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


def _key(key: Key, settings: Settings, sources: Sources, *, is_online: bool) -> Finding:
    if places := places_of(key, sources):
        first, *hidden = (place.origin for place in places)
        told = f"{first}; hides {', '.join(hidden)}" if hidden else first
        return _looked(key.name, (lambda: _taken(key, told, settings)) if is_online else (lambda: told))
    cure = f"jarvis keys set {key.name}"
    if key is GOOGLE:
        return Finding(key.name, f"not set. {NEEDS_MODEL}", cure, WRONG)
    told = "not set. The web is not searched without one." if key is SERPAPI else "not set."
    return Finding(key.name, told, cure, NOTED)


def _taken(key: Key, told: str, settings: Settings) -> str:
    """Return what is *told* of *key*, and that its service takes it. Raises as `check_key`."""
    if settings.key(key).is_in_keyring:  # which did not give it before, and tells why
        settings = with_kept_keys(settings)
    left = check_key(key, settings.key(key), settings, current().screen)
    return f"{told}; {told_taken(key, left)}"


def _model(settings: Settings, sources: Sources) -> Finding:
    name, found = settings.model, next(SETTINGS["model"].found_in(sources), None)
    told = f"{name} ({found.origin if found else 'the default'})"
    if not (day := MODEL_ENDS.get(name)):
        return Finding("model", told)
    is_over = time.strftime("%Y-%m-%d") >= day
    text = f"{told} {'was' if is_over else 'will be'} retired on {day}"
    return Finding("model", text, f"export JARVIS_MODEL={DEFAULT_MODEL}", WRONG if is_over else NOTED)


def _folder(path: str) -> str:
    """Return where a folder is, or will be. Raises StoreFailed where it can't be used."""
    there = path
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        hint = f"ls -ld {shlex.quote(there)}"
        raise StoreFailed(f"{there} is no folder that can be written to.", hint=hint)
    return path if there == path else f"{path}; it is made when it is needed"


def _desktop(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield what is found of the desktop: its screen, its browser, what takes pictures, its apps."""
    name = system(environment)
    if sys.platform == "linux" and name == "linux":
        display = _looked("display", lambda: readiness.screen(environment))
        yield display
        if display.state == FINE:  # else nothing can be told of these
            yield _looked("browser", lambda: readiness.opener(environment))
            yield _looked("screenshots", lambda: readiness.camera(environment))
    else:
        yield Finding("display", f"not looked at on this system ({name})", state=NOTED)
    yield _looked("pictures", lambda: _folder(os.path.join(own_platform(environment).pictures(), "Jarvis")))
    if name not in ("windows", "wsl"):  # which list them by a program of its own that takes seconds
        count = len(own_platform(environment).apps())
        yield Finding("apps", f"{counted(count, 'apps')} can be started", state=FINE if count else NOTED)


def _versions() -> Iterator[Finding]:
    yield Finding("jarvis", __version__)
    yield Finding("python", f"{platform.python_version()} on {platform.system()} {platform.release()}")
    yield Finding("sqlite", sqlite3.sqlite_version)
    yield from (_looked(name, partial(version, name)) for name in _LIBRARIES)
