"""Windows, by a shim in place of PowerShell, and by what the shell and the screen are reached through."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from jarvis.actions.base import HANDED_OVER, RUNNING, Launched
from jarvis.core.errors import Ambiguous, BadTarget, CaptureFailed, LaunchFailed, NoHandler, NotInstalled
from jarvis.desktop import apps_called
from jarvis.desktop.windows import apps, desktop, powershell
from jarvis.desktop.windows.desktop import Windows
from tests.desktop.conftest import Shims

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)%PATH%"
ODD = "A & B? 100% 'C' \u2019; exit"  # the curly one ends a text of PowerShell's, too
APPS = [
    {"Name": "Notepad", "AppID": "{1AC14E77}\\notepad.exe"},
    {"Name": "Notes Plus", "AppID": "Notes.Plus!App"},
    {"Name": "Visual Studio Code", "AppID": "Microsoft.VisualStudioCode"},
    {"Name": "Prüfung", "AppID": "org.test"},
    {"Name": ODD, "AppID": ODD},
]
PROGRAM = "System32/WindowsPowerShell/v1.0/powershell.exe"


class Shell:
    """In place of the Windows shell: notes what it is told to open, and fails as it is told to."""

    def __init__(self, winerror: int | None = None) -> None:
        self.opened: list[str] = []
        self._winerror = winerror

    def __call__(self, target: str) -> None:
        self.opened.append(target)
        if self._winerror:
            error = OSError(errno.ENOENT, "as Windows says it.")
            error.winerror = self._winerror  # type: ignore[attr-defined]
            raise error


@pytest.fixture
def shell() -> Shell:
    return Shell()


@pytest.fixture
def system(tmp_path: Path, shims: Shims) -> Shims:
    """Windows' own folder, with a PowerShell that lists APPS."""
    system = Shims(tmp_path / "Windows", shims.log)
    (tmp_path / "listed").write_text("\ufeff" + json.dumps(APPS), encoding="utf-8")
    system.add(PROGRAM, f"/bin/cat '{tmp_path}/listed'")
    return system


@pytest.fixture
def here(env: dict[str, str], system: Shims) -> dict[str, str]:
    return env | {"SystemRoot": str(system.folder)}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_powershell_is_the_systems_own() -> None:
    assert desktop.powershell_path({}).startswith("C:\\Windows")
    assert powershell.powershell_argv("p", "x y") == ["p", "-NoProfile", "-NonInteractive", "-Command", "x y"]


def test_what_comes_from_elsewhere_is_one_literal_of_powershells() -> None:
    literal = powershell.literal("a'b $(c) `d & %e% \u2018f\u2019")

    assert literal == "'a''b $(c) `d & %e% \u2018\u2018f\u2019\u2019'"


@pytest.mark.parametrize(
    "script",
    [powershell.START_APPS, powershell.SCREEN, powershell.start_process(URL), powershell.default("https")],
)
def test_no_script_has_a_double_quote_or_a_new_line(script: str) -> None:
    """WSL passes them on wrongly."""
    assert not {'"', "\n"} & set(script)


def test_an_address_reaches_the_shell_whole(shell: Shell) -> None:
    assert Windows({}, start=shell).open_url(URL) == HANDED_OVER
    assert shell.opened == [URL]


@pytest.mark.parametrize(
    "target", ["file:///C:/Windows/notepad.exe", "C:\\Windows", "shell:AppsFolder\\x", "\\\\host\\share", ""]
)
def test_only_web_addresses_are_opened(target: str, shell: Shell) -> None:
    with pytest.raises(BadTarget):
        Windows({}, start=shell).open_url(target)
    assert shell.opened == []


@pytest.mark.parametrize(("winerror", "error"), [(1155, NoHandler), (5, LaunchFailed), (2, LaunchFailed)])
def test_a_refusal_of_the_shell_is_a_failure(winerror: int, error: type[Exception]) -> None:
    shell = Shell(winerror)

    with pytest.raises(error) as failure:
        Windows({}, start=shell).open_url(URL)
    assert shell.opened == [URL]
    assert URL in failure.value.hint  # type: ignore[attr-defined]


def test_a_shell_that_hangs_is_not_waited_for_for_ever() -> None:
    end, ended = threading.Event(), threading.Event()

    def hang(_: str) -> None:
        end.wait(30)
        ended.set()

    assert Windows({}, start=hang, shell_timeout=0.2).open_url(URL) == RUNNING
    assert not ended.is_set()
    end.set()
    assert ended.wait(30)


