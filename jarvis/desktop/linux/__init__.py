"""Use the desktop of a Linux session, X11 or Wayland: send it addresses and files, and start programs.

Python's webbrowser isn't used: it reported success with nothing opened, and gave the terminal to w3m. A
success of xdg-open proves nothing either: without a screen it may have run a text browser that nobody sees.
So Jarvis first looks for a screen, and keeps xdg-open from text browsers.
"""

from __future__ import annotations

import _socket  # `socket` would take a plain command 15 ms
import _thread
import os
import re
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ...config.sources import home_of
from ...core import urls
from ...core.errors import LaunchFailed, NoDisplay, NoHandler
from ...core.files import read_text
from ...core.text import one_line
from ...core.types import AppsFound
from ..desktop import HANDED_OVER, RUNNING, Launched, child_env, own_program, which

if TYPE_CHECKING:
    from ..apps import App
    from .apps import Menu

WAYLAND = "wayland"
X11 = "x11"

# Without a screen, xdg-open and sensible-browser start a text browser, too.
_TEXT = {
    "w3m", "lynx", "links", "links2", "elinks", "browsh", "www-browser", "sensible-browser", "xdg-open",
}  # fmt: skip
# Shells, interpreters, and what passes its arguments to one, here or on another machine: an address among
# their words could be read as code.
_RUN_CODE = set(
    "sh bash dash ash zsh fish ksh mksh tcsh csh osascript python pypy perl ruby node nodejs bun php lua "
    "luajit tclsh cmd command powershell pwsh wt ssh su watch parallel tmux i3-msg swaymsg hyprctl "
    "deno".split()
)
# Options before code, those of terminals included: xterm has a shell read a single word after `-e`.
_BEFORE_CODE = {"-c", "-e", "-x", "-s", "--eval", "--exec", "--execute", "--command", "exec"}
GRAPHICAL = "x-www-browser:firefox:google-chrome:chromium:chromium-browser"
_NONE_SET_UP = 3  # xdg-open's status

_PATIENCE = 0.5  # seconds
_LOOK_EVERY = 0.002  # seconds
# A child would go on ignoring those of them that Python or our shell ignores.
_RESET = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ)


