"""The packs that the documentation shows are made of its very blocks, and do what it says there."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.house import packs_beside_ours
from tests.program import Program
from tests.running import need_terminals
from tests.twins.keyrings import NONE, using

ROOT = Path(__file__).parents[2]
STYLE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\r")
BLOCK = re.compile(r"^`(?P<path>\S+\.py)`[^\n]*\n\n```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = {"hardware": "CONTRIBUTING.md", "tides": "docs/packs.md"}
EACH = pytest.mark.parametrize("pack", PAGES)
LONGEST = 220  # lines of the second one, with its test
IN_THREAD = ("-t", "evening")  # a terminal has one of its own, unless it says which
ASKED = "a drill under $100"
PLAN = {"action": "find_tools", "query": "drill", "most": "100 USD", "finish": True}


def blocks_of(pack):
    """What its page says to write, by the file."""
    text = (ROOT / PAGES[pack]).read_text(encoding="utf-8")
    return {block["path"]: block["code"] for block in BLOCK.finditer(text)}


def write_pack(pack, root):
    for path, code in blocks_of(pack).items():
        if path.startswith("jarvis/"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(code, encoding="utf-8")


def own_test(pack):
    """What is in its test."""
    path, names = f"tests/packs/test_{pack}.py", {}
    exec(compile(blocks_of(pack)[path], path, "exec"), names)
    return names


@pytest.fixture
def with_pack(tmp_path, shell):
    """Copies the package with that pack in its folder, and returns what runs the program of that copy."""

    def run(*argv, environment=None, **how):
        environment = shell.environment | (environment or {})
        return Program(tmp_path, environment, package_root=tmp_path / "copy").run(*argv, **how)

    def make(pack):
        shutil.copytree(ROOT / "jarvis", tmp_path / "copy/jarvis")
        write_pack(pack, tmp_path / "copy")
        return run

    return make


def titles(screen):
    return re.findall(r"^ *\d+  (\w+ \w+)  ", screen, re.MULTILINE)


@pytest.mark.slow
def test_a_pack_is_turned_on_used_at_a_terminal_and_turned_off(with_pack, shell):
    need_terminals()
    run = with_pack("hardware")

    def at_terminal(*argv):
        return STYLE.sub("", run(*argv, tty=True).screen.decode())

    shell.serpapi.sells(home_depot=own_test("hardware")["PAGE"])
    shell.gemini.plans(PLAN, {"action": "reply", "text": "That I can't tell."})

    assert re.search(r"(?m)^hardware +off  tools, paint and timber", at_terminal("packs", "list"))
    assert at_terminal("packs", "on", "hardware").startswith("hardware is on now")

    found = at_terminal(*IN_THREAD, ASKED)
    assert titles(found) == ["Hammer drill", "Cordless drill"]
    assert "2 of 3. Left out: 1 over $100.00." in found
    assert titles(at_terminal(*IN_THREAD, "cheapest", "first")) == ["Cordless drill", "Hammer drill"]
    (table,) = json.loads(at_terminal(*IN_THREAD, "--json", "sort by rating"))["tables"]
    assert [row["price"]["amount"] for row in table["rows"]] == ["79.00", "49.97"]
    at_terminal(*IN_THREAD, "open", "2")
    assert shell.opened == ["https://www.homedepot.com/p/2"]
    assert shell.cost == (1, 1)

    assert at_terminal("packs", "off", "hardware").startswith("hardware is off now")
    assert "That I can't tell." in at_terminal(*IN_THREAD, ASKED)

    offered, after = ({*request.enum("action")} for request in shell.gemini.requests)
    assert "find_tools" in offered
    assert "find_tools" not in after


@EACH
def test_its_own_test_passes(pack, tmp_path, house):
    write_pack(pack, tmp_path)
    (test,) = (test for name, test in own_test(pack).items() if name.startswith("test_"))
    with packs_beside_ours(tmp_path / "jarvis/packs"):
        test(house)

    assert f"jarvis.packs.{pack}" not in sys.modules


def files_with(text, shell):
    files = (path for path in (shell.home / "jarvis").rglob("*") if path.is_file())
    return [path.name for path in files if text.encode() in path.read_bytes()]


@pytest.fixture
def tides(with_pack, shell, tmp_path):
    """Runs the program with the pack of tides, whose service is a twin on loopback; and that twin."""
    keyring = using(NONE)
    shell.environment |= {**keyring, "PYTHONPATH": f"{tmp_path / 'copy'}:{keyring['PYTHONPATH']}"}
    with own_test("tides")["TidewatchTwin"]() as twin:
        run = with_pack("tides")
        shell.configure(f'[packs]\non = ["tides"]\n[packs.tides]\nbase_url = "{twin.url}"\n')
        yield run, twin


def test_a_pack_with_a_service_of_its_own_is_a_folder_of_a_page():
    assert sum(len(code.splitlines()) for code in blocks_of("tides").values()) <= LONGEST


@pytest.mark.slow
def test_its_key_is_asked_for_checked_kept_and_never_shown(tides, shell):
    run, twin = tides
    key, wrong = own_test("tides")["KEY"], "a-key-that-is-none-of-theirs"

    missing = run("packs", "list")
    refused, kept = (run("keys", "set", "tides", stdin=f"{each}\n") for each in (wrong, key))
    listed = {row["name"]: row["from"] for row in json.loads(run("keys", "list", "--json").stdout)}
    tested = run("keys", "test", "tides")
    told = run(f"what is {key} for?")  # it is neither sent nor kept
    shown = run("config", "show", "--origin")

    assert "It needs a Tidewatch key: jarvis keys set tides" in missing.stdout
    assert (refused.status, "Tidewatch refused this key." in refused.stderr) == (77, True)
    assert (kept.status, "Checked with Tidewatch, saved in" in kept.stderr) == (0, True)
    assert listed["tides"].startswith("TIDES_API_KEY in ")
    assert (tested.status, "Tidewatch accepts it" in tested.stdout) == (0, True)
    assert (told.status, shell.gemini.requests) == (2, [])
    assert re.search(r"^tides_api_key +set +TIDES_API_KEY in", shown.stdout, re.MULTILINE)
    assert [request.path for request in twin.requests] == ["/v1/account"] * 3
    assert files_with(key, shell) == [".env"]
    outputs = (missing, refused, kept, tested, told, shown)
    assert not any(key in done.stdout + done.stderr for done in outputs)


@pytest.mark.slow
def test_it_is_used_by_words_and_by_its_commands_and_doctor_looks_at_it(tides, shell):
    run, twin = tides
    key = own_test("tides")["KEY"]
    run("keys", "set", "tides", stdin=key)
    shell.gemini.plans(
        {"action": "find_tides", "harbor": None, "finish": True},
        {"action": "keep_harbor", "harbor": "Brest", "finish": True},
    )

    unset = run("doctor", "--json")
    run("config", "set", "packs.tides.harbor", "Brest")
    wrong = run("config", "set", "packs.tides.units", "cubits")
    found = run(*IN_THREAD, "when is high tide?")
    highest = run(*IN_THREAD, "sort by height, highest first")
    shell.gemini.reading = "remember harbor"
    kept = run("remember the harbor of Brest")
    commands = [run("tides", *words) for words in (("at",), ("at", "Saint-Malo"), ("harbors",))]
    page = run("tides", "--help")
    completed = [
        run(environment={"COMP_WORDS": line, "COMP_CWORD": at, "_JARVIS_COMPLETE": "complete_bash"}).stdout
        for line, at in (("jarvis tides ", "2"), ("jarvis keys set t", "3"))
    ]
    doctor = run("doctor", "--online", "--json")

    def looked(done):
        return [each for each in json.loads(done.stdout)["findings"] if each["name"] == "tides harbor"]

    assert looked(unset)[0]["cure"] == "jarvis config set packs.tides.harbor Brest"
    assert (wrong.status, "isn't one of m, ft" in wrong.stderr) == (2, True)
    assert [line.split("\t")[1:4:2] for line in found.stdout.splitlines()] == [
        ["High water", "6.9"],
        ["Low water", "1.2"],
        ["High water", "7.1"],
    ]
    assert [line.split("\t")[3] for line in highest.stdout.splitlines()] == ["7.1", "6.9", "1.2"]
    assert kept.stdout == "Brest is now a harbor of yours.\n"
    assert [(done.status, done.stderr) for done in commands] == [(0, "")] * 3
    assert commands[0].stdout.startswith("1\tHigh water\t2026-11-26T05:12\t6.9")
    assert commands[2].stdout == "Brest\n"
    assert {request.params.get("harbor") for request in twin.requests} == {None, "Brest", "Saint-Malo"}
    assert "List your harbors" in page.stdout
    assert [each.split() for each in completed] == [["at", "harbors"], ["tides"]]
    assert [each["state"] for each in looked(doctor)] == ["ok"]
    assert files_with(key, shell) == [".env"]
