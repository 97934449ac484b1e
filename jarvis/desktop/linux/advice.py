"""Advise what to change or install, so that a Wayland desktop gives a picture of its screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .session import which

if TYPE_CHECKING:
    from collections.abc import Mapping

_WLROOTS = ("SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE")
# The desktop keeps one answer for all programs that were started from a terminal, under an empty name.
_ALLOW = 'flatpak permission-set screenshot screenshot "" yes'


class _Family(NamedTuple):
    """Desktops whose screen is photographed in the same way."""

    program: str
    package: str  # the package of the program
    portal: str  # the package of the portal's backend for this family
    setting: str = "In your desktop's settings, allow screenshots for your terminal."


_GNOME = _Family(
    "gnome-screenshot",
    "gnome-screenshot",
    "xdg-desktop-portal-gnome",
    "In Settings > Apps > your terminal, switch on Screenshots.",
)
_KDE = _Family(
    "spectacle",
    "kde-spectacle",
    "xdg-desktop-portal-kde",
    "In System Settings > Application Permissions, allow screenshots for your terminal.",
)
_OTHER = _Family("grim", "grim", "xdg-desktop-portal-wlr")


def is_wlroots(env: Mapping[str, str]) -> bool:
    """Return whether this is sway, Hyprland or similar: these let any program photograph the screen."""
    return any(env.get(name) for name in _WLROOTS)


def allow(env: Mapping[str, str]) -> str:
    """Return what to do after the desktop refused."""
    if is_wlroots(env):  # there grim needs no permission, and says what is wrong
        return "grim /dev/null" if which(_OTHER.program, env) else install(env)
    return _ALLOW if which("flatpak", env) else _family(env).setting


def install(env: Mapping[str, str]) -> str:
    """Return how to install the desktop's program, or else its portal, after nothing gave a picture."""
    family = _family(env)
    package = family.portal if which(family.program, env) else family.package
    return f"sudo apt install {package}"


def _family(env: Mapping[str, str]) -> _Family:
    desktop = "" if is_wlroots(env) else env.get("XDG_CURRENT_DESKTOP", "").upper()
    return _GNOME if "GNOME" in desktop else _KDE if "KDE" in desktop else _OTHER
