"""macOS, Windows and WSL, by shims of their programs: what these are given, and what becomes of it."""

from __future__ import annotations

import json
import os
from typing import NamedTuple

import pytest
from PIL import Image

from jarvis.core.errors import ActionFailed, BadTarget, CaptureFailed, LaunchFailed, NotInstalled
from jarvis.desktop import windows
from jarvis.desktop.desktop import HANDED_OVER, Launched
from jarvis.desktop.macos import MacOS
from jarvis.desktop.windows import Windows
from jarvis.desktop.wsl import Wsl
from tests.desktop.conftest import Shims

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)%PATH%"
ODD = "A & B? 100% 'C' \u2019; exit"  # the curly one ends a text of PowerShell's, too
POWERSHELL = "WindowsPowerShell/v1.0/powershell.exe"
TO_SHELL = ["rundll32.exe", "url.dll,FileProtocolHandler"]
ASKED = ["mdfind", "-attr", "kMDItemDisplayName", "kMDItemContentType == 'com.apple.application-bundle'"]
BAD = ["--help", "-a", "https://a b", "", "file:///etc/passwd", "file:///C:/Windows/notepad.exe"]
BAD += ["C:\\Windows", "shell:AppsFolder\\x", "\\\\host\\share", "x-apple.systempreferences:x"]
NAMES = {
    "Notepad": "{1AC14E77}\\notepad.exe",
    "Notes Plus": "Notes.Plus!App",
    "Prüfung": "org.test",
    ODD: ODD,
}
NAMES["gedit (Debian)"], GEDIT = "gedit!App", "shell:AppsFolder\\gedit!App"
APPS = [{"Name": name, "AppID": id_} for name, id_ in NAMES.items()]


class System(NamedTuple):
    """One of them: its programs, and how it is made."""

    shims: Shims
    make: object
    opener: str
    to_open: list[str]  # what the opener is given before an address
    camera: str

    def scripts(self):
        """What PowerShell was told, but to list."""
        told = [call[-1] for call in self.shims.calls() if call[0] == "powershell.exe"]
        return [script for script in told if script != windows.START_APPS]


@pytest.fixture
def listed(tmp_path):
    def listed(*apps):
        (tmp_path / "listed").write_text("\ufeff" + json.dumps(apps), encoding="utf-8")

    listed(*APPS)
    return listed


@pytest.fixture
def here(request, env, tmp_path, shims, listed):
    """The system of that name, on which Spotlight is off, and PowerShell lists APPS."""
    kind, home = getattr(request, "param", "windows"), tmp_path / "its"
    if kind == "macos":
        (home / "Applications").mkdir(parents=True)
        programs = Shims(home / "usr", shims.log)
        programs.add("bin/mdfind", "exit 1")
        return System(
            programs,
            lambda timeout=30, **more: MacOS(
                env | more, root=str(home), may_capture=lambda: "denied" not in more, timeout=timeout
            ),
            *("bin/open", ["open"], "sbin/screencapture"),
        )
    programs = Shims(home / "System32", shims.log)
    programs.add(POWERSHELL, f"case $4 in *Get-StartApps*) /bin/cat '{tmp_path}/listed' ;; esac")
    programs.add("rundll32.exe")
    own, cache = {"SystemRoot": str(home)}, str(tmp_path / "cache")
    makes = {
        "windows": lambda timeout=30, **more: Windows(env | own | more, cache, timeout=timeout),
        "wsl": lambda timeout=30, **more: Wsl(env | more, system=str(programs.folder), timeout=timeout),
    }
    return System(programs, makes[kind], "rundll32.exe", TO_SHELL, POWERSHELL)


EACH = pytest.mark.parametrize("here", ["macos", "windows", "wsl"], indirect=True)
ON_WINDOWS = pytest.mark.parametrize("here", ["windows", "wsl"], indirect=True)
ON_A_MAC = pytest.mark.parametrize("here", ["macos"], indirect=True)


def bundle(here, path):
    (here.shims.folder.parent / path).mkdir(parents=True)
    return str(here.shims.folder.parent / path)


def starting(app_id):
    return windows.start_process(f"shell:AppsFolder\\{app_id}")


# Addresses