class Linux(NamedTuple):
    """The Platform of Linux. Times are in seconds."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep the list of apps in, or ""
    url_grace: float = 2.5  # every failure seen came within 1.4
    app_grace: float = 1.0
    tool_timeout: float = 10.0
    patience: float = 60.0  # for a person to answer a question of their desktop

    @property
    def _menu(self) -> Menu:
        from .apps import Menu  # opening an address must not wait for what finds apps

        return Menu(self.env, self.cache)

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        if state := by_choice(url, self.env, self.url_grace):
            return state
        require(self.env, f"Copy it into a browser: {url}")
        hint = "xdg-settings set default-web-browser firefox.desktop"
        nothing = NoHandler("No browser is set up.", hint=hint)
        found = "Check your default browser: xdg-settings get default-web-browser   (none runs as root)"
        return self._by_xdg_open(url, nothing, "The browser", found)

    def open_file(self, path: str) -> str:
        require(self.env)
        kind_of = f"Find its type: xdg-mime query filetype {shlex.quote(path)}"
        nothing = NoHandler("No app is set up for such files.", hint=kind_of)
        return self._by_xdg_open(path, nothing, "The app for it", kind_of)

    def find_apps(self, name: str) -> AppsFound:
        return self._menu.find(name)

    def launch_app(self, name: str) -> Launched:
        return self._menu.launch(name, self.app_grace)

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        return self._menu.called(names, roles=roles)

    def names(self) -> list[tuple[str, str]]:
        return [(name.lower(), app.name) for app in self.apps() for name in app.names]

    def apps(self) -> list[App]:
        return self._menu.all()

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        from ..pictures import keep, picture_of_x11  # other commands take none

        # Under Wayland never by X: XWayland answers with black pixels and no error.
        if require(self.env) != WAYLAND and not is_part:
            return keep(picture_of_x11(self.env["DISPLAY"]), path)
        from .wayland import picture_of_screen  # the session bus, which X11 does without

        picture = picture_of_screen(self.env, self.tool_timeout, self.patience, is_part=is_part)
        return keep(picture, path)

    def clipboard(self, path: str) -> str:
        from ..clipboard import pasted  # few ask for it

        return pasted(path, self.env)

    def pictures(self) -> str:
        return user_folder(self.env, "PICTURES", "Pictures")

    def downloads(self) -> str:
        return user_folder(self.env, "DOWNLOAD", "Downloads")

    def _by_xdg_open(self, target: str, nothing: NoHandler, what: str, hint: str) -> str:
        """Have xdg-open hand *target* over. Raises *nothing* where none is set up to take it.

        It comes to no browser without a window.
        """
        require_xdg_open(self.env)
        child = {**self.env, "BROWSER": GRAPHICAL}  # else it may come to w3m
        if _is_stale_kde(self.env):
            child["XDG_CURRENT_DESKTOP"] = "X-Generic"
        status = spawn_detached(["xdg-open", target], child, grace=self.url_grace)
        if status == _NONE_SET_UP:
            raise nothing
        return state_of("xdg-open", status, hint, what)


# Addresses and files.


def by_choice(url: str, env: Mapping[str, str], grace: float) -> str | None:
    """Send *url* to the program in $BROWSER, which may open it on another machine's screen (VS Code).

    Return HANDED_OVER or RUNNING, or None if no such program is installed. Raises LaunchFailed if the command
    could read *url* as anything except one argument.
    """
    if not (argv := chosen_browser(url, env)):
        return None
    status = spawn_detached(argv, env, grace=grace)
    return state_of(argv[0], status, f"Copy it into a browser: {url}")


def chosen_browser(url: str, env: Mapping[str, str]) -> list[str]:
    """Return the command of $BROWSER for *url*, or [] if no program of it exists. Raises LaunchFailed."""
    for command in filter(str.strip, env.get("BROWSER", "").split(":")):
        program, *rest = _arguments(command, url)
        if os.path.basename(program) not in _TEXT and (path := which(program, env)):
            return [path, *rest]
    return []


def require_xdg_open(env: Mapping[str, str]) -> None:
    """Raise NoHandler where it is not installed."""
    if not which("xdg-open", env):
        raise NoHandler("xdg-open is not installed.", hint="sudo apt install xdg-utils")


def _arguments(command: str, url: str) -> list[str]:
    """Return the words of *command*, with *url* for each `%s`, or at the end. Raises LaunchFailed."""
    path = _path_in(command)
    try:
        words = [*filter(None, [path]), *shlex.split(command[len(path) :])]
    except ValueError:
        raise _not_used(command, "a quote in it is not closed") from None
    if not any("%s" in word for word in words):
        words.append("%s")
    if any("%s" in word and word != "%s" for word in words) or words[0] == "%s" or _read_code(words):
        raise _not_used(command, "the address would become part of a command")
    return [url if word == "%s" else word for word in words]


def _path_in(command: str) -> str:
    """Return the path of a program at the start of *command*, or "". It may have spaces."""
    ends = [match.start() for match in re.finditer(r"\s|$", command)] if command.startswith("/") else []
    return next(filter(os.path.isfile, (command[:end] for end in reversed(ends))), "")


def _read_code(words: list[str]) -> bool:
    """Return whether *words*, with the address among them, make a program read it as code."""
    if any(word in _BEFORE_CODE and following == "%s" for word, following in pairwise(words)):
        return True
    names = [word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe") for word in words]
    # A version may follow, as in python3.12.
    return any(name.endswith((".bat", ".cmd")) or name.rstrip("0123456789.-") in _RUN_CODE for name in names)


def _not_used(command: str, why: str) -> LaunchFailed:
    return LaunchFailed(
        f"$BROWSER (`{one_line(command, 200)}`) was not used: {why}.", hint="export BROWSER=firefox"
    )


def _is_stale_kde(env: Mapping[str, str]) -> bool:
    """Return whether KDE's variables are set without KDE's tools: xdg-open would do nothing, with success."""
    desktop = env.get("XDG_CURRENT_DESKTOP", "")
    is_kde = "KDE" in desktop.split(":") or (not desktop and "KDE_FULL_SESSION" in env)
    return is_kde and not any(which(tool, env) for tool in ("kde-open5", "kde-open", "kfmclient"))


def state_of(program: str, status: int | None, hint: str, what: str = "The browser") -> str:
    """Return HANDED_OVER or RUNNING. Raises LaunchFailed if *status* reports a failure."""
    if status:
        name = os.path.basename(program)
        raise LaunchFailed(f"{what} did not start ({name}: status {status}).", hint=hint)
    return RUNNING if status is None else HANDED_OVER


# The screen, which is looked for by its socket: the variables outlive the session (tmux, ssh).


def require(env: Mapping[str, str], hint: str = "Run Jarvis in your desktop session.") -> str:
    """Return WAYLAND or X11, whichever screen answers. Raises NoDisplay, with that *hint*, if none does."""
    wayland, x11 = env.get("WAYLAND_DISPLAY"), env.get("DISPLAY")
    if wayland and _answers(os.path.join(runtime(env), wayland)):
        return WAYLAND
    if x11 and _x_answers(x11):
        return X11
    raise NoDisplay("There is no screen in this session.", hint=hint)


def _x_answers(display: str) -> bool:
    host, _, number = display.rpartition(":")
    if host not in ("", "unix"):
        return True  # host:10.0, as `ssh -X` sets it: only an X client can find out
    path = f"/tmp/.X11-unix/X{number.partition('.')[0]}"  # noqa: S108 - where the X server listens
    return _answers("\0" + path) or _answers(path)


def _answers(address: str) -> bool:
    probe = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    probe.settimeout(_PATIENCE)
    try:
        probe.connect(address)
    except OSError:
        return False
    finally:
        probe.close()
    return True


def runtime(env: Mapping[str, str]) -> str:
    """Return the folder of the session's sockets."""
    return env.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"


