"""An app is started where its name was plainly said."""

from __future__ import annotations

import pytest

from jarvis.guard import ALLOW, ASK, REFUSE
from jarvis.turn import Address
from tests.guard.verdicts import capturing, facts, opening, starting


@pytest.mark.parametrize(
    ("words", "app"),
    [
        ("open firefox", "Firefox"),
        ("please launch the calculator for me", "calculator"),
        ("open vs code", "vs code"),
        ("open vs code", "Visual Studio Code"),
        ("start chrome", "Google Chrome"),
        ("open my browser", "browser"),
        ("open the text editor and gimp", "gimp"),
        ("can you start spotify in the background?", "Spotify"),
        ("run the terminal app", "Terminal"),
        ("fire up Krita, please", "krita"),
        ("open libreoffice writer", "LibreOffice Writer"),
        ("open a terminal", "Terminal"),
        ("open files", "Files"),
        ("open the maps app", "Maps"),
        ("open calc", "Calculator"),
        ("open sound settings", "sound settings"),
        ("open calculator real quick", "calculator"),
        ("open a second terminal", "terminal"),
        ("open the app called gimp", "gimp"),
        ("start the game supertux", "supertux"),
        ("restart firefox", "firefox"),
        ("open firefox instead of chrome", "firefox"),
        ("open fire fox", "firefox"),
        ("start gimp on my laptop", "gimp"),
        ("launch the text editor, i want to write a letter", "text editor"),
        ("execute gimp right away", "gimp"),
        ("start for me the programme GIMP", "GIMP"),
        ("open calculator + notes", "notes"),
    ],
)
def test_an_app_that_was_named_is_started(words, app):
    assert starting(words, app) == ALLOW


@pytest.mark.parametrize(
    ("words", "app", "verdict"),
    [
        ("who runs Tesla?", "Terminal", REFUSE),
        ("open firefox", "Terminal", REFUSE),
        ("open github", "Steam", REFUSE),
        ("who makes firefox?", "Firefox", ASK),
        ("starte firefox", "Firefox", ASK),
        ("don't start firefox", "Firefox", REFUSE),
        ("open the terminal velocity article", "Terminal", ASK),
        ("write about the terminal", "Terminal", ASK),
        ("open firefox", "firefox --private-window evil.example", REFUSE),
        ("open firefox", "", REFUSE),
        ("open firefox", "sh -c id", REFUSE),
        ("open gimp", "gimp && id", REFUSE),
        ("open firefox", "firefoxx", REFUSE),
        ("open firefox? no wait", "Firefox", ASK),
        ("open firefox after lunch", "Firefox", ASK),
        ("open firefox, scrap that", "Firefox", ASK),
        ("open firefox on startup", "Firefox", ASK),
        ("he wants me to start firefox", "Firefox", ASK),
        ("open a file", "Files; rm", REFUSE),
        ("open firefox instead of chrome", "chrome", ASK),
        ("open the game", "Game Tool", REFUSE),
        ("open any browser but firefox", "Firefox", ASK),
        ("google sourdough recipes and open one", "OneDrive", REFUSE),
        ("find the MIT website and open it", "Image Tool", REFUSE),
        ("open them", "Themes", REFUSE),
        ("open a tab", "Tableau", REFUSE),
        ("open the page", "Pages", REFUSE),
        ("open the doc", "Docker", REFUSE),
        ("open the link", "Linkedin", REFUSE),
        ("open a book", "Bookworm", REFUSE),
    ],
)
def test_an_app_that_was_not_asked_for_is_not_started(words, app, verdict):
    assert starting(words, app) == verdict
    assert starting(words, app, facts()) == verdict


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=abc&t=10s",
        "https://a.example/romeo,_juliet",
        "https://a.example/why-it-was-slow",
        "https://a.example/if-you-see;b=c",
        "a.example/never-run-this",
        "a.example/stop-taking-pictures",
    ],
)
def test_what_stands_in_an_address_is_not_read(url):
    words = f"open {url} and take a screenshot"
    known = url if url.startswith("https://") else f"https://{url}"
    address = Address("u1", known)

    assert opening(words, address, facts(address, now=())) == ALLOW
    assert capturing(words) == ALLOW


def test_no_more_apps_are_started_than_the_words_ask_for():
    assert starting("open firefox", "firefox", facts(now=(), done=("launches",))) == REFUSE
    assert starting("open firefox and gimp", "gimp", facts(now=(), done=("launches",))) == ALLOW
