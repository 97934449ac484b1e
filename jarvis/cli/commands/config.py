"""`jarvis config show|set`: each setting with its value, and where it comes from. `jarvis paths`: its files.

No secret is shown.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import tomlkit
import typer

from ...config.keys import API_KEY
from ...config.services import service_of
from ...config.settings import SETTABLE, SETTINGS, UNLIMITED, Setting, Settings, sources_of
from ...config.sources import FOLDERS, FoundSetting, read_own
from ...core.errors import JarvisError, SettingsError, UsageError
from ...core.files import private_folder, replace_file
from ...core.text import one_line
from ...desktop.desktop import own_platform
from ...packs.pack import key_settings, known_keys, names_on, pack_settings
from .. import completion
from ..completion import Json
from ..invocation import current, report
from ..line import model_of
from .keys import check_model

_MODELS = ("model", "fallback_model")  # the settings that name one
_WIDEST = 32  # columns of values, after which the origins line up

app = typer.Typer(name="config", help="Show or change settings.")
paths = typer.Typer()


@app.command("show", help="Show each setting with its value. A secret is only shown as set or not.")
def show_settings(
    origin: Annotated[
        bool, typer.Option("--origin", help="Also show where each comes from, and what that overrides.")
    ] = False,
    as_json: Json = False,
) -> None:
    rows = list(_rows(current().settings()))
    report(rows, *_lines(rows, with_origin=origin))


@app.command("set", help="Save a setting in config.toml, such as daily.searches 50.")
def set_setting(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=completion.a_setting)],
    value: str,
    as_json: Json = False,
) -> None:
    unchecked = ""
    if name in _MODELS and value:
        value = model_of(value)
        try:
            check_model(value, current().settings(with_keys=True), current().screen)
        except UsageError:
            raise
        except JarvisError as error:
            unchecked = error.message.partition(". ")[0].rstrip(".")
    kept = keep_setting(current().settings().folders.toml, name, value)
    message = f"Saved {name} = {one_line(value, 300)} (config.toml)"
    report({"saved": {"name": name, "value": kept}}, message)
    if unchecked:
        current().screen.err(f"Not checked with {service_of(value).title} ({unchecked}).")
    (origin,) = (row["from"] for row in _rows(current().settings()) if row["name"] == name)
    if "config.toml" not in origin:
        current().screen.err(f"This has no effect yet: {origin} overrides it.")


def keep_setting(path: str, name: str, typed: str) -> object:
    """Set *name* to *typed* in config.toml at *path*. Returns the value as written.

    Raises UsageError, with nothing changed, for an unknown setting or value.
    """
    setting = _find_setting(name)
    for value in (typed, _of_toml(typed)):
        try:
            setting.value_of(FoundSetting(name, value, "config.toml"))
        except SettingsError as error:
            wrong = error
        else:
            write(path, name.split("."), value)
            return value
    raise UsageError(wrong.message, hint="jarvis config show")


def write(path: str, names: Sequence[str], value: object) -> None:
    """Set *value* in config.toml at *path* under *names*: tables first, then the key.

    Keeps comments. Raises SettingsError for an unreadable file, StoreFailed if it can't write. Changes
    nothing then.
    """
    private_folder(os.path.dirname(path))
    try:
        document: Any = tomlkit.parse(read_own(path))
        table = document
        for name in names[:-1]:
            table = table.setdefault(name, tomlkit.table())
        table[names[-1]] = value
    except (ValueError, TypeError, AttributeError) as error:
        raise SettingsError(f"Can't change {path}: {error}.", hint="Fix it in an editor.") from None
    replace_file(path, tomlkit.dumps(document))


def _find_setting(name: str) -> Setting:
    settable = SETTABLE | pack_settings()
    if name in settable:
        return settable[name]
    key = name.removesuffix(API_KEY)
    if key != name and key in known_keys():
        raise UsageError(
            "Jarvis asks for keys, so that your shell doesn't keep them.", hint=f"jarvis keys set {key}"
        )
    near = get_close_matches(name, settable, n=1)
    message = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(settable)}."
    raise UsageError(f"No setting is called {name}. {message}", hint="jarvis config show")


def _of_toml(text: str) -> object:
    """Return *text* as a number, a boolean, or a list if it is one, else unchanged."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text


def _rows(settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield each setting as --json prints it: its value, None if unset, and its origin."""
    screen, options = current()
    _, sources = sources_of(screen.environment, options.env_file)
    usual = {"thread": settings.thread, "packs.on": names_on(settings)}
    for name, setting in (SETTINGS | key_settings() | pack_settings()).items():
        found = list(setting.found_in(sources))
        value = setting.value_of(found[0]) if found else usual.get(name, setting.default)
        first, *hidden = [each.origin for each in found] or ["the default"]
        if found and setting.is_secret:
            value = "set"
        elif name.startswith("daily.") and value is None:
            value = UNLIMITED
        elif isinstance(value, str):  # a name and a password may stand in an address
            value = re.sub(r"://[^/]*@", "://…@", value) or None
        yield {"name": name, "value": value, "from": first, "hides": hidden}


def _lines(rows: Sequence[dict[str, Any]], *, with_origin: bool) -> Iterator[str]:
    name = max(len(row["name"]) for row in rows)
    value = min(_WIDEST, max(len(_format_setting(row["value"])) for row in rows))
    for row in rows:
        begun = f"{row['name']:<{name}}  {_format_setting(row['value']):<{value}}"
        yield f"{begun}  {row['from']}" if with_origin else begun.rstrip()
        for place in row["hides"] if with_origin else ():
            yield f"{'':<{name}}  hides {place}"


def _format_setting(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()  # as config.toml has it
    if isinstance(value, list | tuple):
        value = ", ".join(value) or "none"
    return "-" if value is None else one_line(f"{value:g}" if isinstance(value, float) else str(value), 300)


# Where everything is.


@paths.command("paths", help="Show the folders and files that Jarvis uses.")
def list_paths(as_json: Json = False) -> None:
    screen, settings = current().screen, current().settings()
    pictures = os.path.join(own_platform(dict(screen.environment)).pictures(), "Jarvis")
    folders = {name: getattr(settings.folders, name) for name in FOLDERS}
    every = {**folders, "pictures": pictures, **_files(settings)}
    rows = [{"name": name, "path": path, "exists": os.path.lexists(path)} for name, path in every.items()]
    width = max(map(len, every))
    gone = "   (doesn't exist yet)"
    lines = (f"{row['name']:<{width}}  {row['path']}{'' if row['exists'] else gone}" for row in rows)
    report(rows, *lines)


def _files(settings: Settings) -> dict[str, str]:
    folders = settings.folders
    databases = [folders.outbox] if settings.database_url else [folders.history, folders.inflight]
    files = [
        *(folders.toml, folders.env_file, folders.policy, folders.aliases, folders.keyring),
        *(*databases, settings.log_file or folders.log, folders.chat_history),
    ]
    return {os.path.basename(path): path for path in files}
