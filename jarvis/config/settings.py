"""The settings: one immutable record, read once at the start of a command.

options > environment > `--env-file` > `.env` in the config folder > `config.toml` > keyring > defaults;
an empty value is an unset one. A `.env` in the current folder is never read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.errors import BadTarget, SettingsError, UsageError
from ..core.files import check_folder
from ..core.text import one_line
from ..core.types import DEFAULT_THREAD
from ..core.urls import COUNTRIES, canon, is_ipv4
from .file import Config, Layer, Layers, assignments, check_names, config, environment_and
from .keys import GOOGLE, KEYRING, SERPAPI, Key, Secret, checked, names_in_keyring, no_model_key
from .paths import Folders, folders

DEFAULT_MODEL = "gemini-3.5-flash-lite"
THINKING = ("minimal", "low", "medium", "high")
EDITING = ("emacs", "vi")
UNLIMITED = "unlimited"
_IN_THREAD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"


class Budgets(NamedTuple):
    """What one turn may use up, and what all may at once. Enforced by Python, never by asking the model."""

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
    """What a day may use up, over all threads, against costs that nobody meant. None: no limit."""

    model_calls: int | None = 500
    searches: int | None = 100


class Settings(NamedTuple):
    folders: Folders
    thread: str = DEFAULT_THREAD  # empty, in the brain: nobody names one
    model: str = DEFAULT_MODEL
    fallback_model: str = ""  # takes over where that one is overloaded, or its day's quota used up
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
    thinking: str = ""  # one of THINKING; empty: as much as the model does by itself
    editing: str = EDITING[0]  # one of EDITING: whose keys a chat has
    of_packs: Mapping[str, Mapping[str, object]] = {}  # what stands below [packs.NAME], not read yet
    packs: tuple[str, ...] | None = None  # the names of those that are on; None: those that are by default
    warnings: tuple[str, ...] = ()  # on what is set and does nothing
    country: str = ""  # where the person is by their locale, as hosts end there: uk; empty: not told

    def key(self, key: Key) -> Secret:
        """Return the person's *key*; empty where they have none, or the keyring was not asked for it."""
        return self.google_key if key is GOOGLE else self.serpapi_key

    def keys(self) -> tuple[str, ...]:
        """Return the keys of services that are in use."""
        return tuple(key.reveal() for key in (self.google_key, self.serpapi_key) if key)

    def secrets(self) -> tuple[str, ...]:
        """Return every value that no text may show."""
        kept = (*self.keys(), *(each.reveal() for each in (self.database_url, self.langsmith_key) if each))
        urls = (self.database_url.reveal(), self.gemini_url, self.serpapi_url)
        return (*kept, *(password for url in urls for password in _passwords(url)))


def read_settings(
    environment: Mapping[str, str],
    *,
    env_file: str | None = None,
    thread: str | None = None,
    own_thread: str = DEFAULT_THREAD,
    seconds: float | None = None,
    log_file: str | None = None,
) -> Settings:
    """Return the settings for this command.

    env_file: a file of NAME=value lines. thread, seconds, log_file: what options said, None where unset.
    own_thread: the terminal's own thread, which is used where nobody names one.
    Raises SettingsError for a file that can't be read or a value that makes no sense.
    """
    places, said, chosen = layers_of(environment, env_file)
    held = names_in_keyring(places.keyring)
    settings = Settings(
        folders=places,
        thread=thread or chosen("JARVIS_THREAD") or own_thread,
        model=chosen("JARVIS_MODEL") or DEFAULT_MODEL,
        fallback_model=chosen("JARVIS_FALLBACK_MODEL"),
        google_key=_key(GOOGLE, chosen, held),
        serpapi_key=_key(SERPAPI, chosen, held),
        gemini_url=_base_url("GOOGLE_GEMINI_BASE_URL", chosen("GOOGLE_GEMINI_BASE_URL")),
        serpapi_url=_base_url("SERPAPI_BASE_URL", chosen("SERPAPI_BASE_URL")),
        database_url=_database_url(chosen("DATABASE_URL")),
        budgets=budgets(said.table("budgets"), seconds),
        daily=daily(said.table("daily")),
        langsmith=said.langsmith,
        langsmith_key=Secret(chosen("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY")),
        log_file=os.path.abspath(os.path.expanduser(log_file)) if log_file else "",
        bookmarks=os.path.expanduser(said.bookmarks),
        thinking=_one_of(THINKING, chosen("JARVIS_THINKING").lower(), "thinking"),
        editing=_one_of(EDITING, chosen("JARVIS_EDITING").lower(), "editing") or EDITING[0],
        packs=said.packs,
        of_packs=said.of_packs,
        warnings=said.warnings((*Budgets._fields, *Daily._fields)),
        country=_country(chosen("LC_ALL", "LC_MESSAGES", "LANG")),
    )
    if settings.thread:
        check_thread(settings.thread)
    return settings


