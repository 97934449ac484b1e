"""The settings: one immutable record, read once at the start of a command.

options > environment > `--env-file` > `.env` in the config folder > `config.toml` > keyring > defaults. An
empty value counts as unset. Jarvis never reads `.env` in the current folder.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from ..core.errors import BadTarget, NoKey, SettingsError, UsageError
from ..core.files import check_folder
from ..core.text import one_line
from ..core.types import DEFAULT_THREAD
from ..core.urls import Canon, canon, country_in, is_here, is_own_network
from .keys import API_KEY, BRAVE, ENDINGS, NEEDS_MODEL, NO_KEY, SERPAPI, Key, kept_in_keyring, looks_like_key
from .services import (
    DEFAULT_MODEL,
    KEYS,
    MODEL_ENDS,
    MODEL_SERVICES,
    NO_SERVICE,
    describe_model,
    is_known_service,
    service_of,
)
from .sources import (
    ENVIRONMENT,
    KEYRING,
    Folders,
    FoundSetting,
    Secret,
    Sources,
    assignments,
    config,
    environment_and,
    folders_in,
    idle_lines,
    is_of_pack,
    line_of,
    names_in_keyring,
    settings_in,
    variable_in,
)

SERPAPI_URL, BRAVE_URL = "https://serpapi.com", "https://api.search.brave.com"
THINKING = ("minimal", "low", "medium", "high")
EDITING = ("emacs", "vi")
UNLIMITED = "unlimited"
SettingReader: TypeAlias = Callable[[Any], Any]
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
_TOO_MUCH = 1e9  # of anything


class Budgets(NamedTuple):
    """The most that one turn may use, and that all may use at once. Code enforces it, never the model."""

    steps: int = 6
    searches: int = 2  # on the web
    credits: int = 2  # searches by engines of shops and the like; an open pack may allow more
    model_calls: int = 8
    seconds: float = 60.0  # our own time: waiting for the person does not count
    first_token_seconds: float = 20.0  # also between two pieces of a stream
    search_seconds: float = 10.0
    database_seconds: float = 45.0  # that a turn waits for a database which went away
    turns_at_once: int = 8  # under way in one process; later ones wait
    database_connections: int = 20  # to Postgres, at once


class Daily(NamedTuple):
    """The most that all threads may use per day, to prevent accidental costs. None: no limit."""

    model_calls: int | None = 500
    searches: int | None = 100


class Settings(NamedTuple):
    folders: Folders
    thread: str = DEFAULT_THREAD  # empty, in the brain: nobody names one
    model: str = DEFAULT_MODEL
    fallback_model: str = ""  # takes over where that one is overloaded, or its day's quota used up
    api_keys: Mapping[str, Secret] = {}  # also of packs, and of other programs: none is to be shown
    model_urls: Mapping[str, str] = {}  # of services of models, by their names
    serpapi_base_url: str = SERPAPI_URL
    brave_base_url: str = BRAVE_URL
    searxng_url: str = ""  # of their own; empty: they have none
    database_url: Secret = Secret("")
    budgets: Budgets = Budgets()
    set_budgets: frozenset[str] = frozenset()  # the names of those that the person set: no pack allows more
    daily: Daily = Daily()
    log_file: str = ""  # empty: in the state folder
    thinking: str = ""  # one of THINKING; empty: as much as the model does by itself
    editing: str = EDITING[0]  # one of EDITING: whose keys a chat has
    of_packs: tuple[str, ...] = ()  # the names of what config.toml says below [packs.NAME]
    packs: tuple[str, ...] | None = None  # the names of those that are on; None: those that are by default
    warnings: tuple[str, ...] = ()  # on what is set and does nothing
    found: Callable[["Setting"], FoundSetting | None] = lambda setting: None  # where that is set; for packs
    country: str = ""  # where the person is by their locale, as hosts end there: uk; empty: not told

    def key(self, key: Key) -> Secret:
        """Return the user's *key*, or "" if there is none or it is still in the keyring."""
        return self.api_keys.get(key.name, Secret(""))

    @property
    def servers(self) -> dict[str, str]:
        """The addresses of models and of what searches the web, by their names or those of their keys."""
        models = {(each.key or each).name: self.model_urls[each.name] for each in MODEL_SERVICES.values()}
        ours = {SERPAPI.name: self.serpapi_base_url, BRAVE.name: self.brave_base_url}
        return {**models, **ours, "searxng": self.searxng_url}

    def keys(self) -> tuple[str, ...]:
        """Return the keys of services."""
        return tuple(key.reveal() for key in self.api_keys.values() if key)

    def endings(self) -> list[str]:
        """Return a line on each model that is set and ends."""
        ending = {self.model, self.fallback_model} & MODEL_ENDS.keys()
        return [describe_model(name) for name in sorted(ending)]

    def secrets(self) -> tuple[str, ...]:
        """Return every value that no text may show."""
        database = self.database_url.reveal()
        passwords = (each for url in (database, *self.servers.values()) for each in _passwords(url))
        return (*self.keys(), *filter(None, (database, *passwords)))


