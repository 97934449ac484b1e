"""What they copied is taken by the programs of the desktop, a text or a picture; else it is told why not."""

import contextlib
import io
import os

import pytest
from PIL import Image

from jarvis.core.errors import ActionFailed, LaunchFailed
from jarvis.desktop.clipboard import copied_by, picture_in
from jarvis.desktop.linux import Linux
from jarvis.desktop.running import Finished

NOBODY = 65534
TEXT = 'case "$*" in *image*) exit 1;; *) printf "KeyError: ü";; esac'
NOTHING = 'echo "Error: target STRING not available" >&2; exit 1'
PICTURE = 'case "$*" in *image*) cat "$HOME/copied.png";; *) exit 1;; esac'
pytestmark = pytest.mark.slow
X11, WAYLAND = {"DISPLAY": ":99"}, {"WAYLAND_DISPLAY": "wayland-9"}


@pytest.fixture
def desktop(tmp_path, monkeypatch):
    """Makes the desktop of somebody who has these programs."""
    picture = Image.new("RGB", (6, 4), "red")
    picture.putpixel((0, 0), (0, 0, 255))
    picture.save(tmp_path / "copied.png")
    (tmp_path / "bin").mkdir()

    def make(programs, **session):
        for name, script in programs.items():
            (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / "bin" / name).chmod(0o755)
        env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path), **session}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_TTY", "SSH_CONNECTION"):
            monkeypatch.delenv(name, raising=False)
        for name, value in env.items():  # as a process of its own has them: a library looks there
            monkeypatch.setenv(name, value)
        return Linux(env)

    return make


@pytest.mark.parametrize(
    ("programs", "session"),
    [
        ({"xclip": TEXT}, X11),
        ({"xclip": NOTHING, "xsel": TEXT}, X11),
        ({"wl-paste": TEXT, "xclip": "exit 9"}, WAYLAND),
    ],
)
def test_a_text_is_taken(desktop, tmp_path, programs, session):
    assert desktop(programs, **session).clipboard(f"{tmp_path}/picture.png") == "KeyError: ü"
    assert not (tmp_path / "picture.png").exists()


@pytest.mark.parametrize(("name", "session"), [("xclip", X11), ("wl-paste", WAYLAND)])
def test_a_picture_is_saved(desktop, tmp_path, name, session):
    assert desktop({name: PICTURE}, **session).clipboard(f"{tmp_path}/picture.png") == ""

    with Image.open(io.BytesIO((tmp_path / "picture.png").read_bytes())) as picture:
        assert (picture.size, picture.getpixel((5, 3))) == ((6, 4), (255, 0, 0))


@pytest.mark.parametrize(
    ("programs", "session"),
    [
        ({"xclip": NOTHING}, X11),
        ({"xclip": "echo"}, X11),
        ({"xsel": NOTHING}, X11),
        ({}, X11),
        ({"xclip": TEXT}, {**X11, "SSH_TTY": "/dev/pts/1"}),
    ],
)
def test_what_can_t_be_taken_is_told(desktop, tmp_path, programs, session):
    with pytest.raises(ActionFailed, match="no text and no picture"):
        desktop(programs, **session).clipboard(f"{tmp_path}/picture.png")


STRANGERS = {
    "all can write to": (0o777, -1, "{bin}", "other users of this machine can change"),
    "another's": (0o755, NOBODY, "{bin}", "belongs to another user of this machine"),
    "where one stands": (0o755, -1, "", "no text and no picture"),
    "named from where one stands": (0o755, -1, "bin", "no text and no picture"),
}


@pytest.mark.parametrize("whose", [each for each in STRANGERS if os.getuid() == 0 or each != "another's"])
def test_no_stranger_s_program_is_run_to_take_or_to_copy(desktop, tmp_path, monkeypatch, whose):
    mode, owner, path, told = STRANGERS[whose]
    taken = desktop({"xclip": f'touch "$HOME/ran"; {TEXT}', "xsel": 'touch "$HOME/ran"'}, **X11)
    monkeypatch.chdir(tmp_path / ("bin" if not path else "."))
    os.chown(tmp_path / "bin", owner, -1)
    (tmp_path / "bin").chmod(mode)
    env = {**taken.env, "PATH": f"{path.format(bin=tmp_path / 'bin')}:/usr/sbin"}

    with pytest.raises(ActionFailed, match=told):
        Linux(env).clipboard(f"{tmp_path}/picture.png")
    with contextlib.suppress(LaunchFailed):
        assert copied_by("text", env) == ""
    assert not (tmp_path / "ran").exists()


def test_what_macos_writes_of_a_picture_is_read():
    png = b"\x89PNG\r\n\x1a\n"

    assert picture_in(Finished(f"«data PNGf{png.hex().upper()}»\n".encode(), "")) == png
    assert picture_in(Finished(png, "")) == png
    assert picture_in(Finished("«data PNGf4142»\n".encode(), "")) == picture_in(Finished(b"", "error")) == b""
