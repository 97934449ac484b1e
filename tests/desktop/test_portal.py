"""The desktop's own portal, on a real bus: what it is asked, and what comes of each of its answers."""

from __future__ import annotations

import os
import time
from functools import partial

import pytest
from PIL import Image

from jarvis.core.errors import CaptureFailed
from jarvis.desktop.linux.desktop import Linux
from tests.desktop.compositor import session_bus
from tests.twins.portal import (
    PortalTwin,
    fails,
    responds,
    responds_with_nonsense,
    says_nothing,
    takes_it_and_says_no_more,
)

DONE, CANCELLED, REFUSED = 0, 1, 2


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
    picture = Image.new("RGBA", (60, 40), colour)
    picture.putpixel((0, 0), (0, 0, 255, 255))
    picture.save(path)


def drawn(path):
    """The colour that the picture at *path* was drawn in."""
    with Image.open(path) as picture:
        assert picture.getpixel((0, 0)) == (0, 0, 255)
        colour = picture.getpixel((5, 5))
        assert isinstance(colour, tuple)
        return colour


@pytest.mark.parametrize("early", [False, True], ids=["after its reply", "ahead of its reply"])
def test_the_desktop_hands_a_picture_over_and_its_file_goes(early, env, portal, handed, target):
    portal.answers(responds(DONE, handed.as_uri(), partial(draw, handed), early=early))

    assert Linux(env).capture(str(target)) == (60, 40)

    [asked] = portal.asked
    token = asked.pop("handle_token")
    assert asked == {"parent": "", "interactive": False, "modal": False}
    assert token.startswith("jarvis_")
    assert drawn(target) == (255, 0, 0)
    assert os.listdir(target.parent) == [target.name]
    assert not handed.exists()


def test_a_person_who_cancels_is_not_gone_around(env, shims, portal, target):
    shims.add("grim")
    shims.add("gnome-screenshot")
    portal.answers(responds(CANCELLED))

    with pytest.raises(CaptureFailed, match="You cancelled"):
        Linux(env).capture(str(target))
    assert portal.interactive == [False]
    assert shims.calls() == []
    assert not target.parent.exists()


def test_a_refusal_is_asked_once_more_so_that_the_person_may_choose(env, portal, handed, target):
    portal.answers(responds(REFUSED), responds(DONE, handed.as_uri(), partial(draw, handed)))

    assert Linux(env).capture(str(target)) == (60, 40)
    assert portal.interactive == [False, True]
    assert drawn(target) == (255, 0, 0)


@pytest.mark.parametrize(
    ("desktop", "installed", "setting"),
    [
        ("ubuntu:GNOME", [], "In Settings > Apps > your terminal, switch on Screenshots."),
        (
            "KDE",
            [],
            "In System Settings > Application Permissions, allow screenshots for your terminal.",
        ),
        ("COSMIC", [], "In your desktop's settings, allow screenshots for your terminal."),
        ("ubuntu:GNOME", ["flatpak"], 'flatpak permission-set screenshot screenshot "" yes'),
    ],
)
def test_a_desktop_that_refuses_twice_is_believed_and_the_setting_named(
    desktop, installed, setting, env, shims, portal, target
):
    for name in (*installed, "grim", "gnome-screenshot", "spectacle"):
        shims.add(name)
    portal.answers(responds(REFUSED), responds(REFUSED))

    with pytest.raises(CaptureFailed, match="did not allow") as failure:
        Linux(env | {"XDG_CURRENT_DESKTOP": desktop}).capture(str(target))

    assert failure.value.hint == setting
    assert portal.interactive == [False, True]
    assert shims.calls() == []
    assert not target.parent.exists()


