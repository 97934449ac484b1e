"""macOS, by shims in place of its programs: what they are given, and what becomes of what they answer."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from PIL import Image

from jarvis.core.errors import BadTarget, CaptureFailed, LaunchFailed
from jarvis.desktop import macos
from jarvis.desktop.desktop import HANDED_OVER, Launched
from jarvis.desktop.macos import MacOS
from tests.desktop.conftest import Shims

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)"
ODD = "A & B? 100% 'C' \"D\""


@pytest.fixture
def root(tmp_path):
    """A Mac's own files, as far as we look at them."""
    (tmp_path / "mac/Applications/Utilities").mkdir(parents=True)
    return tmp_path / "mac"


@pytest.fixture
def programs(root, shims):
    return Shims(root / "usr", shims.log)


@pytest.fixture
def mac(env, root, programs):
    programs.add("bin/mdfind", "exit 1")  # Spotlight is off
    return MacOS(env, root=str(root), may_capture=lambda: True, timeout=30)


def bundle(path):
    path.mkdir(parents=True)
    return path


def lists(programs, *lines):
    """Have Spotlight say *lines*."""
    (programs.folder / "listed").write_text("".join(f"{line}\n" for line in lines))
    programs.add("bin/mdfind", f"/bin/cat '{programs.folder}/listed'")


def opened(programs):
    return [call for call in programs.calls() if call[0] == "open"]


def test_an_address_reaches_open_whole_and_as_one_argument_and_nothing_else_does(mac, programs):
    programs.add("bin/open")

    assert mac.open_url(URL) == HANDED_OVER
    for target in ("file:///etc/passwd", "-a", "https://a b", "x-apple.systempreferences:x"):
        with pytest.raises(BadTarget):
            mac.open_url(target)
    assert programs.calls() == [["open", URL]]


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo 'No application knows how to open URL x.' >&2; exit 1", "No application knows how"),
        ("exec /bin/sleep 60", "within 1 s"),
    ],
)
def test_a_refusal_of_open_is_a_failure(then, words, env, root, programs):
    programs.add("bin/open", then)

    with pytest.raises(LaunchFailed, match=words) as failure:
        MacOS(env, root=str(root), timeout=30 if "sleep" not in then else 1).open_url(URL)
    assert URL in failure.value.hint
    assert programs.calls() == [["open", URL]]


def test_an_app_is_started_by_its_path(mac, root, programs):
    programs.add("bin/open")
    path = bundle(root / f"Applications/{ODD}.app")

    assert mac.launch_app("a b 100 c d") == Launched(ODD, HANDED_OVER)
    assert opened(programs) == [["open", "-a", str(path)]]


def test_spotlight_knows_apps_elsewhere_and_names_in_the_persons_language(mac, root, tmp_path, programs):
    programs.add("bin/open")
    bundle(root / "Applications/Calculator.app")
    path = bundle(tmp_path / "else where/Tool.app")
    lists(
        programs,
        f"{root}/Applications/Calculator.app   kMDItemDisplayName = Rechner.app",
        f"{path}   kMDItemDisplayName = (null)",
    )

    assert mac.launch_app("rechner").name == "Rechner"
    assert mac.launch_app("calculator").name == "Calculator"
    assert opened(programs)[0] == opened(programs)[1]
    assert mac.launch_app("tool").name == "Tool"
    asked = ["mdfind", "-attr", "kMDItemDisplayName", "kMDItemContentType == 'com.apple.application-bundle'"]
    assert asked in programs.calls()


def test_a_role_is_an_app_of_the_systems_own(mac, root):
    for name in ("Safari", "Browser Helper"):
        bundle(root / f"Applications/{name}.app")

    assert [app.title for app in mac.find_apps("browser").apps] == ["Safari"]
    assert mac.find_apps("settings").apps == ()


def test_a_plain_command_knows_an_app_by_the_whole_name_of_its_file_if_it_is_the_only_one(env, tmp_path):
    env["HOME"] = str(tmp_path)
    bundle(tmp_path / "Applications/My Tool.app")
    found = [("My Tool", f"{tmp_path}/Applications/My Tool.app")]

    assert [MacOS(env).called([name]) for name in ("my tool", "mytool", "tool")] == [
        found,
        found,
        [],
    ]
    bundle(tmp_path / "Applications/my-tool.app")
    assert MacOS(env).called(["my tool"]) == []


def test_an_app_that_does_not_start_is_a_failure(env, root, programs):
    programs.add("bin/open", "echo 'Unable to find application named x' >&2; exit 1")
    bundle(root / "Applications/Tool.app")

    with pytest.raises(LaunchFailed, match=r"Tool did not start: .* Unable to find"):
        MacOS(env, root=str(root), timeout=30).launch_app("tool")
    assert opened(programs) == [["open", "-a", f"{root}/Applications/Tool.app"]]


def test_a_picture_is_taken_and_kept(mac, programs, photo, target):
    programs.add("sbin/screencapture", f'for file; do :; done; /bin/cp {photo} "$file"')

    assert mac.capture(str(target)) == (60, 40)
    with Image.open(target) as kept:
        assert kept.getpixel((0, 0)) == (0, 0, 255)
    [[name, *options, file]] = programs.calls()
    assert (name, options) == ("screencapture", ["-x", "-t", "png"])
    assert not os.path.exists(os.path.dirname(file))


def test_without_permission_nothing_is_taken(env, root, programs, photo, target):
    """The program would give the wallpaper and say that all is well."""
    programs.add("sbin/screencapture", f'for file; do :; done; /bin/cp {photo} "$file"')

    with pytest.raises(CaptureFailed, match="Screen & System Audio Recording") as failure:
        MacOS(env, root=str(root), may_capture=lambda: False).capture(str(target))
    assert failure.value.hint.startswith("open 'x-apple.systempreferences:")
    assert programs.calls() == []
    assert not target.exists()


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo 'could not create image from display' >&2; exit 1", "could not create image"),
        ('for file; do :; done; echo garbage > "$file"', "not a picture"),
    ],
)
def test_a_picture_that_fails_leaves_nothing(then, words, env, root, programs, target):
    programs.add("sbin/screencapture", then)

    with pytest.raises(CaptureFailed, match=words):
        MacOS(env, root=str(root), may_capture=lambda: True).capture(str(target))
    assert len(programs.calls()) == 1
    assert not target.parent.exists()


@pytest.mark.parametrize(
    ("allowed", "then", "may", "asked"),
    [(True, False, True, False), (False, False, False, True), (False, True, True, True)],
)
def test_the_person_is_asked_only_if_they_did_not_allow_it_yet(allowed, then, may, asked):
    done = []

    def load(path):
        done.append(path)
        # Each can be given a restype, as a function of a library can.
        return SimpleNamespace(
            CGPreflightScreenCaptureAccess=lambda: allowed,
            CGRequestScreenCaptureAccess=lambda: done.append("asked") or then,
        )

    assert macos.may_capture(load) is may
    assert done == [
        "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics",
        *(["asked"] if asked else []),
    ]