def test_what_the_shell_starts_does_not_see_our_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "secret")
    monkeypatch.setenv("HARMLESS", "x")
    seen = []

    Windows({}, start=lambda _: seen.append(dict(os.environ))).open_url(URL)

    assert ("GOOGLE_API_KEY" in seen[0], seen[0]["HARMLESS"]) == (False, "x")
    assert os.environ["GOOGLE_API_KEY"] == "secret"


def test_off_windows_the_shell_is_missing_and_that_is_no_success() -> None:
    with pytest.raises(LaunchFailed, match="no Windows shell"):
        Windows({}).open_url(URL)


@pytest.mark.parametrize(
    ("name", "app"),
    [("notepad", APPS[0]), ("prüfung", APPS[3]), ("a b 100 c exit", APPS[4])],
)
def test_an_app_is_started_by_its_place_in_the_start_menu(
    name: str, app: dict[str, str], here: dict[str, str], system: Shims, shell: Shell
) -> None:
    assert Windows(here, start=shell).launch_app(name) == Launched(app["Name"], HANDED_OVER)
    assert shell.opened == [f"shell:AppsFolder\\{app['AppID']}"]
    assert system.calls() == [
        ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", powershell.START_APPS]
    ]


def test_an_app_that_is_not_there_starts_nothing(here: dict[str, str], system: Shims, shell: Shell) -> None:
    with pytest.raises(NotInstalled):
        Windows(here, start=shell).launch_app("nonesuch")
    assert len(system.calls()) == 1
    assert shell.opened == []


def test_a_name_that_was_kept_needs_no_powershell(
    here: dict[str, str], system: Shims, shell: Shell, cache: Path
) -> None:
    for _ in range(2):
        Windows(here, start=shell, cache=str(cache)).launch_app("notepad")

    assert len(shell.opened) == 2
    assert len(system.calls()) == 1
    assert os.listdir(cache) == ["start-apps.json"]
    assert (cache / "start-apps.json").stat().st_mode & 0o077 == 0


def test_a_plain_command_knows_the_apps_that_were_listed_of_late(
    here: dict[str, str], system: Shims, shell: Shell, cache: Path
) -> None:
    before = apps_called(["notepad"], here, "win32", cache=str(cache))
    Windows(here, start=shell, cache=str(cache)).launch_app("notepad")
    calls = len(system.calls())

    assert before == []
    assert apps_called(["notepad"], here, "win32", cache=str(cache)) == [
        ("Notepad", f"shell:AppsFolder\\{APPS[0]['AppID']}")
    ]
    assert apps_called(["pad", "note"], here, "win32", cache=str(cache)) == []
    assert len(system.calls()) == calls


def test_a_part_of_a_name_is_looked_up_anew(
    here: dict[str, str], system: Shims, shell: Shell, cache: Path, tmp_path: Path
) -> None:
    """An app that was installed since may be the one that is meant."""
    Windows(here, start=shell, cache=str(cache)).launch_app("notes")
    (tmp_path / "listed").write_text(json.dumps([*APPS, {"Name": "Notes", "AppID": "Notes"}]))

    Windows(here, start=shell, cache=str(cache)).launch_app("notes")

    assert shell.opened == ["shell:AppsFolder\\Notes.Plus!App", "shell:AppsFolder\\Notes"]
    assert len(system.calls()) == 2


def test_the_folders_above_what_is_kept_are_for_their_owner_alone(
    here: dict[str, str], system: Shims, shell: Shell, tmp_path: Path
) -> None:
    Windows(here, start=shell, cache=str(tmp_path / "made/too/cache")).launch_app("notepad")

    made = [tmp_path / "made", tmp_path / "made/too", tmp_path / "made/too/cache"]
    assert [oct(folder.stat().st_mode & 0o777) for folder in made] == ["0o700"] * 3


@pytest.mark.parametrize("spoilt", ["a day passes", "garbage", "a clock that went back"])
def test_what_was_kept_is_not_trusted_for_ever(
    spoilt: str, here: dict[str, str], system: Shims, shell: Shell, cache: Path
) -> None:
    kept = cache / "start-apps.json"
    Windows(here, start=shell, cache=str(cache)).launch_app("notepad")
    if spoilt == "garbage":
        kept.write_text("[{")
    else:
        then = time.time() + (86500 if "clock" in spoilt else -86500)
        os.utime(kept, (then, then))

    Windows(here, start=shell, cache=str(cache)).launch_app("notepad")

    assert len(system.calls()) == 2