@EACH
def test_an_address_reaches_the_system_whole_and_as_one_argument_and_nothing_else_does(here):
    here.shims.add(here.opener)

    assert here.make().open_url(URL) == HANDED_OVER
    for target in (*BAD, *([URL + "x" * 2_048] if here.to_open == TO_SHELL else [])):
        with pytest.raises(BadTarget):
            here.make().open_url(target)
    assert here.shims.calls() == [[*here.to_open, URL]]


@EACH
@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo 'No application knows it.' >&2; exit 1", "No application|status 1"),
        ("exec /bin/sleep 60", "1 s"),
    ],
)
def test_a_refusal_of_the_opener_is_a_failure(here, then, words):
    here.shims.add(here.opener, then)

    with pytest.raises(LaunchFailed, match=words) as failure:
        here.make(timeout=1 if "sleep" in then else 30).open_url(URL)
    assert URL in failure.value.hint
    assert here.shims.calls() == [[*here.to_open, URL]]


# Pictures


@EACH
def test_the_screen_comes_as_a_picture(here, photo, target):
    copies = {"bin/open": f'for file; do :; done; /bin/cp {photo} "$file"'}
    here.shims.add(here.camera, copies.get(here.opener, f"/bin/cat '{photo}'"))

    assert here.make().capture(str(target)) == (60, 40)
    with Image.open(target) as kept:
        assert kept.getpixel((0, 0)) == (0, 0, 255)
    [[name, *options, last]] = here.shims.calls()
    if name == "screencapture":
        assert options == ["-x", "-t", "png"]
        assert not os.path.exists(os.path.dirname(last))
    else:
        assert last == windows.SCREEN


@EACH
@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo 'The handle is invalid.' >&2; exit 1", "The handle is invalid"),
        ('for file; do :; done; echo garbage; echo garbage > "$file"', "not a picture"),
    ],
)
def test_a_screen_that_can_not_be_read_leaves_nothing(here, then, words, target, tmp_path):
    here.shims.add(here.camera, then.replace('> "$file"', '> "$file"' if "sbin" in here.camera else ""))

    with pytest.raises(CaptureFailed, match=words):
        here.make().capture(str(target))
    assert len(here.shims.calls()) == 1
    assert not target.parent.exists()


@ON_A_MAC
def test_without_permission_nothing_is_taken(here, photo, target):
    """The program would give the wallpaper and say that all is well."""
    here.shims.add(here.camera, f'for file; do :; done; /bin/cp {photo} "$file"')

    with pytest.raises(CaptureFailed, match="Screen & System Audio Recording") as failure:
        here.make(denied="yes").capture(str(target))
    assert failure.value.hint.startswith("open 'x-apple.systempreferences:")
    assert (here.shims.calls(), target.exists()) == ([], False)


# Apps on a Mac


@ON_A_MAC
def test_an_app_is_started_by_its_path_or_it_is_told_why_not(here):
    here.shims.add("bin/open")
    path = bundle(here, f"Applications/{ODD}.app")
    assert here.make().launch_app("a b 100 c exit") == Launched(ODD, HANDED_OVER)

    here.shims.add("bin/open", "echo 'Unable to find application named x' >&2; exit 1")
    with pytest.raises(LaunchFailed, match=r"did not start: .* Unable to find"):
        here.make().launch_app("a b 100 c exit")
    assert [call for call in here.shims.calls() if call[0] == "open"] == [["open", "-a", path]] * 2


@ON_A_MAC
def test_spotlight_knows_apps_elsewhere_and_names_in_the_persons_language(here):
    here.shims.add("bin/open")
    named = bundle(here, "Applications/Calculator.app")
    other = bundle(here, "else where/Tool.app")
    told = f"{named}   kMDItemDisplayName = Rechner.app\n{other}   kMDItemDisplayName = (null)\n"
    (here.shims.folder / "listed").write_text(told)
    here.shims.add("bin/mdfind", f"/bin/cat '{here.shims.folder}/listed'")

    launched = [here.make().launch_app(name).name for name in ("rechner", "calculator", "tool")]

    assert launched == ["Rechner", "Calculator", "Tool"]
    assert [call[-1] for call in here.shims.calls() if call[0] == "open"] == [named, named, other]
    assert ASKED in here.shims.calls()


@ON_A_MAC
def test_a_plain_command_knows_an_app_by_the_whole_name_of_its_file_if_it_is_the_only_one(
    env, tmp_path, here
):
    env["HOME"] = str(here.shims.folder.parent)
    found = [("My Tool", bundle(here, "Applications/My Tool.app"))]

    assert [MacOS(env).called([name]) for name in ("my tool", "mytool", "tool")] == [found, found, []]
    bundle(here, "Applications/my-tool.app")
    assert MacOS(env).called(["my tool"]) == []


