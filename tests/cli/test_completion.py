"""What Tab offers: in the shells themselves, where they are installed, and word by word."""

import os
import shutil
import subprocess
import sys

import pytest

from jarvis.cli.app import offered
from jarvis.cli.line import COMMANDS
from jarvis.launcher import aliases
from jarvis.output.screen import Screen
from tests.person import ENTER, Person
from tests.program import Program
from tests.running import need_terminals

CTRL_U = "\x15"  # clears the line
HERE = [name for name in ("bash", "zsh", "fish") if shutil.which(name)]  # bash always is


@pytest.fixture
def environment(house, monkeypatch):
    """That of a person with threads, an alias and two apps."""
    house.install("Calculator")
    house.install("Tool Box")
    for host, thread in (("a.example", "default"), ("b.example", "work"), ("c.example", "work")):
        house.environment["JARVIS_THREAD"] = thread
        house.plain(f"open {host}")
    house.close()
    aliases.add(house.settings.folders.aliases, "my docs", "https://docs.example.com/?q=$(id)")
    home = {"JARVIS_HOME": str(house.home / "jarvis"), "JARVIS_THREAD": "default", "LANG": "C.UTF-8"}
    environment = {**house.desk, **home, "PATH": os.defpath}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


def words_for(line):
    *before, begun = line.split(" ")
    return [word for word, _ in offered([word for word in before if word], begun, Screen(), None)]


# What is typed after `jarvis`, the last word being begun → what it may become; `…`: and others.
TABLE = {
    "th": ["threads"],
    "op": ["open"],
    "nonesuch": [],
    "": [*sorted(COMMANDS), "…"],
    "threads sh": ["show"],
    "threads ": ["list", "…"],
    "threads show w": ["work"],
    "threads show ": ["work", "open b.example", "default", "open a.example"],  # the one used last first
    "threads export work d": ["default"],
    "-t w": ["work"],
    "usage --d": ["--days"],
    "--dry": ["--dry-run"],
    "threads list --j": ["--json"],
    "alias rm my d": ["docs"],
    "alias rm ": ["my"],
    "help bra": ["brain"],
    "config set daily.": ["daily.model_calls", "daily.searches"],
    "policy allow o": ["open"],
    "policy allow ": ["open", "launch", "screenshot", "show", "search", "read", "write"],
    "policy allow --for od": ["odd-letters"],
    "policy test open githu": ["github"],
    "completion install f": ["fish"],
    "keys set ": ["google", "serpapi", "brave", "ghostfolio"],
    "open githu": ["github"],
    "open google m": ["mail", "maps", "meet"],
    "open my ": ["docs"],
    "open calc": ["calculator"],
    "open Calc": ["Calculator"],
    "Open GITHU": ["GITHUb"],
    "launch Tool b": ["box"],
    "alias rm My D": ["Docs"],
    "threads show W": [],  # the name of a thread is what it is
    "please open calc": ["calculator"],
    "launch tool": ["tool"],
    "launch githu": [],
    "visit calc": [],
    "tell me about githu": [],
    "why is the sky ": [],
}


def test_a_word_becomes_what_the_commands_and_this_machine_know_and_nothing_is_written(environment, tmp_path):
    def kept():
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    before = kept()
    found = {line: words_for(line) for line in TABLE}

    whole = {line: expected for line, expected in TABLE.items() if "…" not in expected}
    assert {line: found[line] for line in whole} == whole
    for line in TABLE.keys() - whole.keys():
        assert {*TABLE[line]} - {"…"} < {*found[line]}
    assert kept() == before


def test_what_can_not_be_read_completes_nothing_and_says_nothing(environment, capsys, tmp_path):
    for name in ("aliases.json", "config.toml"):
        (tmp_path / "jarvis" / "config" / name).write_text("{ broken")
    (tmp_path / "jarvis" / "data" / "history.db").write_text("no database")

    for line in ("open d", "alias rm ", "-t w"):
        words_for(line)

    assert capsys.readouterr() == ("", "")