def test_the_program_tells_of_a_refusal_and_names_the_setting(env, portal, shell):
    portal.answers(responds(REFUSED), responds(REFUSED))
    shell.gemini.plans({"action": "take_screenshot", "finish": True}, {"action": "reply", "text": "No luck."})
    names = ("PATH", "XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
    session = {name: env[name] for name in names}

    done = shell.jarvis(
        "take a picture of my screen for me", environment=session | {"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}
    )

    assert done.status == 1
    assert done.stdout.startswith("Did not take a screenshot: your desktop did not allow the picture.")
    assert "  hint: In Settings > Apps > your terminal, switch on Screenshots." in done.stderr
    assert portal.interactive == [False, True]


@pytest.mark.parametrize(
    "error", ["org.freedesktop.portal.Error.NotAllowed", "org.freedesktop.DBus.Error.AccessDenied"]
)
def test_a_call_that_is_not_allowed_is_a_refusal(error, env, shims, portal, target):
    shims.add("grim")
    portal.answers(fails(error))

    with pytest.raises(CaptureFailed, match="did not allow"):
        Linux(env).capture(str(target))
    assert len(portal.asked) == 1
    assert shims.calls() == []


@pytest.mark.parametrize(
    "silence", [says_nothing, takes_it_and_says_no_more], ids=["no reply", "no response"]
)
def test_a_desktop_that_never_answers_is_given_up_and_not_gone_around(silence, env, shims, portal, target):
    """The person may still be reading its question."""
    shims.add("grim")
    portal.answers(silence)

    started = time.monotonic()
    with pytest.raises(CaptureFailed, match="did not answer in time") as failure:
        Linux(env, tool_timeout=1, patience=1).capture(str(target))

    assert time.monotonic() - started < 30
    assert "your desktop may show" in failure.value.hint
    assert len(portal.asked) == 1
    assert shims.calls() == []


def grim_takes_over(env, shims, tmp_path, target):
    """Assert that, the portal having given nothing, the next way does."""
    draw(tmp_path / "green.png", "lime")
    shims.add("grim", f'/bin/cp {tmp_path}/green.png "$1"')

    assert Linux(env).capture(str(target)) == (60, 40)
    assert [call[0] for call in shims.calls()] == ["grim"]
    assert drawn(target) == (0, 255, 0)


@pytest.mark.parametrize("error", ["UnknownMethod", "UnknownInterface", "Failed", "NoReply"])
def test_a_portal_that_can_not_make_pictures_leaves_it_to_the_next_way(
    error, env, shims, portal, tmp_path, target
):
    portal.answers(fails(f"org.freedesktop.DBus.Error.{error}"))

    grim_takes_over(env, shims, tmp_path, target)

    assert portal.interactive == [False]


@pytest.mark.parametrize(
    "answer", [responds(DONE), responds(DONE, "file:///nowhere/screen.png"), responds_with_nonsense]
)
def test_a_portal_that_hands_nothing_over_leaves_it_to_the_next_way(
    answer, env, shims, portal, tmp_path, target
):
    portal.answers(answer)

    grim_takes_over(env, shims, tmp_path, target)

    assert portal.interactive == [False]


def test_a_file_that_is_no_picture_is_not_saved_and_not_removed(env, portal, handed, target):
    portal.answers(responds(DONE, handed.as_uri(), lambda: handed.write_text("a letter to my aunt")))

    with pytest.raises(CaptureFailed):
        Linux(env).capture(str(target))
    assert portal.interactive == [False]
    assert handed.read_text() == "a letter to my aunt"
    assert not target.parent.exists()


@pytest.mark.parametrize(
    "address", ["unix:path=/nowhere/bus", "tcp:host=localhost", "not an address", "unix:"]
)
def test_a_session_without_a_bus_leaves_it_to_the_next_way(address, env, shims, tmp_path, target):
    grim_takes_over(env | {"DBUS_SESSION_BUS_ADDRESS": address}, shims, tmp_path, target)


def test_a_bus_without_a_portal_leaves_it_to_the_next_way(env, bus, shims, tmp_path, target):
    grim_takes_over(env, shims, tmp_path, target)


@pytest.mark.parametrize("desktop", ["GNOME", "KDE", ""])
def test_where_nothing_is_installed_the_desktops_own_program_is_named(desktop, env, bus, target):
    with pytest.raises(CaptureFailed, match="no portal for pictures, and no program") as failure:
        Linux(env | {"XDG_CURRENT_DESKTOP": desktop}).capture(str(target))

    packages = {"GNOME": "gnome-screenshot", "KDE": "kde-spectacle", "": "grim"}
    assert failure.value.hint == f"sudo apt install {packages[desktop]}"


def test_sway_is_photographed_by_grim_and_nobody_is_asked(env, shims, portal, tmp_path, target):
    grim_takes_over(env | {"SWAYSOCK": "/s"}, shims, tmp_path, target)

    assert portal.asked == []
