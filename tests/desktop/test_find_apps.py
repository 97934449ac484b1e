"""Finding apps by what somebody calls them, in any language, among entries as distributions ship them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvis.actions.base import Launched
from jarvis.core.errors import NotInstalled
from jarvis.core.types import AppFound
from jarvis.desktop.linux.desktop import Linux
from tests.desktop.screen import write_entry

ROOT = Path(__file__).parents[2]
CALCULATOR = {
    "Name": "Calculator", "Name_de": "Taschenrechner", "Name_fr": "Calculatrice", "Name_pt_BR": "Calculadora",
    "Name_el": "Αριθμομηχανή", "Name_ru": "Калькулятор", "Name_ja": "電卓", "Name_hi": "कैलकुलेटर",
    "Name_ar": "الحاسبة", "Name_ko": "계산기", "Name_tr": "Hesap Makinesi", "Exec": "gnome-calculator",
}  # fmt: skip
ENTRIES = {
    "org.gnome.Calculator": CALCULATOR,
    "org.kde.kcalc": {"Name": "KCalc", "GenericName": "Scientific Calculator",
                      "GenericName_de": "Wissenschaftlicher Rechner", "Exec": "kcalc"},
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
    "org.gimp.GIMP": {"Name": "GNU Image Manipulation Program", "Exec": "gimp-2.10 %U"},
    "org.gnome.Nautilus": {"Name": "Files", "Name_de": "Dateien", "Exec": "nautilus --new-window"},
}  # fmt: skip
CHOSEN = """[Default Applications]
x-scheme-handler/https=org.chromium.Chromium.desktop
x-scheme-handler/mailto=thunderbird.desktop
text/plain=vim.desktop
inode/directory=org.gnome.Nautilus.desktop
"""


@pytest.fixture
def here(env, tmp_path):
    """A session in English, with ENTRIES and what was CHOSEN."""
    home = tmp_path / "home"
    for app_id, keys in ENTRIES.items():
        write_entry(home, app_id, **keys)
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/mimeapps.list").write_text(CHOSEN)
    (home / ".config/xdg-terminals.list").write_text("xfce4-terminal.desktop\n")
    return env | {"LANG": "en_US.UTF-8", "XDG_CURRENT_DESKTOP": "GNOME"}


def install(env, app_id, shims, **keys):
    shims.add(app_id)
    write_entry(Path(env["HOME"]), app_id, Exec=app_id, **keys)


@pytest.mark.parametrize(
    "name",
    ["Calculator", "Taschenrechner", "taschenrechner", "CALCULATRICE", "calculadora", "αριθμομηχανη",
     "Калькулятор", "電卓", "कैलकुलेटर", "الحاسبة", "계산기", "hesap makinesi", "HesapMakinesi",
     "the calculator", "calculator app", "gnome-calculator", "org.gnome.Calculator"],
)  # fmt: skip
def test_an_app_is_found_by_its_name_in_every_language(here, name):
    assert Linux(here).find_apps(name) == ((AppFound("org.gnome.Calculator.desktop", "Calculator"),), False)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        # The role comes before what has the word in its name, or is one of several such.
        ("terminal", ["Xfce Terminal"]),
        ("browser", ["Chromium"]),
        ("web browser", ["Chromium"]),
        ("mail", ["Thunderbird"]),
        ("email", ["Thunderbird"]),
        ("editor", ["Vim"]),
        ("settings", ["System"]),
        # Something of that very name comes before the role.
        ("files", ["Files"]),
        ("text editor", ["Text Editor"]),
        ("texteditor", ["Text Editor"]),
        ("root terminal", ["Root Terminal"]),
        ("Root-Terminal", ["Root Terminal"]),
        # Abbreviations
        ("webbläsare", ["Firefox"]),
        ("scientific calculator", ["KCalc"]),
        ("image manipulation", ["GNU Image Manipulation Program"]),
        ("gnu", ["GNU Image Manipulation Program"]),
        ("gimp", ["GNU Image Manipulation Program"]),
        ("thunder", ["Thunderbird"]),
    ],
)
def test_a_name_then_a_role_then_an_abbreviation_count(here, name, titles):
    found = Linux(here).find_apps(name)

    assert ([app.title for app in found.apps], found.is_near) == (titles, False)


@pytest.mark.parametrize(
    ("desktop", "title"), [("KDE", "KDE System"), ("ubuntu:GNOME", "System"), ("sway", ""), ("", "")]
)
def test_settings_are_those_of_this_desktop(here, desktop, title):
    found = Linux(here | {"XDG_CURRENT_DESKTOP": desktop}).find_apps("settings")

    assert [app.title for app in found.apps] == ([title] if title else [])


def test_several_of_that_name_are_all_found_and_each_starts_by_its_id(here, shims):
    for app_id in ("notes", "org.b.Notes"):
        install(here, app_id, shims, Name="Notes")
    install(here, "notes-too", shims, Name="Notes Too")

    found = Linux(here).find_apps("notes")

    assert found == ((AppFound("notes.desktop", "Notes"), AppFound("org.b.Notes.desktop", "Notes")), False)
    for app in found.apps:
        Linux(here).launch_app(app.id)
    assert shims.calls() == [["notes"], ["org.b.Notes"]]


@pytest.mark.parametrize("name", ["", "★", "spotify", "netflix", "rm -rf /", "x" * 10_000, "\ud800"])
def test_what_is_like_nothing_is_not_found(here, name):
    assert Linux(here).find_apps(name) == ((), False)


def test_an_id_starts_that_app_whatever_others_are_called(here, shims):
    install(here, "paint", shims, Name="Other")
    install(here, "other", shims, Name="paint.desktop")

    assert Linux(here).launch_app("paint.desktop") == Launched("Other", "handed_over")
    assert shims.calls() == [["paint"]]


def test_nothing_is_started_in_place_of_an_app_that_is_gone(here, shims):
    install(here, "org.b.Paint", shims, Name="Paint")
    install(here, "paint", shims, Name="Paint")
    [first, second] = Linux(here).find_apps("paint").apps
    (Path(here["HOME"]) / ".local/share/applications/paint.desktop").unlink()

    with pytest.raises(NotInstalled, match=r"paint\.desktop"):
        Linux(here).launch_app(second.id)
    assert (first.id, second.id, shims.calls()) == ("org.b.Paint.desktop", "paint.desktop", [])


@pytest.mark.parametrize("folder", ["kde", "kde/more", "kde-more"])
def test_an_entry_in_a_folder_is_started_by_its_id(here, shims, folder):
    install(here, "tool-box", shims, Name="Tool Box")
    entry = Path(here["HOME"]) / ".local/share/applications/tool-box.desktop"
    (entry.parent / folder).mkdir(parents=True)
    entry.rename(entry.parent / folder / entry.name)

    [found] = Linux(here).find_apps("tool box").apps

    assert found.id == f"{folder.replace('/', '-')}-tool-box.desktop"
    assert Linux(here).launch_app(found.id).name == "Tool Box"


@pytest.mark.parametrize(
    "target", ["..-outside.desktop", "../outside.desktop", ".desktop", "/outside.desktop"]
)
def test_what_is_no_id_starts_nothing(here, shims, target):
    install(here, "outside", shims, Name="Outside")
    entry = Path(here["HOME"]) / ".local/share/applications/outside.desktop"
    entry.rename(entry.parents[1] / entry.name)

    with pytest.raises(NotInstalled):
        Linux(here).launch_app(target)
    assert shims.calls() == []
