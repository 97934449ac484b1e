"""Where Jarvis keeps its files: by the system's rules, or below JARVIS_HOME."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from typing import NamedTuple

from ..core.errors import SettingsError
from ..core.files import own_home, own_uid
from .file import Sources, environment_and

# In the config folder. Where one of them changes, another brain is needed.
KEYRING_FILE, ENV_FILE, CONFIG_FILE = "in_keyring.txt", ".env", "config.toml"


class Folders(NamedTuple):
    """The folders in which Jarvis keeps its files, as absolute paths."""

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
    def keyring(self) -> str:
        """The file that names the keys which the system keyring holds. No key is in it."""
        return os.path.join(self.config, KEYRING_FILE)

    @property
    def env_file(self) -> str:
        """The file of the person's NAME=value settings."""
        return os.path.join(self.config, ENV_FILE)

    @property
    def toml(self) -> str:
        """The file of the person's settings."""
        return os.path.join(self.config, CONFIG_FILE)

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

    @property
    def log(self) -> str:
        return os.path.join(self.state, "jarvis.log")

    @property
    def chat_history(self) -> str:
        """The file of what was typed in chats."""
        return os.path.join(self.state, "chat_history")


def folders_of(environment: Mapping[str, str], env_file: str | None = None) -> Folders:
    """Return where files are kept. Raises SettingsError for a bad env_file."""
    return folders(environment_and(env_file, environment))


def folders(chosen: Sources) -> Folders:
    """Return the folders that *chosen* names. Raises SettingsError."""
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


def home_of(environment: Mapping[str, str]) -> str:
    """Return the person's home folder; the root for a user who has none."""
    home = environment.get("HOME", "")
    if not home.startswith("/") and sys.platform != "win32":
        return own_home() or "/"
    return home


def _xdg_folders(chosen: Sources) -> Folders:
    home = home_of(os.environ)
    state = _xdg(chosen, "XDG_STATE_HOME", home, ".local/state")
    runtime = chosen("XDG_RUNTIME_DIR")
    return Folders(
        config=_xdg(chosen, "XDG_CONFIG_HOME", home, ".config"),
        data=_xdg(chosen, "XDG_DATA_HOME", home, ".local/share"),
        state=state,
        cache=_xdg(chosen, "XDG_CACHE_HOME", home, ".cache"),
        runtime=_runtime(runtime) or os.path.join(state, "run"),
    )


def _runtime(base: str) -> str:
    """Return our folder in the session's own; empty where another user owns that, as sudo may leave it."""
    path = os.path.join(base, "jarvis")
    is_usable = base.startswith("/") and _is_own_alone(base)
    return path if is_usable and (_is_own_alone(path) or not os.path.lexists(path)) else ""


def _is_own_alone(folder: str) -> bool:
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == own_uid() and not status.st_mode & 0o022


def _xdg(chosen: Sources, name: str, home: str, default: str) -> str:
    base = chosen(name)
    return os.path.join(base if base.startswith("/") else os.path.join(home, default), "jarvis")
