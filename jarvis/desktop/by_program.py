"""The common base of macOS and Windows: the system's programs open things and list apps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..core import urls
from ..core.errors import LaunchFailed
from ..core.types import AppsFound
from .apps import App, apps_found, candidates, exact_matches, find_app, role_in
from .clipboard import pasted
from .desktop import HANDED_OVER, Launched
from .running import run_program


@dataclass(frozen=True)
class ByProgram:
    """A Platform by programs of the system."""

    roles: ClassVar[Mapping[str, str]]  # the names of its own apps, by their roles
    by_hand: ClassVar[str]  # how a person opens a file without us
    longest_url: ClassVar[int] = urls.LONGEST

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep lists of apps in, or ""
    timeout: float = 10.0  # seconds: PowerShell may take some by itself, the first time

    def url_command(self, url: str) -> list[str]:
        """Return the command that has the browser open *url*."""
        raise NotImplementedError

    def path_command(self, path: str, *, is_app: bool = False) -> list[str]:
        """Return the command that has an app show the file at *path*, or that starts the app there."""
        raise NotImplementedError

    def known_apps(self) -> Sequence[App]:
        """Return the apps that are known with no program run."""
        raise NotImplementedError

    def listed(self) -> Sequence[App]:
        """Return all apps, which may take seconds. Raises LaunchFailed."""
        raise NotImplementedError

    def open_url(self, url: str) -> str:
        url = urls.canon(url, self.longest_url).url
        return self._sent(self.url_command(url), "The browser", f"Copy it into a browser: {url}")

    def open_file(self, path: str) -> str:
        return self._sent(self.path_command(path), "The app for it", f"Try {self.by_hand}.")

    def launch_app(self, name: str) -> Launched:
        app = find_app(name, self.known_apps, self.listed)
        hint = "Start it without Jarvis, to see why."
        return Launched(app.name, self._sent(self.path_command(app.path, is_app=True), app.name, hint))

    def _sent(self, argv: Sequence[str], what: str, hint: str) -> str:
        if trouble := run_program(argv, self.env, self.timeout).trouble:
            raise LaunchFailed(f"{what} did not start: {trouble}.", hint=hint)
        return HANDED_OVER

    def find_apps(self, name: str) -> AppsFound:
        apps = candidates(name, self.known_apps, self.listed)
        by_role = {
            role: app for role, shown in self.roles.items() for app in reversed(apps) if shown in app.names
        }
        return apps_found(name, apps, lambda names: by_role.get(role_in(names)))

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the only app whose whole name is one of *names*, as (name shown, key). No role counts."""
        apps = exact_matches(names, self.known_apps())
        return [(app.name, app.key) for app in apps] if len(apps) == 1 else []  # of several the loop chooses

    def names(self) -> list[tuple[str, str]]:
        return [(app.name.lower(), app.name) for app in self.known_apps()]

    def apps(self) -> Sequence[App]:
        try:
            return self.listed()
        except LaunchFailed:
            return []

    def clipboard(self, path: str) -> str:
        return pasted(path, self.env)
