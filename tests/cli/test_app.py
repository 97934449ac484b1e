"""Which command lines are commands, which are words, and which are neither."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jarvis.cli.grammar import as_command as command_of
from jarvis.cli.grammar import split
from jarvis.core.errors import UsageError
from jarvis.core.options import USAGE, Options, simple


def as_command(argv):
    return command_of(split(argv))


WORDS = {
    ("find", "the", "MIT", "website"): ["ask", "--", "find", "the", "MIT", "website"],
    ("find MIT", "--json"): ["ask", "--json", "--", "find MIT"],
    ("-t", "work", "what", "now"): ["ask", "-t", "work", "--", "what", "now"],
    ("--", "threads", "list"): ["ask", "--", "threads", "list"],
    ("--json", "--", "-5 + 3"): ["ask", "--json", "--", "-5 + 3"],
    ("--weird sentence of mine",): ["ask", "--", "--weird sentence of mine"],
    ("threads", "are", "for", "sewing"): ["ask", "--", "threads", "are", "for", "sewing"],
    ("why", "is", "the", "sky", "blue"): ["ask", "--", "why", "is", "the", "sky", "blue"],
    ("threads list",): ["ask", "--", "threads list"],
    ("ask", "threads", "list"): ["ask", "--", "threads", "list"],
    ("open", "--", "-x"): ["ask", "--", "open", "-x"],
    ("-",): ["ask", "--", "-"],
    ("bread",): ["ask", "--", "bread"],
    ("-nt", "work", "hello"): ["ask", "-nt", "work", "--", "hello"],
    ("-twork", "hello"): ["ask", "-twork", "--", "hello"],
    ("chat", "about", "the", "weather"): ["ask", "--", "chat", "about", "the", "weather"],
    ("--", "chat"): ["ask", "--", "chat"],
    ("hat", "size"): ["ask", "--", "hat", "size"],
    ("why", "not"): ["ask", "--", "why", "not"],
    ("why", "bees?"): ["ask", "--", "why", "bees?"],
    ("why", "cafe"): ["ask", "--", "why", "cafe"],
    ("police", "station"): ["ask", "--", "police", "station"],
    ("policy", "of", "the", "EU"): ["ask", "--", "policy", "of", "the", "EU"],
    ("policy", "allow", "remote", "work"): ["ask", "--", "policy", "allow", "remote", "work"],
    ("policy", "ask", "search", "engines"): ["ask", "--", "policy", "ask", "search", "engines"],
}
COMMANDS = {
    ("policy", "rm", "x"): ["policy", "rm", "x"],
    ("alias", "add", "gh"): ["alias", "add", "gh"],
    ("--json", "brain", "stop", "now"): ["brain", "stop", "now", "--json"],
    ("help", "threads"): ["threads", "--help"],
    ("threads", "delete"): ["threads", "delete"],
    ("policy", "allow"): ["policy", "allow"],
    ("threads", "list"): ["threads", "list"],
    ("threads", "list", "--json"): ["threads", "list", "--json"],
    ("--env-file", "f", "threads", "show", "work"): ["threads", "show", "work", "--env-file", "f"],
    ("threads", "delete", "work"): ["threads", "delete", "work"],
    ("threads", "--help"): ["threads", "--help"],
    ("threads",): ["threads", "--help"],
    ("--env-file", "f", "threads"): ["threads", "--help"],
    ("--env-file", "f", "threads", "show", "-h"): ["threads", "show", "--help"],
    ("chat",): ["chat"],
    ("chat", "-t", "work", "--timeout", "9"): ["chat", "-t", "work", "--timeout", "9"],
    ("-h", "chat"): ["chat", "--help"],
    ("why",): ["why"],
    ("why", "3", "--json"): ["why", "3", "--json"],
    ("-t", "work", "why", "a1b2c3"): ["why", "a1b2c3", "-t", "work"],
    ("-h", "why"): ["why", "--help"],
    ("policy",): ["policy", "--help"],
    ("policy", "list"): ["policy", "list"],
    ("policy", "allow", "open", "www.example.com"): ["policy", "allow", "open", "www.example.com"],
    ("policy", "deny", "start", "My", "App"): ["policy", "deny", "start", "My", "App"],
    ("policy", "allow", "opn", "a.example"): ["policy", "allow", "opn", "a.example"],
    ("policy", "rm", "7"): ["policy", "rm", "7"],
    ("--env-file", "f", "policy", "test", "open", "it"): ["policy", "test", "open", "it", "--env-file", "f"],
}


@pytest.mark.parametrize(("argv", "seen"), [*WORDS.items(), *COMMANDS.items()])
def test_a_first_word_is_a_command_only_if_the_whole_line_fits(argv, seen):
    assert as_command(argv) == seen


@pytest.mark.parametrize(
    "argv",
    [
        ("thraeds", "list"),
        ("thread",),
        ("threads", "lst"),
        ("chatt",),
        ("chat", "hello"),
        ("policy", "nonsense"),
        ("polciy", "list"),
    ],
)
def test_one_or_two_words_that_nearly_fit_are_a_usage_error_that_shows_the_way(argv):
    with pytest.raises(UsageError) as failure:
        as_command(argv)

    assert failure.value.hint == f"To send it as words: jarvis -- {' '.join(argv)}"


def test_a_simple_line_is_read_without_the_full_grammar():
    assert simple(["-t", "work", "--json", "open", "x.example"]) == (
        Options(thread="work", json=True),
        ["open", "x.example"],
    )
    assert simple(["--env-file=f", "open", "--", "-n"]) == (Options(env_file="f"), ["open", "-n"])
    assert simple(["-v", "open", "-vv", "--verbose"]) == (Options(verbose=4), ["open"])
    assert simple(["--log-file", "f", "open"]) == (Options(log_file="f"), ["open"])
    assert simple(["--timeout", "3", "open", "x.example"]) is None
    assert simple(["-t"]) is None


def test_help_names_every_option(shell):
    """It is a constant, so that it comes at once: this holds it to what there is."""
    from typer.main import get_command

    from jarvis.cli.app import app

    params = get_command(app).commands["ask"].params
    options = {name for param in params for name in param.opts if name.startswith("-")}

    assert {option for option in options if option not in USAGE} == set()
    assert shell.jarvis("--help").stdout == USAGE
    assert shell.jarvis("-h").stdout == USAGE
    assert shell.jarvis("--json", "--help").stdout == USAGE
    assert shell.jarvis("open", "example.org", "-h").stdout == USAGE
    assert shell.jarvis("help").stdout == USAGE


@pytest.mark.parametrize("argv", ["--help", "--version", "help", "threads --help", "threads list --help"])
def test_help_that_can_not_be_written_is_told_in_a_line(shell, argv):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "jarvis", *argv.split()],
            env=shell.program().env,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.stderr == "jarvis: The answer could not be written: No space left on device.\n"
    assert done.returncode == 1


def test_an_unknown_option_is_a_usage_error(shell):
    done = shell.jarvis("--nonsense", "x")

    assert done.status == 2
    assert "--nonsense" in done.stderr
    assert "hint: To send it as words: jarvis -- --nonsense x" in done.stderr


def test_a_hint_quotes_their_own_words_alone(shell):
    """Not the option that the wrapper puts before them."""
    done = shell.jarvis("--env-file", "/dev/null", "--nonsense", "who's there?")

    assert done.stderr.endswith("""To send it as words: jarvis -- --nonsense 'who'"'"'s there?'\n""")


@pytest.mark.parametrize("seconds", ["0", "1e9", "nan", "-3"])
def test_a_time_out_of_range_names_the_range(shell, seconds):
    done = shell.jarvis("--env-file", "/dev/null", "--timeout", seconds, "hi")

    assert (done.status, shell.cost) == (2, (0, 0))
    assert "--timeout must be from 0.1 to 86400 seconds." in done.stderr
    assert "as words" not in done.stderr


def test_a_value_that_makes_no_sense_is_not_taken_for_words(shell):
    done = shell.jarvis("--timeout", "soon", "hi")

    assert done.status == 2
    assert "'--timeout'" in done.stderr
    assert "as words" not in done.stderr


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["-t"], "-t needs a name."),
        (["hi", "--thread"], "--thread needs a name."),
        (["--json", "--timeout"], "--timeout needs a number of seconds."),
    ],
)
def test_an_option_without_its_value_is_told(shell, argv, told):
    done = shell.jarvis(*argv)

    assert done.status == 2
    assert told in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"), [("--verison", "--version"), ("--hlep", "--help"), ("--quite", "--quiet")]
)
def test_an_option_that_was_mistyped_is_told_with_the_one_that_was_meant(shell, typed, meant):
    done = shell.jarvis(typed)

    assert done.status == 2
    assert done.stderr.startswith(f"jarvis: No such option: {typed} (Possible options: {meant})\n")


def test_a_command_has_help_of_its_own(shell):
    done = shell.jarvis("threads", "--help")

    assert done.status == 0
    assert "delete" in done.stdout
    assert "Usage: jarvis threads" in done.stdout
    assert shell.jarvis("threads").stdout == done.stdout
    assert shell.jarvis("--env-file", "/dev/null", "threads", "-h").stdout == done.stdout
    assert shell.jarvis("threads", "--help", "--env-file", "/dev/null").stdout == done.stdout


def test_two_ways_to_print_the_same_are_a_usage_error(shell):
    assert shell.jarvis("--json", "--ndjson", "hello").status == 2
