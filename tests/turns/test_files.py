"""Files and folders that are typed: shown by their app, or told why not."""

import os

import pytest

from jarvis.actions.base import catalogue, plannable
from jarvis.policy import rules
from tests.house import understood

pytestmark = pytest.mark.quick


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder that one stands in, with some files."""
    folder = tmp_path.resolve() / "here"
    (folder / "sub").mkdir(parents=True)
    for name in (
        "report.pdf",
        "my report.pdf",
        "notes.txt",
        "README",
        "page.html",
        "sub/a.txt",
        "main.py",
    ):
        (folder / name).write_text("words")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("open report.pdf", "report.pdf"),
        ("open 'my report.pdf'", "my report.pdf"),
        ("open ~/my report.pdf", "my report.pdf"),
        ("open README", "README"),
        ("open main.py", "main.py"),
        ("open sub/", "sub"),
        ("open sub", "sub"),
        ("open ./sub/../notes.txt", "notes.txt"),
        ("open ~/notes.txt", "notes.txt"),
        ("open .", "."),
        ("open notes.txt.", "notes.txt"),
    ],
)
def test_a_file_or_folder_that_is_there_is_shown(house, here, words, path):
    ended = house.plain(words).ended

    wanted = os.path.realpath(here / path)
    assert house.desktop.shown == [wanted]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert ended.summary["reply"] == f"Sent {wanted} to its app."
    assert ended.summary["intent"] == ["open f1"]
    assert house.rows("SELECT target, rule FROM steps") == [(wanted, "you asked: open f1")]
    assert house.rows("SELECT count(*) FROM addresses") == [(0,)]


@pytest.mark.parametrize(
    "words", ["open github", "open a.example", "show me notes.txt", "run ./notes.txt", "open 2", "go to sub",
              "go to lecture.info", "open notes.txt?", "is notes.txt open", "open notes.txt in vim", "open https://notes.txt"]
)  # fmt: skip
def test_a_file_is_not_taken_for_what_else_the_words_say(house, here, words):
    for name in ("github", "2", "lecture.info"):
        (here / name).touch()

    meant = understood(words, house.names)

    assert meant is None or meant.action.name != "open_file"


def test_what_is_not_there_is_told_at_once(house, here):
    ended = house.plain("open ./note.txt").ended

    assert house.desktop.shown == []
    assert (ended.status, ended.exit_status) == ("failed", 1)
    assert ended.summary["error"]["message"] == f"Did not open: there is no file {here}/note.txt."


@pytest.mark.parametrize(
    "name",
    "a.sh b.desktop d.exe h.MSI a.inetloc a.fileloc a.mailloc a.scpt a.scptd a.appinstaller a.search-ms "
    "a.kdelnk a.searchConnector-ms a.library-ms a.msu a.vhd a.vhdx a.rdp a.theme a.PYZW a.wsb".split(),
)
def test_what_would_run_or_lead_elsewhere_is_refused_with_a_hint_to_its_folder(house, here, name):
    (here / name).write_text("#!/bin/sh\n")
    if name == "a.sh":
        (here / name).chmod(0o755)

    ended = house.plain(f"open ./{name}").ended

    assert house.desktop.shown == []
    assert (ended.status, ended.exit_status) == ("refused", 4)
    assert str(here / name) in ended.summary["error"]["message"]
    assert ended.summary["error"]["hint"] == f"To open its folder: jarvis open {here}"


def test_a_link_counts_as_what_it_leads_to(house, here):
    (here / "run.sh").write_text("#!/bin/sh\n")
    (here / "run.sh").chmod(0o755)
    (here / "fine.txt").symlink_to("run.sh")
    (here / "fine.desktop").symlink_to("notes.txt")
    (here / "gone.txt").symlink_to("nowhere.txt")

    refused, shown, gone = [
        house.plain(f"open ./{name}").ended for name in ("fine.txt", "fine.desktop", "gone.txt")
    ]

    assert (refused.exit_status, shown.exit_status, gone.exit_status) == (4, 0, 1)
    assert house.desktop.shown == [f"{here}/notes.txt"]


def test_a_pipe_and_a_device_are_refused(house, here):
    os.mkfifo(here / "pipe.txt")

    assert [house.plain(words).ended.exit_status for words in ("open pipe.txt", "open /dev/null")] == [4, 4]
    assert house.desktop.shown == []


def test_what_became_another_file_since_it_was_understood_is_not_shown(house, here):
    meant = understood("open notes.txt", house.names)
    (here / "notes.txt").unlink()
    (here / "notes.txt").symlink_to("report.pdf")

    ended = house.plain("open notes.txt", meant).ended

    assert (ended.exit_status, house.desktop.shown) == (4, [])


@pytest.mark.parametrize(
    ("verdict", "name", "status"), [("deny", "", 4), ("ask", "", 3), ("deny", "a.example", 0)]
)
def test_a_rule_on_whatever_is_opened_holds_for_files_and_one_on_a_host_says_nothing(
    house, here, verdict, name, status
):
    rules.remember(house.settings.folders.policy, verdict, "opens", name)

    ended = house.plain("open notes.txt").ended

    assert ended.exit_status == status
    assert len(house.desktop.shown) == (status == 0)


def test_the_model_is_never_told_of_files():
    assert "open_file" in catalogue()
    assert "open_file" not in plannable()


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "status"), [("here", 0), ("elsewhere", 3)])
def test_a_late_yes_is_to_the_file_that_the_words_name(shell, here, monkeypatch, folder, status):
    """In another folder they name another file, which is asked about anew."""
    elsewhere = here.parent / "elsewhere"
    elsewhere.mkdir()
    for place in (here, elsewhere):
        (place / "paper.pdf").write_text(place.name)
    asked = shell.jarvis("paper.pdf", cwd=here)
    question = asked.stderr.rpartition("--answer ")[2].split()[0]

    done = shell.jarvis("-n", "--answer", question, cwd=here.parent / folder)

    assert (asked.status, done.status) == (3, status)
    assert (f"Would open {here}/paper.pdf" in done.stdout) == (status == 0)
