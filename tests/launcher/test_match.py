"""What comes near a name: the person picks, once. Nothing is ever taken for it."""

from __future__ import annotations

import pytest

from jarvis.desktop.apps import App
from jarvis.language.command_grammar import parse_name, parse_words
from jarvis.launcher.match import near
from tests.person import ENTER, Person

APPS = [
    App(id_, f"/menu/{id_}", (name,), generic, (program,))
    for id_, name, generic, program in (
        ("firefox", "Firefox", ("Web Browser",), "firefox"),
        ("code", "Visual Studio Code", ("Text Editor",), "code"),
        ("calculator", "Calculator", (), "gnome-calculator"),
        ("libreoffice-calc", "LibreOffice Calc", ("Spreadsheet",), "libreoffice"),
        ("libreoffice-writer", "LibreOffice Writer", ("Word Processor",), "libreoffice"),
        ("spotify", "Spotify", (), "spotify"),
        ("calendar", "Calendar", (), "gnome-calendar"),
        ("steam", "Steam", (), "steam"),
    )
]


def titles(words):
    meant = parse_words(words)
    named = parse_name(meant)
    return [each.title for each in near(meant, named, APPS)] if named else []


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("launch firfox", ["Firefox"]),
        ("start spotfy", ["Spotify"]),
        ("start visual studio", ["Visual Studio Code"]),
        ("launch vsc", ["Visual Studio Code"]),
        ("start calen", ["Calendar"]),
        ("start the text editor", ["Visual Studio Code"]),
        ("launch stream", ["Steam"]),
        ("go to redit", ["reddit.com"]),
        ("open the youtub website", ["youtube.com", "music.youtube.com", "studio.youtube.com"]),
        ("go to wiki", ["wiki.archlinux.org", "wikipedia.org"]),
        ("start cal", ["Calendar", "Calculator"]),
        ("start libreoffice", ["LibreOffice Calc", "LibreOffice Writer"]),
        ("start word", ["LibreOffice Writer"]),
    ],
)
def test_a_slip_a_beginning_and_initials_come_near_with_their_rivals(words, near):
    assert titles(words) == near


@pytest.mark.parametrize(
    "words",
    [
        *("open the acme website", "open langgraph docs", "start it", "open my heart", "launch a rocket"),
        *("open the second one", "who won?", "start over from the beginning", "don't open spotfy", "open x"),
        *("i want to open spotfy", "run the spotfy", "switch to spotfy", "go back to redit", "open a spotfy"),
        *("open spotfy and play a song", "open spotfy in chrome", "start xpotify"),
    ],
)
def test_most_words_come_near_nothing(words):
    assert titles(words) == []


def install(shell, name):
    """An app of that *name* in the person's menu."""
    folder = shell.home / "share" / "applications"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["[Desktop Entry]", "Type=Application", f"Name={name}", "Exec=/bin/true", ""]
    (folder / f"{name.lower()}.desktop").write_text("\n".join(lines))
    return {"XDG_DATA_HOME": str(shell.home / "share"), "XDG_DATA_DIRS": str(shell.home / "none")}


def test_on_a_terminal_a_pick_is_asked_for_once_and_remembered(shell):
    menu = install(shell, "Spotify")
    with Person(shell.program(**menu), "-n", "start", "spotfy") as person:
        person.see("! from now on")
        person.at_prompt()
        person.type("1!")
        person.see("“spotfy” means this from now on. To undo it: jarvis alias rm spotfy")
        person.see("Would start Spotify.")
        assert person.finish().status == 0

    again = shell.jarvis("-n", "start", "spotfy", environment=menu)

    assert (again.status, "Would start Spotify" in again.stderr + again.stdout) == (0, True)
    assert shell.cost == (0, 0)


def test_enter_picks_none_and_it_is_looked_for(shell):
    shell.gemini.plans({"action": "reply", "text": "It is a player.", "finish": True})
    with Person(shell.program(**install(shell, "Spotify")), "start", "spotfy") as person:
        person.at_prompt()
        person.type(ENTER)
        person.see("It is a player.")
        assert person.finish().status == 0

    assert not (shell.home / "jarvis" / "config" / "aliases.json").exists()


def test_where_nobody_can_be_asked_it_goes_to_the_model_at_once(shell):
    shell.gemini.plans({"action": "reply", "text": "It is a player.", "finish": True})

    done = shell.jarvis("start", "spotfy", environment=install(shell, "Spotify"))

    assert (done.status, done.stdout) == (0, "It is a player.\n")
