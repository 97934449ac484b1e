"""`jarvis config show`: each setting with its value, and where it comes from. No secret is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import typer

from ...config.file import NAMES, Layers, environment_and
from ...config.keys import KEYRING, KEYS, names_in_keyring
from ...config.settings import UNLIMITED, Settings, layers_of
from ...core.text import one_line
from ...core.types import DEFAULT_THREAD
from ...output.records import dumped
from ...packs.pack import Pack, known, names_on, pack_settings, settings_of
from .. import completion
from ..parameters import Json
from ..work import current

_SET = "set"  # all that is shown of a secret
_DEFAULT = "the default"
_OWN_THREAD = "this terminal's own"
_WIDEST = 32  # columns of values, below which the origins stand in one
_SECRETS = {"google_api_key", "serpapi_api_key", "database_url"}
# Only the environment sets them, but for the first one, which --env-file may set as well.
_VARIABLES = ("JARVIS_HOME", "JARVIS_BRAIN", "JARVIS_BRAIN_MINUTES", "BROWSER", "NO_COLOR", "FORCE_COLOR")


_Value = str | int | float | bool | Sequence[str] | None


class Setting(NamedTuple):
    """A setting, as it is shown."""

    name: str
    value: _Value  # None: it is unset
    origin: str
    hides: Sequence[str] = ()  # other places that set it, and do not count

    def as_record(self) -> dict[str, object]:
        return {"name": self.name, "value": self.value, "from": self.origin, "hides": list(self.hides)}


app = typer.Typer(name="config", help="The settings that count, and where they come from.")


@app.command("show", help="Show each setting with its value; of a secret, whether it is set.")
def show_settings(
    origin: Annotated[
        bool, typer.Option("--origin", help="Where each comes from, and what that hides.")
    ] = False,
    as_json: Json = False,
) -> None:
    screen, options = current()
    shown = list(_shown(current().settings(), screen.environment, options.env_file))
    if as_json:
        screen.out(dumped([each.as_record() for each in shown]))
        return
    for line in _lines(shown, with_origin=origin):
        screen.out(line)


@app.command("set", help="Keep a setting in config.toml, such as daily.searches 50.")
def set_setting(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=completion.a_setting)],
    value: str,
    as_json: Json = False,
) -> None:
    from ...config.file_text import keep_setting  # what shows them changes nothing

    screen, options = current()
    settings = current().settings()
    kept = keep_setting(settings.folders.toml, name, value, pack_settings())
    now = {each.name: each for each in _shown(current().settings(), screen.environment, options.env_file)}
    if as_json:
        screen.out(dumped({"saved": {"name": name, "value": kept}}))
    else:
        screen.out(f"Saved {name} = {one_line(value, 300)} (config.toml)")
    if (found := now.get(name)) and "config.toml" not in found.origin:
        screen.err(f"It does not count yet: {found.origin} comes before it.")


def _lines(shown: Sequence[Setting], *, with_origin: bool) -> Iterator[str]:
    name = max(len(each.name) for each in shown)
    value = min(_WIDEST, max(len(_told(each.value)) for each in shown))
    for each in shown:
        begun = f"{each.name:<{name}}  {_told(each.value):<{value}}"
        yield f"{begun}  {each.origin}" if with_origin else begun.rstrip()
        for place in each.hides if with_origin else ():
            yield f"{'':<{name}}  hides {place}"


def _told(value: _Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"  # as config.toml has it
    if isinstance(value, float):
        return f"{value:g}"
    if not isinstance(value, (str, int)) and value is not None:
        return one_line(", ".join(value), 300) or "none"
    return "-" if value is None else one_line(str(value), 300)


def _shown(settings: Settings, environment: Mapping[str, str], env_file: str | None) -> Iterator[Setting]:
    folders, said, layers = layers_of(environment, env_file)
    yield from _named(settings, layers, names_in_keyring(folders.keyring))
    is_set = "bookmarks" in said.values
    yield _of_file("bookmarks", settings.bookmarks or None, folders.toml, is_set=is_set)
    tables: Mapping[str, Mapping[str, _Value]] = {
        "budgets": settings.budgets._asdict(),
        "daily": {name: _limit(value) for name, value in settings.daily._asdict().items()},
        "packs": {"on": names_on(settings)},
        **{f"packs.{pack.name}": _of_pack(pack, settings) for pack in known().values()},
        "tracing": {"langsmith": settings.langsmith},
    }
    for table, values in tables.items():
        for name, value in values.items():
            of_pack = said.of_packs.get(table.removeprefix("packs."))
            is_set = name in (said.table(table) if of_pack is None else of_pack)
            yield _of_file(f"{table}.{name}", value, folders.toml, is_set=is_set)
    for name in _VARIABLES:
        found = list(environment_and(env_file if name == _VARIABLES[0] else None, environment).found(name))
        places = [each.told for each in found] or [_DEFAULT]
        yield Setting(name, found[0].value if found else None, places[0], places[1:])


def _of_pack(pack: Pack, settings: Settings) -> dict[str, _Value]:
    return {name: value or None for name, value in settings_of(pack, settings).items()}


def _limit(value: int | None) -> _Value:
    return UNLIMITED if value is None else value


def _named(settings: Settings, layers: Layers, held: frozenset[str]) -> Iterator[Setting]:
    """Yield what the environment can set as well as config.toml. held: the names of the keyring's keys."""
    keys = {key.variables[0]: key for key in KEYS.values()}
    for name, variable in NAMES.items():
        key = keys.get(variable)
        found = list(layers.found(*(key.variables if key else (variable,))))
        places = [each.told for each in found] + ([KEYRING] if key and key.name in held else [])
        value = found[0].value if found else getattr(settings, name, "")
        if name in _SECRETS:
            value = _SET if places else ""
        is_own = name == "thread" and value != DEFAULT_THREAD
        first, *hidden = places or [_OWN_THREAD if is_own else _DEFAULT]
        yield Setting(name, _without_login(value) or None, first, hidden)


def _without_login(value: str) -> str:
    """Return *value* without the name and the password that may stand in an address."""
    return re.sub(r"://[^/]*@", "://…@", value) if "@" in value else value


def _of_file(name: str, value: _Value, path: str, *, is_set: bool) -> Setting:
    """Return a setting that only config.toml can set."""
    return Setting(name, value, f"{name} in {path}" if is_set else _DEFAULT)
