from __future__ import annotations

import pytest

from jarvis.actions.base import RUNNING, Launched
from jarvis.core.errors import Ambiguous, LaunchFailed, NoDisplay, NotInstalled
from jarvis.desktop.linux.desktop import Linux
from tests.desktop.screen import running, write_entry


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_an_app_is_started_with_its_own_arguments_only(env, shims, home):
    shims.add("app", "exec /bin/sleep 60")
    write_entry(home, "app", Name="The App", Exec='app --title "%c" %U')

    assert Linux(env, app_grace=1).launch_app("the app") == Launched("The App", RUNNING)
    assert shims.calls() == [["app", "--title", "The App"]]
    assert len(running(env)) == 1


def test_an_app_that_gives_up_at_once_is_a_failure(env, shims, home):
    program = shims.add("app", "exit 1")
    write_entry(home, "app", Name="App", Exec="app --now")

    with pytest.raises(LaunchFailed) as failure:
        Linux(env).launch_app("app")
    assert failure.value.hint == f"To see why: {program} --now"
    assert shims.calls() == [["app", "--now"]]


def test_an_app_whose_program_is_gone_is_not_installed(env, home):
    write_entry(home, "app", Name="App", Exec="gone")

    with pytest.raises(NotInstalled, match="gone"):
        Linux(env).launch_app("app")


def test_a_terminal_app_gets_a_terminal(env, shims, home):
    program = shims.add("vim")
    shims.add("xterm")
    write_entry(home, "vim", Name="Vim", Exec="vim %F", Terminal="true")

    assert Linux(env).launch_app("vim").name == "Vim"
    assert shims.calls() == [["xterm", "-e", str(program)]]


def test_a_terminal_app_without_a_terminal_is_a_clear_failure(env, shims, home):
    shims.add("vim")
    write_entry(home, "vim", Name="Vim", Exec="vim", Terminal="true")

    with pytest.raises(LaunchFailed, match="no terminal is installed"):
        Linux(env).launch_app("vim")
    assert shims.calls() == []


def test_an_app_that_only_d_bus_can_start_is_left_to_gio(env, shims, home):
    shims.add("gio")
    path = write_entry(home, "app", Name="App", DBusActivatable="true")

    Linux(env).launch_app("app")

    assert shims.calls() == [["gio", "launch", str(path)]]


def test_two_apps_of_that_name_start_neither(env, shims, home):
    for name in ("one", "two"):
        shims.add(name)
        write_entry(home, name, Name=f"Music {name}", Exec=name)

    with pytest.raises(Ambiguous, match="Music one or Music two"):
        Linux(env).launch_app("music")
    assert shims.calls() == []


def test_without_a_screen_no_app_is_started(env, shims, home):
    shims.add("app")
    write_entry(home, "app", Name="App", Exec="app")
    del env["WAYLAND_DISPLAY"]

    with pytest.raises(NoDisplay):
        Linux(env).launch_app("app")
    assert shims.calls() == []


def test_an_app_starts_in_its_own_folder_or_at_home(env, shims, home, tmp_path):
    shims.add("app", f"pwd -P >> {tmp_path}/where")
    write_entry(home, "here", Name="Here", Exec="app 1", Path=str(shims.folder))
    write_entry(home, "gone", Name="Gone", Exec="app 2", Path="/no/such/folder")

    for name in ("here", "gone"):
        Linux(env).launch_app(name)

    assert (tmp_path / "where").read_text().split() == [str(shims.folder.resolve()), str(home.resolve())]


def test_a_terminal_that_others_can_change_is_not_given_an_app(env, shims, home):
    shims.add("vim")
    terminal = shims.add("xterm")
    write_entry(home, "vim", Name="Vim", Exec="vim", Terminal="true")
    terminal.chmod(0o757)

    with pytest.raises(LaunchFailed, match=f"xterm was not started: .* can change {terminal}"):
        Linux(env).launch_app("vim")
    assert shims.calls() == []


ENTRIES = "home/.local/share/applications"


@pytest.mark.parametrize("shared", ["bin/app", f"{ENTRIES}/app.desktop", "bin", ENTRIES, "home/.local"])
def test_what_others_can_change_is_not_started(shared, env, shims, home, tmp_path):
    """In a folder of theirs they could put another one by the same name."""
    shims.add("app")
    write_entry(home, "app", Name="App", Exec="app")
    path = tmp_path / shared
    path.chmod(0o777)

    with pytest.raises(LaunchFailed) as failure:
        Linux(env).launch_app("app")
    assert failure.value.message == f"App was not started: other users of this machine can change {path}."
    assert failure.value.hint == f"chmod go-w {path}"
    assert shims.calls() == []
