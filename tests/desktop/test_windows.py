"""Windows, by a shim in place of PowerShell, and by what the shell and the screen are reached through."""

from __future__ import annotations

import json
import os

import pytest

from jarvis.core.errors import ActionFailed, BadTarget, LaunchFailed, NotInstalled
from jarvis.desktop import windows
from jarvis.desktop.desktop import HANDED_OVER, Launched
from jarvis.desktop.windows import Windows
from tests.desktop.conftest import Shims

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)%PATH%"
ODD = "A & B? 100% 'C' \u2019; exit"  # the curly one ends a text of PowerShell's, too
APPS = [
    {"Name": "Notepad", "AppID": "{1AC14E77}\\notepad.exe"},
    {"Name": "Notes Plus", "AppID": "Notes.Plus!App"},
    {"Name": "Visual Studio Code", "AppID": "Microsoft.VisualStudioCode"},
    {"Name": "Prüfung", "AppID": "org.test"},
    {"Name": ODD, "AppID": ODD},
]
OPENER, PROGRAM = "System32/rundll32.exe", "System32/WindowsPowerShell/v1.0/powershell.exe"


@pytest.fixture
def system(tmp_path, shims):
    """Windows' own folder, with a PowerShell that lists APPS and starts what it is told to."""
    system = Shims(tmp_path / "Windows", shims.log)
    (tmp_path / "listed").write_text("\ufeff" + json.dumps(APPS), encoding="utf-8")
    system.add(PROGRAM, f"case $4 in *Get-StartApps*) /bin/cat '{tmp_path}/listed' ;; esac")
    system.add(OPENER)
    return system


def started(system):
    """What PowerShell was told to start."""
    scripts = [call[-1] for call in system.calls() if call[0] == "powershell.exe"]
    return [script for script in scripts if script != windows.START_APPS]


@pytest.fixture
def here(env, system):
    return env | {"SystemRoot": str(system.folder)}


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def test_what_comes_from_elsewhere_is_one_literal_of_powershells():
    literal = windows.literal("a'b $(c) `d & %e% \u2018f\u2019")

    assert literal == "'a''b $(c) `d & %e% \u2018\u2018f\u2019\u2019'"


@pytest.mark.parametrize(
    "script",
    [windows.START_APPS, windows.SCREEN, windows.start_process(URL)],
)
def test_no_script_has_a_double_quote_or_a_new_line(script):
    """WSL passes them on wrongly."""
    assert not {'"', "\n"} & set(script)


def test_an_address_reaches_the_shell_whole_and_nothing_else_does(here, system):
    assert Windows(here).open_url(URL) == HANDED_OVER
    for target in (
        "file:///C:/Windows/notepad.exe",
        "C:\\Windows",
        "shell:AppsFolder\\x",
        "\\\\host\\share",
        "",
        URL + "x" * 2_048,
    ):
        with pytest.raises(BadTarget):
            Windows(here).open_url(target)
    assert system.calls() == [["rundll32.exe", "url.dll,FileProtocolHandler", URL]]


def test_a_refusal_of_the_shell_is_a_failure(here, system):
    system.add(OPENER, "exit 1")

    with pytest.raises(LaunchFailed, match=r"rundll32\.exe failed with status 1") as failure:
        Windows(here).open_url(URL)
    assert URL in failure.value.hint


def test_what_the_shell_starts_does_not_see_our_keys(here, system, tmp_path):
    system.add(OPENER, f"echo $GOOGLE_API_KEY $HARMLESS > '{tmp_path}/seen'")

    Windows(here | {"GOOGLE_API_KEY": "secret", "HARMLESS": "x"}).open_url(URL)

    assert (tmp_path / "seen").read_text() == "x\n"