def test_a_cache_that_can_not_be_written_stops_nobody(
    here: dict[str, str], system: Shims, shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")

    Windows(here, start=shell, cache=str(tmp_path / "file/cache")).launch_app("notepad")

    assert len(shell.opened) == len(system.calls()) == 1


@pytest.mark.parametrize(("winerror", "error"), [(2, NotInstalled), (5, LaunchFailed)])
def test_an_app_that_is_gone_is_told_and_what_was_kept_forgotten(
    winerror: int, error: type[Exception], here: dict[str, str], system: Shims, cache: Path
) -> None:
    shell = Shell(winerror)

    with pytest.raises(error, match="Notepad"):
        Windows(here, start=shell, cache=str(cache)).launch_app("notepad")
    assert len(shell.opened) == len(system.calls()) == 1
    assert os.listdir(cache) == []


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo '[{'", "makes no sense"),
        ("echo '[]'", "makes no sense"),
        ("exit 0", "makes no sense"),
        ("printf '\\377\\376'", "makes no sense"),
        ("echo 'Get-StartApps: not recognized' >&2; exit 1", "not recognized"),
        ("exec /bin/sleep 60", "within 1 s"),
    ],
)
def test_a_powershell_that_fails_is_told(
    then: str, words: str, here: dict[str, str], system: Shims, shell: Shell, cache: Path
) -> None:
    system.add(PROGRAM, then)
    timeout = 1 if "sleep" in then else 5

    with pytest.raises(LaunchFailed, match=words):
        Windows(here, start=shell, cache=str(cache), list_timeout=timeout).launch_app("notepad")
    assert len(system.calls()) == 1
    assert shell.opened == []
    assert not cache.exists()


def test_without_powershell_it_says_so(env: dict[str, str], tmp_path: Path, shell: Shell) -> None:
    with pytest.raises(LaunchFailed, match="does not exist"):
        Windows(env | {"SystemRoot": str(tmp_path)}, start=shell).launch_app("notepad")


def test_two_apps_of_one_name_are_told_apart_by_their_ids(
    here: dict[str, str], system: Shims, shell: Shell, tmp_path: Path
) -> None:
    twice = [{"Name": "Notes", "AppID": "a.Notes!App"}, {"Name": "Notes", "AppID": "b.Notes!App"}]
    (tmp_path / "listed").write_text(json.dumps(twice))

    with pytest.raises(Ambiguous, match=r"a\.Notes!App or b\.Notes!App"):
        Windows(here, start=shell).launch_app("notes")
    Windows(here, start=shell).launch_app("b.Notes!App")
    assert shell.opened == ["shell:AppsFolder\\b.Notes!App"]
    assert len(system.calls()) == 2


GERMAN = [
    {"Name": "Einstellungen",
     "AppID": "windows.immersivecontrolpanel_cw5n1h2txyewy!microsoft.windows.immersivecontrolpanel"},
    {"Name": "Explorer", "AppID": "Microsoft.Windows.Explorer"},
    {"Name": "Editor", "AppID": "Microsoft.WindowsNotepad_8wekyb3d8bbwe!App"},
    {"Name": "Eingabeaufforderung", "AppID": "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\cmd.exe"},
    {"Name": "Outlook", "AppID": "Microsoft.OutlookForWindows_8wekyb3d8bbwe!Microsoft.OutlookForWindows"},
    {"Name": "Microsoft Edge", "AppID": "MSEdge"},
    {"Name": "Firefox", "AppID": "308046B0AF4A39CB"},
]  # fmt: skip


@pytest.fixture
def german(here: dict[str, str], system: Shims, tmp_path: Path) -> dict[str, str]:
    """A Windows in German, whose registry says what stands in the file `chosen`, if there is one."""
    (tmp_path / "listed").write_text(json.dumps(GERMAN))
    listing = f"*Get-StartApps*) exec /bin/cat '{tmp_path}/listed' ;;"
    system.add(PROGRAM, f"case $4 in {listing} *https*) exec /bin/cat '{tmp_path}/chosen' ;; esac; exit 1")
    return here


