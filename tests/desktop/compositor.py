"""A real Wayland screen without hardware, and a session bus of its own, for any test.

Both end with the thread that started them, even if that is killed.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.desktop.screen import end_all, need, private_env, start, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = (640, 400)
BORDER = (0x10, 0x20, 0xE0)
BORDER_WIDTH = 20
# The border is a colour that the test knows, and keeps a window of one colour from being a blank screen.
SWAY = f"""
xwayland disable
output * resolution {SIZE[0]}x{SIZE[1]} position 0,0
default_border pixel {BORDER_WIDTH}
client.focused {" ".join(["#{:02x}{:02x}{:02x}".format(*BORDER)] * 5)}
"""
# No <servicedir>: else the real portal of this machine could be started on it.
BUS = """<busconfig><type>session</type><listen>unix:path={path}</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
"""


class WaylandScreen(NamedTuple):
    env: dict[str, str]

    def fill(self, colour: str) -> None:
        """Show one window of *colour* (rrggbb), which takes all the room inside its border."""
        need("foot")
        options = ["-o", f"colors.background={colour}", "-o", f"colors.foreground={colour}"]
        start(["foot", "--config=/dev/null", *options, "sleep", "600"], self.env)


@contextlib.contextmanager
def wayland_screen(home: Path) -> Iterator[WaylandScreen]:
    """A compositor with nothing on it. All that ran on it ends with it."""
    need("sway", "swaymsg", "setpriv", "foot")
    env = private_env(home)
    with _folder_for(_user()) as folder, (home / "sway.log").open("w+") as log:
        env |= {"XDG_RUNTIME_DIR": str(folder), "SWAYSOCK": f"{folder}/sway"}
        config = folder / "config"
        config.write_text(SWAY)
        sway = ["sway", "-c", str(config)]
        with _dying_with_us(sway, env | _headless(folder), _user(), stderr=log):
            try:
                assert wait_for(lambda: _answers(env)), f"sway did not start: {Path(log.name).read_text()}"
                [display] = [path for path in folder.glob("wayland-*") if path.suffix != ".lock"]
                yield WaylandScreen(env | {"WAYLAND_DISPLAY": display.name})
            finally:
                end_all(env)  # while they are our children still, so that none stays a zombie


class SessionBus(NamedTuple):
    address: str
    stop: Callable[[], None]


@contextlib.contextmanager
def session_bus(path: str) -> Iterator[SessionBus]:
    """A bus with nobody on it, which listens at *path*."""
    need("dbus-daemon", "setpriv")
    config = Path(f"{path}.conf")
    config.write_text(BUS.format(path=path))
    argv = ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address"]
    with _dying_with_us(argv, {"PATH": os.defpath}, stdout=subprocess.PIPE) as bus:
        assert bus.stdout
        assert bus.stdout.readline(), "dbus-daemon did not start"
        yield SessionBus(f"unix:path={path}", bus.kill)


def _headless(folder: Path) -> dict[str, str]:
    return {
        "HOME": str(folder),
        "WLR_BACKENDS": "headless",
        "WLR_RENDERER": "pixman",
        "WLR_LIBINPUT_NO_DEVICES": "1",
    }


def _answers(env: dict[str, str]) -> bool:
    argv = ["swaymsg", "-t", "get_version"]
    return subprocess.run(argv, env=env, capture_output=True, check=False).returncode == 0


def _user() -> pwd.struct_passwd | None:
    """Who runs what refuses to run as root; None: we do."""
    return pwd.getpwnam("nobody") if os.getuid() == 0 else None


@contextlib.contextmanager
def _folder_for(user: pwd.struct_passwd | None) -> Iterator[Path]:
    """A folder for *user* alone. Not in the test's own, which another user could not reach."""
    folder = Path(tempfile.mkdtemp(prefix="test-session-"))
    try:
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def _dying_with_us(
    argv: list[str], env: dict[str, str], user: pwd.struct_passwd | None = None, **streams: Any
) -> Iterator[subprocess.Popen[bytes]]:
    who = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if user else []
    null = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    process = subprocess.Popen(["setpriv", "--pdeathsig=KILL", *who, *argv], env=env, **null | streams)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