def layers_of(environment: Mapping[str, str], env_file: str | None) -> tuple[Folders, Config, Layers]:
    """Return where files are, what config.toml says, and what sets something by a name.

    Raises SettingsError.
    """
    chosen = environment_and(env_file, environment)
    places = folders(chosen)
    check_folder(places.config)
    said = config(places.toml)
    kept = Layer(places.env_file, assignments(places.env_file), is_ours=True)
    return places, said, chosen.above(kept, Layer(places.toml, said.named))


def check_model_key(environment: Mapping[str, str], env_file: str | None) -> None:
    """Raise NoKey where there is none for the model."""
    settings = read_settings(environment, env_file=env_file)
    if not settings.google_key.origin:
        raise no_model_key(settings.folders.env_file)


def check_thread(name: str) -> None:
    """Raise UsageError where *name* can't be the name of a thread."""
    if not 0 < len(name) <= 64 or name.strip(_IN_THREAD):
        raise UsageError(
            f"The thread name “{one_line(name, 40)}” can't be used.",
            hint="Use 1 to 64 of A-Z, a-z, 0-9, dots, dashes and underscores: jarvis -t work …",
        )


def budgets(table: Mapping[str, object], seconds: float | None) -> Budgets:
    """Return what config.toml's table [budgets] says, or an option in *seconds*. Raises SettingsError."""
    check_names("budget", table, Budgets._fields)
    wanted = table if seconds is None else {**table, "seconds": seconds}
    for name, value in wanted.items():
        hint = f"In config.toml, below [budgets]: {name} = {getattr(Budgets(), name):g}"
        kind = (int, float) if isinstance(getattr(Budgets(), name), float) else int
        if isinstance(value, bool) or not isinstance(value, kind) or not 0 < value < 1e6:
            raise SettingsError(f"The budget {name} must be a number above 0.", hint=hint)
    return Budgets()._replace(**wanted)  # type: ignore[arg-type]


def daily(table: Mapping[str, object]) -> Daily:
    """Return what config.toml's table [daily] says. Raises SettingsError."""
    check_names("daily limit", table, Daily._fields)
    return Daily(**{name: _limit(name, table[name]) for name in Daily._fields if name in table})


def _limit(name: str, value: object) -> int | None:
    if value == UNLIMITED:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1e9:
        hint = f"In config.toml, below [daily]: {name} = {getattr(Daily(), name)}"
        told = f"The daily limit {name} must be a whole number from 0, or “{UNLIMITED}”."
        raise SettingsError(told, hint=hint)
    return value


def _country(locale: str) -> str:
    """Return the ending of hosts in the territory of *locale*: de_AT.UTF-8 → at, en_GB → uk."""
    territory = locale.partition(".")[0].partition("@")[0].partition("_")[2].lower()
    return {"gb": "uk"}.get(territory, territory) if territory in COUNTRIES or territory == "gb" else ""


def _base_url(name: str, value: str) -> str:
    if not value:
        return ""
    try:
        address = canon(value)
    except BadTarget:
        raise SettingsError(f"{name} is not an http(s) address.", hint=f"Unset it: unset {name}") from None
    if address.url.startswith("http:") and not _is_loopback(address.host):
        hint = f"Begin it with https://, or unset it: unset {name}"
        raise SettingsError(f"{name} is not https, so your key could be read on its way.", hint=hint)
    return address.url.rstrip("/")


def _is_loopback(host: str) -> bool:
    """Return whether *host*, in its canonical form, is this machine whatever a name server says."""
    return host in ("localhost", "[::1]") or (is_ipv4(host) and host.startswith("127."))


def _one_of(known: Sequence[str], value: str, name: str) -> str:
    """Return *value*, which may be empty. Raises SettingsError where it is none of *known*."""
    if value and value not in known:
        raise SettingsError(
            f"JARVIS_{name.upper()}, or {name} in config.toml, is none of those that there are.",
            hint=f"There are: {', '.join(known)}.",
        )
    return value


def _database_url(value: str) -> Secret:
    if value and not value.startswith(("postgresql://", "postgres://")):
        raise SettingsError(
            "DATABASE_URL is not the address of a Postgres database.",
            hint="It looks like this: DATABASE_URL=postgresql://me@localhost/jarvis",
        )
    return Secret(value)


def _passwords(url: str) -> tuple[str, ...]:
    """Return whatever may be a password in *url*, as it stands there and decoded."""
    _, _, rest = url.partition("://")
    # A password may have an @ in it, and what follows the host may have one too.
    before_host = {rest.rpartition("@")[0], rest.partition("@")[0] if "@" in rest else ""}
    queried = [part.partition("=") for part in rest.partition("?")[2].split("&")]
    written = {
        *(userinfo.partition(":")[2] for userinfo in before_host),
        *(value for name, _, value in queried if name.endswith("password")),
    } - {""}
    if not any("%" in each for each in written):
        return tuple(written)
    from urllib.parse import unquote  # 22 ms: few have to

    return (*written, *map(unquote, written))


def _key(key: Key, chosen: Layers, held: frozenset[str]) -> Secret:
    """Return a key. One that only the keyring has is not asked for here. held: the names of those."""
    for found in chosen.found(*key.variables):
        return Secret(checked(found.name, found.value), found.told)
    return Secret("", KEYRING) if key.name in held else Secret("")
