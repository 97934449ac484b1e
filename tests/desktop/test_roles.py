from __future__ import annotations

import pytest

from jarvis.desktop import apps_called
from jarvis.desktop.linux.desktop import Linux
from tests.desktop.screen import write_entry


@pytest.fixture
def home(tmp_path, shims):
    """Two browsers and two terminals, of which one each is the person's own choice."""
    home = tmp_path / "home"
    for app_id, generic in (
        ("one", "Web Browser"),
        ("two", "Web Browser"),
        ("tic", "Terminal"),
        ("tac", "Terminal"),
    ):
        shims.add(app_id)
        write_entry(home, app_id, Name=app_id.title(), GenericName=generic, Exec=app_id)
    (home / ".config").mkdir(exist_ok=True)
    defaults = "[Added Associations]\nx-scheme-handler/https=one.desktop\n[Default Applications]\n"
    defaults += "x-scheme-handler/https=gone.desktop;two.desktop;\nx-scheme-handler/mailto=../x.desktop\n"
    (home / ".config/mimeapps.list").write_text(defaults)
    (home / ".config/xdg-terminals.list").write_text("# mine\n\ntac.desktop\ntic.desktop\n")
    return home


def test_what_is_a_role_is_plain_and_what_is_none_or_was_not_chosen_is_not(env, home):
    assert apps_called(["browser"], env, "linux") == [("Two", "two.desktop")]
    assert apps_called(["mail"], env, "linux") == []
    assert apps_called(["door"], env, "linux") == []


def test_the_choice_for_this_desktop_comes_first(env, home):
    env["XDG_CURRENT_DESKTOP"] = "KDE"
    (home / ".config/kde-mimeapps.list").write_text(
        "[Default Applications]\nx-scheme-handler/https=one.desktop\n"
    )

    assert apps_called(["browser"], env, "linux") == [("One", "one.desktop")]


def test_debian_names_a_terminal_by_a_link(env, shims, home):
    (home / ".config/xdg-terminals.list").unlink()
    (shims.folder / "x-terminal-emulator").symlink_to(shims.folder / "tic")

    assert apps_called(["terminal"], env, "linux") == [("Tic", "tic.desktop")]


@pytest.mark.parametrize("program", ["kgx", "gnome-terminal.wrapper"])
def test_another_app_with_the_word_in_its_name_is_no_terminal_where_one_was_chosen(program, env, shims, home):
    """Debian links to the program, whose entry is called something else than the program is."""
    for entry in (home / ".local/share/applications").iterdir():
        entry.unlink()
    (home / ".config/xdg-terminals.list").unlink()
    for name in ("gksu", program, program.partition(".")[0]):
        shims.add(name)
    (shims.folder / "x-terminal-emulator").symlink_to(shims.folder / program)
    write_entry(home, "gksu", Name="Root Terminal", Exec="gksu x-terminal-emulator")
    write_entry(home, "org.gnome.Chosen", Name="Console", Exec=f"{program.partition('.')[0]} --tab")

    assert Linux(env).launch_app("terminal").name == "Console"
    assert [call[0] for call in shims.calls()] == [program.partition(".")[0]]
