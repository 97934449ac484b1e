"""Apps are found by what somebody calls them, in any language; what is started is that app and no other."""

from pathlib import Path

import pytest

from jarvis.core.errors import ActionFailed, LaunchFailed, NoDisplay, NotInstalled
from jarvis.core.types import AppFound
from jarvis.desktop.desktop import RUNNING, Launched
from jarvis.desktop.linux import Linux
from tests.desktop.screen import running, write_entry

CALCULATOR = {
    "Name": "Calculator", "Name_de": "Taschenrechner", "Name_el": "Αριθμομηχανή", "Name_ru": "Калькулятор",
    "Name_ja": "電卓", "Name_hi": "कैलकुलेटर", "Name_ar": "الحاسبة", "Name_ko": "계산기",
    "Name_tr": "Hesap Makinesi", "Exec": "gnome-calculator",
}  # fmt: skip
ENTRIES = {
    "org.gnome.Calculator": CALCULATOR,
    "org.kde.kcalc": {"Name": "KCalc", "GenericName": "Scientific Calculator", "Exec": "kcalc"},
    "firefox": {"Name": "Firefox", "GenericName": "Web Browser", "GenericName_sv": "Webbläsare",
                "Exec": "firefox %u"},
    "org.chromium.Chromium": {"Name": "Chromium", "GenericName": "Web Browser", "Exec": "chromium %U"},
    "xfce4-terminal": {"Name": "Xfce Terminal", "GenericName": "Terminal", "Exec": "xfce4-terminal"},
    "gksu": {"Name": "Root Terminal", "Name_de": "Root-Terminal", "Exec": "gksu xterm"},
    "org.gnome.TextEditor": {"Name": "Text Editor", "Name_de": "Texteditor", "Exec": "gnome-text-editor"},
    "vim": {"Name": "Vim", "GenericName": "Text Editor", "Exec": "vim %F", "Terminal": "true"},
    "org.gnome.Settings": {"Name": "System", "Exec": "gnome-control-center", "OnlyShowIn": "GNOME;"},
    "systemsettings": {"Name": "KDE System", "Exec": "systemsettings", "OnlyShowIn": "KDE;"},
    "thunderbird": {"Name": "Thunderbird", "Exec": "thunderbird"},
    "org.gnome.Nautilus": {"Name": "Files", "Name_de": "Dateien", "Exec": "nautilus --new-window"},
}  # fmt: skip
CHOSEN = """[Added Associations]
x-scheme-handler/https=firefox.desktop
[Default Applications]
x-scheme-handler/https=gone.desktop;org.chromium.Chromium.desktop;
x-scheme-handler/mailto=thunderbird.desktop
text/plain=vim.desktop
inode/directory=org.gnome.Nautilus.desktop
"""


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def here(env, home, shims):
    """A session in English, with ENTRIES and what was CHOSEN."""
    (shims.folder / "x-terminal-emulator").symlink_to(shims.add("xfce4-terminal"))
    for app_id, keys in ENTRIES.items():
        write_entry(home, app_id, **keys)
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/mimeapps.list").write_text(CHOSEN)
    return env | {"LANG": "en_US.UTF-8", "XDG_CURRENT_DESKTOP": "GNOME"}


def install(env, app_id, shims, **keys):
    shims.add(app_id)
    write_entry(Path(env["HOME"]), app_id, Exec=app_id, **keys)


def test_an_app_is_found_by_its_name_in_every_language(here):
    names = [name for key, name in CALCULATOR.items() if key != "Exec"]
    others = ["CALCULATOR", "αριθμομηχανη", "HesapMakinesi", "the calculator", "org.gnome.Calculator"]

    for name in (*names, *others):
        found = Linux(here).find_apps(name)
        assert found == ((AppFound("org.gnome.Calculator.desktop", "Calculator"),), False), name


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        *(("firefix", ["Firefox"]), ("the chromum app", ["Chromium"]), ("thunderb", ["Thunderbird"])),
        *(("calulator", ["Calculator"]), ("taschenrehcner", ["Calculator"])),
        *((name, []) for name in ("chrome", "edge", "x", "fi", "whatsapp", "", "bash", "★", "calculus")),
        *(
            (name, [])
            for name in ("terminal illness", "notes on writing", "rm -rf /", "x" * 10_000, "\ud800")
        ),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_name_is_never_taken_for_another_and_a_slip_of_the_finger_told_as_near(here, name, titles):
    found = Linux(here).find_apps(name)

    assert ([app.title for app in found.apps], found.is_near) == (titles, bool(titles))
    with pytest.raises(NotInstalled):
        Linux(here).launch_app(name)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        # The role comes before what has the word in its name, or is one of several such.
        *(("terminal", "Xfce Terminal"), ("browser", "Chromium"), ("web browser", "Chromium")),
        *(("email", "Thunderbird"), ("editor", "Vim"), ("settings", "System")),
        # Something of that very name comes before the role.
        *(("files", "Files"), ("text editor", "Text Editor"), ("Root-Terminal", "Root Terminal")),
        # Whole words, and what it is called in general.
        *(("webbläsare", "Firefox"), ("scientific calculator", "KCalc"), ("root", "Root Terminal")),
    ],
)
def test_a_name_then_a_role_then_a_whole_word_count(here, name, title):
    found = Linux(here).find_apps(name)

    assert ([app.title for app in found.apps], found.is_near) == ([title], False)


