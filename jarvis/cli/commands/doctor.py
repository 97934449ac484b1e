"""`jarvis doctor`: check everything that a request needs, and show problems with their fixes.

It changes nothing. The output is safe to share: no keys, no passwords, and `~` for the home folder.
"""

import os
import platform
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, NamedTuple

import typer

from ... import __version__
from ...config.keys import SERPAPI, Key
from ...config.services import KEYS, service_of
from ...config.settings import (
    SETTINGS,
    Settings,
    places_of,
    read_settings,
    sources_of,
    with_kept_keys,
)
from ...config.sources import Sources, home_of
from ...core.errors import JarvisError, SettingsError, report_bugs
from ...core.text import one_line, redact
from ...desktop.desktop import system
from ...output.screen import Screen, fitted
from ...packs.context import PackContext
from ...packs.pack import all_packs, names_on, ready, settings_of, states, warnings
from ...search.web_service import proxy_for
from ...store.open import condition_of
from ..completion import Json
from ..invocation import current, report
from .keys import ask_service, check_key, describe_accepted

if sys.platform == "linux":
    from ...desktop.linux import require
    from ...desktop.linux.apps import opener
    from ...desktop.linux.wayland import camera

FINE, NOTED, WRONG = "ok", "note", "wrong"
_OTHERS_READ = 0o044


class Finding(NamedTuple):
    """The result of one check."""

    name: str
    text: str
    cure: str = ""  # a command to paste, if there is one
    state: str = FINE


app = typer.Typer()


