"""The hands' reach: the browser, the apps and the screen of the person's own session."""

from __future__ import annotations

import sys
from contextlib import suppress

from ..core.errors import LaunchFailed
from ..core.stdlib import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..actions.base import Desktop
    from .apps import App
    from .windows.apps import StartApps

# Imported when first used: each system's own modules, some of which no other system could import.

_LIST_SECONDS = 5.0
_OURS = frozenset(("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "DATABASE_URL", "PGPASSWORD"))
_SECRET = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")


def desktop(env: Mapping[str, str], platform: str = sys.platform, *, cache: str = "") -> Desktop:
    """The desktop of the session that *env* describes. cache: a folder of ours, empty for none."""
    match pick(env, platform, _kernel(env, platform)):
        case "linux":
            from .linux.desktop import Linux

            return Linux(env, cache=cache)
        case "wsl":
            from .windows.wsl import Wsl

            return Wsl(env, cache=cache)
        case "macos":
            from .macos.desktop import MacOS

            return MacOS(env)
        case "windows":
            from .windows.desktop import Windows

            return Windows(env, cache=cache)
    from .headless import Headless

    return Headless(f"I can't use the desktop of this system ({platform}) yet.")


def apps_called(
    names: Sequence[str], env: Mapping[str, str], platform: str = sys.platform, *, cache: str = ""
) -> list[tuple[str, str]]:
    """The installed apps whose whole name or role is one of *names*: each as (name in the menu, key).

    Where that can't be told in milliseconds there are none.
    """
    match pick(env, platform, _kernel(env, platform)):
        case "macos":
            from .macos.apps import bundled
            from .match import exact

            return _if_one(exact(names, bundled(env)))
        case "windows":
            return _if_one(_start_apps(env, cache).known(names))
        case "linux":
            return _linux_apps(names, env, cache)
    return []


def _if_one(apps: Sequence[App]) -> list[tuple[str, str]]:
    """Of several, the loop has to find out which is meant: their ids are no names that a person could say."""
    return [(app.name, app.key) for app in apps] if len(apps) == 1 else []


def _linux_apps(names: Sequence[str], env: Mapping[str, str], cache: str) -> list[tuple[str, str]]:
    from .linux.app_cache import apps_by_name

    if apps := apps_by_name(names, env, cache):
        return [(app.name, app.key) for app in apps]
    # An app of that very name comes before the one that has the role.
    from .linux.roles import for_role

    chosen = for_role(names, env)
    return [(chosen.name, chosen.key)] if chosen else []


def installed(env: Mapping[str, str], platform: str = sys.platform, *, cache: str = "") -> list[App]:
    """Every app that can be started; none where the system does not list them. It may take a second."""
    match pick(env, platform, _kernel(env, platform)):
        case "linux" | "wsl":
            from .linux.desktop_entries import index

            return index(env)
        case "macos":
            from .macos.apps import index_bundles as bundles

            return bundles(env, "/", _LIST_SECONDS)
        case "windows":
            with suppress(LaunchFailed):
                return _start_apps(env, cache).fresh()
    return []


def _start_apps(env: Mapping[str, str], cache: str) -> StartApps:
    from .windows.apps import StartApps
    from .windows.desktop import powershell_path
    from .windows.powershell import PowerShell

    return StartApps(PowerShell(powershell_path(env), env, _LIST_SECONDS), cache)


def pick(env: Mapping[str, str], platform: str, kernel: str = "") -> str:
    """Which desktop it is: "linux", "wsl", "macos", "windows"; empty for one that we don't know.

    kernel: the release that the kernel tells; looked at where *env* speaks of WSL.
    """
    if platform == "darwin":
        return "macos"
    if platform == "win32":
        return "windows"
    if not platform.startswith("linux"):
        return ""
    # A container's variables may come from a WSL outside; only the kernel knows where it runs itself.
    return "wsl" if speaks_of_wsl(env) and "microsoft" in kernel.lower() else "linux"


def speaks_of_wsl(env: Mapping[str, str]) -> bool:
    """Whether *env* may be that of a session within Windows."""
    return bool(env.get("WSL_DISTRO_NAME") or env.get("WSL_INTEROP"))


def _kernel(env: Mapping[str, str], platform: str) -> str:
    if not platform.startswith("linux") or not speaks_of_wsl(env):
        return ""
    try:
        with open("/proc/sys/kernel/osrelease") as file:
            return file.read()
    except OSError:
        return ""


def child_env(env: Mapping[str, str]) -> dict[str, str]:
    """*env* as other programs may see it: without our keys and without our Python's settings."""
    return {name: value for name, value in env.items() if not _is_private(name.upper())}


def _is_private(name: str) -> bool:
    return name in _OURS or name.startswith("JARVIS_") or f"_{name}".endswith(_SECRET)