def test_without_a_chosen_terminal_one_that_says_it_is_one_is_meant(env, home, shims):
    on_x, found = {name: value for name, value in env.items() if name != "WAYLAND_DISPLAY"}, []
    for program in ("none", "zutty", "foot", "xterm --server", "xterm", "konsole"):
        shims.add(program.split()[0])
        says = {"Categories": "System;TerminalEmulator;"} if program != "none" else {"Name_de": "Terminal"}
        write_entry(home, f"debian-{program.replace(' ', '')}", Name=program, Exec=program, **says)
        found += Linux(on_x).called(["terminal"])

    assert [name for name, _ in found] == ["zutty", "foot", "xterm --server", "xterm", "konsole"]
    (shims.folder / "x-terminal-emulator").symlink_to(shims.folder / "zutty")
    assert Linux(env).called(["terminal"]) == [("zutty", "debian-zutty.desktop")]


def test_a_plain_command_knows_a_role_and_nothing_that_is_none_or_was_not_chosen(here, home):
    chosen = home / ".config/mimeapps.list"
    chosen.write_text(CHOSEN.replace("mailto=thunderbird", "mailto=../thunderbird"))

    assert Linux(here).called(["browser"]) == [("Chromium", "org.chromium.Chromium.desktop")]
    assert Linux(here).called(["mail"]) == Linux(here).called(["door"]) == []


def test_apps_are_read_once_and_again_when_an_entry_has_changed(here, home, tmp_path):
    def called(name):
        return [title for title, _ in Linux(here, str(tmp_path / "cache")).called([name])]

    path = write_entry(home, "paint", Name="Paint", Exec="paint")
    kept = tmp_path / "cache/apps.json"
    before = called("paint"), kept.stat().st_mtime_ns, called("paint"), kept.stat().st_mtime_ns
    path.write_text(path.read_text().replace("Paint", "Brush"))

    assert before[:2] == before[2:]
    assert (before[0], called("brush"), called("calculator")) == (["Paint"], ["Brush"], ["Calculator"])


def test_several_of_that_name_are_all_found_none_is_started_and_each_by_its_id(here, shims):
    for app_id in ("notes", "org.b.Notes"):
        install(here, app_id, shims, Name="Notes")
    install(here, "notes-too", shims, Name="Notes Too")

    found = Linux(here).find_apps("notes")

    assert found == ((AppFound("notes.desktop", "Notes"), AppFound("org.b.Notes.desktop", "Notes")), False)
    with pytest.raises(ActionFailed, match=r"notes or org\.b\.Notes"):
        Linux(here).launch_app("notes")
    for app in found.apps:
        Linux(here).launch_app(app.id)
    assert shims.calls() == [["notes"], ["org.b.Notes"]]


def test_an_id_starts_that_app_whatever_others_are_called_and_nothing_in_its_place(here, shims):
    install(here, "paint", shims, Name="Other")
    install(here, "other", shims, Name="paint.desktop")

    assert Linux(here).launch_app("paint.desktop") == Launched("Other", "handed_over")
    (Path(here["HOME"]) / ".local/share/applications/paint.desktop").unlink()
    with pytest.raises(NotInstalled, match=r"paint\.desktop"):
        Linux(here).launch_app("paint.desktop")
    assert shims.calls() == [["paint"]]


def test_what_is_no_id_starts_nothing(env, shims):
    install(env, "outside", shims, Name="Outside")
    entry = Path(env["HOME"]) / ".local/share/applications/outside.desktop"
    entry.rename(entry.parents[1] / entry.name)

    for target in ("..-outside.desktop", "../outside.desktop", ".desktop", "/outside.desktop"):
        with pytest.raises(NotInstalled):
            Linux(env).launch_app(target)
    assert shims.calls() == []


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
    assert failure.value.hint == f"See why: {program} --now"
    assert shims.calls() == [["app", "--now"]]


def test_a_terminal_app_gets_a_terminal_and_d_bus_what_it_alone_can_start(env, shims, home):
    program = shims.add("vim")
    write_entry(home, "vim", Name="Vim", Exec="vim %F", Terminal="true")
    with pytest.raises(LaunchFailed, match="no terminal is installed"):
        Linux(env).launch_app("vim")

    for name in ("xterm", "gio"):
        shims.add(name)
    path = write_entry(home, "app", Name="App", DBusActivatable="true")

    assert [Linux(env).launch_app(name).name for name in ("vim", "app")] == ["Vim", "App"]
    assert shims.calls() == [["xterm", "-e", str(program)], ["gio", "launch", str(path)]]


def test_without_a_screen_or_its_program_no_app_is_started(env, shims, home):
    shims.add("app")
    write_entry(home, "app", Name="App", Exec="app")
    write_entry(home, "lost", Name="Lost", Exec="gone")

    with pytest.raises(NotInstalled, match="gone"):
        Linux(env).launch_app("lost")
    del env["WAYLAND_DISPLAY"]
    with pytest.raises(NoDisplay):
        Linux(env).launch_app("app")
    assert shims.calls() == []


@pytest.mark.parametrize(
    ("shared", "name"),
    [
        *(("bin/app", "App"), ("home/.local/share/applications/app.desktop", "App"), ("home/.local", "App")),
        ("bin/xterm", "xterm"),
    ],
)
def test_what_others_can_change_is_not_started(shared, name, env, shims, home, tmp_path):
    """In a folder of theirs they could put another one by the same name; a terminal could run anything."""
    for program in ("app", "xterm"):
        shims.add(program)
    write_entry(home, "app", Name="App", Exec="app", Terminal="true")
    path = tmp_path / shared
    path.chmod(0o777)

    with pytest.raises(LaunchFailed) as failure:
        Linux(env).launch_app("app")
    assert failure.value.message == (
        f"{name} was not started: other users of this machine can change {path}."
    )
    assert failure.value.hint == f"Check it: ls -ld {path}"
    assert shims.calls() == []
