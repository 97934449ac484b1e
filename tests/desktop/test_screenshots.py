"""How the screen is photographed, and what becomes of the picture; the portal stands on a real bus."""

import os
import stat
import time
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from jarvis.core.errors import ActionFailed, CaptureFailed, NoDisplay
from jarvis.desktop.linux import Linux
from jarvis.desktop.linux.wayland import take_over
from tests.desktop.compositor import session_bus
from tests.twins.portal import (
    PortalTwin,
    fails,
    responds,
    responds_with_nonsense,
    takes_it_and_says_no_more,
)

DONE, CANCELLED, REFUSED = 0, 1, 2


def test_a_picture_is_saved_for_our_eyes_only_and_nothing_is_overwritten(env, shims, photo, target):
    shims.add("grim", f'/bin/cp {photo} "$1"')

    assert Linux(env).capture(str(target)) == (60, 40)
    with Image.open(target) as saved:
        assert (saved.format, saved.getpixel((0, 0))) == ("PNG", (0, 0, 255))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.parent.stat().st_mode) == 0o700
    assert shims.calls()[0][0] == "grim"

    target.write_text("mine")
    with pytest.raises(ActionFailed, match="already exists"):
        Linux(env).capture(str(target))
    assert target.read_text() == "mine"
    assert os.listdir(target.parent) == [target.name]


@pytest.mark.parametrize(
    ("then", "seconds"), [("exec /bin/sleep 60", 1), ('echo "not a picture" > "$1"', 30)]
)
def test_a_program_that_gives_nothing_or_hangs_is_told(then, seconds, env, shims, target):
    shims.add("grim", then)

    with pytest.raises(CaptureFailed, match=r"did not allow the picture \(the portal, grim gave none\)"):
        Linux(env, tool_timeout=seconds).capture(str(target))


def test_a_picture_for_which_pillow_would_run_a_program_is_none(env, shims, tmp_path, target, monkeypatch):
    shims.add("gs")
    Image.new("RGB", (6, 4), "red").save(tmp_path / "picture.eps")
    shims.add("grim", f'/bin/cp {tmp_path}/picture.eps "$1"')
    monkeypatch.setenv("PATH", env["PATH"])

    with pytest.raises(CaptureFailed):
        Linux(env).capture(str(target))
    assert [name for name, *_ in shims.calls()] == ["grim"]


def test_where_nothing_can_take_it_what_could_is_named(env, target):
    """The X way is never taken under Wayland."""
    with pytest.raises(CaptureFailed, match="no portal for pictures, and grim") as failure:
        Linux(env | {"DISPLAY": ":0"}).capture(str(target))

    assert failure.value.hint == "sudo apt install xdg-desktop-portal grim"


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


@pytest.fixture
def bus(env):
    """A bus where the session's variables say that there is one."""
    with session_bus(env["XDG_RUNTIME_DIR"] + "/bus") as bus:
        yield bus


@pytest.fixture
def portal(bus):
    with PortalTwin(bus.address) as portal:
        yield portal
    assert portal.unexpected == []


@pytest.fixture
def handed(tmp_path):
    """Where the portal puts what it hands over."""
    return tmp_path / "handed over; 100%.png"


def draw(path, colour="red"):
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.new("RGBA", (60, 40), colour)
    picture.putpixel((0, 0), (0, 0, 255, 255))
    picture.save(path)
    return path


def drawn(path):
    """The colour that the picture at *path* was drawn in."""
    with Image.open(path) as picture:
        assert picture.getpixel((0, 0)) == (0, 0, 255)
        return picture.getpixel((5, 5))


# How often the desktop says no first, whether it hands over ahead of its reply, whether a part is asked for.
HANDED = {
    "after its reply": (0, False, False),
    "ahead of its reply": (0, True, False),
    "a window or region, chosen in its dialog": (0, False, True),
    "once refused, so that the person may choose": (1, False, False),
}


@pytest.mark.parametrize(("refusals", "early", "is_part"), HANDED.values(), ids=HANDED)
def test_the_desktop_hands_a_picture_over_and_its_file_goes(
    refusals, early, is_part, env, portal, handed, target
):
    hands = responds(DONE, handed.as_uri(), partial(draw, handed), early=early)
    portal.answers(*[responds(REFUSED)] * refusals, hands)

    assert Linux(env).capture(str(target), is_part=is_part) == (60, 40)

    assert portal.interactive == [*[False] * refusals, is_part or refusals > 0]
    assert all(asked.pop("handle_token").startswith("jarvis_") for asked in portal.asked)
    assert [{**asked, "interactive": False} for asked in portal.asked] == [
        {"parent": "", "interactive": False, "modal": False}
    ] * (refusals + 1)
    assert drawn(target) == (255, 0, 0)
    assert os.listdir(target.parent) == [target.name]
    assert not handed.exists()