@pytest.mark.parametrize(
    ("name", "title"),
    [("settings", "Einstellungen"), ("files", "Explorer"), ("file manager", "Explorer"), ("editor", "Editor"),
     ("text editor", "Editor"), ("terminal", "Eingabeaufforderung"), ("mail", "Outlook"),
     ("browser", "Microsoft Edge"), ("einstellungen", "Einstellungen")],
)  # fmt: skip
def test_a_role_is_windows_own_app_whatever_it_is_called(
    name: str, title: str, german: dict[str, str]
) -> None:
    found = Windows(german).find_apps(name)

    assert ([app.title for app in found.apps], found.is_near) == ([title], False)


@pytest.mark.parametrize(
    ("chosen", "title"), [("308046B0AF4A39CB", "Firefox"), ("Gone", "Microsoft Edge"), ("", "Microsoft Edge")]
)
def test_the_browser_is_the_one_that_the_person_chose(
    chosen: str, title: str, german: dict[str, str], system: Shims, tmp_path: Path
) -> None:
    (tmp_path / "chosen").write_text(chosen)

    assert [app.title for app in Windows(german).find_apps("browser").apps] == [title]
    assert [call[-1] for call in system.calls()] == [powershell.START_APPS, powershell.default("https")]


def test_each_app_that_is_found_starts_by_its_id(
    here: dict[str, str], system: Shims, shell: Shell, tmp_path: Path
) -> None:
    twice = [{"Name": "Notes", "AppID": app_id} for app_id in ("a.Notes!App", "Notes", ODD)]
    (tmp_path / "listed").write_text(json.dumps([*twice, {"Name": "Notes Too", "AppID": "c"}]))

    found = Windows(here, start=shell).find_apps("notes")
    for app in found.apps:
        Windows(here, start=shell).launch_app(app.id)

    assert ([app.title for app in found.apps], found.is_near) == (["Notes"] * 3, False)
    assert shell.opened == [f"shell:AppsFolder\\{app['AppID']}" for app in twice]


def test_nothing_is_started_in_place_of_an_app_that_was_removed(
    here: dict[str, str], system: Shims, shell: Shell, tmp_path: Path
) -> None:
    [notepad] = Windows(here).find_apps("notepad").apps
    (tmp_path / "listed").write_text(json.dumps([{"Name": "Notepad", "AppID": "another"}]))

    with pytest.raises(NotInstalled):
        Windows(here, start=shell).launch_app(notepad.id)
    assert shell.opened == []


def test_a_slip_of_the_finger_comes_near(here: dict[str, str]) -> None:
    found = Windows(here).find_apps("notepda")

    assert ([app.title for app in found.apps], found.is_near) == (["Notepad"], True)
    assert Windows(here).find_apps("spotify") == ((), False)


def test_where_windows_does_not_list_its_apps_that_is_told(here: dict[str, str], system: Shims) -> None:
    """To say that it is not installed would be wrong."""
    system.add(PROGRAM, "exit 1")

    with pytest.raises(LaunchFailed, match="did not list its apps"):
        Windows(here).find_apps("notepad")
    assert len(system.calls()) == 1


@pytest.mark.parametrize(
    "row",
    [None, 1, "x", [], {}, {"Name": "A"}, {"Name": "A", "AppID": 1}, {"Name": "\x1b[0m", "AppID": "a"},
     {"Name": "A", "AppID": ""}, {"Name": "A", "AppID": 'a"b'}, {"Name": "A", "AppID": "a\nb"}],
)  # fmt: skip
def test_a_row_that_makes_no_sense_is_left_out(row: object) -> None:
    rows = json.dumps([row, {"Name": "Good", "AppID": "good"}]).encode()

    assert [app.id for app in apps.parse(rows)] == ["good"]


def test_a_single_app_may_come_without_a_list() -> None:
    assert [app.id for app in apps.parse(b'{"Name": "Good", "AppID": "good"}')] == ["good"]


def test_a_picture_of_all_screens_is_kept(photo: Path, target: Path) -> None:
    assert Windows({}, take=lambda: Image.open(photo)).capture(str(target)) == (60, 40)
    with Image.open(target) as kept:
        assert kept.getpixel((0, 0)) == (0, 0, 255)


def test_a_locked_screen_is_told(target: Path) -> None:
    def refuse() -> Image.Image:
        raise OSError("screen grab failed")

    with pytest.raises(CaptureFailed, match="screen grab failed"):
        Windows({}, take=refuse).capture(str(target))
    assert not target.parent.exists()


def test_a_blank_picture_is_refused(target: Path) -> None:
    with pytest.raises(CaptureFailed, match="blank"):
        Windows({}, take=lambda: Image.new("RGB", (60, 40))).capture(str(target))
    assert not target.parent.exists()
