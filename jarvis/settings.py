"""What Jarvis was told to be: one immutable record, read once at the entry.

options > environment > `--env-file` > `.env` in the config folder > `config.toml` > defaults;
an empty value is an unset one. The `.env` of the folder one happens to stand in is never read.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence

from .daily import Daily, daily
from .errors import BadTarget, SettingsError, UsageError
from .text import one_line
from .tracing import wants_langsmith
from .trust import check, check_folder
from .typed import NamedTuple
from .urls import canon

DEFAULT_MODEL = "gemini-3.5-flash-lite"
_THREAD = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


class Folders(NamedTuple):
    """Where Jarvis keeps its things, absolute."""

    config: str
    data: str
    state: str
    cache: str
    runtime: str

    @property
    def policy(self) -> str:
        """The file of the person's rules."""
        return os.path.join(self.config, "policy.toml")

    @property
    def aliases(self) -> str:
        """The file of the names that the person gave."""
        return os.path.join(self.config, "aliases.json")

    @property
    def history(self) -> str:
        """The database of what was asked."""
        return os.path.join(self.data, "history.db")

    @property
    def outbox(self) -> str:
        """The database of plain commands that are not in Postgres yet."""
        return os.path.join(self.data, "outbox.db")

    @property
    def inflight(self) -> str:
        """The database of turns that are under way."""
        return os.path.join(self.data, "inflight.db")


class Budgets(NamedTuple):
    """How much one turn may use up. Enforced by Python, never by asking the model."""

    steps: int = 6
    searches: int = 2
    model_calls: int = 8
    seconds: float = 60.0  # our own time: waiting for the person does not count
    first_token_seconds: float = 20.0  # also between two pieces of a stream
    search_seconds: float = 10.0
    database_seconds: float = 45.0  # that a turn waits for a database which went away


