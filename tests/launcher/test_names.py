"""Opening by name: what a name means here, and that nothing else is taken for one."""

import json
from pathlib import Path

import pytest

from jarvis.core import urls
from jarvis.launcher import aliases, names
from jarvis.launcher.names import known_site, known_sites
from jarvis.output.questions import nobody_answers
from jarvis.policy import rules
from tests.house import understood
from tests.wordings import wordings

pytestmark = pytest.mark.quick

KNOWN_NAMES = Path(names.__file__).with_name("known_names.txt")
SITES = [
    ("open youtube", "https://www.youtube.com"),
    ("Open YouTube!", "https://www.youtube.com"),
    ("open you tube", "https://www.youtube.com"),
    ("hey jarvis, please open up GitHub for me", "https://github.com"),
    ("go to hacker news", "https://news.ycombinator.com"),
    ("take me to the washington post website", "https://www.washingtonpost.com"),
    ("could you open google maps?", "https://www.google.com/maps"),
    ("launch netflix", "https://www.netflix.com"),
    ("open my gmail", "https://mail.google.com"),
    ("open starbucks", "https://www.starbucks.com"),
    ("go to the starbucks website", "https://www.starbucks.com"),
    ("open the guardian", "https://www.theguardian.com"),
    ("visit the guardian", "https://www.theguardian.com"),
    ("open nasa's website", "https://www.nasa.gov"),
    ("visit mcdonald's home page", "https://www.mcdonalds.com"),
    ("open the linear app", "https://linear.app"),
    ("open npm", "https://www.npmjs.com"),
]


@pytest.mark.parametrize(("words", "address"), SITES)
def test_a_site_opens_by_its_name(house, words, address):
    ended = house.plain(words).ended

    assert house.desktop.opened == [address]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert house.rows("SELECT id, url, source FROM addresses") == [("s1", address, "site")]
    ((rule,),) = house.rows("SELECT rule FROM steps")
    assert rule.startswith("you asked: open site ")


def test_a_name_with_anything_else_is_not_plain(house):
    assert [words for words in wordings("no_sites") if understood(words, house.names)] == []


def test_every_site_has_one_address_in_the_form_in_which_it_is_kept():
    lines = KNOWN_NAMES.read_text().partition("[programs]")[0].split("\n")
    named = [name for line in lines for name in line.split("|")[1:-1]]

    assert len(known_sites()) == len(named) > 200
    for name, address in known_sites().items():
        assert urls.found(address).url == address
        assert known_site(name) == address
        assert name == name.lower()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        *(("launch Firefox", "firefox"), ("please start the calculator", "calculator")),
        *(("open the calculator app", "calculator"), ("open note pad", "note pad")),
        ("run nautilus", "nautilus"),
        *(("Ok open up chrome.", "chrome"), ("boot up firefox for me", "firefox")),
        ("open C++ builder", "c++ builder"),
    ],
)  # fmt: skip
def test_an_app_starts_by_its_whole_name(house, words, name):
    for installed in ("Firefox", "Calculator", "Notepad", "Google Chrome", "C++ Builder", "Firefox Beta"):
        house.install(installed)
    house.install("Files", "org.gnome.Nautilus", "nautilus --new-window %U")

    ended = house.plain(words).ended

    assert house.desktop.launched == [name]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert house.rows("SELECT action, state FROM steps") == [("open_app", "done")]


@pytest.mark.parametrize(
    "words",
    ["open fire", "open calc", "go to firefox", "open the firefox website",
     "don't start firefox", "open a.txt in firefox", "start firefox with my profile", "open firefox windows",
     "run the code", "start my code",
     "open hidden", "start google", "open chromium", "is firefox running", "launch firefox?", "open app"],
)  # fmt: skip
def test_what_is_not_the_whole_name_of_an_app_is_not_plain(house, words):
    for installed in ("Firefox", "Calculator", "Google Chrome"):
        house.install(installed)
    house.install("Hidden", NoDisplay="true")
    house.install("Visual Studio Code", command="code %F")

    meant = understood(words, house.names)

    assert meant is None or meant.action.name != "open_app"


@pytest.mark.parametrize(
    ("effect", "name", "words"),
    [
        ("launches", "files", "open nautilus"),
        ("opens", "github.com", "open github"),
        ("opens", "github.com", "open gh x"),
        ("opens", "", "go to github"),
    ],
)
def test_a_rule_holds_by_whatever_name_it_is_asked_for(house, effect, name, words):
    house.install("Files", "org.gnome.Nautilus", "nautilus %U")
    aliases.add(house.settings.folders.aliases, "gh", "https://github.com/search?q={query}")
    rules.remember(house.settings.folders.policy, "deny", effect, name)

    ended = house.plain(words).ended

    assert (house.desktop.launched, house.desktop.opened, ended.exit_status) == ([], [], 4)


