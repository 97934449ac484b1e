"""macOS, by shims in place of its programs: what they are given, and what becomes of what they answer."""

from __future__ import annotations

import os
import plistlib
from pathlib import Path

import pytest
from PIL import Image

from jarvis.actions.base import HANDED_OVER, Launched
from jarvis.core.errors import Ambiguous, BadTarget, CaptureFailed, LaunchFailed, NoHandler, NotInstalled
from jarvis.desktop import apps_called
from jarvis.desktop.macos import apps, desktop, screen
from jarvis.desktop.macos.desktop import MacOS
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
    return MacOS(env, root=str(root), may_capture=lambda: True, open_timeout=30, capture_timeout=30)


def bundle(path, **keys):
    (path / "Contents").mkdir(parents=True)
    (path / "Contents/Info.plist").write_bytes(plistlib.dumps(keys))
    return path


def lists(programs, *lines):
    """Have Spotlight say *lines*."""
    (programs.folder / "listed").write_text("".join(f"{line}\n" for line in lines))
    programs.add("bin/mdfind", f"/bin/cat '{programs.folder}/listed'")


def opened(programs):
    return [call for call in programs.calls() if call[0] == "open"]


def test_the_programs_are_the_systems_own():
    assert desktop.open_url_argv(URL) == ["/usr/bin/open", URL]
    assert desktop.open_app_argv(f"/Applications/{ODD}.app") == [
        "/usr/bin/open", "-a", f"/Applications/{ODD}.app",
    ]  # fmt: skip
    assert apps.spotlight_argv() == [
        "/usr/bin/mdfind", "-attr", "kMDItemDisplayName",
        "kMDItemContentType == 'com.apple.application-bundle'",
    ]  # fmt: skip
    assert screen.capture_argv("/tmp/a b.png") == [
        "/usr/sbin/screencapture",
        "-x",
        "-t",
        "png",
        "/tmp/a b.png",
    ]


def test_an_address_reaches_open_whole_and_as_one_argument(mac, programs):
    programs.add("bin/open")

    assert mac.open_url(URL) == HANDED_OVER
    assert programs.calls() == [["open", URL]]


@pytest.mark.parametrize("target", ["file:///etc/passwd", "-a", "https://a b", "x-apple.systempreferences:x"])
def test_only_web_addresses_are_opened(target, mac, programs):
    programs.add("bin/open")

    with pytest.raises(BadTarget):
        mac.open_url(target)
    assert programs.calls() == []


@pytest.mark.parametrize(
    ("then", "error", "words"),
    [
        ("echo 'No application knows how to open URL x.' >&2; exit 1", NoHandler, "No browser"),
        ("echo 'LSOpenURLsWithRole() failed with error -10814' >&2; exit 1", NoHandler, "No browser"),
        ("exit 1", LaunchFailed, "status 1"),
        ("exec /bin/sleep 60", LaunchFailed, "within 1 s"),
    ],
)  # fmt: skip
def test_a_refusal_of_open_is_a_failure(then, error, words, env, root, programs):
    programs.add("bin/open", then)

    with pytest.raises(error, match=words) as failure:
        MacOS(env, root=str(root), open_timeout=30 if "sleep" not in then else 1).open_url(URL)
    assert URL in failure.value.hint
    assert programs.calls() == [["open", URL]]


def test_an_app_is_started_by_its_path(mac, root, programs):
    programs.add("bin/open")
    path = bundle(root / f"Applications/{ODD}.app", CFBundleIdentifier="org.odd")

    assert mac.launch_app("a b 100 c d") == Launched(ODD, HANDED_OVER)
    assert opened(programs) == [["open", "-a", str(path)]]


@pytest.mark.parametrize(
    "name", ["Visual Studio Code", "visual studio code", "Code", "the code app", "com.microsoft.VSCode"]
)
def test_an_app_is_found_by_each_of_its_names(name, mac, root, programs):
    programs.add("bin/open")
    keys = {"CFBundleDisplayName": "Code", "CFBundleIdentifier": "com.microsoft.VSCode"}
    bundle(root / "Applications/Visual Studio Code.app", **keys)
    bundle(root / "Applications/Utilities/Terminal.app", CFBundleIdentifier="com.apple.Terminal")

    assert mac.launch_app(name).name == "Visual Studio Code"


def test_spotlight_knows_apps_elsewhere_and_names_in_the_persons_language(mac, root, tmp_path, programs):
    programs.add("bin/open")
    bundle(root / "Applications/Calculator.app", CFBundleIdentifier="com.apple.calculator")
    path = bundle(tmp_path / "else where/Tool.app", CFBundleName="Tool")
    lists(
        programs,
        f"{root}/Applications/Calculator.app   kMDItemDisplayName = Rechner.app",
        f"{path}   kMDItemDisplayName = (null)",
    )

    assert mac.launch_app("rechner").name == "Rechner"
    assert mac.launch_app("calculator").name == "Calculator"
    assert opened(programs)[0] == opened(programs)[1]
    assert mac.launch_app("tool").name == "Tool"