class Secret:
    """A key that does not print itself."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(…)" if self._value else "Secret()"


class Settings(NamedTuple):
    folders: Folders
    thread: str = "default"
    model: str = DEFAULT_MODEL
    google_key: Secret = Secret("")
    serpapi_key: Secret = Secret("")
    gemini_url: str = ""  # empty: Google's own
    serpapi_url: str = ""  # empty: SerpAPI's own
    database_url: Secret = Secret("")
    budgets: Budgets = Budgets()
    daily: Daily = Daily()
    langsmith: bool = False  # whether prompts may be sent to LangSmith
    langsmith_key: Secret = Secret("")  # its client reads it itself: it is here to be struck out
    log_file: str = ""  # empty: in the state folder
    bookmarks: str = ""  # a browser's file of them; empty: none is read

    def secrets(self) -> tuple[str, ...]:
        """Every value that no text may show."""
        keys = (self.google_key, self.serpapi_key, self.database_url, self.langsmith_key)
        kept = tuple(key.reveal() for key in keys if key)
        return (*kept, *_passwords(self.database_url.reveal()))


def read(
    environment: Mapping[str, str],
    *,
    env_file: str | None = None,
    thread: str | None = None,
    seconds: float | None = None,
    log_file: str | None = None,
) -> Settings:
    """The settings for this command.

    env_file: a file of NAME=value lines. thread, seconds, log_file: what options said, None where unset.
    Raises SettingsError for a file that can't be read or a value that makes no sense.
    """
    chosen = _Layers(environment, _env_file(env_file, must=True) if env_file else {})
    folders = _folders(chosen)
    chosen = chosen.with_files(folders.config)
    settings = Settings(
        folders=folders,
        thread=thread or chosen("JARVIS_THREAD") or "default",
        model=chosen("JARVIS_MODEL") or DEFAULT_MODEL,
        google_key=_key("GOOGLE_API_KEY", chosen("GOOGLE_API_KEY", "GEMINI_API_KEY")),
        serpapi_key=_key("SERPAPI_API_KEY", chosen("SERPAPI_API_KEY")),
        gemini_url=_base_url("GOOGLE_GEMINI_BASE_URL", chosen("GOOGLE_GEMINI_BASE_URL")),
        serpapi_url=_base_url("SERPAPI_BASE_URL", chosen("SERPAPI_BASE_URL")),
        database_url=_database_url(chosen("DATABASE_URL")),
        budgets=chosen.budgets(seconds),
        daily=daily(chosen.table("daily")),
        langsmith=wants_langsmith(chosen.table("tracing")),
        langsmith_key=Secret(chosen("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")),
        log_file=os.path.abspath(os.path.expanduser(log_file)) if log_file else "",
        bookmarks=os.path.expanduser(chosen.text("bookmarks")),
    )
    check_thread(settings.thread)
    return settings


def folders_of(environment: Mapping[str, str], env_file: str | None = None) -> Folders:
    """Where things are kept, without a look at what is there. Raises SettingsError for a bad env_file."""
    return _folders(_Layers(environment, _env_file(env_file, must=True) if env_file else {}))


def check_thread(name: str) -> None:
    """Raises UsageError where *name* can't be a thread's."""
    if not _THREAD.match(name):
        raise UsageError(
            "That thread name can't be used.",
            hint="Use 1 to 64 letters, digits, dots, dashes or underscores: jarvis -t work …",
        )


class _Layers:
    """Looks a name up through the layers, strongest first."""

    def __init__(self, *layers: Mapping[str, str], config: Mapping[str, object] | None = None) -> None:
        self._layers = layers
        self._config = config or {}

    def __call__(self, *names: str) -> str:
        """The value of the first of *names* that the strongest layer has; empty where none has one."""
        values = (layer.get(name, "").strip() for layer in self._layers for name in names)
        return next((value for value in values if value), "")

    def with_files(self, config: str) -> _Layers:
        check_folder(config)
        dotenv = _env_file(os.path.join(config, ".env"))
        table = _config_toml(os.path.join(config, "config.toml"))
        _check_names("setting", table, (*_NAMES, *_TABLES, "bookmarks"))
        _check_names("budget", _table(table, "budgets"), Budgets._fields)
        _check_names("daily limit", _table(table, "daily"), Daily._fields)
        named = {_NAMES[name]: _text(name, value) for name, value in table.items() if name in _NAMES}
        return _Layers(*self._layers, dotenv, named, config=table)

    def text(self, name: str) -> str:
        """What config.toml alone says; empty where it says nothing."""
        return _text(name, self._config.get(name, ""))

    def table(self, name: str) -> Mapping[str, object]:
        """A table of config.toml; empty where there is none."""
        return _table(self._config, name)

    def budgets(self, seconds: float | None) -> Budgets:
        wanted = {**self.table("budgets"), **({} if seconds is None else {"seconds": seconds})}
        known = {name: wanted[name] for name in Budgets._fields if name in wanted}
        for name, value in known.items():
            kind = (int, float) if isinstance(getattr(Budgets(), name), float) else int
            if isinstance(value, bool) or not isinstance(value, kind) or not 0 < value < 1e6:
                raise SettingsError(f"The budget {name} must be a number above 0.", hint="See config.toml.")
        return Budgets()._replace(**known)  # type: ignore[arg-type]


# config.toml's names → the environment's.
_NAMES = {
    "model": "JARVIS_MODEL",
    "thread": "JARVIS_THREAD",
    "google_api_key": "GOOGLE_API_KEY",
    "serpapi_api_key": "SERPAPI_API_KEY",
    "database_url": "DATABASE_URL",
    "gemini_base_url": "GOOGLE_GEMINI_BASE_URL",
    "serpapi_base_url": "SERPAPI_BASE_URL",
}


_TABLES = ("budgets", "daily", "tracing")


def _table(config: Mapping[str, object], name: str) -> Mapping[str, object]:
    table = config.get(name, {})
    if not isinstance(table, dict):
        raise SettingsError(
            f"{name} in config.toml must be a table.",
            hint=f"Write a line [{name}] and, below it, what it is to hold.",
        )
    return table


def _check_names(kind: str, given: Mapping[str, object], known: Sequence[str]) -> None:
    """Raises SettingsError for one that is not known: a limit that is misspelt would be none at all."""
    for name in given:
        if name not in known:
            hint = f"There are: {', '.join(known)}."
            raise SettingsError(f"There is no {kind} {one_line(name, 40)} (config.toml).", hint=hint)


def _folders(chosen: _Layers) -> Folders:
    if home := chosen("JARVIS_HOME"):
        home = os.path.expanduser(home)
        if not os.path.isabs(home):  # the brain, which stands in another folder, would take it for another
            hint = f'export JARVIS_HOME="$PWD/{home}"'
            raise SettingsError("JARVIS_HOME must be an absolute path.", hint=hint)
        return Folders(*(os.path.join(os.path.normpath(home), name) for name in Folders._fields))
    return _xdg_folders(chosen) if sys.platform.startswith("linux") else _system_folders()


def _system_folders() -> Folders:
    from platformdirs import PlatformDirs  # 45 ms, and there is no short rule to write down

    dirs = PlatformDirs("jarvis", appauthor=False)
    return Folders(
        dirs.user_config_dir,
        dirs.user_data_dir,
        dirs.user_state_dir,
        dirs.user_cache_dir,
        dirs.user_runtime_dir,
    )


def _xdg_folders(chosen: _Layers) -> Folders:
    home = os.path.expanduser("~")
    state = _xdg(chosen, "XDG_STATE_HOME", home, ".local/state")
    runtime = chosen("XDG_RUNTIME_DIR")
    return Folders(
        config=_xdg(chosen, "XDG_CONFIG_HOME", home, ".config"),
        data=_xdg(chosen, "XDG_DATA_HOME", home, ".local/share"),
        state=state,
        cache=_xdg(chosen, "XDG_CACHE_HOME", home, ".cache"),
        runtime=os.path.join(runtime, "jarvis") if runtime.startswith("/") else os.path.join(state, "run"),
    )


def _xdg(chosen: _Layers, name: str, home: str, default: str) -> str:
    base = chosen(name)
    return os.path.join(base if base.startswith("/") else os.path.join(home, default), "jarvis")


def _env_file(path: str, *, must: bool = False) -> dict[str, str]:
    """NAME=value lines; `export`, quotes and # comments as a shell has them, nothing expanded."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            check(os.fstat(file.fileno()), path, named=must)
            lines = file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        if must:
            raise SettingsError(f"There is no file {path}.", hint="Check --env-file.") from None
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Check its owner and mode.") from None
    return dict(pair for line in lines if (pair := _assignment(line)))


