"""What comes near a name: the person picks, once. Nothing is ever taken for it, nor searched for unasked."""

import pytest

from jarvis.core import urls
from jarvis.core.urls import host_of
from jarvis.desktop.apps import App, apps_found
from jarvis.language.command_grammar import parse_name, parse_words
from jarvis.launcher.match import near
from jarvis.launcher.names import known_program, known_site
from tests.launcher.test_names import KNOWN_NAMES
from tests.person import CTRL_D, DOWN, ENTER, ESC, UP, Person

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
        ("terminal", "Xfce Terminal", ("Terminal Emulator",), "xfce4-terminal"),
        ("netsurf", "NetSurf Web Browser", (), "netsurf-gtk"),
    )
]


def titles(words):
    meant = parse_words(words)
    named = parse_name(meant)
    return [each.title or host_of(each.target) for each in near(meant, named, APPS)] if named else []


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
        ("start word processor", ["LibreOffice Writer"]),
        ("open netsurf", ["NetSurf Web Browser"]),
        ("open the spreadsheet", ["LibreOffice Calc"]),
        ("open calculate", ["Calculator"]),
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
        *("open spotfy and play a song", "open spotfy in chrome", "start xpotify", "open terminal illness"),
        *("launch terminal velocity", "open calculus", "start word"),
    ],
)
def test_most_words_come_near_nothing(words):
    assert titles(words) == []


@pytest.mark.parametrize(
    "name", ["netsurf", "spreadsheet", "firfox", "libreoffice", "calen", "vsc", "visual studio", "illness"]
)
def test_a_turn_finds_the_apps_that_a_plain_command_lists(name):
    assert [app.title for app in apps_found(name, APPS).apps] == titles(f"start {name}")


def test_on_a_terminal_a_pick_is_asked_for_once_and_remembered(shell):
    menu = shell.installed("Spotify")
    with Person(shell.program(**menu), "-n", "start", "spotfy") as person:
        person.at_question()
        person.type("!")
        person.see("“spotfy” means this from now on. To undo it: jarvis alias rm spotfy")
        person.see("Would start Spotify.")
        assert person.finish().status == 0

    again = shell.jarvis("-n", "start", "spotfy", environment=menu)

    assert (again.status, "Would start Spotify" in again.stderr + again.stdout) == (0, True)
    assert shell.cost == (0, 0)


NOTHING, SEARCHED = "jarvis: Nothing was opened.", "It is a browser."
NETSURF, WRITER = "Would start NetSurf Web Browser.", "Would start Acme Writer."
# What is typed, and what comes of it. Of several that come near none is marked.
ANSWERS = [
    *(("open netsurf", keys, NETSURF) for keys in (ENTER, f"1{ENTER}", f"2{UP}{ENTER}", f"{DOWN}1{ENTER}")),
    *(("open netsurf", keys, NOTHING) for keys in (ESC, CTRL_D, "n", f"{UP}{ENTER}", f"9{ENTER}", f"2{ESC}")),
    *(("open netsurf", keys, SEARCHED) for keys in (f"{DOWN}{ENTER}", f"2{ENTER}", f"{UP}{UP}{ENTER}")),
    *(("start acme", keys, NOTHING) for keys in (ENTER, ESC, f"{UP}{DOWN}{ENTER}")),
    *(("start acme", keys, WRITER) for keys in (f"2{ENTER}", f"{DOWN}{DOWN}{ENTER}")),
    *(("start acme", keys, SEARCHED) for keys in (f"3{ENTER}", f"{UP}{ENTER}")),
    *(("open fierfox", ENTER, "Would start Firefox."), ("open spreadsheet", ENTER, "Would start Sheets.")),
    ("open the fierfox app", ENTER, "Would start Firefox."),
    ("open youtub", ENTER, NOTHING),
]
# On a terminal that has lines alone: an empty line is Enter by itself.
TYPED = [("open netsurf", *each) for each in ((ENTER, NETSURF), (CTRL_D, NOTHING), (f"2{ENTER}", SEARCHED))]
CASES = [*((*each, "xterm") for each in ANSWERS), *((*each, "dumb") for each in TYPED)]


@pytest.fixture
def menu(shell):
    """The environment of a person with some apps."""
    apps = ("NetSurf Web Browser", "Firefox", "Acme Writer", "Acme Draw", "Sheets")
    environment = shell.installed(*apps)
    with (shell.home / "apps/applications/Sheets.desktop").open("a") as entry:
        entry.write("GenericName=Spreadsheet\n")
    shell.gemini.plans({"action": "reply", "text": SEARCHED, "finish": True})
    return environment


@pytest.mark.slow
@pytest.mark.parametrize(("words", "keys", "told", "term"), CASES)
def test_enter_takes_the_marked_line_and_the_last_one_alone_asks_the_model(
    shell, menu, words, keys, told, term
):
    with Person(shell.program(TERM=term, **menu), "-n", *words.split()) as person:
        person.at_prompt() if term == "dumb" else person.at_question()
        person.type(keys)
        person.see(told)
        assert person.finish().status == (4 if told == NOTHING else 0)

    assert shell.cost == (int(told == SEARCHED), 0)


def test_in_a_chat_who_picks_nothing_is_asked_what_else(shell, menu):
    with Person(shell.program(**menu), "-n") as person:
        for keys, told in ((ESC, NOTHING), (CTRL_D, NOTHING), (ENTER, NETSURF)):
            person.at_prompt()
            person.type("open netsurf" + ENTER)
            person.at_question()
            person.type(keys)
            person.see(told)
        person.at_prompt()
        assert (person.leave().status, shell.cost) == (0, (0, 0))


def test_where_nobody_can_be_asked_it_goes_to_the_model_at_once(shell):
    shell.gemini.plans({"action": "reply", "text": "It is a player.", "finish": True})

    done = shell.jarvis("start", "spotfy", environment=shell.installed("Spotify"))

    assert (done.status, done.stdout) == (0, "It is a player.\n")


# A program that is not installed: told at once, without a model, with what there is in its place.


@pytest.mark.parametrize(
    ("words", "title"),
    [("launch gimp", "GIMP"), ("open the frobnicate app", "frobnicate")],
)
def test_off_a_terminal_it_is_a_failure_that_names_what_comes_near(shell, words, title):
    done = shell.jarvis(*words.split(), environment=shell.installed("Gimpy", "Frobnicator"))

    assert (done.status, done.stdout, shell.cost) == (1, "", (0, 0))
    assert f"{title} isn't installed. Nothing was opened." in done.stderr
    assert "Similar: " in done.stderr


def test_what_is_there_under_a_longer_name_is_started(shell):
    done = shell.jarvis("-n", "open", "gimp", environment=shell.installed("GIMP Image Editor"))

    assert (done.status, "Would start GIMP Image Editor" in done.stdout) == (0, True)


def test_every_program_has_one_address_and_no_name_that_is_a_sites():
    lines = KNOWN_NAMES.read_text().partition("[programs]\n")[2].splitlines()

    assert len(lines) > 20
    for address, title, *names in (line.split("|")[:-1] for line in lines):
        assert urls.found(f"https://{address}").url == f"https://{address}"
        for name in names:
            assert known_program(name) == (title, f"https://{address}")
            assert name == name.lower()
            assert not known_site(name)