@pytest.mark.parametrize(
    ("name", "app"), [("notepad", APPS[0]), ("prüfung", APPS[3]), ("a b 100 c exit", APPS[4])]
)
def test_an_app_is_started_by_its_place_in_the_start_menu_which_is_listed_once_a_day(
    name, app, here, system, cache
):
    for _ in range(2):
        launched = Windows(here, cache=str(cache)).launch_app(name)
        assert launched == Launched(app["Name"], HANDED_OVER)

    assert started(system) == [windows.start_process(f"shell:AppsFolder\\{app['AppID']}")] * 2
    assert system.calls()[0] == [
        *("powershell.exe", "-NoProfile", "-NonInteractive", "-Command", windows.START_APPS)
    ]
    assert len(system.calls()) == 3
    assert os.listdir(cache) == ["start-apps.json"]
    assert (cache / "start-apps.json").stat().st_mode & 0o077 == 0


def test_a_plain_command_knows_the_apps_that_were_listed_of_late(here, system, cache):
    before = Windows(here, str(cache)).called(["notepad"])
    Windows(here, cache=str(cache)).launch_app("notepad")
    calls = len(system.calls())

    assert before == []
    assert Windows(here, str(cache)).called(["notepad"]) == [
        ("Notepad", f"shell:AppsFolder\\{APPS[0]['AppID']}")
    ]
    assert Windows(here, str(cache)).called(["pad", "note"]) == []
    assert len(system.calls()) == calls


def test_an_app_that_is_gone_is_told(here, system, cache, tmp_path):
    told = "This command can not be run: there is no such file."
    list_or_fail = (
        f"case $4 in *Get-StartApps*) /bin/cat '{tmp_path}/listed' ;; *) echo '{told}' >&2; exit 1 ;; esac"
    )
    system.add(PROGRAM, list_or_fail)

    with pytest.raises(LaunchFailed, match=r"Notepad did not start: .*no such file"):
        Windows(here, cache=str(cache)).launch_app("notepad")
    assert len(started(system)) == 1


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("echo '[{'", "makes no sense"),
        ("printf '\\377\\376'", "makes no sense"),
        ("echo 'Get-StartApps: not recognized' >&2; exit 1", "not recognized"),
        ("exec /bin/sleep 60", "within 1 s"),
    ],
)
def test_a_powershell_that_fails_is_told(then, words, here, system, cache):
    system.add(PROGRAM, then)
    timeout = 1 if "sleep" in then else 5

    with pytest.raises(LaunchFailed, match=words):
        Windows(here, cache=str(cache), timeout=timeout).launch_app("notepad")
    assert len(system.calls()) == 1
    assert not cache.exists()


def test_a_role_is_an_app_of_the_systems_own(here, system, tmp_path):
    names = ("File Explorer", "Microsoft Edge", "Files")
    (tmp_path / "listed").write_text(json.dumps([{"Name": name, "AppID": name} for name in names]))

    found = Windows(here).find_apps("file manager")

    assert [app.title for app in found.apps] == ["File Explorer"]


def test_of_two_apps_of_one_name_each_starts_by_its_id_and_nothing_in_place_of_one_that_is_gone(
    here, system, tmp_path
):
    twice = [{"Name": "Notes", "AppID": app_id} for app_id in ("a.Notes!App", "Notes", ODD)]
    (tmp_path / "listed").write_text(json.dumps([*twice, {"Name": "Notes Too", "AppID": "c"}]))
    desktop = Windows(here)

    found = desktop.find_apps("notes")
    with pytest.raises(ActionFailed, match=r"a\.Notes!App, Notes or"):
        desktop.launch_app("notes")
    for app in found.apps:
        desktop.launch_app(app.id)
    (tmp_path / "listed").write_text(json.dumps([{"Name": "Notes", "AppID": "another"}]))
    with pytest.raises(NotInstalled):
        desktop.launch_app(found.apps[0].id)

    assert ([app.title for app in found.apps], found.is_near) == (["Notes"] * 3, False)
    assert started(system) == [windows.start_process(f"shell:AppsFolder\\{app['AppID']}") for app in twice]