def test_a_name_of_a_site_and_an_app_is_asked_about_once(house):
    house.install("Spotify")
    asked = []

    def second(question):
        asked.append(question)
        return "2!"

    house.otherwise = second
    house.plain("open spotify")
    house.otherwise = nobody_answers
    ended = house.plain("please open Spotify").ended

    (question,) = asked
    assert [(option.id, option.title, option.host) for option in question.options] == [
        *(("1", "https://open.spotify.com", "open.spotify.com"), ("2", "Spotify", "app")),
        ("n", "none of these", ""),
    ]
    assert house.desktop.launched == ["spotify", "spotify"]
    assert (ended.status, house.desktop.opened) == ("done", [])
    assert [row[0] for row in house.rows("SELECT action FROM steps")] == ["open_app", "open_app"]


@pytest.mark.parametrize(
    ("words", "action"),
    [("launch spotify", "open_app"), ("open the spotify app", "open_app"), ("go to spotify", "open_website"),
     ("open the spotify website", "open_website")],
)  # fmt: skip
def test_who_says_which_is_not_asked(house, words, action):
    house.install("Spotify")

    meant = understood(words, house.names)

    assert (meant.action.name, len(meant.meanings)) == (action, 1)


def test_who_switches_to_it_means_the_app_unless_they_picked_the_site(house):
    house.install("Spotify")
    asked = ["switch to spotify", "go back to Spotify", "switch back to spotify please"]

    before = [understood(words, house.names).action.name for words in asked]
    chosen = aliases.Alias("spotify", aliases.CHOSEN, "https://open.spotify.com")
    aliases.keep_chosen(house.settings.folders.aliases, chosen, print)
    after = [understood(words, house.names).action.name for words in asked]

    assert (before, after) == (["open_app"] * 3, ["open_website"] * 3)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        *(("run the browser", "browser"), ("open a terminal", "terminal")),
        ("i want to open a terminal", "terminal"),
        *(("run the numbers", ""), ("run my numbers", ""), ("run numbers", "numbers")),
        *(("run the numbers app", "numbers"), ("bring the music up", ""), ("pull my music up", "music")),
        *(("i want to open a gallery", ""), ("open a gallery", ""), ("open the gallery", "gallery")),
        *(("open --help", ""), ("open help", "help")),
    ],
)  # fmt: skip
def test_a_name_behind_an_article_that_may_belong_to_another_thing_is_that_of_a_role(house, words, name):
    for installed in ("Browser", "Terminal", "Numbers", "Music", "Gallery", "Help"):
        house.install(installed)

    meant = understood(words, house.names)

    assert (meant.arguments["app"] if meant else "") == name


@pytest.mark.parametrize(
    ("words", "is_plain"),
    [("go to harvard", True), ("i want to go to harvard", False), ("go back to harvard", False),
     ("i want to go to the harvard website", True), ("i want to open starbucks", False),
     ("take me to the wall street journal", True), ("visit the amazon", False), ("visit amazon", True),
     ("switch to debian", False), ("switch to gitlab", True), ("go to debian", True)],
)  # fmt: skip
def test_who_may_mean_the_place_itself_is_not_taken_to_its_site(house, words, is_plain):
    assert bool(understood(words, house.names)) == is_plain


def test_two_apps_of_one_name_are_asked_about(house):
    house.install("Notes", "org.a.Notes", "notes-a")
    house.install("Notes", "org.b.Notes", "notes-b")
    house.otherwise = lambda question: "2"

    house.plain("open notes")

    assert house.desktop.launched == ["org.b.Notes.desktop"]


@pytest.mark.parametrize("pick", ["1", "1!", "n"])
def test_where_nobody_can_be_asked_it_is_answered_later(shell, pick):
    apps = shell.home / "share" / "applications"
    apps.mkdir(parents=True)
    (apps / "spotify.desktop").write_text("[Desktop Entry]\nType=Application\nName=Spotify\nExec=/bin/true\n")
    environment = {"XDG_DATA_HOME": str(apps.parent), "XDG_DATA_DIRS": str(apps)}

    asked = json.loads(shell.jarvis("--json", "open", "spotify", environment=environment).stdout)
    id_ = asked["question"]["id"]
    answered = shell.jarvis("--answer", f"{id_}={pick}", environment=environment)
    again = shell.jarvis("open", "spotify", environment=environment)

    assert asked["status"] == "needs_answer"
    assert (answered.status, again.status) == ({"1": (0, 3), "1!": (0, 0), "n": (4, 3)}[pick])
    assert ("“spotify” means this from now on." in answered.stderr) == (pick == "1!")
    assert shell.opened == ["https://open.spotify.com"] * {"1": 1, "1!": 2, "n": 0}[pick]
    assert shell.cost == (0, 0)


def test_an_app_that_was_removed_is_no_longer_found(house):
    entry = house.install("Firefox")
    assert understood("open firefox", house.names)
    entry.unlink()

    assert understood("open firefox", house.names) is None


@pytest.mark.parametrize("name", ["Café", "Schlüssel", "Straße", "한글", "ガイド"])
def test_an_app_is_found_by_its_whole_name_in_any_script(house, name):
    house.install(name, "org.a.App")

    house.plain(f"open {name}")

    assert house.desktop.launched == [name.lower()]
