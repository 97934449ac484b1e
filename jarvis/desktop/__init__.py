"""Choose the code for this system's desktop: its browser, its apps and its screen."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from ..actions import Hands, catalogue
from ..core.errors import LaunchFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..actions.base import Desktop
    from .apps import App
    from .windows.apps import StartApps

# Imported when first used: the modules of one system, some of which can't be imported on another.

_LIST_SECONDS = 5.0
_OURS = frozenset(("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "DATABASE_URL", "PGPASSWORD"))
_SECRET = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")


def hands_for(environment: Mapping[str, str], *, dry_run: bool = False, cache: str = "") -> Hands:
    """Return what acts in this session. cache: a folder of ours."""
    # What they start gets the person's own environment, of which a session strikes some.
    own = desktop(dict(environment), cache=cache)
    return Hands(own, catalogue(), dry_run=dry_run)


def desktop(env: Mapping[str, str], platform: str = sys.platform, *, cache: str = "") -> Desktop:
    """Return the desktop of the session that *env* describes.

    cache: the folder to keep lists of apps in; empty to keep none.
    """
    match system(env, platform):
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
    names: Sequence[str],
    env: Mapping[str, str],
    platform: str = sys.platform,
    *,
    cache: str = "",
    roles: bool = True,
) -> list[tuple[str, str]]:
    """Return the installed apps whose whole name or role is one of *names*, each as (name in the menu, key).

    roles: whether a role counts. The list is empty where the system can't tell within milliseconds.
    """
    match system(env, platform):
        case "macos":
            from .macos.apps import bundled
            from .match import exact

            return _if_one(exact(names, bundled(env)))
        case "windows":
            return _if_one(_start_apps(env, cache).known(names))
        case "linux":
            return _linux_apps(names, env, cache, roles=roles)
    return []


def _if_one(apps: Sequence[App]) -> list[tuple[str, str]]:
    """Return the only one of *apps* as (name, key); nothing for several: the loop has to choose."""
    return [(app.name, app.key) for app in apps] if len(apps) == 1 else []


def _linux_apps(
    names: Sequence[str], env: Mapping[str, str], cache: str, *, roles: bool
) -> list[tuple[str, str]]:
    from .linux.app_cache import apps_by_name

    if apps := apps_by_name(names, env, cache):
        return [(app.name, app.key) for app in apps]
    if not roles:
        return []
    # An app of that very name comes before the one that has the role.
    from .linux.roles import for_role

    chosen = for_role(names, env)
    return [(chosen.name, chosen.key)] if chosen else []


def names_of_apps(
    env: Mapping[str, str], platform: str = sys.platform, *, cache: str = ""
) -> list[tuple[str, str]]:
    """Return the names of installed apps, each as (name in lower case, name in the menu).

    Nothing is written and no program run: where that takes one, there are none.
    """
    match pick(env, platform, _kernel(env, platform)):
        case "macos":
            from .macos.apps import bundled

            return [(app.name.lower(), app.name) for app in bundled(env)]
        case "linux":
            from .linux.app_cache import names_kept

            return names_kept(cache) or [(app.name.lower(), app.name) for app in installed(env)]
    return []


def installed(env: Mapping[str, str], platform: str = sys.platform, *, cache: str = "") -> list[App]:
    """Return every app that can be started; none if the system does not list them. It may take a second."""
    match system(env, platform):
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


def system(env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return which desktop this session's is, as pick() does."""
    return pick(env, platform, _kernel(env, platform))


def pick(env: Mapping[str, str], platform: str, kernel: str = "") -> str:
    """Return which desktop it is: "linux", "wsl", "macos" or "windows"; empty for an unknown one.

    kernel: the release that the kernel reports; only used where *env* mentions WSL.
    """
    if platform == "darwin":
        return "macos"
    if platform == "win32":
        return "windows"
    if not platform.startswith("linux"):
        return ""
    # A container may get its variables from a WSL around it; only the kernel knows whether this is WSL.
    return "wsl" if speaks_of_wsl(env) and "microsoft" in kernel.lower() else "linux"


def speaks_of_wsl(env: Mapping[str, str]) -> bool:
    """Return whether *env* may be that of a session in WSL."""
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
    """Return *env* without our keys and our Python's settings, to be passed to other programs."""
    return {name: value for name, value in env.items() if not _is_private(name.upper())}


def _is_private(name: str) -> bool:
    return name in _OURS or name.startswith("JARVIS_") or f"_{name}".endswith(_SECRET)
