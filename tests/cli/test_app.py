"""Which command lines are commands, which are words, and which are neither."""

from __future__ import annotations

import pytest

from jarvis.cli import registry
from jarvis.cli.grammar import named_function, resolve
from jarvis.cli.options import REQUEST
from jarvis.core.errors import UsageError
from jarvis.core.types import Options


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
    "argv", [("thraeds", "list"), ("thread",), ("threads", "lst"), ("chatt",), ("polciy", "list")]
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


def test_every_function_that_the_registry_names_is_there():
    rows = list(registry.single_commands())
    named = {row.run for row in (*rows, *registry.SLASHES)} | {row.fits for row in rows}
    named |= {option.read for row in rows for option in row.options}

    assert [name for name in named if name and not callable(named_function(name))] == []


def test_help_names_every_option_and_every_command(shell):
    usage = shell.jarvis("--help").stdout

    assert [option.long for option in REQUEST if option.long not in usage] == []
    assert [row.name for row in registry.COMMANDS.values() if f"\n  {row.name} " not in usage] == []
    assert shell.jarvis("-h").stdout == usage
    assert shell.jarvis("--json", "--help").stdout == usage
    assert shell.jarvis("open", "example.org", "-h").stdout == usage
    assert shell.jarvis("help").stdout == usage


def test_a_hint_quotes_their_own_words_alone(shell):
    """Not the option that the wrapper puts before them."""
    done = shell.jarvis("--env-file", "/dev/null", "--nonsense", "who's there?")

    assert done.stderr.endswith("""To send it as words: jarvis -- --nonsense 'who'"'"'s there?'\n""")


@pytest.mark.parametrize("seconds", ["0", "1e9", "nan", "-3", "soon"])
def test_a_time_that_makes_no_sense_is_told_and_not_taken_for_words(shell, seconds):
    done = shell.jarvis("--env-file", "/dev/null", "--timeout", seconds, "hi")

    assert (done.status, shell.cost) == (2, (0, 0))
    told = "'--timeout'" if seconds == "soon" else "--timeout must be from 0.1 to 86400 seconds."
    assert told in done.stderr
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
