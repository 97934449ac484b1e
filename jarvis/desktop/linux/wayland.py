"""Take a picture of the screen under Wayland: by the desktop's portal, or by grim.

Source: org.freedesktop.portal.Screenshot, version 2, over the session bus.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

from jeepney import DBusAddress, DBusErrorResponse, MatchRule, message_bus, new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection
from jeepney.wrappers import unwrap_msg

from ...core.errors import CaptureFailed
from ..desktop import own_program, which
from ..pictures import read_picture
from ..running import run_program
from . import WAYLAND, require, runtime

if TYPE_CHECKING:
    from PIL import Image

_PORTAL, _GRIM = "the portal", "grim"
# sway, Hyprland or similar: these let any program photograph the screen.
_WLROOTS = ("SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE")
_ALLOW = "In your desktop's settings, allow screenshots for your terminal."

_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_BUS_SECONDS = 2.0
_SLACK = 2.0  # seconds: as coarse as the times of a FAT file system
_DONE, _CANCELLED = 0, 1  # any other response: refused, by a rule or by a portal that failed
_NOT_ALLOWED = ("org.freedesktop.portal.Error.NotAllowed", "org.freedesktop.DBus.Error.AccessDenied")


def picture_of_screen(
    env: Mapping[str, str], timeout: float, patience: float, *, is_part: bool = False
) -> Image.Image:
    """Return the picture from the first way that gives one. After a refusal, it tries no other way.

    timeout: seconds for a program that takes it. patience: seconds for the user to answer a dialog. is_part:
    the user chooses a part in the desktop's own dialog, on X11 too. Raises CaptureFailed.
    """
    tried = [_PORTAL] if is_part else _ways(env)
    for way in tried:
        by_portal = way == _PORTAL
        picture = _by_portal(env, timeout, patience, is_part=is_part) if by_portal else _by_grim(env, timeout)
        if picture:
            return picture
    if is_part:
        message = "Your desktop has no dialog to choose a part."
        raise CaptureFailed(message, hint="Ask about the whole screen.")
    raise _nothing_from(tried)


def _by_grim(env: Mapping[str, str], timeout: float) -> Image.Image | None:
    program = own_program(_GRIM, env)
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(CaptureFailed):
        file = os.path.join(folder, "screen.png")
        ended = run_program([program, file], env, timeout)
        return None if ended.trouble else read_picture(file)
    return None


def _ways(env: Mapping[str, str]) -> list[str]:
    """Return the ways to a picture that may work under this Wayland, the best first."""
    is_wlroots = any(env.get(name) for name in _WLROOTS)
    ways = (_GRIM, _PORTAL) if is_wlroots else (_PORTAL, _GRIM)
    return [way for way in ways if way == _PORTAL or which(way, env)]


def _nothing_from(tried: list[str]) -> CaptureFailed:
    """Return the error that none of the ways that were *tried* gave a picture."""
    if tried != [_PORTAL]:
        message = f"Your desktop did not allow the picture ({', '.join(tried)} gave none)."
        return CaptureFailed(message, hint=_ALLOW)
    message = (
        "This desktop has no portal for pictures, and grim, which could photograph it, is not installed."
    )
    return CaptureFailed(message, hint="sudo apt install xdg-desktop-portal grim")


def camera(env: Mapping[str, str]) -> str:
    """Return by what a picture of the screen would be taken. Raises NoDisplay and CaptureFailed."""
    if require(env) != WAYLAND:
        if env.get("XDG_SESSION_TYPE") == WAYLAND:
            raise CaptureFailed(  # only XWayland is known, which answers with black
                "WAYLAND_DISPLAY is not set in this Wayland session: pictures would be black.",
                hint="export WAYLAND_DISPLAY=wayland-0",
            )
        return "read from the X server"
    ways = [way for way in _ways(env) if way != _PORTAL or _has_portal(env)]
    if not ways:
        raise _nothing_from([_PORTAL])
    return f"by {', else by '.join(ways)}"


# By the Screenshot portal.


def _by_portal(
    env: Mapping[str, str], timeout: float, patience: float, *, is_part: bool
) -> Image.Image | None:
    """Return the picture of the screen that the portal delivers, or None if no portal can.

    Raises CaptureFailed if the user or the desktop refused, or didn't answer.
    """
    connection = _connect(env)
    if not connection:
        return None
    # Closing the connection is enough: the portal then withdraws the request and its dialog.
    with connection:
        try:
            return _picture(connection, timeout, patience, is_part=is_part)
        except TimeoutError as error:
            raise CaptureFailed(
                "The desktop did not answer in time to a request for a picture.",
                hint="Answer the question your desktop may show, then try again.",
            ) from error
        except (OSError, ValueError):  # the bus was closed, or its answer made no sense
            return None


def _has_portal(env: Mapping[str, str]) -> bool:
    """Return whether a portal answers, or would be started to answer."""
    if not (connection := _connect(env)):
        return False
    with connection:
        try:
            calls = [new_method_call(message_bus, name) for name in ("ListNames", "ListActivatableNames")]
            replies = [connection.send_and_get_reply(call, timeout=_BUS_SECONDS) for call in calls]
            return any(_NAME in unwrap_msg(reply)[0] for reply in replies)
        except (OSError, ValueError, DBusErrorResponse):
            return False


def _connect(env: Mapping[str, str]) -> Any:
    """Return a connection to the session bus, or None if no bus answers."""
    address = env.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={runtime(env)}/bus"
    try:
        return open_dbus_connection(address)
    except (OSError, ValueError, RuntimeError):  # nothing listens, not let in, or a broken address
        return None


def _picture(connection: Any, timeout: float, patience: float, *, is_part: bool) -> Image.Image | None:
    since = time.time()
    refused = CaptureFailed("Your desktop did not allow the picture.", hint=_ALLOW)
    try:
        code, uri = _ask(connection, timeout, patience, interactive=is_part)
        if code not in (_DONE, _CANCELLED):
            # Some desktops refuse without a message unless the user may choose what is shown.
            code, uri = _ask(connection, timeout, patience, interactive=True)
    except DBusErrorResponse as error:
        if error.name in _NOT_ALLOWED:
            raise refused from error
        return None  # there is no portal, or it can't take pictures
    if code == _CANCELLED:
        raise CaptureFailed(
            "You canceled the picture on your desktop.", hint="Try again, and choose to share the screen."
        )
    if code != _DONE:
        raise refused
    return take_over(uri, since)


def _ask(connection: Any, timeout: float, patience: float, *, interactive: bool) -> tuple[int, str]:
    """Ask for a picture. Return the code of the portal's response, and the URI of the file."""
    token = f"jarvis_{os.urandom(8).hex()}"
    sender = connection.unique_name[1:].replace(".", "_")
    response = MatchRule(
        type="signal",
        interface="org.freedesktop.portal.Request",
        member="Response",
        path=f"{_PATH}/request/{sender}/{token}",
    )
    options = {"handle_token": ("s", token), "interactive": ("b", interactive), "modal": ("b", False)}
    portal = DBusAddress(_PATH, bus_name=_NAME, interface="org.freedesktop.portal.Screenshot")
    # Before the call: the response may come ahead of the call's own reply.
    Proxy(message_bus, connection, timeout=timeout).AddMatch(response)
    with connection.filter(response) as responses:
        call = new_method_call(portal, "Screenshot", "sa{sv}", ("", options))
        unwrap_msg(connection.send_and_get_reply(call, timeout=timeout))
        return _read(connection.recv_until_filtered(responses, timeout=patience).body)


