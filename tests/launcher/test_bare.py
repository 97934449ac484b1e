"""Words that are nothing but a name or an address: what is opened at once, and what is asked about."""

import pytest

from jarvis.launcher import aliases
from tests.house import understood

pytestmark = pytest.mark.quick


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder that one stands in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def asked_by(house):
    """The questions that are asked from now on, each answered by the last of what this returns."""
    asked = []

    def answer(question):
        asked.append(question)
        return house.says

    house.otherwise = answer
    return asked


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        ("github.com", "https://github.com"),
        ("https://a.example/b?c=d", "https://a.example/b?c=d"),
        ("localhost:3000/docs", "http://localhost:3000/docs"),
        ("youtube", "https://www.youtube.com"),
        ("Hacker News", "https://news.ycombinator.com"),
        ("gh", "https://github.com/me"),
    ],
)
def test_an_address_and_a_full_name_are_opened_at_once(house, here, words, opened):
    aliases.add(house.settings.folders.aliases, "gh", "github.com/me")

    ended = house.plain(words).ended

    assert house.desktop.opened == [opened]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert house.rows("SELECT goal FROM turns") == [(words,)]


@pytest.mark.parametrize(
    ("words", "started"),
    [("calculator", True), ("Note Pad", True), ("files", True), ("nautilus", True), ("the calculator", False),
     ("mail", False), ("calc", False), ("chrome", False), ("calculator app", False), ("google", False)],
)  # fmt: skip
def test_an_app_starts_by_its_full_name_and_by_no_role_or_part_of_it(house, here, words, started):
    for installed in ("Calculator", "Notepad", "Google Chrome"):
        house.install(installed)
    house.install("Files", "org.gnome.Nautilus", "nautilus --new-window %U")
    house.install("Thunderbird Mail", "thunderbird")
    config = house.home / "mimeapps.list"
    config.write_text("[Default Applications]\nx-scheme-handler/mailto=thunderbird.desktop\n")
    house.desk["XDG_CONFIG_HOME"] = str(house.home)

    meant = understood(words, house.names)

    assert understood("open mail", house.names).meanings[0].title == "Thunderbird Mail"
    assert bool(meant and meant.action.name == "open_app") == started


@pytest.mark.parametrize(
    ("words", "answer", "shown", "opened", "intent"),
    [
        ("open lecture.info", "1", ["lecture.info"], [], "open f1"),
        ("show me lecture.info", "2", [], ["https://lecture.info"], "open u1"),
        ("please open example.com", "2", [], ["https://example.com"], "open u1"),
        ("open example.com", "1", [], [], "open f1"),  # it would run
        ("README.md", "1", ["README.md"], [], "open f1"),
        ("README.md", "2", [], ["https://readme.md"], "open u1"),
        ("README.md", "n", [], [], "open f1"),
        ("lecture.info", "2", [], ["https://lecture.info"], "open u1"),
        ("github", "1", ["github"], [], "open f1"),
        ("github", "2", [], ["https://github.com"], "open site github"),
    ],
)
def test_where_a_file_of_that_name_lies_here_it_is_asked_which(
    house, here, words, answer, shown, opened, intent
):
    word = words.split()[-1]
    (here / word).touch()
    asked, house.says = asked_by(house), answer

    ended = house.plain(words).ended

    (question,) = asked
    assert [option.title for option in question.options][:1] == [str(here / word)]
    assert (house.desktop.shown, house.desktop.opened) == ([str(here / name) for name in shown], opened)
    assert ended.summary["intent"] == [intent]
    assert ended.exit_status == (0 if shown or opened else 4)


@pytest.mark.parametrize("words", ["open example.com", "example.com", "show me lecture.info"])
def test_where_nobody_can_be_asked_which_they_are_told_what_to_type(house, here, words):
    word = words.split()[-1]
    (here / word).touch()

    ended = house.plain(words).ended

    error = ended.summary["error"]
    assert (ended.exit_status, house.desktop.shown + house.desktop.opened) == (3, [])
    assert f"1 {here / word} (file), 2 {word}" in error["message"]
    assert error["hint"] == f"Choose one: jarvis open ./{word}   or: jarvis open https://{word}"


@pytest.mark.parametrize(
    ("word", "lies", "what"),
    [
        ("README.md", False, "https://readme.md"),
        ("main.py", False, "https://main.py"),
        ("notes.txt", True, "notes.txt"),
        ("./notes", True, "notes"),
    ],
)
def test_what_looks_like_a_file_or_is_one_is_asked_about(house, here, word, lies, what):
    if lies:
        (here / word).touch()
        what = str(here / what)
    asked, house.says = asked_by(house), "y"

    house.plain(word)

    (question,) = asked
    assert (what in question.text, question.kind) == (True, "approval")
    assert [option.id for option in question.options] == ["y", "n"]
    assert house.desktop.shown + house.desktop.opened == [what]


def test_a_file_here_says_nothing_against_a_name_of_ones_own(house, here):
    (here / "gh").touch()
    (here / "github").touch()
    aliases.add(house.settings.folders.aliases, "gh", "github.com/me")
    chosen = aliases.Alias("github", aliases.CHOSEN, "https://github.com")
    aliases.keep_chosen(house.settings.folders.aliases, chosen, print)

    house.plain("gh")
    house.plain("github")

    assert house.desktop.opened == ["https://github.com/me", "https://github.com"]


def test_a_word_that_names_a_file_alone_is_a_word(house, here):
    for name in ("python", "src", "what is a.b"):
        (here / name).touch()

    assert [words for words in ("python", "src", "what is x") if understood(words, house.names)] == []


def test_a_command_comes_before_a_site_or_an_app_of_its_name(shell):
    shell.jarvis("alias", "add", "usage", "https://a.example")

    done = shell.jarvis("usage")

    assert (done.status, shell.opened) == (0, [])