# What a setting may be: each returns its value as Settings has it, and raises ValueError for anything else,
# with what that must be.


def reader(must: str, fits: Callable[[Any], bool], read: Callable[[Any], Any] | None = None) -> SettingReader:
    """Return a parser for values that pass *fits*. read: converts the value. None keeps it."""

    def checked(value: Any) -> Any:
        if not fits(value):
            raise ValueError(must)
        return read(value) if read else value

    return checked


def one_of(choices: tuple[str, ...]) -> SettingReader:
    return reader(
        f"isn't one of {', '.join(choices)}", lambda value: str(value).lower() in choices, str.lower
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_number(value: Any, least: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value < _TOO_MUCH


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and is_number(value, least)


def _server(must: str, is_safe: Callable[[Canon], bool]) -> SettingReader:
    """Return a parser for a server's address. is_safe: whether plain http to it is safe to use."""

    def fits(value: Any) -> bool:
        try:
            address = canon(value if _is_text(value) else "")
        except BadTarget:
            return False
        return address.url.startswith("https:") or is_safe(address)

    return reader(must, fits, lambda value: canon(value).url.rstrip("/"))


_POSTGRES = r"postgres(ql)?(\+\w+)?://"  # SQLAlchemy names its driver in it
# Other clients' own, on how they pool: Postgres knows none of them.
_OF_POOLS = r"(?<=[?&])(pgbouncer|connection_limit|pool_timeout|statement_cache_size)=[^&]*(&|$)"

TEXT = reader("must be a text", _is_text)
KEY = reader(NO_KEY, lambda value: _is_text(value) and looks_like_key(value))
_MODEL = reader(NO_SERVICE, lambda value: _is_text(value) and is_known_service(value))
_DATABASE = reader(
    "is not the address of a Postgres database, such as postgresql://me@localhost/jarvis",
    lambda value: re.match(_POSTGRES, str(value)) is not None,
    lambda url: re.sub(_OF_POOLS, "", re.sub(_POSTGRES, "postgresql://", url, count=1)).rstrip("?&"),
)
SERVER = _server("must be an https address, or one of this machine", is_here)
OWN_SERVER = _server(
    "must be an https address, or an http one of this machine or your own network", is_own_network
)
_COUNT = reader("must be a whole number above 0", lambda value: _is_whole(value, 1))
_SECONDS = reader("must be a number above 0", lambda value: is_number(value, 1e-9))
_LIMIT = reader(
    f"must be a whole number from 0, or “{UNLIMITED}”",
    lambda value: value == UNLIMITED or _is_whole(value, 0),
    lambda value: None if value == UNLIMITED else value,
)
_NAMES = reader(
    "must be a list of names",
    lambda value: isinstance(value, list) and all(map(_is_text, value)),
    lambda value: tuple(dict.fromkeys(name.strip() for name in value)),
)


class Setting(NamedTuple):
    """A setting that people may set."""

    name: str  # in config.toml, behind that of its table; a pack says what stands below [packs.NAME]
    read: SettingReader
    variables: tuple[str, ...] = ()  # of the environment, the first one before the second
    default: Any = ""
    is_secret: bool = False
    hint: str = "Correct it there, or take it out."  # for one in config.toml that makes no sense

    def found_in(self, sources: Sources) -> Iterator[FoundSetting]:
        """Yield the value that counts, then those that it hides."""
        return settings_in(sources, (*self.variables, self.name))

    def value_of(self, found: FoundSetting | None) -> Any:
        """Return the parsed value of *found*, or the default for None.

        Raises SettingsError, which does not quote the value.
        """
        if found is None:
            return self.default
        try:
            return self.read(found.value)
        except ValueError as error:
            hint = f"unset {found.name}" if found.name in self.variables else self.hint
            if found.name in self.variables and found.place != ENVIRONMENT:
                hint = f"Correct line {line_of(found.place, found.name)} of {found.place}, or take it out."
            raise SettingsError(f"{found.origin} {error}.", hint=hint) from None


_ALL = (
    Setting("model", _MODEL, ("JARVIS_MODEL",), DEFAULT_MODEL),
    Setting("fallback_model", _MODEL, ("JARVIS_FALLBACK_MODEL",)),
    Setting("thinking", one_of(THINKING), ("JARVIS_THINKING",)),
    Setting("editing", one_of(EDITING), ("JARVIS_EDITING",), EDITING[0]),
    Setting("thread", TEXT, ("JARVIS_THREAD",)),
    *(Setting(f"{key.name}{API_KEY}", KEY, key.variables, is_secret=True) for key in KEYS.values()),
    Setting("database_url", _DATABASE, ("DATABASE_URL",), is_secret=True),
    *(
        Setting(f"{each.name}_base_url", SERVER, (each.url_variable,), each.url)
        for each in MODEL_SERVICES.values()
    ),
    Setting("serpapi_base_url", SERVER, ("SERPAPI_BASE_URL",), SERPAPI_URL),
    Setting("brave_base_url", SERVER, ("BRAVE_BASE_URL",), BRAVE_URL),
    Setting("searxng_url", OWN_SERVER, ("SEARXNG_URL",)),
    *(
        Setting(f"budgets.{name}", _COUNT if isinstance(value, int) else _SECONDS, (), value)
        for name, value in Budgets()._asdict().items()
    ),
    *(Setting(f"daily.{name}", _LIMIT, (), value) for name, value in Daily()._asdict().items()),
    Setting("packs.on", _NAMES, (), None),
)
SETTINGS = {setting.name: setting for setting in _ALL}
SETTABLE = {name: setting for name, setting in SETTINGS.items() if setting.read is not KEY}  # in config.toml


def read_settings(
    environment: Mapping[str, str],
    *,
    env_file: str | None = None,
    own_thread: str = DEFAULT_THREAD,
    seconds: float | None = None,
    log_file: str | None = None,
) -> Settings:
    """Return the settings for this command.

    env_file: a file of NAME=value lines. seconds, log_file: from options, None if unset. own_thread: the
    terminal's own thread, the default. Raises SettingsError if a file is unreadable or a value makes no
    sense.
    """
    places, sources = sources_of(environment, env_file)
    toml = sources[places.toml]

    def found(setting: Setting) -> FoundSetting | None:
        return next(setting.found_in(sources), None)

    values = {name: setting.value_of(found(setting)) for name, setting in SETTINGS.items()}
    values["thread"] = values["thread"] or own_thread
    values["database_url"] = Secret(values["database_url"])
    set_budgets = {name for name in Budgets._fields if found(SETTINGS[f"budgets.{name}"])}
    if seconds is not None:
        values["budgets.seconds"] = seconds
        set_budgets.add("seconds")
    if values["thread"]:
        check_thread(values["thread"])
    # Packs tell of those below their tables.
    is_valid = (name in SETTINGS or name.endswith(API_KEY) or _is_of_pack(name) for name in toml)
    unknown = [unknown_setting(name) for name, is_known in zip(toml, is_valid, strict=True) if not is_known]
    return Settings(
        **{name: value for name, value in values.items() if name in Settings._fields},
        folders=places,
        model_urls={name: values[f"{name}_base_url"] for name in MODEL_SERVICES},
        api_keys=dict(_api_keys(sources)),
        budgets=Budgets(**_below("budgets", values)),
        set_budgets=frozenset(set_budgets),
        daily=Daily(**_below("daily", values)),
        log_file=os.path.abspath(os.path.expanduser(log_file)) if log_file else "",
        packs=values["packs.on"],
        of_packs=tuple(filter(_is_of_pack, toml)),
        warnings=(*unknown, *idle_lines(places.env_file, env_file, _is_read)),
        found=found,
        country=country_of(sources),
    )


def sources_of(environment: Mapping[str, str], env_file: str | None) -> tuple[Folders, Sources]:
    """Return where files are, and the places that settings come from. Raises SettingsError."""
    chosen = environment_and(env_file, environment)
    places = folders_in(chosen)
    check_folder(places.config)
    held = {f"{name}{end}".upper(): "kept" for name in names_in_keyring(places) for end in ENDINGS}
    return places, {
        **chosen,
        places.env_file: assignments(places.env_file),
        places.toml: config(places.toml),
        KEYRING: held,
    }


def places_of(key: Key, sources: Sources) -> list[FoundSetting]:
    """Return where *key* comes from: the place that counts, then those that it hides."""
    return list(settings_in(sources, (*key.variables, f"{key.name}{API_KEY}")))


def with_kept_keys(settings: Settings) -> Settings:
    """Return *settings* with the keys that the keyring holds. Raises SettingsError where it fails."""
    wanted = [name for name, secret in settings.api_keys.items() if secret.is_in_keyring]
    kept = {name: kept_in_keyring(_key_of(name)) for name in wanted}
    return settings._replace(api_keys={**settings.api_keys, **kept})


def check_model_key(settings: Settings, model: str = "") -> None:
    """Raise NoKey where there is none for *model*, or for the one of the settings, and it takes one."""
    key = service_of(model or settings.model).key
    if key and not (settings.key(key) or settings.key(key).is_in_keyring):
        place = f"{key.variables[0]}=… in {settings.folders.env_file}, or in the environment"
        hint = f"jarvis keys set {key.name}   (get one: {key.page}, or {place})"
        raise NoKey(f"No model key is set. {NEEDS_MODEL}", hint=hint)


def check_thread(name: str) -> None:
    """Raise UsageError where *name* can't be the name of a thread."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", name):
        raise UsageError(
            f"Can't use the conversation name “{one_line(name, 40)}”.",
            hint="Use 1 to 64 of A-Z, a-z, 0-9, dots, dashes and underscores: jarvis -t work …",
        )


def unknown_setting(name: str) -> str:
    """Return a warning of a setting that nothing reads."""
    return f"config.toml has a setting that is not known and does nothing: {one_line(name, 60)}."


def _below(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of [*table*] by name."""
    return {name.removeprefix(f"{table}."): values[name] for name in values if name.startswith(f"{table}.")}


def _is_read(variable: str) -> bool:
    """Return whether that *variable* is read where settings are."""
    read = {name for setting in _ALL for name in setting.variables} | {*_LOCALE}
    return variable in read or variable.endswith(API_KEY.upper()) or (variable != "" and is_of_pack(variable))


def _is_of_pack(name: str) -> bool:
    """Return whether *name* in config.toml belongs to [packs.NAME]."""
    return re.match(r"packs\.[^.]*\.", name) is not None


def country_of(sources: Sources) -> str:
    """Return the ending of hosts in the territory of the locale: de_AT.UTF-8 → at, en_GB → uk."""
    _, _, territory = variable_in(sources, *_LOCALE).partition("_")
    return country_in(re.split("[.@]", territory)[0])


def _passwords(url: str) -> set[str]:
    """Return everything in *url* that may be a password, as written and decoded."""
    rest = url.partition("://")[2]
    # A password may have an @ in it, and what follows the host may have one too.
    before_host = (rest.rpartition("@")[0], rest.partition("@")[0] if "@" in rest else "")
    queried = re.findall(r"[?&][^=&]*password=([^&]*)", rest)
    written = {*(userinfo.partition(":")[2] for userinfo in before_host), *queried} - {""}

    def decoded(found: re.Match[str]) -> str:
        return bytes.fromhex(found[0].replace("%", "")).decode(errors="replace")

    return written | {re.sub(r"(%[0-9A-Fa-f]{2})+", decoded, each) for each in written}


def _key_of(name: str) -> Key:
    """Return the key of that *name*. For a pack's key, only its place is known."""
    variables = tuple(f"{name}{ending}".upper() for ending in ENDINGS)
    return KEYS.get(name) or Key(name, "", variables, "", "")


def _api_keys(sources: Sources) -> Iterator[tuple[str, Secret]]:
    """Yield each key by its name. Doesn't ask the keyring."""
    names = {name.lower() for values in sources.values() for name in values}
    names = {
        name
        for name in names
        if name.endswith(API_KEY) or (name.endswith(ENDINGS) and is_of_pack(name.upper()))
    }
    keys = {name.removesuffix(end) for name in names for end in ENDINGS if name.endswith(end)}
    for name in sorted(keys):
        for found in places_of(_key_of(name), sources)[:1]:
            yield name, Secret("" if found.place == KEYRING else str(found.value), found.origin)