# Folders, and what the session keeps in them.


def config_folder(env: Mapping[str, str]) -> str:
    return env.get("XDG_CONFIG_HOME") or os.path.join(home_of(env), ".config")


def user_folder(env: Mapping[str, str], kind: str, usual: str) -> str:
    """Return the folder of that *kind*, never the home folder, which means “none” in user-dirs.dirs."""
    home = home_of(env)
    for line in reversed(read_lines(os.path.join(config_folder(env), "user-dirs.dirs"))):
        name, _, value = line.partition("=")
        folder = value.strip('"').replace('\\"', '"')
        if name == f"XDG_{kind}_DIR" and folder.startswith(("$HOME/", "/")):
            folder = os.path.normpath(folder.replace("$HOME", home, 1))
            return folder if folder not in (os.path.normpath(home), "/", "//") else f"{home}/{usual}"
    return os.path.join(home, usual)


def read_lines(path: str) -> list[str]:
    """Return the lines of a small file that the session keeps, without the spaces around them."""
    return [line.strip() for line in read_text(path).split("\n")]


# Programs that are started in the session, and outlive us.


def spawn_detached(
    argv: Sequence[str], env: Mapping[str, str], *, cwd: str = "/", grace: float
) -> int | None:
    """Start *argv* in a session of its own, its three streams on /dev/null.

    cwd: an app of the menu has a folder of its own. grace: seconds to watch it.
    Return its exit status (minus the number of the signal that ended it), None if it still runs.
    """
    path = own_program(argv[0], env)
    try:
        pid = _spawn(path, list(argv), child_env(env), cwd)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise LaunchFailed(f"Can't start {argv[0]}: {why}.") from error
    status = _watch(pid, grace)
    if status is None:  # else it stays a zombie until we end
        _thread.start_new_thread(_reap, (pid,))
    return status


def _spawn(path: str, argv: list[str], env: dict[str, str], cwd: str) -> int:
    # subprocess would take a plain command 35 ms, and posix_spawn has no cwd: so this process changes its
    # own folder and back. That is safe: only the desktop spawn, one action at a time.
    null = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    here = os.open(".", os.O_PATH | os.O_DIRECTORY)
    try:
        os.chdir(cwd)
        return os.posix_spawn(
            path, argv, env, file_actions=null, setsid=True, setsigmask=(), setsigdef=_RESET
        )
    finally:
        os.fchdir(here)
        os.close(here)


def _watch(pid: int, grace: float) -> int | None:
    end = time.monotonic() + grace
    while (status := _reap(pid, os.WNOHANG)) is None and time.monotonic() < end:
        time.sleep(_LOOK_EVERY)  # waiting for a child has no time limit, and not every kernel has pidfds
    return status


def _reap(pid: int, flags: int = 0) -> int | None:
    try:
        done, status = os.waitpid(pid, flags)
    except ChildProcessError:  # SIGCHLD is ignored here, so its status is lost
        return 0
    return os.waitstatus_to_exitcode(status) if done else None
