"""What was said yes to for one thread: kept on this machine, for that thread and that doubt alone."""

from __future__ import annotations

import os
import sys

import pytest

from jarvis.config.settings import read_settings
from jarvis.core.concurrency import run_async
from jarvis.core.errors import SettingsError, UsageError
from jarvis.policy import rules_file
from jarvis.policy.rules_file import Consents
from jarvis.store.open import opened
from tests.answering import answered, plainly
from tests.conftest import BOTH

PORT = "unusual port"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "config" / "consents.json")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def test_a_yes_is_there_in_the_next_process_for_its_thread_alone(path):
    Consents(path).allow("work", "opens", "A.example", PORT)
    Consents(path).allow("work", "launches", "Visual Studio Code", "near name")

    assert Consents(path).allowed("work") == {
        ("opens", "a.example", PORT),
        ("launches", "Visual Studio Code", "near name"),
    }
    assert Consents(path).allowed("home") == Consents(path).allowed("") == frozenset()


def test_one_thread_or_all_are_forgotten(path):
    consents = Consents(path)
    for thread in ("work", "home", "日本 \ud800"):
        consents.allow(thread, "opens", "a.example", PORT)
    assert consents.threads() == sorted(["work", "home", "日本 \ud800"])

    consents.forget("work")
    consents.forget("none of that name")
    assert (consents.allowed("work"), len(consents.threads())) == (frozenset(), 2)
    assert consents.allowed("日本 \ud800")
    consents.forget(None)
    assert consents.threads() == []


@pytest.mark.parametrize(
    ("effect", "name", "doubt"),
    [
        ("open", "a.example", PORT),
        ("opens", "a.example/page", PORT),
        ("opens", "*.a.example", PORT),
        ("opens", "", PORT),
        ("launches", "", "near name"),
        ("opens", "a.example", ""),
        ("opens", "a.example", "asked for"),
    ],
)
def test_what_is_no_doubt_on_one_host_or_app_is_not_kept(path, effect, name, doubt):
    with pytest.raises(UsageError) as refused:
        Consents(path).allow("work", effect, name, doubt)

    assert refused.value.hint
    assert not os.path.exists(path)


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_a_file_that_others_can_write_is_not_read(path):
    Consents(path).allow("work", "opens", "a.example", PORT)
    os.chmod(path, 0o666)

    for call in (
        lambda: Consents(path).allowed("work"),
        lambda: Consents(path).allow("work", "opens", "b.example", PORT),
        lambda: Consents(path).forget("work"),
        lambda: Consents(path).threads(),
    ):
        with pytest.raises(SettingsError, match="Other users of this machine can write") as refused:
            call()
        assert f"chmod go-w {path}" in refused.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"work": [["opens", "a.example", "unusual port"]',
        "[]",
        '{"work": [["opens", "a.example"]]}',
        '{"work": [null]}',
        "[" * 100_000,
    ],
    ids=lambda text: text[:50] or "empty",
)
def test_a_file_that_makes_no_sense_is_told_with_its_name_and_left_as_it_is(path, text):
    write(path, text)

    with pytest.raises(SettingsError) as failure:
        Consents(path).allowed("work")
    with pytest.raises(SettingsError):
        Consents(path).allow("work", "opens", "a.example", PORT)

    assert failure.value.message.startswith(f"{path} can't be read: ")
    assert failure.value.hint == f"Mend it, or move it away: mv {path} {path}.broken"
    with open(path, encoding="utf-8") as file:
        assert file.read() == text


OPEN_TYPED = {"action": "open_website", "address": "u1", "finish": True}


def asks(house, *hosts):
    for host in hosts:
        rules_file.remember(house.settings.folders.policy, "ask", "opens", host)


def allows(house, thread="default"):
    return Consents(house.settings.folders.consents).allowed(thread)


@BOTH
@pytest.mark.parametrize("is_late", [False, True])
def test_a_yes_for_a_thread_holds_either_way_in_that_thread_alone_and_is_in_no_database(house, is_late):
    asks(house, "a.example")
    if is_late:
        answered(house, plainly(house, "open a.example"), "t")
    else:
        house.model_plans(OPEN_TYPED)
        house.answers = ["t"]
        house.ask("could you open a.example for me now")
    house.gemini.reading = "open u1"
    house.model_plans(lambda asked: {**OPEN_TYPED, "address": asked.enum("address")[-1]}, OPEN_TYPED)

    again = [plainly(house, "open a.example"), house.ask("please would you show me a.example, open it")]
    other = house.ask("could you open a.example for me now", thread="other")

    assert [asked.status for asked in again] == [("done", 0)] * 2
    assert other.status == ("needs_answer", 3)
    assert {url.rstrip("/") for url in house.desktop.opened} == {"https://a.example"}
    assert len(house.desktop.opened) == 3
    assert allows(house) == {("opens", "a.example", "a rule asks")}
    assert house.rows("SELECT * FROM allowed") == []
    assert os.path.dirname(house.settings.folders.consents) == os.path.dirname(house.settings.folders.policy)


@BOTH
@pytest.mark.parametrize("deleted", ["default", None])
def test_it_ends_with_its_thread(house, deleted):
    asks(house, "a.example")
    answered(house, plainly(house, "open a.example"), "t")
    Consents(house.settings.folders.consents).allow("other", "opens", "a.example", PORT)

    house.kept(lambda store: store.delete(deleted))

    assert allows(house) == frozenset()
    assert len(allows(house, "other")) == (deleted is not None)
    assert plainly(house, "open a.example").status == ("needs_answer", 3)


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_it_ends_where_its_thread_is_deleted_on_another_machine(house, tmp_path):
    asks(house, "a.example")
    answered(house, plainly(house, "open a.example"), "t")
    elsewhere = house.settings._replace(folders=read_settings({"JARVIS_HOME": str(tmp_path / "two")}).folders)

    async def delete():
        async with opened(elsewhere) as store:
            await store.delete("default")

    run_async(delete())
    assert allows(house)
    house.model_plans({"action": "reply", "text": "Hello.", "finish": True})
    house.ask("hello", thread="other")

    assert allows(house) == frozenset()


@BOTH
def test_rows_of_an_earlier_version_do_not_count_and_go_with_their_thread(house):
    """Whoever can write there could have said those yeses."""
    asks(house, "a.example")
    house.kept(
        lambda store: store.database.run("INSERT INTO allowed VALUES ('default', 'opens', 'a.example')")
    )

    assert plainly(house, "open a.example").status == ("needs_answer", 3)
    house.kept(lambda store: store.delete("default"))
    assert house.rows("SELECT * FROM allowed") == []


@BOTH
def test_a_thread_is_deleted_although_the_file_is_broken_and_which_one_to_mend_is_told(shell):
    path = shell.settings.folders.consents

    async def begin(store):
        for thread in ("default", "other"):
            await store.history.end(await store.history.begin(thread, "a secret"), "done")

    shell.kept(begin)
    write(path, "{")

    done = shell.jarvis("threads", "delete", "default", "-y")

    assert (done.status, done.stdout) == (0, "Deleted default: 1 turn.\n")
    (told,) = done.stderr.splitlines()
    assert told.startswith(f"What you said yes to in default is kept: {path} can't be read: ")
    assert told.endswith(f"mv {path} {path}.broken")
    assert [thread["id"] for thread in shell.json("threads", "list")] == ["other"]