@app.command("doctor")
def examine(
    online: Annotated[
        bool, typer.Option("--online", help="Also ask each service whether it accepts your key.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Find problems and show how to fix them.

    Checks settings, keys, network, history, desktop, and versions. Changes nothing. The output is safe to
    share: no keys, and ~ for your home folder. Exits 1 if something is wrong.
    """
    screen = current().screen
    records: list[dict[str, str]] = []
    for group, found in _groups(is_online=online):
        lines = [_shareable(each, screen) for each in found]
        records += [{"group": group, **each._asdict()} for each in lines]
        if not as_json:
            _print_group(group, lines, screen)
    wrong = [each["name"] for each in records if each["state"] == WRONG]
    summary = f"Problems: {', '.join(wrong)}." if wrong else "No problems found."
    report({"ok": not wrong, "findings": records}, f"\n{summary}")
    return int(bool(wrong))


def _print_group(group: str, found: list[Finding], screen: Screen) -> None:
    screen.out(group)
    for each in found:
        label = each.text if each.name == group else f"{each.name}: {each.text}"
        screen.out(fitted(f"  {each.state:<5}  {label}", screen))
        if each.cure:
            screen.out(f"         {each.cure}")  # not broken: it may be to be pasted


def _shareable(found: Finding, screen: Screen) -> Finding:
    """Return *found* without secrets, and with `~` for the home folder: its name is often the user's."""
    home = re.escape(home_of(screen.environment).rstrip("/") or "/nowhere")
    shown = (redact(one_line(each), screen.secrets) for each in (found.text, found.cure))
    text, cure = (re.sub(rf"{home}(?![\w.-])", "~", each) for each in shown)
    return found._replace(text=text, cure=cure)


def _groups(*, is_online: bool) -> Iterator[tuple[str, Iterable[Finding]]]:
    """Yield the name of each group and its findings."""
    screen, options = current()
    try:
        settings = read_settings(screen.environment, env_file=options.env_file)
    except JarvisError as error:  # without settings, nothing else can be checked
        yield "settings", [Finding("settings", error.message, error.hint, WRONG)]
    else:
        _, sources = sources_of(screen.environment, options.env_file)
        if is_online:
            with suppress(SettingsError):  # of the keyring: the finding on its key reports it
                settings = with_kept_keys(settings)
        screen.secrets = settings.secrets()
        yield "settings", _files(settings, sources, is_online=is_online)
        on = names_on(settings)
        needed = (service_of(settings.model).key, SERPAPI)  # few miss another one
        keys = [key for key in KEYS.values() if key in needed or settings.key(key)]
        keys += (pack.key for pack in all_packs().values() if pack.key and pack.name in on)
        yield "keys", (_key(key, settings, sources, is_online=is_online) for key in keys)
        servers = filter(None, settings.servers.values())
        yield "network", dict.fromkeys(_check("proxy", partial(_check_proxy, url)) for url in servers)
        yield "database", [_check("history", partial(condition_of, settings))]
    yield "desktop", _desktop(screen.environment)
    system_text = f"{platform.python_version()} on {platform.system()} {platform.release()}"
    yield "versions", [Finding("jarvis", __version__), Finding("python", system_text)]


def _check(name: str, look: Callable[[], str]) -> Finding:
    """Run one check. An error it raises becomes the finding."""
    try:
        with report_bugs():
            return Finding(name, look())
    except JarvisError as error:
        return Finding(name, error.message, error.hint, WRONG)


def _files(settings: Settings, sources: Sources, *, is_online: bool) -> Iterator[Finding]:
    places = {found.place for each in SETTINGS.values() if each.is_secret for found in each.found_in(sources)}
    for path in sorted(filter(os.path.exists, places)):
        yield _check(os.path.basename(path), partial(_file, path))
    for warning in warnings(settings):
        yield Finding("settings", warning, state=NOTED)
    yield _check("packs", lambda: _packs(settings))
    for pack in ready(settings):
        for name, check in pack.checks.items():
            context = PackContext(pack, settings, is_online=is_online)
            yield _check(f"{pack.name} {name}", partial(ask_service, context, partial(check, context)))


def _file(path: str) -> str:
    """Return the path of a file with a secret. Raises SettingsError if others may read it."""
    mode = os.stat(path).st_mode & 0o777
    if mode & _OTHERS_READ and os.name != "nt":
        message = f"{path} holds a secret, but other users can read it (mode {mode:o})."
        raise SettingsError(message, hint=f"chmod 600 {shlex.quote(path)}")
    return path


def _packs(settings: Settings) -> str:
    """Return the names of the packs that are on. Raises SettingsError for a wrong setting of one."""
    on = [state for state in states(settings) if state.is_on]
    for state in on:
        settings_of(state.pack, settings)
    names = [each.pack.name + (f" (needs {each.missing})" if each.missing else "") for each in on]
    return f"on: {', '.join(names)}" if names else "none on: jarvis packs list"


def _key(key: Key, settings: Settings, sources: Sources, *, is_online: bool) -> Finding:
    if places := places_of(key, sources):
        origin = places[0].origin
        return _check(key.name, partial(_accepted, key, settings)) if is_online else Finding(key.name, origin)
    state = WRONG if key == service_of(settings.model).key else NOTED
    return Finding(key.name, f"not set. Needed for {key.use}.", f"jarvis keys set {key.name}", state)


def _accepted(key: Key, settings: Settings) -> str:
    """Return the origin of *key*, once its service accepted it. Raises the same errors as `check_key`."""
    if settings.key(key).is_in_keyring:  # it failed before, and now says why
        settings = with_kept_keys(settings)
    secret = settings.key(key)
    return f"{secret.origin}; {describe_accepted(key, check_key(key, secret, settings, current().screen))}"


def _check_proxy(url: str) -> str:
    """Return the proxy for the server at *url*. Raises JarvisError if it doesn't answer."""
    if (proxy := proxy_for(url)) is None:
        return "none"
    proxy.check()
    return f"{proxy.label} answers"


def _desktop(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield findings on the desktop: screen, browser, screenshots."""
    name = system(environment)
    if sys.platform == "linux" and name == "linux":
        display = _check("display", lambda: require(environment))
        yield display
        if display.state == FINE:  # else these can't work
            yield _check("browser", lambda: opener(environment))
            yield _check("screenshots", lambda: camera(environment))
    else:
        yield Finding("display", f"not checked on this system ({name})", state=NOTED)
