"""Where settings come from, and where Jarvis keeps its files: environment, config.toml, `.env`, folders."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from ..core.errors import SettingsError
from ..core.files import check_private, own_home, own_uid

ENVIRONMENT, KEYRING = "the environment", "the system keyring"
_TOML = "config.toml"


class Secret:
    """A key that does not print itself."""

    __slots__ = ("_value", "origin")

    def __init__(self, value: str, origin: str = "") -> None:
        """origin: where it comes from, in words for the person."""
        self._value = value
        self.origin = origin

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    @property
    def is_in_keyring(self) -> bool:
        """Whether the keyring holds it and was not asked for it yet."""
        return not self._value and self.origin == KEYRING

    def __repr__(self) -> str:
        return "Secret(…)" if self._value else "Secret()"


class FoundSetting(NamedTuple):
    """A setting, as one place has it."""

    name: str
    value: Any
    place: str

    @property
    def origin(self) -> str:
        """Where it comes from, in words for the person."""
        return self.place if self.place == KEYRING else f"{self.name} in {self.place}"


Sources: TypeAlias = Mapping[str, Mapping[str, object]]  # by their places, as people know them, best first


def settings_in(sources: Sources, names: Sequence[str]) -> Iterator[FoundSetting]:
    """Yield the first value that one of *names* has, as a variable or in config.toml, then those it hides."""
    for place, values in sources.items():
        is_toml = os.path.basename(place) == _TOML  # where names have small letters, unlike variables
        for name in (name for name in names if name.isupper() != is_toml):
            value = values.get(name)
            value = value.strip() if isinstance(value, str) else value
            if value not in (None, ""):  # an empty one is unset
                yield FoundSetting(name, value, place)


@cache
def is_of_pack(variable: str) -> bool:
    """Return whether a pack's folder says that it reads *variable*. Imports no pack."""
    packs = os.path.join(os.path.dirname(os.path.dirname(__file__)), "packs")
    for folder in os.listdir(packs):
        with suppress(OSError), open(os.path.join(packs, folder, "__init__.py"), "rb") as file:
            if f'"{variable}"'.encode() in file.read():
                return True
    return False


def variable_in(sources: Sources, *variables: str) -> str:
    """Return the value of the first of *variables* in the strongest place, or ""."""
    return next((str(found.value) for found in settings_in(sources, variables)), "")


def environment_and(env_file: str | None, environment: Mapping[str, str]) -> Sources:
    """Return the environment, and below it the file that --env-file names. Raises SettingsError."""
    given = {env_file: assignments(env_file, must_exist=True)} if env_file else {}
    return {ENVIRONMENT: environment, **given}


def read_own(path: str, *, must_exist: bool = False) -> str:
    """Return the text of a settings file, or "" if there is none. Raises SettingsError.

    must_exist: the user named the file, so it must exist.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            check_private(os.fstat(file.fileno()), path, is_named=must_exist)
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        if must_exist:
            raise SettingsError(f"There is no file {path}.", hint="Check --env-file.") from None
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"Can't read {path}: {error}.", hint="Check its owner and mode.") from None


def names_in_keyring(folders: Folders) -> frozenset[str]:
    """Return the names of the keys that the keyring holds. Raises SettingsError."""
    return frozenset(filter(str.isidentifier, read_own(folders.keyring).splitlines()))


def assignments(path: str, *, must_exist: bool = False) -> dict[str, str]:
    """Read NAME=value lines with `export`, quotes, and # comments, as a shell does. Expands nothing."""
    lines = read_own(path, must_exist=must_exist).split("\n")
    return dict(pair for line in lines if (pair := assignment(line)))


def idle_lines(own: str, shared: str | None, is_read: Callable[[str], bool]) -> Iterator[str]:
    """Yield a warning for each line of two files that sets nothing. It quotes no value.

    shared: a file with variables of other programs too, or None. is_read: whether Jarvis reads a name.
    """
    for path in filter(None, (own, shared)):
        for n, line in enumerate(read_own(path).split("\n"), 1):
            name, _ = assignment(line) or ("", "")
            why = "nothing reads that name" if name else "write NAME=value"
            if not re.match(r"\s*[^\s#]", line) or is_read(name):
                continue
            if is_read(name.upper()):
                why = f"write {name.upper()} in capitals"
            elif name and path == shared:
                continue
            yield f"Line {n} of {path} sets nothing: {why}."


def line_of(path: str, name: str) -> int:
    """Return the number of the line that sets *name* in the file at *path*, or 0."""
    lines = enumerate(read_own(path).split("\n"), 1)
    return max((n for n, line in lines if (assignment(line) or ("",))[0] == name), default=0)