def test_the_same_app_twice_is_one_and_the_application_folder_counts(mac, root, tmp_path, programs):
    programs.add("bin/open")
    first = bundle(root / "Applications/Tool.app", CFBundleIdentifier="org.tool")
    copy = bundle(tmp_path / "Downloads/Tool.app", CFBundleIdentifier="org.tool")
    lists(programs, f"{copy}   kMDItemDisplayName = Tool")

    mac.launch_app("tool")

    assert opened(programs) == [["open", "-a", str(first)]]


def test_two_apps_of_one_name_are_asked_about(mac, root, programs):
    programs.add("bin/open")
    bundle(root / "Applications/Notes.app", CFBundleIdentifier="com.apple.Notes")
    bundle(root / "Applications/Utilities/Notes.app", CFBundleIdentifier="org.other")

    with pytest.raises(Ambiguous, match=r"com\.apple\.Notes or org\.other"):
        mac.launch_app("notes")
    assert opened(programs) == []


def test_parts_of_other_apps_and_thrown_away_ones_are_not_apps():
    listed = "\n".join(
        f"{path}   kMDItemDisplayName = X"
        for path in (
            "/Applications/A.app/Contents/Helpers/Updater.app",
            "/Users/x/.Trash/B.app",
            "relative.app",
            "/Applications/Xcode.app/Contents/Applications/Instruments.app",
        )
    )

    assert list(apps.spotlight_names(f"{listed}\n\0garbage\n")) == [
        "/Applications/Xcode.app/Contents/Applications/Instruments.app"
    ]


@pytest.mark.parametrize(
    "info",
    [
        b"",
        b"garbage",
        b"<plist><dict><key>a</key><date>never</date></dict></plist>",
        b"bplist00" + b"\xff" * 40,
    ],
)
def test_a_bundle_that_makes_no_sense_goes_by_its_folders_name(info, tmp_path):
    path = bundle(tmp_path / "Broken.app")
    (path / "Contents/Info.plist").write_bytes(info)

    app = apps.read_bundle(str(path))

    assert app
    assert (app.name, app.id) == ("Broken", str(path))


@pytest.mark.parametrize(("name", "found"), [("my tool", True), ("mytool", True), ("tool", False)])
def test_a_plain_command_knows_an_app_by_the_whole_name_of_its_file(name, found, env, tmp_path):
    bundle(tmp_path / "Applications/My Tool.app")

    called = apps_called([name], env | {"HOME": str(tmp_path)}, "darwin")

    assert called == ([("My Tool", f"{tmp_path}/Applications/My Tool.app")] if found else [])


def test_of_two_apps_of_one_name_a_plain_command_knows_none(env, tmp_path):
    for name in ("My Tool", "my-tool"):
        bundle(tmp_path / f"Applications/{name}.app")

    assert apps_called(["my tool"], env | {"HOME": str(tmp_path)}, "darwin") == []


def test_spotlight_that_hangs_is_given_up(env, root, programs):
    programs.add("bin/open")
    programs.add("bin/mdfind", "exec /bin/sleep 60")
    bundle(root / "Applications/Tool Box.app")

    MacOS(env, root=str(root), search_timeout=1).launch_app("tool")

    assert [call[0] for call in programs.calls()] == ["mdfind", "open"]


@pytest.mark.parametrize(
    ("then", "error"),
    [
        ("echo 'Unable to find application named x' >&2; exit 1", NotInstalled),
        ("exit 1", LaunchFailed),
        ("exec /bin/sleep 60", LaunchFailed),
    ],
)
def test_an_app_that_does_not_start_is_a_failure(then, error, env, root, programs):
    programs.add("bin/open", then)
    bundle(root / "Applications/Tool.app")

    with pytest.raises(error, match="Tool"):
        MacOS(env, root=str(root), open_timeout=30 if "sleep" not in then else 1).launch_app("tool")
    assert opened(programs) == [["open", "-a", f"{root}/Applications/Tool.app"]]


def test_an_app_that_is_not_there_starts_nothing(mac, programs):
    programs.add("bin/open")

    with pytest.raises(NotInstalled):
        mac.launch_app("nonesuch")
    assert opened(programs) == []


SYSTEM = {
    "System Settings": "com.apple.systempreferences",
    "Mail": "com.apple.mail",
    "TextEdit": "com.apple.TextEdit",
    "Safari": "com.apple.Safari",
    "Utilities/Terminal": "com.apple.Terminal",
}