def _read(body: object) -> tuple[int, str]:
    match body:
        case (int(code), {"uri": (_, str(uri))}):
            return code, uri
        case (int(code), dict()):
            return code, ""
    raise ValueError("not a portal's response")


def take_over(uri: str, since: float) -> Image.Image | None:
    """Return the picture at *uri* and delete its file, or None if it is older than *since*.

    since: seconds since 1970. One backend always uses the same file name, so the file may be left from
    another day, or be another user's.
    """
    try:
        path = _path(uri)
        with open(path, "rb", opener=_open) as file:
            if not _is_new_and_ours(os.fstat(file.fileno()), since):
                return None
            picture = read_picture(file)
        os.unlink(path)  # it was made for this request
    except (OSError, ValueError, CaptureFailed):
        return None
    return picture


def _path(uri: str) -> str:
    """Return the path in a file URI of this machine, or "" for any other URI."""
    parts = urlsplit(uri)
    local = parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.startswith("/")
    return os.fsdecode(unquote_to_bytes(parts.path)) if local else ""


def _open(path: str, flags: int) -> int:
    # Don't follow a link that others may have put into /tmp, and don't wait for a pipe.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_new_and_ours(made: os.stat_result, since: float) -> bool:
    return stat.S_ISREG(made.st_mode) and made.st_uid == os.getuid() and made.st_mtime >= since - _SLACK
