"""Which command lines are commands, which are words, and which are neither."""

import re
from pathlib import Path

import pytest

from jarvis.__main__ import read
from jarvis.cli.app import ROOT, command, leaves
from jarvis.cli.line import COMMANDS, OPTIONS, RequestLine, request_in, without_env_file
from jarvis.core import errors
from jarvis.core.errors import UsageError
from jarvis.core.types import Options
from jarvis.output.screen import _WORDS
from tests.running import need_terminals
from tests.wordings import lines_of

DOCS = Path(__file__).parents[2] / "docs"


def fate(argv):
    """What becomes of a line: `command: …`, `words: …`, `chat: `, or `neither`."""
    try:
        meant = read(*without_env_file(argv))
    except UsageError:
        return "neither"
    if isinstance(meant, RequestLine):
        return f"{meant.asks_for or 'words'}: {' '.join(meant.words)}"
    return f"command: {' '.join(meant)}"


def test_a_first_word_is_a_command_only_if_the_whole_line_fits():
    lines = [line.split(" | ") for line in lines_of("command_lines.txt")]

    assert [[line, fate(line.split()).strip()] for line, _ in lines] == lines


def test_what_is_quoted_is_words():
    for argv in (["threads list"], ["--json", "--", "-5 + 3"]):
        assert read(argv).words == argv[-1:]


def test_the_router_knows_each_command_and_each_field_of_a_request():
    assert [name for name in COMMANDS if command(name).name != name] == []
    assert ROOT.list_commands(None) == sorted(COMMANDS)
    assert {*OPTIONS} == {*Options._fields}


def test_no_hint_of_a_chat_takes_a_command_for_words():
    assert not COMMANDS.intersection(_WORDS)


def test_every_command_tells_what_it_does_in_a_line():
    """As the list of a group has room for at 80 columns."""
    told = {(name, verb): each for name in COMMANDS for verb, each in leaves(command(name)).items()}

    whole = {names: each.get_short_help_str(200) for names, each in told.items()}
    assert [names for names, each in whole.items() if not each or len(each) > 66] == []


def test_up_to_three_words_that_name_one_of_several_commands_are_told_what_is_wrong(shell):
    for line, told in (
        ("threads delete", "Missing argument 'NAME'."),
        ("brain stop now", "Got unexpected extra argument(s) (now)"),
        ("--json brain stop", "No such option: --json"),
        ("usage --days 0", "Invalid value for '--days': 0 is not in the range 1<=x<=3660."),
        ("threads delete --forever x", "No such option: --forever"),
    ):
        done = shell.jarvis(*line.split())

        assert (done.status, shell.cost) == (2, (0, 0))
        assert told in done.stdout + done.stderr
        assert re.search(r"jarvis [a-z ]+ --help", done.stdout + done.stderr)


@pytest.mark.parametrize(
    ("argv", "options", "words"),
    [
        (["-t", "work", "--json", "open", "x"], Options(thread="work", json=True), ["open", "x"]),
        (["open", "--", "-n"], Options(), ["open", "-n"]),
        (["-v", "open", "-vv", "--verbose"], Options(verbose=4), ["open"]),
        (["--log-file", "f", "open"], Options(log_file="f"), ["open"]),
        (["--timeout", "3", "open", "x"], Options(timeout=3.0), ["open", "x"]),
        (["-qyt", "a", "-t", "b", "hi"], Options(quiet=True, yes=True, thread="b"), ["hi"]),
        (["-f", "a", "hi", "--file=b"], Options(files=("a", "b")), ["hi"]),
    ],
)
def test_options_stand_before_words_and_after_them(argv, options, words):
    request = request_in(argv)

    assert (request.options, request.words) == (options, words)


def test_the_front_page_is_one_screen(shell):
    page = shell.jarvis("--help").stdout

    lines = page.splitlines()
    assert (len(lines) <= 24, max(map(len, lines)) <= 80) == (True, True)
    for argv in (["-h"], ["--json", "--help"], ["open", "example.org", "-h"], ["help"]):
        assert shell.jarvis(*argv).stdout == page


def test_help_all_names_every_command(shell):
    told = shell.jarvis("help", "all").stdout

    names = [f"{name} {verb}".rstrip() for name in COMMANDS for verb in leaves(command(name))]
    assert [each for each in names if not re.search(rf"^{each}  ", told, re.MULTILINE)] == []


def test_a_group_by_itself_lists_or_shows_what_it_is_about(shell):
    shell.jarvis("-t", "work", "open", "example.org")
    lines = ("threads list", "keys list", "config show", "packs list", "alias list", "threads list --json")
    for line in lines:
        name, verb, *options = line.split()
        brief, whole = (shell.jarvis(*argv) for argv in ([name, *options], [name, verb, *options]))

        assert (brief.status, brief.stdout, brief.stderr) == (0, whole.stdout, whole.stderr)
    assert "Usage: jarvis brain" in shell.jarvis("brain").stdout


def test_a_hint_quotes_their_own_words_alone(shell):
    """Not the option that the wrapper puts before them."""
    done = shell.jarvis("--env-file", "/dev/null", "--nonsense", "who's there?")

    assert done.stderr.endswith("""To send it as words: jarvis -- --nonsense 'who'"'"'s there?'\n""")


MISUSED = {
    "--timeout 0 hi": "--timeout must be from 0.1 to 86400 seconds.",
    "--timeout nan hi": "--timeout must be from 0.1 to 86400 seconds.",
    "--timeout soon hi": "--timeout must be from 0.1 to 86400 seconds.",
    "-m a/b hi": "That isn't a valid model name.",
    "-t": "Option '-t' requires an argument.",
    "hi --thread": "Option '--thread' requires an argument.",
    "--json=1 hi": "Option '--json' does not take a value.",
    "--verb hi": "No such option: --verb (Possible options: --verbose)",
    "--verison": "No such option: --verison",
    "--quite": "No such option: --quite (Possible options: --file, --quiet)",
}


def test_an_option_that_makes_no_sense_is_told_and_not_taken_for_words():
    def told(line):
        with pytest.raises(UsageError) as failure:
            read(line.split())
        return failure.value.message

    assert [line for line, expected in MISUSED.items() if not told(line).startswith(expected)] == []


def test_what_a_command_prints_on_a_terminal_is_all_that_comes(shell):
    """Nothing passes by before it: it takes no time that would need a sign of life."""
    need_terminals()
    shell.jarvis("open", "example.org")

    for argv in ("policy list", "why -t default", "-h"):
        piped = shell.jarvis(*argv.split())
        shown = shell.jarvis(*argv.split(), tty=True, size=(300, 50))

        assert piped.stdout or piped.stderr
        assert shown.screen.decode().replace("\r\n", "\n") == piped.stdout + piped.stderr


def test_each_exit_status_stands_in_the_help_and_in_the_docs_in_the_same_words(capsys):
    ROOT.main(["ask", "--help"], prog_name="jarvis", standalone_mode=False)
    shown = dict(re.findall(r"^ +(\d+)  (.+)$", capsys.readouterr().out, re.MULTILINE))
    written = dict(re.findall(r"^\| (\d+) \| (.+) \|$", (DOCS / "programs.md").read_text(), re.MULTILINE))
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    raised = {str(each.exit_status) for each in classes if issubclass(each, errors.JarvisError)}

    assert shown == written
    assert shown.keys() == {"0", *raised}