def assignment(line: str) -> tuple[str, str] | None:
    """Return the name and value that *line* sets, or None for any other line."""
    name, equals, raw = line.strip().removeprefix("export ").partition("=")
    if not equals or name.startswith("#"):
        return None
    quoted = re.match(r"""\s*(['"])(.*?)\1""", raw)
    return name.strip(), quoted[2] if quoted else re.split(r"\s#", raw, maxsplit=1)[0].strip()


def config(path: str) -> dict[str, object]:
    """Return the values of config.toml at *path*, by names such as `model` and `budgets.steps`.

    Raises SettingsError if it is unreadable.
    """
    if not (text := read_own(path)):
        return {}
    import tomllib  # most have no such file

    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        hint = f"Correct it, or move it away: mv {path} {path}.broken"
        raise SettingsError(f"Can't read {path}: {error}.", hint=hint) from None
    return dict(_flat(values))


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


# Folders.


FOLDERS = ("config", "data", "state", "cache", "runtime")


class Folders(NamedTuple):
    """The folders of Jarvis and its files, as absolute paths."""

    config: str
    data: str
    state: str
    cache: str
    runtime: str
    policy: str  # the person's rules
    keyring: str  # the names of the keys which the system keyring holds; no key is in it
    env_file: str  # the person's NAME=value settings
    toml: str  # the person's settings
    aliases: str  # the names that the person gave
    history: str  # the database of what was asked
    outbox: str  # the database of plain commands that are not in Postgres yet
    inflight: str  # the database of turns that are under way
    log: str
    server: str  # the name of the server that history went to last
    chat_history: str  # what was typed in chats


_FILES = {
    "policy": ("config", "policy.txt"),
    "keyring": ("config", "in_keyring.txt"),
    "env_file": ("config", ".env"),
    "toml": ("config", _TOML),
    "aliases": ("config", "aliases.json"),
    "history": ("data", "history.db"),
    "outbox": ("data", "outbox.db"),
    "inflight": ("data", "inflight.db"),
    "log": ("state", "jarvis.log"),
    "server": ("state", "history_server"),
    "chat_history": ("state", "chat_history"),
}


def _with_files(**folders: str) -> Folders:
    """Return the *folders*, by their names, with the files in them."""
    files = {name: os.path.join(folders[folder], file) for name, (folder, file) in _FILES.items()}
    return Folders(**folders, **files)


def folders_of(environment: Mapping[str, str], env_file: str | None = None) -> Folders:
    """Return where files are kept. Raises SettingsError for a bad env_file."""
    return folders_in(environment_and(env_file, environment))


def folders_in(chosen: Sources) -> Folders:
    """Return the folders that *chosen* names. Raises SettingsError."""
    if home := variable_in(chosen, "JARVIS_HOME"):
        home = os.path.expanduser(home)
        if not os.path.isabs(home):  # the brain, which stands in another folder, would take it for another
            hint = f'export JARVIS_HOME="$PWD/{home}"'
            raise SettingsError("JARVIS_HOME must be an absolute path.", hint=hint)
        return _with_files(**{name: os.path.join(os.path.normpath(home), name) for name in FOLDERS})
    return _usual_folders(chosen)


if sys.platform.startswith("linux"):

    def _usual_folders(chosen: Sources) -> Folders:
        home = home_of(os.environ)

        def folder(name: str, default: str) -> str:
            base = variable_in(chosen, name)
            return os.path.join(base if base.startswith("/") else os.path.join(home, default), "jarvis")

        state, session = folder("XDG_STATE_HOME", ".local/state"), variable_in(chosen, "XDG_RUNTIME_DIR")
        runtime = os.path.join(session, "jarvis")
        # After sudo it is another user's.
        is_usable = session.startswith("/") and _is_own_alone(session)
        is_usable = is_usable and (_is_own_alone(runtime) or not os.path.lexists(runtime))
        return _with_files(
            config=folder("XDG_CONFIG_HOME", ".config"),
            data=folder("XDG_DATA_HOME", ".local/share"),
            state=state,
            cache=folder("XDG_CACHE_HOME", ".cache"),
            runtime=runtime if is_usable else os.path.join(state, "run"),
        )

    def _is_own_alone(folder: str) -> bool:
        try:
            status = os.lstat(folder)
        except OSError:
            return False
        return stat.S_ISDIR(status.st_mode) and status.st_uid == own_uid() and not status.st_mode & 0o022

else:
    from platformdirs import PlatformDirs  # 45 ms: on Linux there is a short rule

    def _usual_folders(chosen: Sources) -> Folders:
        dirs = PlatformDirs("jarvis", appauthor=False)
        return _with_files(**{name: getattr(dirs, f"user_{name}_dir") for name in FOLDERS})


def home_of(environment: Mapping[str, str]) -> str:
    """Return the user's home folder, or the root folder for a user without one."""
    home = environment.get("HOME", "")
    if not home.startswith("/") and sys.platform != "win32":
        return own_home() or "/"
    return home
