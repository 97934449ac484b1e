"""What stands on stdin, and in files that are named, is read beside the words, left alone, or told of."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from jarvis.cli.material import files_for, missing_in
from jarvis.core.types import Options
from tests.brain.brains import FIRST, HELLO, MUNICH, SEARCH
from tests.person import CTRL_D, ENTER, Person
from tests.shell import wait_until
from tests.wordings import lines_of

LOG = "one line of a log\nand another\n"
WAITS = "Waiting for piped input to end"


def pipe_of(said: bytes) -> int:
    """The reading end of a pipe that holds *said* and has ended."""
    reading, writing = os.pipe()

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), open(writing, "wb") as file:
            file.write(said)

    threading.Thread(target=write, daemon=True).start()
    return reading


def file_of(said: bytes, folder) -> int:
    """A file without a name, as a here-document is."""
    path = folder / "here-document"
    path.write_bytes(said)
    handle = os.open(path, os.O_RDONLY)
    path.unlink()
    return handle


def socket_of(said: bytes) -> int:
    ours, theirs = socket.socketpair()
    with ours:
        ours.sendall(said)
    return theirs.detach()


def asked(shell, *argv, stdin: int | None = None, status: int = 0, **how):
    """How it went. The model, where it is asked at all, says hello."""
    shell.gemini.plans(HELLO)
    done = shell.jarvis(*argv, stdin=stdin, timeout=30, **how)
    if stdin is not None:
        os.close(stdin)
    assert done.status == status, done
    return done


def material(shell) -> str:
    """What the model was given beside the words; empty: nothing."""
    (request,) = shell.gemini.requests
    _, given, rest = request.prompt.partition("Piped in by the person:\n<<<\n")
    return rest.partition("\n>>>")[0] if given else ""


@pytest.mark.parametrize(
    ("kind", "said", "argv"),
    [
        ("pipe", LOG, ("what", "changed")),
        ("file", LOG, ("what changed", "-")),
        ("socket", LOG, ("-f", "-", "what changed?")),
        ("pipe", "\n", ("what is one",)),
        ("/dev/null", "", ("what is one",)),
    ],
)
def test_a_pipe_a_file_or_a_socket_is_read_beside_the_words(shell, tmp_path, kind, said, argv):
    """Where it holds nothing, the words are the request."""
    kinds = {
        "pipe": pipe_of,
        "file": lambda text: file_of(text, tmp_path),
        "socket": socket_of,
        "/dev/null": lambda _: os.open(os.devnull, os.O_RDONLY),
    }

    done = asked(shell, *argv, stdin=kinds[kind](said.encode()))

    assert material(shell) == said.strip()
    assert (done.stdout, done.stderr) == ("Hello.\n", "")


MANY = [part for n in range(6) for part in ("-f", f"{n}.png")]


@pytest.mark.parametrize(
    ("piped", "argv", "told"),
    [
        (b"\x7fELF\x02\x01\0\0\0" * 99, ["what is this"], "The piped text isn't UTF-8 text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ["what is this"], "hint: -f takes PDF, PNG, "),
        ("Привет, мир".encode("koi8-r"), ["what is this"], "The piped text isn't UTF-8 text"),
        (b"", ["sum up", "-"], "Nothing was piped in."),
        (b"", [], "There are no words to act on."),
        (b"", ["-"], "There are no words to act on."),
        (b"a text", ["--ndjson", "sum up", "-f", "-"], "stdin is for answers only"),
        (None, ["sum up", "-f", "none.txt"], "Can't read none.txt: No such file or directory."),
        (None, ["what is this", "-f", "none.png"], "Can't read none.png: No such file or directory."),
        (None, ["sum up", "-f", "empty.txt"], "empty.txt is empty."),
        (None, ["sum up", "-f", "program"], "program isn't UTF-8 text"),
        (None, ["sum up", "-f", "/dev/zero"], "Can't read /dev/zero: That isn't a file."),
        (None, ["what are these?", *MANY], "-f takes at most 5 pictures, PDFs, folders, and files that"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_told_before_the_model_is_asked(shell, piped, argv, told):
    (shell.home / "empty.txt").write_text("\n")
    (shell.home / "program").write_bytes(b"MZ\0\0")
    for name in MANY[1::2]:
        (shell.home / name).touch()

    done = asked(shell, *argv, stdin=None if piped is None else pipe_of(piped), status=2)

    assert told in done.stderr + done.stdout
    assert "hint" in done.stderr + done.stdout
    assert shell.gemini.requests == []


@pytest.mark.parametrize(
    ("is_file", "length", "read"),
    [(True, 170_000, 170_000), (True, 600_000, 500_000), (False, 3_000_000, 500_000)],
)
def test_a_large_text_is_read_and_where_a_larger_one_is_cut_is_told(shell, tmp_path, is_file, length, read):
    (tmp_path / "diff.txt").write_text("+word\n" * (length // 6))
    given, source = (["-f", "diff.txt"], os.devnull) if is_file else ([], tmp_path / "diff.txt")

    done = asked(shell, *given, "sum up", stdin=os.open(source, os.O_RDONLY))

    name = "diff.txt" if is_file else "The piped text"
    told = f"{name} is too long. Jarvis reads only its first 500,000 characters.\n"
    assert read - 10 < len(material(shell)) <= read
    assert done.stderr == (told if length > read else "")


def test_what_of_a_text_cannot_be_read_is_told(shell):
    done = asked(shell, "what changed", stdin=pipe_of("größer als in Köln".encode("latin-1")))

    assert material(shell) == "gr\ufffd\ufffder als in K\ufffdln"
    assert "The piped text is not all UTF-8: 3 characters are unreadable." in done.stderr


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ('"$@" -f <(echo a) what changed', "a"),
        pytest.param('echo what changed | xargs "$@"', "", marks=pytest.mark.long),
        pytest.param('"$@" what changed & wait', "", marks=pytest.mark.long),
        pytest.param('"$@" what changed <<X\na\n\tb\nX', "a\n\tb", marks=pytest.mark.long),
    ],
)
def test_however_a_shell_calls_it(shell, line, given):
    shell.gemini.plans(HELLO)

    done = shell.scripted(line).run(timeout=60)

    assert (done.status, done.stdout, material(shell)) == (0, "Hello.\n", given), done


def test_a_silent_pipe_is_waited_for_aloud_and_read_to_its_end(shell):
    """As one that cron or ssh left open: nobody may ever write to it."""
    shell.gemini.plans(HELLO)
    with shell.program().start("what is one", stdin="") as running:
        running.wait_for(WAITS)
        running.wait_for("</dev/null")
        for word in (b"two\n", b"three\n"):
            running.write(word)
            time.sleep(0.05)  # in pieces of their own, as a slow producer writes
        assert shell.gemini.requests == []

        done = running.finish()

    assert (done.status, done.stdout, done.stderr.count(WAITS)) == (0, "Hello.\n", 1)
    assert material(shell) == "two\nthree"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_waiting_can_be_stopped(shell, number, status):
    with shell.program().start("what changed", stdin="") as running:
        running.wait_for(WAITS)
        # Nobody is quicker, and Python heeds no signal on its way into a read.
        wait_until(lambda: b"State:\tS" in Path(f"/proc/{running.pid}/status").read_bytes())
        running.send(number)

        deadline = time.monotonic() + 30
        assert running._process.wait(deadline - time.monotonic()) == status
    assert shell.gemini.requests == []


def test_in_a_loop_no_command_eats_the_lines_of_the_others(shell):
    (shell.home / "urls").write_text("a.example\nb.example\nc.example\n")

    shell.scripted('while read u; do "$@" "$u"; done < urls').run("open")

    assert shell.opened == [f"https://{name}.example" for name in "abc"]


def test_a_name_is_looked_for_without_reading_the_other_names(shell, tmp_path):
    stdin = file_of(b"zeus\nathene\n", tmp_path)
    kept = os.dup(stdin)

    done = asked(shell, "open apollo", stdin=stdin)

    assert material(shell) == ""
    assert os.read(kept, 99) == b"zeus\nathene\n"
    assert done.stderr == ""
    os.close(kept)


@pytest.mark.parametrize(
    ("argv", "offered", "told"),
    [
        (["sum up notes.txt, please"], "notes.txt", "Not read: notes.txt.\n"),
        (["what is in “./notes.txt”?"], "./notes.txt", "Not read: ./notes.txt.\n"),
        (["sum up 'notes.txt' and more"], "notes.txt", "Not read: notes.txt.\n"),
        (["what is in my shot 7.png?"], "", "7.png isn't in this folder. Did you mean My shot 1.png?\n"),
        (["sum up other.txt"], "", "other.txt isn't in this folder. Did you mean notes.txt?\n"),
        (["sum up the notes"], "", ""),
        (["he wrote:\nsum up notes.txt"], "", ""),  # pasted
        (["what is on", "My shot 1.png", "?"], "My shot 1.png", "Not read: My shot 1.png.\n"),
        (["what is on 'My shot 1.png' now?"], "My shot 1.png", "Not read: My shot 1.png.\n"),
        ([r"what is on My\ shot\ 1.png now"], "My shot 1.png", "Not read: My shot 1.png.\n"),
        (["sum up README"], "README", "Not read: README.\n"),
        (["sum up CLAUDE.md"], "CLAUDE.md", "CLAUDE.md leads to HOME/README.\nNot read: CLAUDE.md.\n"),
        (["sum up the readme"], "", ""),
        (["what is 10 / 2"], "", ""),
    ],
    ids=str,
)
def test_a_file_that_the_words_name_is_offered_and_an_answer_without_it_told(shell, argv, offered, told):
    """A name with blanks or a capital too; a link; and none is taken for an address."""
    (shell.home / "My shot 1.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for name in ("README", "notes.txt"):
        (shell.home / name).write_text("alpha")
    (shell.home / "CLAUDE.md").symlink_to("README")

    done = asked(shell, *argv)

    assert done.stderr.replace(str(shell.home), "HOME") == told
    prompt = shell.gemini.requests[-1].prompt
    assert re.findall(r"\[f\d+\] (.+) \(on this computer\)", prompt) == [*filter(None, [offered])]
    assert ("alpha" in prompt, "[u1]" in prompt) == (False, False)


@pytest.mark.parametrize(
    ("named", "words", "offered"),
    [
        (["shot.png"], "what is this?", ["shot.png"]),
        (["paper.PDF"], "what does it say?", ["paper.PDF"]),
        (["docs"], "which is the newest?", ["docs"]),
        (["docs"], "what does install.md say?", ["docs", "docs/install.md"]),
        (["docs", "shot.png"], "is it in there?", ["docs", "shot.png"]),
    ],
)
def test_of_what_f_names_what_is_no_text_is_offered_to_be_read(shell, named, words, offered):
    (shell.home / "docs").mkdir()
    (shell.home / "docs/install.md").write_text("alpha")
    (shell.home / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    (shell.home / "paper.PDF").write_bytes(b"%PDF-1.4 " + bytes(20))

    asked(shell, words, *(part for name in named for part in ("-f", name)))

    prompt = shell.gemini.requests[-1].prompt
    assert re.findall(r"\[f\d+\] (.+) \(on this computer\)", prompt) == offered
    assert "alpha" not in prompt


def test_an_address_that_f_names_is_offered_to_be_read(shell):
    asked(shell, "sum it up", "-f", "https://docs.example/uv")

    assert "Piped in:\n[u1] (https://docs.example/uv)" in shell.gemini.requests[-1].prompt


def test_files_come_before_what_is_piped_in_each_under_its_name(shell, tmp_path):
    (tmp_path / "a.txt").write_text("alpha")
    (tmp_path / "b.txt").write_text("beta")

    asked(shell, "compare these", "-f", "a.txt", "--file=b.txt", stdin=pipe_of(b"gamma"))

    assert material(shell) == "a.txt:\nalpha\n\nb.txt:\nbeta\n\nWhat is piped in:\ngamma"


def test_a_line_down_a_pipe_says_what_to_do_with_a_file(shell, tmp_path):
    (tmp_path / "notes.txt").write_text(LOG)

    asked(shell, "-f", "notes.txt", stdin=pipe_of(b"sum this up\n"))

    assert "The person now says:\nsum this up\n" in shell.gemini.requests[0].prompt
    assert material(shell) == LOG.strip()


def test_for_records_material_comes_by_a_file_and_stdin_is_left_for_answers(shell, tmp_path):
    (tmp_path / "notes.txt").write_text(LOG)
    stdin = pipe_of(b"no material\n")

    asked(shell, "--ndjson", "-f", "notes.txt", "sum up", stdin=os.dup(stdin))

    assert material(shell) == LOG.strip()
    assert os.read(stdin, 99) == b"no material\n"
    os.close(stdin)


def will_ask(shell):
    """What the model finds has odd letters in its name: the person is asked before it is opened."""
    shell.search_finds(MUNICH)
    shell.gemini.plans(SEARCH, FIRST)


def test_a_piped_in_yes_answers_nothing(shell):
    will_ask(shell)

    done = shell.jarvis("find the ticket shop and open it", stdin=pipe_of(b"y\ny\n"))

    assert (done.status, shell.opened) == (3, [])
    assert "This needs your answer" in done.stderr


def test_on_a_terminal_a_dash_says_what_it_waits_for_and_what_is_typed_then_answers_nothing(shell):
    will_ask(shell)
    with Person(shell.program(), "find the ticket shop and open it", "-") as person:
        person.see("press Ctrl-D on a new line")
        person.type(f"y{ENTER}two{ENTER}{CTRL_D}y{ENTER}")
        assert person.finish().status == 3

    assert "<<<\ny\ntwo\n>>>" in shell.gemini.requests[0].prompt
    assert shell.opened == []


def test_where_nobody_may_be_asked_a_question_ends_the_command(shell):
    will_ask(shell)
    with Person(shell.program(CI="true"), "find the ticket shop and open it") as person:
        assert person.finish().status == 3
    assert shell.opened == []

    shell.jarvis("-t", "work", "open", "a.example")
    for words in ("-r hello", "threads delete work", "setup", "keys set serpapi"):
        done = shell.jarvis(*words.split(), tty=True, environment={"CI": "1"})
        assert (done.status, bool(re.search(rb"hint: .*jarvis ", done.screen))) == (3, True)


@pytest.mark.parametrize("environment", [{"CI": "1"}, {"TERM": "dumb"}], ids=str)
def test_where_nobody_may_be_asked_no_words_begin_no_chat(shell, environment):
    with Person(shell.program(**environment)) as person:
        assert person.finish().status == 2
        person.see("There are no words to act on.")
        person.see("for a chat: jarvis chat")


# A file that the words name and that is not there is told, with what they may mean.


SO = {"action": "reply", "text": "It says so.", "finish": True}


@pytest.fixture
def here(shell, monkeypatch):
    monkeypatch.chdir(shell.home)
    (shell.home / "docs").mkdir()
    for name in ("text.pdf", "report.odt", "My notes 1.txt", "todo.txt", "script.py", "docs/plan.md"):
        (shell.home / name).write_text("plums")
    return shell


def missing(words):
    return missing_in(words, files_for(words, [words], Options()))


def test_what_names_a_file_that_is_not_there_and_what_names_a_thing(here):
    assert [words for words in lines_of("missing_files.txt") if not missing(words)] == []
    assert [words for words in lines_of("names_of_things.txt") if missing(words)] == []


def test_it_is_told_beside_the_answer_and_to_the_model_without_what_else_lies_there(here):
    here.gemini.plans(SO, SO)

    done = here.jarvis("what does missing.pdf say")
    told = here.json("what does missing.pdf say")["notices"]

    line = "missing.pdf isn't in this folder. Did you mean text.pdf?"
    assert (done.status, line in done.stderr.splitlines(), told) == (0, True, [line])
    (prompt, _) = (request.prompt for request in here.gemini.requests)
    assert "Not there: missing.pdf." in prompt
    assert "text.pdf" not in prompt


def test_of_two_files_the_one_that_was_not_read_is_told(here):
    here.gemini.plans({"action": "read", "address": "f1", "finish": False}, SO)

    done = here.json("compare todo.txt with report.odt")

    assert done["notices"] == ["Not read: report.odt."]


def test_what_is_to_be_opened_and_is_not_there_has_a_hint(here):
    done = here.jarvis("open todos.txt")

    assert (done.status, "Did you mean: jarvis open todo.txt" in done.stderr) == (1, True)
