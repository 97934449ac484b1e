"""The scripts in the shells themselves, where they are installed, and where they are put."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.person import ENTER, Person
from tests.program import Program
from tests.running import need_terminals
from tests.test_architecture import lived_in, slow_imports  # noqa: F401 (a fixture)

pytestmark = pytest.mark.slow

CTRL_U = "\x15"  # clears the line


@pytest.fixture
def environment(tmp_path, shell):
    """A shell's, in which `jarvis` is this one."""
    program = tmp_path / "bin" / "jarvis"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m jarvis "$@"\n')
    program.chmod(0o755)
    shell.jarvis("-t", "my-work", "open", "a.example")
    shell.jarvis("-t", "tty-1f", "open", "b.example")
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "JARVIS_HOME": str(shell.home / "jarvis"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


BASH = """
eval "$(jarvis completion bash)"
complete() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    compopt() { echo "compopt $*"; }
    _jarvis
    echo "${COMPREPLY[*]}"
}
complete jarvis threads sh
complete jarvis -t my
complete jarvis --thread = my
complete jarvis policy allow --for od
complete jarvis policy allow --for '"odd l'
complete jarvis open "google\\\\" m
complete "~/bin/jarvis" threads sh
complete jarvis threads import ''
complete jarvis nonesuch ''
complete jarvis 'th`false`'
COMP_TYPE=63
complete jarvis threads show ''
complete jarvis threads show my
"""


FISH = """
jarvis completion fish | source
for line in 'threads sh' '-t my' '--thread=my' 'policy allow --for od' 'open google ma'
    complete -C "jarvis $line"
end
"""


# What each shell is told to do → what it says then.
TRIED = {
    "bash": (
        BASH,
        [
            *("show", "my-work", "my-work", "odd\\ letters", "odd letters", "mail maps meet", "show"),
            *("compopt -o default", "", "", ""),
            *("compopt -o nosort", "tty-1f  (open b.example) my-work", "my-work"),
        ],
    ),
    "fish": (
        FISH,
        [
            "show\tshow a thread: each turn, its steps and its reply",
            "my-work\topen a.example",
            "--thread=my-work\topen a.example",
            "odd letters",
            *("mail\thttps://mail.google.com", "maps\thttps://www.google.com/maps"),
        ],
    ),
}
HERE = [name for name in ("bash", "zsh", "fish") if shutil.which(name)]  # bash always is


@pytest.mark.parametrize("name", [name for name in HERE if name in TRIED])
def test_a_shell_completes_commands_names_and_values(name, environment):
    script, said = TRIED[name]

    done = subprocess.run([name, "-c", script], env=environment, capture_output=True, text=True, check=True)

    assert (done.stdout.splitlines(), done.stderr) == (said, "")


@pytest.mark.parametrize("name", [name for name in HERE if name != "fish"])
def test_tab_completes_on_a_terminal(name, environment, shell, tmp_path):
    need_terminals()
    done = shell.jarvis("completion", "install", name, environment=environment)
    lines = [line.strip() for line in done.stderr.splitlines()[1:]]  # what is to be added to the rc file
    (tmp_path / f".{name}rc").write_text("\n".join(["PS1='$ '", *lines, ""]))

    within = [str(shutil.which(name)), "-c", f"exec {name} -i", name]
    with Person(Program(tmp_path, environment, within=within)) as person:
        person.at_prompt("$")
        person.type("jarvis threads sh\tmy\t")
        person.until(lambda: person.line == "$ jarvis threads show my-work")
        person.type(CTRL_U + "jarvis open b.example" + ENTER)
        person.see("https://b.example")
        person.at_prompt("$")
        person.type("jarvis why \t")
        person.until(lambda: person.line == "$ jarvis why 1")


PLACES = {
    "bash": ".local/share/bash-completion/completions/jarvis",
    "zsh": ".local/share/zsh/site-functions/_jarvis",
    "fish": ".config/fish/completions/jarvis.fish",
}


@pytest.mark.parametrize(("name", "place"), PLACES.items())
def test_it_is_put_where_the_shell_looks_and_told_with_its_undo(name, place, shell):
    for _ in range(2):  # over our own it is put again
        done = shell.jarvis("completion", "install", environment={"SHELL": f"/usr/bin/{name}"})

    path = shell.home / place
    assert (done.status, done.stdout) == (0, f"Wrote {path}\n  undo: rm {path}\n")
    assert path.read_text() == shell.jarvis("completion", name).stdout
    assert done.stderr
    assert sorted(each.name for each in shell.home.iterdir() if each.name.endswith("rc")) == []


def test_what_is_not_ours_is_left_as_it_is(shell):
    path = shell.home / PLACES["fish"]
    path.parent.mkdir(parents=True)
    path.write_text("complete -c jarvis -a mine\n")

    done = shell.jarvis("completion", "install", "fish")

    assert (done.status, done.stdout) == (2, "")
    assert f"{path} is there already, and is not ours: it was left as it is." in done.stderr
    assert path.read_text() == "complete -c jarvis -a mine\n"


def test_a_shell_that_is_not_known_is_told(shell):
    done = shell.jarvis("completion", "install", environment={"SHELL": "/bin/dash"})

    assert done.status == 2
    assert "There is completion for bash, zsh, fish, and none for dash." in done.stderr
    assert shell.jarvis("completion", "install", "dash").stderr == done.stderr
    assert shell.jarvis("completion", "install", environment={"SHELL": ""}).status == 2


@pytest.mark.parametrize("line", ["", "t", "open goo", "-t d", "alias rm ", "policy rm ", "launch tool "])
def test_a_key_press_imports_nothing_heavy(line, lived_in):  # noqa: F811
    assert slow_imports(["--complete", "bash", *line.split(" ")], lived_in) == set()


def test_nor_does_one_that_reads_the_history(lived_in, shell):  # noqa: F811
    shell.jarvis("open", "example.org")
    del lived_in["DATABASE_URL"]
    lived_in["JARVIS_HOME"] = str(shell.home / "jarvis")

    assert slow_imports(["--complete", "bash", "-t", ""], lived_in) == set()
