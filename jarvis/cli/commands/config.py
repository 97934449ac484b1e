"""`jarvis config show|set`: each setting with its value, and where it comes from. No secret is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import typer

from ...config.keys import KEYS
from ...config.settings import SETTABLE, SETTINGS, UNLIMITED, Setting, Settings, sources_of
from ...config.sources import FoundSetting, environment_and, write
from ...core.errors import SettingsError, UsageError
from ...core.text import one_line
from ...core.types import DEFAULT_THREAD
from ...output.records import show
from ...packs.pack import known, names_on, pack_settings, settings_of
from .. import completion
from ..parameters import Json
from ..work import current

_WIDEST = 32  # columns of values, below which the origins stand in one
# Only the environment sets them, but for the first one, which --env-file may set as well.
_VARIABLES = ("JARVIS_HOME", "JARVIS_BRAIN", "JARVIS_BRAIN_MINUTES", "BROWSER", "NO_COLOR", "FORCE_COLOR")


class Shown(NamedTuple):
    """A setting, as it is shown."""

    name: str
    value: Any  # None: it is unset
    origin: str
    hides: Sequence[str]  # other places that set it, and do not count

    def as_record(self) -> dict[str, object]:
        return {"name": self.name, "value": self.value, "from": self.origin, "hides": self.hides}


app = typer.Typer(name="config", help="The settings that count, and where they come from.")


@app.command("show", help="Show each setting with its value; of a secret, whether it is set.")
def show_settings(
    origin: Annotated[
        bool, typer.Option("--origin", help="Where each comes from, and what that hides.")
    ] = False,
    as_json: Json = False,
) -> None:
    screen = current().screen
    shown = list(_shown(current().settings()))
    lines = _lines(shown, with_origin=origin)
    show(screen, [each.as_record() for each in shown], *lines, as_json=as_json)


@app.command("set", help="Keep a setting in config.toml, such as daily.searches 50.")
def set_setting(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=completion.a_setting)],
    value: str,
    as_json: Json = False,
) -> None:
    screen = current().screen
    kept = keep_setting(current().settings().folders.toml, name, value)
    (now,) = (each for each in _shown(current().settings()) if each.name == name)
    told = f"Saved {name} = {one_line(value, 300)} (config.toml)"
    show(screen, {"saved": {"name": name, "value": kept}}, told, as_json=as_json)
    if "config.toml" not in now.origin:
        screen.err(f"It does not count yet: {now.origin} comes before it.")


def keep_setting(path: str, name: str, typed: str) -> object:
    """Have config.toml at *path* say that the setting *name* is what was *typed*; return it as written there.

    Raises UsageError for a setting that there is not, or can't be that; nothing is changed then.
    """
    setting = _named(name)
    for value in (typed, _of_toml(typed)):
        try:
            setting.value_of(FoundSetting(name, value, "config.toml"))
        except SettingsError as error:
            wrong = error
        else:
            write(path, name.split("."), value)
            return value
    raise UsageError(wrong.message, hint=setting.kind.hint or "jarvis config show")


def _named(name: str) -> Setting:
    known = SETTABLE | pack_settings()
    if name in known:
        return known[name]
    for key in KEYS.values():
        if name == f"{key.name}_api_key":
            raise UsageError("A key is asked for, hidden.", hint=f"jarvis keys set {key.name}")
    from difflib import get_close_matches  # few misspell

    near = get_close_matches(name, known, n=1)
    told = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(known)}."
    raise UsageError(f"There is no setting {name}. {told}", hint="jarvis config show")


def _of_toml(text: str) -> object:
    """Return the number, the truth or the list that *text* is; else the text."""
    import tomllib  # as above

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except ValueError:
        return text


def _shown(settings: Settings) -> Iterator[Shown]:
    screen, options = current()
    _, sources = sources_of(screen.environment, options.env_file)
    usual = _usual(settings)
    for name, setting in (SETTINGS | pack_settings()).items():
        found = list(setting.found_in(sources))
        value = setting.value_of(found[0]) if found else usual.get(name, setting.default)
        is_own = name == "thread" and value != DEFAULT_THREAD
        otherwise = "this terminal's own" if is_own else "the default"
        yield _row(name, "set" if found and setting.is_secret else value, found, otherwise)
    for name in _VARIABLES:
        file = options.env_file if name == _VARIABLES[0] else None
        found = list(environment_and(file, screen.environment).found(name))
        yield _row(name, found[0].value if found else None, found)


def _usual(settings: Settings) -> dict[str, Any]:
    """Return what is where nothing is set, but for what SETTINGS has of that."""
    of_packs = {
        f"packs.{pack.name}.{name}": value
        for pack in known().values()
        for name, value in settings_of(pack, settings).items()
    }
    return {"thread": settings.thread, "packs.on": names_on(settings), **of_packs}


def _row(name: str, value: Any, found: Sequence[FoundSetting], otherwise: str = "the default") -> Shown:
    if name.startswith("daily.") and value is None:
        value = UNLIMITED
    if isinstance(value, str):  # a name and a password may stand in an address
        value = re.sub(r"://[^/]*@", "://…@", value) or None
    first, *hidden = [each.origin for each in found] or [otherwise]
    return Shown(name, value, first, hidden)


def _lines(shown: Sequence[Shown], *, with_origin: bool) -> Iterator[str]:
    name = max(len(each.name) for each in shown)
    value = min(_WIDEST, max(len(_told(each.value)) for each in shown))
    for each in shown:
        begun = f"{each.name:<{name}}  {_told(each.value):<{value}}"
        yield f"{begun}  {each.origin}" if with_origin else begun.rstrip()
        for place in each.hides if with_origin else ():
            yield f"{'':<{name}}  hides {place}"


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()  # as config.toml has it
    if isinstance(value, list | tuple):
        value = ", ".join(value) or "none"
    return "-" if value is None else one_line(f"{value:g}" if isinstance(value, float) else str(value), 300)