def test_a_server_is_not_asked(environment, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:password@127.0.0.1:1/jarvis")

    assert words_for("-t w") == []


@pytest.fixture
def at_a_shell(tmp_path, shell):
    """A shell's environment, in which `jarvis` is this one; two threads, and a hostile name of each kind."""
    program = tmp_path / "bin" / "jarvis"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m jarvis "$@"\n')
    program.chmod(0o755)
    runs = f"$(touch {tmp_path}/run) `touch {tmp_path}/run` 'x"
    for thread, title in (("my-work", runs), ("tty-1", "Holidays in May"), ("tty-2", f"Holidays {runs}")):
        shell.jarvis("-t", thread, "open", "a.example")
        shell.jarvis("threads", "rename", thread, title)
    aliases.add(shell.settings.folders.aliases, "mad", f"https://a.example/?q=$(touch${{IFS}}{tmp_path}/run)")
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "JARVIS_HOME": str(shell.home / "jarvis"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in HERE if name != "fish"])
def test_tab_completes_on_a_terminal_and_runs_nothing(name, at_a_shell, shell, tmp_path):
    need_terminals()
    done = shell.jarvis("completion", "install", name, environment=at_a_shell)
    lines = [line.strip() for line in done.stderr.splitlines()[1:]]  # what is to be added to the rc file
    (tmp_path / f".{name}rc").write_text("\n".join(["PS1='$ '", *lines, ""]))

    within = [str(shutil.which(name)), "-c", f"exec {name} -i", name]
    with Person(Program(tmp_path, at_a_shell, within=within)) as person:
        person.at_prompt("$")
        person.type("jarvis threads sh\t")
        person.until(lambda: person.line.rstrip() == "$ jarvis threads show")
        person.type("my\t")
        person.until(lambda: person.line.rstrip() == "$ jarvis threads show my-work")
        for typed, becomes in (("Holi", r"Holidays\ in\ May"), ('"Holidays i', '"Holidays in May"')):
            person.type(f"{CTRL_U}jarvis threads show {typed}\t")
            person.until(lambda line=f"$ jarvis threads show {becomes}": person.line.rstrip() == line)
        person.type(ENTER)
        person.see("Sent https://a.example")
        person.type("jarvis open ma\t\t")
        person.until(lambda: "mad" in "".join(person.lines_of_text))
        person.type(CTRL_U + 'jarvis open "ma\t\t')
        person.type(CTRL_U + "jarvis open b.example" + ENTER)
        person.see("https://b.example")

    assert not (tmp_path / "run").exists()


PLACES = {
    "bash": ".local/share/bash-completion/completions/jarvis",
    "zsh": ".local/share/zsh/site-functions/_jarvis",
    "fish": ".config/fish/completions/jarvis.fish",
}


@pytest.mark.slow
def test_it_is_put_where_the_shell_looks_and_told_with_its_undo(shell):
    """Over our own it is put again. No file of the person's is touched."""
    for name, place in (*PLACES.items(), *PLACES.items()):
        done = shell.jarvis("completion", "install", environment={"SHELL": f"/usr/bin/{name}"})

        path = shell.home / place
        assert (done.status, done.stdout) == (0, f"Wrote {path}\n  undo: rm {path}\n")
        assert path.read_text() == shell.jarvis("completion", name).stdout
        assert done.stderr
    assert sorted(each.name for each in shell.home.iterdir() if each.name.endswith("rc")) == []
    unknown = shell.jarvis("completion", "install", environment={"SHELL": "/bin/dash"})
    assert unknown.status == 2
    assert "Completion supports only bash, zsh, fish." in unknown.stderr


FISH = """
jarvis completion fish | source
for line in "threads sh" "-t my" "threads show Holi" 'threads show "Holi'
    complete -C "jarvis $line"
end
"""


if "fish" in HERE:

    @pytest.mark.slow
    def test_fish_lists_what_may_follow(at_a_shell):
        done = subprocess.run(
            ["fish", "-c", FISH], env=at_a_shell, capture_output=True, text=True, check=True
        )

        # It escapes what it inserts.
        listed = [line.split("\t")[0] for line in done.stdout.splitlines()]
        assert listed == ["show", "my-work", "Holidays in May", "Holidays in May"]
