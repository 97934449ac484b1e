from __future__ import annotations

import os
import stat
import time

import pytest
from PIL import Image

from jarvis.core.errors import CaptureFailed, LaunchFailed, NoDisplay, SaveFailed
from jarvis.desktop.linux.desktop import Linux


def test_a_picture_is_saved_for_our_eyes_only(env, shims, photo, target):
    shims.add("grim", f'/bin/cp {photo} "$1"')

    assert Linux(env).capture(str(target)) == (60, 40)
    with Image.open(target) as saved:
        assert (saved.format, saved.getpixel((0, 0)), saved.getpixel((5, 5))) == (
            "PNG",
            (0, 0, 255),
            (255, 0, 0),
        )
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700
    assert os.listdir(target.parent) == [target.name]
    assert shims.calls()[0][0] == "grim"


@pytest.mark.parametrize(
    ("installed", "variables", "used"),
    [
        ({"grim", "spectacle"}, {"SWAYSOCK": "/s"}, ["grim"]),
        ({"grim", "gnome-screenshot"}, {"HYPRLAND_INSTANCE_SIGNATURE": "h"}, ["grim"]),
        ({"grim", "gnome-screenshot", "spectacle"}, {}, ["gnome-screenshot", "-f"]),
        ({"grim", "spectacle"}, {}, ["spectacle", "-b", "-n", "-f", "-o"]),
        ({"grim"}, {}, ["grim"]),
    ],
)
def test_each_desktop_is_photographed_by_its_own_program(
    installed, variables, used, env, shims, photo, target
):
    for name in installed:
        shims.add(name, f'for file; do :; done; /bin/cp {photo} "$file"')

    Linux(env | variables).capture(str(target))

    assert [call[:-1] for call in shims.calls()] == [used]


def test_the_next_program_is_tried_when_one_gives_nothing(env, shims, photo, target):
    shims.add("gnome-screenshot", "exit 1")
    shims.add("spectacle", "exit 0")
    shims.add("grim", f'/bin/cp {photo} "$1"')

    assert Linux(env).capture(str(target)) == (60, 40)
    assert [call[0] for call in shims.calls()] == ["gnome-screenshot", "spectacle", "grim"]


def test_a_program_that_others_can_change_takes_no_picture(env, shims, photo, target):
    program = shims.add("grim", f'/bin/cp {photo} "$1"')
    shims.folder.chmod(0o1777)

    with pytest.raises(LaunchFailed, match=f"grim was not started: .* can change {shims.folder}") as failure:
        Linux(env).capture(str(target))
    assert failure.value.hint == f"mkdir -p ~/.local/bin && mv {program} ~/.local/bin/"
    assert shims.calls() == []
    assert not target.exists()


def test_a_desktop_that_does_not_allow_it_is_a_failure(env, shims, target):
    shims.add("grim", 'echo "not a picture" > "$1"')

    with pytest.raises(CaptureFailed, match="did not allow") as failure:
        Linux(env).capture(str(target))
    assert failure.value.hint == "sudo apt install xdg-desktop-portal-wlr"
    assert not target.parent.exists()
    assert len(shims.calls()) == 1


def test_a_program_that_hangs_is_given_up(env, shims, target):
    shims.add("grim", "exec /bin/sleep 60")

    started = time.monotonic()
    with pytest.raises(CaptureFailed):
        Linux(env, tool_timeout=1).capture(str(target))

    assert time.monotonic() - started < 30
    assert len(shims.calls()) == 1


def test_the_x_way_is_never_taken_under_wayland(env, target):
    with pytest.raises(CaptureFailed, match="is installed"):
        Linux(env | {"DISPLAY": ":0", "XDG_CURRENT_DESKTOP": "GNOME"}).capture(str(target))


def test_a_blank_picture_is_a_failure_and_leaves_no_file(env, shims, tmp_path, target):
    Image.new("RGB", (60, 40), "black").save(tmp_path / "black.png")
    shims.add("grim", f'/bin/cp {tmp_path}/black.png "$1"')

    with pytest.raises(CaptureFailed, match="blank"):
        Linux(env).capture(str(target))
    assert not target.parent.exists()
    assert len(shims.calls()) == 1


def test_without_a_screen_there_is_no_picture(env, target):
    del env["WAYLAND_DISPLAY"]

    with pytest.raises(NoDisplay):
        Linux(env).capture(str(target))
    assert not target.parent.exists()


def test_a_file_that_is_there_is_never_overwritten(env, shims, photo, target):
    shims.add("grim", f'/bin/cp {photo} "$1"')
    target.parent.mkdir(parents=True)
    target.write_text("mine")

    with pytest.raises(SaveFailed, match="already exists"):
        Linux(env).capture(str(target))
    assert target.read_text() == "mine"
    assert os.listdir(target.parent) == [target.name]


def test_a_folder_that_can_not_be_written_says_so(env, shims, photo, tmp_path):
    shims.add("grim", f'/bin/cp {photo} "$1"')
    (tmp_path / "Pictures").write_text("a file in its place")

    for folder in (tmp_path / "Pictures", tmp_path / "Pictures/Jarvis", "/proc/1/Jarvis"):
        with pytest.raises(SaveFailed) as failure:
            Linux(env).capture(f"{folder}/Screenshot.png")
        assert str(folder) in failure.value.hint
    assert len(shims.calls()) == 3