def test_where_no_desktop_offers_that_it_is_told(env, target):
    with pytest.raises(CaptureFailed, match="no dialog to choose a part"):
        Linux({**env, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}).capture(str(target), is_part=True)


@pytest.mark.parametrize(
    ("answers", "interactive", "told"),
    [
        ([responds(CANCELLED)], [False], "You canceled"),
        ([responds(REFUSED)] * 2, [False, True], "did not allow"),
        ([fails("org.freedesktop.DBus.Error.AccessDenied")], [False], "did not allow"),
        ([takes_it_and_says_no_more], [False], "did not answer in time"),
    ],
    ids=["cancelled", "refused", "denied", "no response"],
)
def test_a_no_and_a_silence_are_told_and_not_gone_around(
    answers, interactive, told, env, shims, portal, target
):
    shims.add("grim")
    portal.answers(*answers)

    started = time.monotonic()
    with pytest.raises(CaptureFailed, match=told) as failure:
        Linux(env | {"XDG_CURRENT_DESKTOP": "GNOME"}, tool_timeout=1, patience=1).capture(str(target))

    assert told != "did not allow" or "settings, allow screenshots for your terminal" in failure.value.hint
    assert time.monotonic() - started < 30
    assert portal.interactive == interactive
    assert shims.calls() == []
    assert not target.parent.exists()


def grim_takes_over(env, shims, tmp_path, target):
    """Assert that, the portal having given nothing, the next way does."""
    draw(tmp_path / "green.png", "lime")
    shims.add("grim", f'/bin/cp {tmp_path}/green.png "$1"')

    assert Linux(env).capture(str(target)) == (60, 40)
    assert [call[0] for call in shims.calls()] == ["grim"]
    assert drawn(target) == (0, 255, 0)


@pytest.mark.parametrize(
    "answer",
    [
        fails("org.freedesktop.DBus.Error.UnknownMethod"),
        *(responds(DONE, "file:///nowhere/screen.png"), responds_with_nonsense),
    ],
)
def test_a_portal_that_hands_nothing_over_leaves_it_to_the_next_way(
    answer, env, shims, portal, tmp_path, target
):
    portal.answers(answer)

    grim_takes_over(env, shims, tmp_path, target)

    assert portal.interactive == [False]


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/bus"])
def test_a_session_without_a_bus_or_a_portal_leaves_it_to_the_next_way(
    address, env, bus, shims, tmp_path, target
):
    grim_takes_over(env | ({"DBUS_SESSION_BUS_ADDRESS": address} if address else {}), shims, tmp_path, target)


def size_of(uri, since=None):
    picture = take_over(uri, time.time() if since is None else since)
    return picture and picture.size


def test_what_was_made_for_us_is_taken_and_removed_and_nothing_of_another_day(tmp_path):
    """As /tmp/out.png may be left, which one backend names every time."""
    path = draw(tmp_path / "Bild vom Schirm, 100%.png")
    os.utime(path, (0, time.time() - 60))

    assert size_of(path.as_uri()) is None
    assert path.exists()
    os.utime(path)
    assert size_of(path.as_uri()) == (60, 40)
    assert not path.exists()


def test_what_is_no_new_picture_of_ours_stays_where_it_is_and_is_not_waited_for(tmp_path):
    whole = draw(tmp_path / "whole.png").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "whole.png")
    for content in (b"", b"a letter to my aunt", whole[: len(whole) // 2]):
        (tmp_path / "broken.png").write_bytes(content)
        assert size_of((tmp_path / "broken.png").as_uri()) is None
        assert (tmp_path / "broken.png").read_bytes() == content
    if os.getuid() == 0:  # nobody else may give a file away
        os.chown(draw(tmp_path / "theirs.png"), 65534, 65534)
        assert size_of((tmp_path / "theirs.png").as_uri()) is None
        assert (tmp_path / "theirs.png").exists()

    for name in ("pipe", "link", "no such file"):
        assert size_of((tmp_path / name).as_uri()) is None
    assert (tmp_path / "whole.png").exists()


def test_only_a_file_of_this_machine_is_opened(tmp_path, monkeypatch):
    path = draw(tmp_path / "screen.png")
    monkeypatch.chdir("/")

    for start in ("", "https://example.org", "file://example.org", "file://[", "file:."):
        assert size_of(f"{start}{path}") is None
    assert size_of(f"file://{path}%00") is None
    assert path.exists()
    assert size_of(f"file://localhost{path}") == (60, 40)
    assert not Path(path).exists()
