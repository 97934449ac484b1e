"""Which command lines are commands, which are words, and which are neither."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jarvis.cli import registry
from jarvis.cli.grammar import named_function, resolve
from jarvis.cli.options import REQUEST
from jarvis.cli.rows import KINDS
from jarvis.core.errors import UsageError
from jarvis.core.types import Options
from jarvis.policy.rules import DOUBTS


def seen(argv):
    """The line as it was understood: the command's words, then its options, then `--` and a request's."""
    call = resolve(argv)
    given = [f"{name}={value}" for name, value in call.values.items()]
    match call.command.name:
        case "ask":
            return ["ask", *given, "--", *call.words]
        case "help":
            return [*call.words, "--help"]
        case name:
            group = [
                row.name
                for row in registry.COMMANDS.values()
                if isinstance(row, registry.Group) and call.command in row.commands
            ]
            return [*group, name, *call.words, *given]


WORDS = {
    ("find", "the", "MIT", "website"): ["ask", "--", "find", "the", "MIT", "website"],
    ("find MIT", "--json"): ["ask", "json=True", "--", "find MIT"],
    ("-t", "work", "what", "now"): ["ask", "thread=work", "--", "what", "now"],
    ("--", "threads", "list"): ["ask", "--", "threads", "list"],
    ("--json", "--", "-5 + 3"): ["ask", "json=True", "--", "-5 + 3"],
    ("--weird sentence of mine",): ["ask", "--", "--weird sentence of mine"],
    ("threads", "are", "for", "sewing"): ["ask", "--", "threads", "are", "for", "sewing"],
    ("why", "is", "the", "sky", "blue"): ["ask", "--", "why", "is", "the", "sky", "blue"],
    ("threads list",): ["ask", "--", "threads list"],
    ("ask", "threads", "list"): ["ask", "--", "threads", "list"],
    ("open", "--", "-x"): ["ask", "--", "open", "-x"],
    ("-",): ["ask", "--", "-"],
    ("bread",): ["ask", "--", "bread"],
    ("-nt", "work", "hello"): ["ask", "dry_run=True", "thread=work", "--", "hello"],
    ("-twork", "hello"): ["ask", "thread=work", "--", "hello"],
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
    ("help", "threads"): ["threads", "--help"],
    ("threads", "list"): ["threads", "list"],
    ("threads", "list", "--json"): ["threads", "list", "json=True"],
    ("--env-file", "f", "threads", "show", "work"): ["threads", "show", "work", "env_file=f"],
    ("threads", "delete", "work"): ["threads", "delete", "work"],
    ("threads", "--help"): ["threads", "--help"],
    ("threads",): ["threads", "--help"],
    ("--env-file", "f", "threads"): ["threads", "--help"],
    ("--env-file", "f", "threads", "show", "-h"): ["threads", "show", "--help"],
    ("chat",): ["chat"],
    ("chat", "-t", "work", "--timeout", "9"): ["chat", "thread=work", "timeout=9.0"],
    ("-h", "chat"): ["chat", "--help"],
    ("why",): ["why"],
    ("why", "3", "--json"): ["why", "3", "json=True"],
    ("-t", "work", "why", "a1b2c3"): ["why", "a1b2c3", "thread=work"],
    ("-h", "why"): ["why", "--help"],
    ("policy",): ["policy", "--help"],
    ("policy", "list"): ["policy", "list"],
    ("policy", "allow", "open", "www.example.com"): ["policy", "allow", "open", "www.example.com"],
    ("policy", "deny", "start", "My", "App"): ["policy", "deny", "start", "My", "App"],
    ("policy", "allow", "opn", "a.example"): ["policy", "allow", "opn", "a.example"],
    ("policy", "rm", "7"): ["policy", "rm", "7"],
    ("--env-file", "f", "policy", "test", "open", "it"): ["policy", "test", "open", "it", "env_file=f"],
}


MISUSED = {
    ("threads", "delete"): "Missing argument 'name'.",
    ("policy", "allow"): "Missing argument 'effect'.",
    ("alias", "add", "gh"): "Missing argument 'address'.",
    ("brain", "stop", "now"): "Got unexpected extra argument(s) (now)",
    ("--json", "brain", "stop"): "No such option: --json",
    ("alias", "list", "--quiet"): "No such option: --quiet",
}


@pytest.mark.parametrize(("argv", "understood"), [*WORDS.items(), *COMMANDS.items()])
def test_a_first_word_is_a_command_only_if_the_whole_line_fits(argv, understood):
    assert seen(argv) == understood


@pytest.mark.parametrize(("argv", "told"), MISUSED.items())
def test_up_to_three_words_that_name_one_of_several_commands_are_told_what_is_wrong(argv, told):
    with pytest.raises(UsageError) as failure:
        resolve(argv)

    words = [word for word in argv if not word.startswith("-")]
    assert failure.value.message.startswith(told)
    assert failure.value.hint == f"jarvis {words[0]} {words[1]} --help"


@pytest.mark.parametrize(
    "argv",
    [
        ("thraeds", "list"),
        ("thread",),
        ("threads", "lst"),
        ("chatt",),
        ("polciy", "list"),
    ],
)
def test_one_or_two_words_that_nearly_fit_are_a_usage_error_that_shows_the_way(argv):
    with pytest.raises(UsageError) as failure:
        resolve(argv)

    assert failure.value.hint == f"To send it as words: jarvis -- {' '.join(argv)}"


@pytest.mark.parametrize(
    ("argv", "options", "words"),
    [
        (["-t", "work", "--json", "open", "x"], Options(thread="work", json=True), ["open", "x"]),
        (["--env-file=f", "open", "--", "-n"], Options(env_file="f"), ["open", "-n"]),
        (["-v", "open", "-vv", "--verbose"], Options(verbose=4), ["open"]),
        (["--log-file", "f", "open"], Options(log_file="f"), ["open"]),
        (["--timeout", "3", "open", "x"], Options(timeout=3.0), ["open", "x"]),
        (["-qyt", "a", "-t", "b", "hi"], Options(quiet=True, yes=True, thread="b"), ["hi"]),
    ],
)
def test_options_stand_before_words_and_after_them(argv, options, words):
    call = resolve(argv)

    assert (call.options, call.words) == (options, words)


def test_the_registry_agrees_with_itself():
    """A name means one thing on a line, whatever the command; and completion knows each kind of value."""
    rows, takes = list(registry.single_commands()), {}
    options = [option for row in rows for option in row.options]
    for option in options:
        assert takes.setdefault(option.long, (option.short, option.takes)) == (option.short, option.takes)
        assert bool(option.takes) == bool(option.needs)
    kinds = {argument.kind for row in rows for argument in row.arguments}
    kinds |= {option.kind for option in options} | {slash.kind for slash in registry.SLASHES}

    assert kinds == set(KINDS)
    assert {option.field for option in REQUEST} == set(Options._fields)


def test_every_function_that_the_registry_names_is_there():
    rows = list(registry.single_commands())
    named = {row.run for row in (*rows, *registry.SLASHES)} | {row.fits for row in rows}
    named |= {option.read for row in rows for option in row.options}

    assert [name for name in named if name and not callable(named_function(name))] == []


def test_an_option_that_is_not_there_is_told_where_the_commands_of_one_name_are_listed(shell):
    done = shell.jarvis("threads", "--hlp")

    assert (done.status, done.stdout) == (2, "")
    assert "No such option: --hlp (Possible options: --help)" in done.stderr


def test_what_help_tells_of_a_command_has_room_on_80_columns():
    lines = [line for row in registry.COMMANDS.values() for line in row.about.split("\n")]

    assert [line for line in lines if len(line) > 80] == []


def test_help_names_every_doubt_that_a_rule_may_be_for():
    help_of = {option.long: option.help for row in registry.single_commands() for option in row.options}

    assert help_of["--for"] == f"the only doubt: {', '.join(DOUBTS)}"


def test_help_names_every_option_and_every_command(shell):
    usage = shell.jarvis("--help").stdout

    assert [option.long for option in REQUEST if option.long not in usage] == []
    assert [row.name for row in registry.COMMANDS.values() if f"\n  {row.name} " not in usage] == []
    assert shell.jarvis("-h").stdout == usage
    assert shell.jarvis("--json", "--help").stdout == usage
    assert shell.jarvis("open", "example.org", "-h").stdout == usage
    assert shell.jarvis("help").stdout == usage


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
