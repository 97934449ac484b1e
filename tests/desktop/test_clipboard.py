"""What they copied is taken by the programs of the desktop, a text or a picture; else it is told why not."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from jarvis.core.errors import ActionFailed
from jarvis.desktop.linux import Linux

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
