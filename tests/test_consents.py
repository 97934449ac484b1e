"""What was said yes to for one thread: kept on this machine, for that thread and that doubt alone."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from jarvis.consents import Consents
from jarvis.errors import SettingsError, StoreFailed, UsageError
from jarvis.store.files import private_folder
from jarvis.store.locks import alone

PORT = "unusual port"
WRITER = """
import sys
from jarvis.consents import Consents
from jarvis.store import locks
locks.PATIENCE = 60  # on a slow machine they have to wait for each other
print("ready", flush=True)
sys.stdin.readline()
for n in range(10):
    Consents(sys.argv[1]).allow(f"t{n}", "opens", sys.argv[2], "unusual port")
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "config" / "consents.json")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def test_no_file_is_no_yes_and_makes_none(path):
    assert Consents(path).allowed("work") == frozenset()
    assert Consents(path).threads() == []
    Consents(path).forget("work")
    Consents(path).forget(None)
    assert not os.path.exists(os.path.dirname(path))


def test_a_yes_is_there_in_the_next_process_for_its_thread_alone(path):
    Consents(path).allow("work", "opens", "A.example", PORT)
    Consents(path).allow("work", "launches", "Visual Studio Code", "near name")

    assert Consents(path).allowed("work") == {
        ("opens", "a.example", PORT),
        ("launches", "Visual Studio Code", "near name"),
    }
    assert Consents(path).allowed("home") == Consents(path).allowed("") == frozenset()


def test_the_same_yes_twice_is_one_and_another_doubt_another(path):
    for doubt in (PORT, PORT, "odd letters"):
        Consents(path).allow("work", "opens", "a.example", doubt)

    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    assert kept == {"work": [["opens", "a.example", "odd letters"], ["opens", "a.example", PORT]]}


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


def test_the_file_is_its_owners_alone(path):
    write(path, "{}")
    os.chmod(path, 0o644)

    Consents(path).allow("work", "opens", "a.example", PORT)

    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert sorted(os.listdir(os.path.dirname(path))) == [".consents.lock", "consents.json"]


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
        "{",
        '{"work": [["opens", "a.example", "unusual port"]',
        "[]",
        "null",
        '{"work": "opens"}',
        '{"work": [["opens", "a.example"]]}',
        '{"work": [["opens", "a.example", 1]]}',
        '{"work": ["abc"]}',
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


def test_one_that_another_holds_on_to_is_told(path):
    lock = os.path.join(private_folder(os.path.dirname(path)), ".consents.lock")
    with alone(lock), pytest.raises(StoreFailed, match="locked by another"):
        Consents(path).allow("work", "opens", "a.example", PORT)

    assert Consents(path).threads() == []


def test_processes_that_write_at_once_lose_nothing(path):
    hosts = [f"h{n}.example" for n in range(5)]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, path, host],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
            text=True,
        )
        for host in hosts
    ]
    assert {writer.stdout.readline() for writer in writers} == {"ready\n"}
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)

    assert [writer.returncode for writer in writers] == [0] * 5
    assert Consents(path).threads() == [f"t{n}" for n in range(10)]
    for thread in Consents(path).threads():
        assert {name for _, name, _ in Consents(path).allowed(thread)} == set(hosts)


def test_it_is_cheap_to_import():
    code = (
        "import sys; from jarvis.consents import Consents; Consents('/nowhere').allowed('t'); "
        "print({'json', 're', 'typing', 'hashlib', 'publicsuffixlist', 'asyncio'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}

    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == "set()\n"
