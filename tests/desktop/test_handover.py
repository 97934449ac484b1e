"""The file that a portal names: when its picture is believed, and when it is removed."""

from __future__ import annotations

import os
import struct
import tempfile
import time
import zlib
from pathlib import Path

import pytest
from PIL import Image

from jarvis.desktop.linux.handover import take_over
from tests.desktop.screen import private_env


@pytest.fixture
def env(tmp_path):
    return private_env(tmp_path / "home")


@pytest.fixture
def elsewhere():
    """A folder in which no portal would put what it hands over."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def draw(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (60, 40), "red").save(path, "PNG")
    return path


def size_of(uri, env, since=None):
    picture = take_over(uri, time.time() if since is None else since, env)
    return picture and picture.size


@pytest.mark.parametrize("place", ["Pictures/Screenshots", ".cache/portal", "runtime/doc"])
def test_what_was_made_to_be_handed_over_is_removed(place, env):
    path = draw(Path(env["HOME"], place, "Bild vom Schirm, 100%.png"))

    assert size_of(path.as_uri(), env) == (60, 40)
    assert not path.exists()
    assert path.parent.exists()


def test_a_picture_that_lies_elsewhere_is_read_and_kept(elsewhere, env):
    path = draw(elsewhere / "screen.png")

    assert size_of(path.as_uri(), env) == (60, 40)
    assert path.exists()


def test_a_folder_that_is_a_link_to_elsewhere_is_elsewhere(elsewhere, env, tmp_path):
    path = draw(elsewhere / "screen.png")
    (tmp_path / "link").symlink_to(elsewhere)

    assert size_of((tmp_path / "link/screen.png").as_uri(), env) == (60, 40)
    assert path.exists()


def test_a_picture_from_another_day_is_neither_shown_nor_removed(env, tmp_path):
    """As /tmp/out.png may be, which one backend names every time."""
    path = draw(tmp_path / "out.png")
    os.utime(path, (0, time.time() - 60))

    assert size_of(path.as_uri(), env) is None
    assert path.exists()
    assert size_of(path.as_uri(), env, since=0) == (60, 40)


if os.getuid() == 0:  # nobody else may give a file away

    def test_another_persons_picture_is_neither_shown_nor_removed(env, tmp_path):
        path = draw(tmp_path / "out.png")
        os.chown(path, 65534, 65534)

        assert size_of(path.as_uri(), env) is None
        assert path.exists()


def png(*chunks):
    """A picture of 2 by 2 pixels, with *chunks* after its rows."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(14))),
        *chunks,
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


# Of each kind of error that Pillow lets out.
BROKEN = [png((b"iCCP", b"a\0\x07")), png((b"pHYs", b"\0")), png((b"iCCP", b""))]


def test_what_is_no_picture_stays_where_it_is(env, tmp_path):
    whole = draw(tmp_path / "whole.png").read_bytes()
    path = tmp_path / "screen.png"
    short_header = whole[:11] + b"\x0c" + whole[12:]
    for content in (b"", b"a letter to my aunt", whole[: len(whole) // 2], short_header, *BROKEN):
        path.write_bytes(content)

        assert size_of(path.as_uri(), env) is None
        assert path.read_bytes() == content


def test_what_is_no_file_is_not_waited_for(env, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(draw(tmp_path / "screen.png"))
    for name in ("pipe", "link", "no such file", "home"):
        assert size_of((tmp_path / name).as_uri(), env) is None
    assert (tmp_path / "screen.png").exists()


@pytest.mark.parametrize("start", ["", "https://example.org", "file://example.org", "file://[", "file:."])
def test_only_a_file_of_this_machine_is_opened(start, env, tmp_path, monkeypatch):
    path = draw(tmp_path / "screen.png")
    monkeypatch.chdir("/")

    assert size_of(f"{start}{path}", env) is None
    assert size_of(f"file://{path}%00", env) is None
    assert path.exists()
    assert size_of(f"file://localhost{path}", env) == (60, 40)