@pytest.fixture
def roles(root):
    """The apps that the system comes with, and two others that a person may choose."""
    for name, app_id in SYSTEM.items():
        bundle(root / f"System/Applications/{name}.app", CFBundleIdentifier=app_id)
    bundle(root / "System/Library/CoreServices/Finder.app", CFBundleIdentifier="com.apple.finder")
    bundle(root / "Applications/Firefox.app", CFBundleIdentifier="org.mozilla.firefox")
    bundle(root / "Applications/BBEdit.app", CFBundleIdentifier="com.barebones.BBEdit")
    return root / "System"


def choose(env, handlers):
    """Have the person choose what things are opened with."""
    folder = Path(env["HOME"]) / "Library/Preferences/com.apple.LaunchServices"
    folder.mkdir(parents=True)
    kept = plistlib.dumps({"LSHandlers": handlers}, fmt=plistlib.FMT_BINARY)
    (folder / "com.apple.launchservices.secure.plist").write_bytes(kept)


@pytest.mark.parametrize(
    ("name", "title"),
    [("browser", "Safari"), ("mail", "Mail"), ("email", "Mail"), ("files", "Finder"),
     ("terminal", "Terminal"), ("editor", "TextEdit"), ("settings", "System Settings")],
)  # fmt: skip
def test_a_role_is_the_systems_own_app(name, title, mac, roles):
    found = mac.find_apps(name)

    assert ([app.title for app in found.apps], found.is_near) == ([title], False)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("web browser", "Firefox"),
        ("text editor", "BBEdit"),
        ("mail program", "Mail"),
        ("terminal", "Terminal"),
    ],
)
def test_a_role_is_what_the_person_chose(name, title, mac, env, roles):
    handlers = [
        *("junk", {}, {"LSHandlerURLScheme": "https"}),
        {"LSHandlerURLScheme": "https", "LSHandlerRoleAll": "org.mozilla.firefox"},
        {"LSHandlerURLScheme": "mailto", "LSHandlerRoleAll": "com.gone.mail"},
        {"LSHandlerContentType": "public.plain-text", "LSHandlerRoleAll": "com.barebones.bbedit"},
    ]
    choose(env, handlers)

    assert [app.title for app in mac.find_apps(name).apps] == [title]


def test_an_app_called_so_comes_before_the_one_with_the_role(mac, root, roles):
    bundle(root / "Applications/Browser.app", CFBundleIdentifier="org.browser")

    assert [app.title for app in mac.find_apps("browser").apps] == ["Browser"]


def test_each_app_that_is_found_starts_by_its_id(mac, root, programs):
    programs.add("bin/open")
    paths = [
        bundle(root / "Applications/Notes.app", CFBundleIdentifier="com.apple.Notes"),
        bundle(root / "Applications/Utilities/Notes.app", CFBundleIdentifier="org.other"),
    ]

    found = mac.find_apps("notes")
    for app in found.apps:
        mac.launch_app(app.id)

    assert ([app.title for app in found.apps], found.is_near) == (["Notes", "Notes"], False)
    assert opened(programs) == [["open", "-a", str(path)] for path in paths]


def test_nothing_is_started_in_place_of_a_bundle_that_is_gone(mac, root, programs):
    programs.add("bin/open")
    bundle(root / "Applications/Utilities/Tool.app", CFBundleIdentifier="org.other")
    path = bundle(root / "Applications/Tool.app", CFBundleIdentifier="org.tool")
    found = mac.find_apps("tool")
    (path / "Contents/Info.plist").unlink()
    (path / "Contents").rmdir()
    path.rmdir()

    with pytest.raises(NotInstalled):
        mac.launch_app(found.apps[0].id)
    assert (found.apps[0].id, opened(programs)) == (str(path), [])


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
        ("exit 0", "not a picture"),
        ('for file; do :; done; echo garbage > "$file"', "not a picture"),
        ("exec /bin/sleep 60", "within 1 s"),
    ],
)
def test_a_picture_that_fails_leaves_nothing(then, words, env, root, programs, target):
    programs.add("sbin/screencapture", then)
    timeout = 1 if "sleep" in then else 5

    with pytest.raises(CaptureFailed, match=words):
        MacOS(env, root=str(root), may_capture=lambda: True, capture_timeout=timeout).capture(str(target))
    assert len(programs.calls()) == 1
    assert not target.parent.exists()


class Library:
    """CoreGraphics, as far as permission goes; each of its functions can be given a restype."""

    def __init__(self, allowed, then=False):
        self.asked = False

        def ask():
            self.asked = True
            return then

        self.CGPreflightScreenCaptureAccess = lambda: allowed
        self.CGRequestScreenCaptureAccess = ask


@pytest.mark.parametrize(
    ("allowed", "then", "may", "asked"),
    [(True, False, True, False), (False, False, False, True), (False, True, True, True)],
)
def test_the_person_is_asked_only_if_they_did_not_allow_it_yet(allowed, then, may, asked):
    library, loaded = Library(allowed, then), []

    def load(path):
        loaded.append(path)
        return library

    assert screen.may_capture(load) is may
    assert library.asked is asked
    assert loaded == ["/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"]
