"""WSL, by shims in place of Windows' programs: what they are given, and what becomes of what they answer."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from jarvis.core.errors import ActionFailed, BadTarget, CaptureFailed
from jarvis.desktop.desktop import HANDED_OVER, Launched
from jarvis.desktop.windows import SCREEN, Windows
from jarvis.desktop.wsl import Wsl
from tests.desktop.conftest import Shims

URL = "https://example.org/a?b=1&c=%20d&e='f'#g;h$(i)%PATH%"
POWERSHELL = "WindowsPowerShell/v1.0/powershell.exe"
ODD_ID = "A & B? 100% 'C' \u2019; exit!App"
APPS = [
    {"Name": "Firefox", "AppID": "308046B0AF4A39CB"},
    {"Name": "gedit (Debian)", "AppID": ODD_ID},
    {"Name": "Paint", "AppID": "Paint!App"},
]


@pytest.fixture
def system(tmp_path, shims):
    """Windows' own folder, as WSL sees it."""
    return Shims(tmp_path / "System32", shims.log)


@pytest.fixture
def windows(system, tmp_path):
    """A PowerShell that lists APPS, and starts what it is told to."""
    (tmp_path / "listed").write_text(json.dumps(APPS))
    list_or_start = f"case $4 in *Get-StartApps*) /bin/cat '{tmp_path}/listed' ;; esac"
    system.add(POWERSHELL, list_or_start)
    return system


@pytest.fixture
def session(env, system):
    """Wsl, with the variables that are given."""
    return lambda timeout=30.0, **more: Wsl(env | more, system=str(system.folder), timeout=timeout)


def scripts(shims):
    return [call[-1] for call in shims.calls() if call[0] == "powershell.exe"]


def test_an_address_reaches_windows_whole_and_as_one_argument_and_nothing_else_does(session, system):
    system.add("rundll32.exe")
    system.add(POWERSHELL)

    assert session().open_url(URL) == HANDED_OVER
    for target in ("file:///mnt/c", "C:\\Windows", "--help", "https://a b", URL + "x" * 2_048):
        with pytest.raises(BadTarget):
            session().open_url(target)
    assert system.calls() == [["rundll32.exe", "url.dll,FileProtocolHandler", URL]]


@pytest.mark.parametrize("then", ["exit 1", "not a program", ""])
def test_where_windows_does_not_open_it_that_is_told(then, session, system):
    if then:
        program = system.add("rundll32.exe", then)
        if then == "not a program":  # as where WSL may not run Windows programs
            program.write_bytes(b"MZ\x90\x00")

    with pytest.raises(ActionFailed, match=r"rundll32\.exe"):
        session().open_url(URL)


def test_the_apps_are_those_of_the_start_menu_and_start_by_windows(session, windows):
    found = session().find_apps("gedit")

    assert found == (((f"shell:AppsFolder\\{ODD_ID}", "gedit (Debian)"),), False)
    assert session().launch_app(found.apps[0].id) == Launched("gedit (Debian)", HANDED_OVER)
    assert scripts(windows)[-1] == (
        "$ErrorActionPreference='Stop';Start-Process -FilePath "
        "'shell:AppsFolder\\A & B? 100% ''C'' \u2019\u2019; exit!App'"
    )


def test_the_screen_comes_as_a_picture_in_wsl_and_in_windows_itself(session, env, system, photo, tmp_path):
    system.add(POWERSHELL, f"/bin/cat '{photo}'")

    for here in (session(), Windows(env | {"SystemRoot": str(tmp_path)})):
        target = tmp_path / f"{type(here).__name__}.png"
        assert here.capture(str(target)) == (60, 40)
        with Image.open(target) as kept:
            assert kept.getpixel((0, 0)) == (0, 0, 255)
    assert scripts(system) == [SCREEN] * 2


def test_a_screen_that_can_not_be_read_leaves_nothing(session, system, target):
    system.add(POWERSHELL, "echo 'The handle is invalid.' >&2; exit 1")

    with pytest.raises(CaptureFailed, match="The handle is invalid"):
        session().capture(str(target))
    assert len(scripts(system)) == 1
    assert not target.parent.exists()