@EACH
def test_a_role_is_an_app_of_the_systems_own(here, listed):
    is_mac = here.opener == "bin/open"
    names = ("Safari", "Browser Helper") if is_mac else ("File Explorer", "Microsoft Edge", "Files")
    listed(*({"Name": name, "AppID": name} for name in names))
    for name in names if is_mac else ():
        bundle(here, f"Applications/{name}.app")

    found = here.make().find_apps("browser" if is_mac else "file manager")

    assert [app.title for app in found.apps] == [names[0]]
    assert not is_mac or here.make().find_apps("settings").apps == ()


# Apps of Windows' start menu


def test_what_comes_from_elsewhere_is_one_literal_and_no_script_has_a_double_quote_or_a_new_line():
    """WSL passes these on wrongly."""
    literal = windows.literal("a'b $(c) `d & %e% \u2018f\u2019")

    assert literal == "'a''b $(c) `d & %e% \u2018\u2018f\u2019\u2019'"
    assert starting(ODD).endswith("-FilePath 'shell:AppsFolder\\A & B? 100% ''C'' \u2019\u2019; exit'")
    for script in (windows.START_APPS, windows.SCREEN, windows.start_process(URL)):
        assert not {'"', "\n"} & set(script)


@ON_WINDOWS
@pytest.mark.parametrize(
    ("words", "name"),
    [("notepad", "Notepad"), ("prüfung", "Prüfung"), ("a b 100 c exit", ODD)],
)
def test_an_app_is_started_by_its_place_in_the_start_menu(here, words, name):
    assert here.make().launch_app(words) == Launched(name, HANDED_OVER)
    assert here.make().find_apps("gedit") == (((GEDIT, "gedit (Debian)"),), False)
    assert here.make().launch_app(GEDIT).name == "gedit (Debian)"
    assert here.scripts() == [starting(NAMES[name]), starting("gedit!App")]
    listing = ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", windows.START_APPS]
    assert here.shims.calls()[0] == listing


def test_the_start_menu_is_listed_once_a_day_and_by_then_a_plain_command_knows_it(here, tmp_path):
    before = here.make().called(["notepad"])
    for _ in range(2):
        here.make().launch_app("notepad")

    found = [("Notepad", f"shell:AppsFolder\\{NAMES['Notepad']}")]
    assert (before, here.make().called(["notepad"]), here.make().called(["pad", "note"])) == ([], found, [])
    assert (len(here.shims.calls()), os.listdir(tmp_path / "cache")) == (3, ["start-apps.json"])
    assert (tmp_path / "cache/start-apps.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo '[{'", "makes no sense"),
        ("printf '\\377\\376'", "makes no sense"),
        ("echo 'Get-StartApps: not recognized' >&2; exit 1", "not recognized"),
        ("exec /bin/sleep 60", "within 1 s"),
    ],
)
def test_a_powershell_that_fails_is_told(then, words, here, tmp_path):
    here.shims.add(POWERSHELL, then)

    with pytest.raises(LaunchFailed, match=words):
        here.make(timeout=1 if "sleep" in then else 5).launch_app("notepad")
    assert len(here.shims.calls()) == 1
    assert not (tmp_path / "cache").exists()


def test_of_two_apps_of_one_name_each_starts_by_its_id_and_nothing_in_place_of_one_that_is_gone(here, listed):
    ids = ("a.Notes!App", "Notes", ODD)
    listed(*({"Name": "Notes", "AppID": id_} for id_ in ids), {"Name": "Notes Too", "AppID": "c"})
    desktop = Windows({"SystemRoot": str(here.shims.folder.parent), **os.environ})

    found = desktop.find_apps("notes")
    with pytest.raises(ActionFailed, match=r"a\.Notes!App, Notes or"):
        desktop.launch_app("notes")
    for app in found.apps:
        desktop.launch_app(app.id)
    listed({"Name": "Notes", "AppID": "another"})
    with pytest.raises(NotInstalled):
        desktop.launch_app(found.apps[0].id)

    assert ([app.title for app in found.apps], found.is_near) == (["Notes"] * 3, False)
    assert here.scripts() == [starting(id_) for id_ in ids]
