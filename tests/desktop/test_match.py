from __future__ import annotations

import pytest

from jarvis.core.errors import Ambiguous, NotInstalled
from jarvis.desktop.apps import App
from jarvis.desktop.match import apps_found, find, only_one


def match(name, apps):
    return only_one(name, find(name, apps))


def app(name, command, app_id="", generic="", local=""):
    names = (local, name) if local else (name,)
    return App(app_id or command, f"/{command}.desktop", names, (generic,) if generic else (), (command,))


APPS = [
    app("Firefox", "firefox", generic="Web Browser"),
    app("Chromium", "chromium", generic="Web Browser"),
    app("Visual Studio Code", "code", "code", generic="Text Editor"),
    app("Text Editor", "gedit", "org.gnome.gedit"),
    app("Calculator", "gnome-calculator", "org.gnome.Calculator", local="Taschenrechner"),
    app("LibreOffice Calc", "libreoffice", "libreoffice-calc", generic="Spreadsheet"),
    app("LibreOffice Writer", "libreoffice", "libreoffice-writer", generic="Word Processor"),
    app("OBS Studio", "obs", "com.obsproject.Studio"),
    app("GNU Image Manipulation Program", "gimp", generic="Image Editor"),
    app("VirtualBox", "VirtualBox", "virtualbox"),
    app("Café Müller", "cafe"),
    app("MyPaint", "mypaint"),
    app("The Battle for Wesnoth", "wesnoth"),
    app("Notes", "notes-a", "org.a.Notes"),
    app("Notes", "notes-b", "org.b.Notes"),
    app("Foot", "foot", generic="Terminal"),
    app("Foot Server", "foot", "foot-server", generic="Terminal"),
    app("Shell", "bash", "org.c.Shell"),
    app("C++ Builder", "cpp"),
]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Firefox", "Firefox"),
        ("firefox", "Firefox"),
        ("VS Code", "Visual Studio Code"),
        ("vsc", "Visual Studio Code"),
        ("tbfw", "The Battle for Wesnoth"),
        ("the Firefox app", "Firefox"),
        ("my calculator program", "Taschenrechner"),
        ("taschenrechner", "Taschenrechner"),
        ("Text Editor", "Text Editor"),
        ("virtual box", "VirtualBox"),
        ("fire fox", "Firefox"),
        ("code", "Visual Studio Code"),
        ("gimp", "GNU Image Manipulation Program"),
        ("org.gnome.gedit", "Text Editor"),
        ("obs", "OBS Studio"),
        ("spreadsheet", "LibreOffice Calc"),
        ("image editor", "GNU Image Manipulation Program"),
        ("studio code", "Visual Studio Code"),
        ("writer", "LibreOffice Writer"),
        ("cafe muller", "Café Müller"),
        ("CAFÉ", "Café Müller"),
        ("chrom", "Chromium"),
        ("my paint", "MyPaint"),
        ("the battle for wesnoth", "The Battle for Wesnoth"),
        ("wesnoth", "The Battle for Wesnoth"),
        ("foot", "Foot"),
        ("C++ builder", "C++ Builder"),
    ],
)
def test_a_name_means_one_app(name, meant):
    assert match(name, APPS).name == meant


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("web browser", ["Firefox", "Chromium"]),
        ("studio", ["Visual Studio Code", "OBS Studio"]),
        ("libreoffice", ["LibreOffice Calc", "LibreOffice Writer"]),
        ("terminal", ["Foot", "Foot Server"]),
        ("notes", ["org.a.Notes", "org.b.Notes"]),
    ],
)
def test_a_name_that_several_apps_share_is_asked_about(name, candidates):
    with pytest.raises(Ambiguous) as question:
        match(name, APPS)
    assert all(candidate in question.value.message for candidate in candidates)
    assert question.value.hint == f"Say which one: jarvis 'open {candidates[0]}'"


@pytest.mark.parametrize(
    "name", ["chrome", "edge", "firefix", "x", "fi", "whatsapp", "", "open", "bash", "★", "battles"]
)
def test_a_name_is_never_taken_for_another(name):
    with pytest.raises(NotInstalled):
        match(name, APPS)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("firefix", ["Firefox"]),
        ("the chromum app", ["Chromium"]),
        ("calulator", ["Taschenrechner"]),
        ("taschenrehcner", ["Taschenrechner"]),
        ("vrtualbox", ["VirtualBox"]),
        *(
            (name, [])
            for name in ("chrome", "edge", "x", "fi", "whatsapp", "", "bash", "★", "battles", "irefox")
        ),
    ],
)
def test_a_slip_of_the_finger_comes_near_and_is_told_as_such(name, titles):
    found = apps_found(name, APPS)

    assert ([app.title for app in found.apps], found.is_near) == (titles, bool(titles))


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (["Chrome", "Google Chrome"], "Chrome"),
        (["Google Chrome", "Chrome Remote Desktop"], "Google Chrome"),
        (["Chrome Remote Desktop", "Chromecast"], "Chrome Remote Desktop"),
        (["Chromecast"], "Chromecast"),
    ],
)
def test_an_app_called_so_comes_before_the_one_that_it_is_short_for(names, meant):
    apps = [app(name, f"program{n}") for n, name in enumerate(names)]

    assert match("chrome", apps).name == meant