def _assignment(line: str) -> tuple[str, str] | None:
    name, equals, value = line.strip().removeprefix("export ").partition("=")
    if not equals or name.startswith("#"):
        return None
    value = value.strip()
    if value[:1] in "'\"" and value[:1] and value.find(value[0], 1) > 0:
        return name.strip(), value[1 : value.index(value[0], 1)]
    return name.strip(), value.split(" #", 1)[0].strip()


def _config_toml(path: str) -> dict[str, object]:
    if not os.path.exists(path):
        return {}
    import tomllib  # 43 ms: only for those who have the file

    try:
        with open(path, "rb") as file:
            check(os.fstat(file.fileno()), path)
            return tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(f"{path} can't be read: {error}.", hint="Mend it or move it away.") from None


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{name} in config.toml must be a text.", hint="Put it in quotes.")
    return value


def _base_url(name: str, value: str) -> str:
    try:
        return canon(value).url.rstrip("/") if value else ""
    except BadTarget:
        raise SettingsError(f"{name} is not an http(s) address.", hint=f"Unset it: unset {name}") from None


def _database_url(value: str) -> Secret:
    if value and not value.startswith(("postgresql://", "postgres://")):
        raise SettingsError(
            "DATABASE_URL names no Postgres.",
            hint="It looks like this: DATABASE_URL=postgresql://me@localhost/jarvis",
        )
    return Secret(value)


def _passwords(url: str) -> tuple[str, ...]:
    """The password in *url*, as it stands there and as it is meant."""
    _, _, rest = url.partition("://")
    _, _, before_host = rest.rpartition("@")[0].partition(":")
    queried = [part[9:] for part in rest.partition("?")[2].split("&") if part.startswith("password=")]
    written = [each for each in (before_host, *queried) if each]
    if not written:
        return ()
    from urllib.parse import unquote  # 22 ms: only for those who have one

    return (*written, *map(unquote, written))


def _key(name: str, value: str) -> Secret:
    if not (value.isascii() and value.isprintable()):
        raise SettingsError(f"{name} has characters that no key has.", hint="Copy it again, without quotes.")
    return Secret(value)
