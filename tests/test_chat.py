"""A chat on a terminal of its own, as a person sees it: the whole program, its brain and the twins."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import time

import pytest

from jarvis.store.database import at_once
from jarvis.store.locks import FileLock
from tests.person import ALT_ENTER, CTRL_C, CTRL_D, CTRL_J, ENTER, Person
from tests.shell import wait_until
from tests.test_program import alive
from tests.twins.gemini import Slow, Stall
from tests.twins.serpapi import Stall as SearchStalls

MIT = "https://web.mit.edu/"
SEARCH = {"action": "search", "query": "MIT official website"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
LONG = "大学は1861年に創立されました。" * 4 + "It was founded in 1861."


@pytest.fixture
def chat(shell):
    """Starts a chat; all of them end with the test."""
    people = []

    def start(*argv, size=(80, 24), environment=None, **how):
        people.append(Person(shell.program(**(environment or {})), *argv, size=size, **how))
        return people[-1]

    yield start
    for person in people:
        person.__exit__(None, None, None)


def turns(shell, thread="default"):
    return json.loads(shell.jarvis("threads", "show", thread, "--json").stdout)


@pytest.mark.parametrize(
    ("size", "database_url"),
    [
        ((80, 24), "sqlite"),
        ((40, 20), "postgres"),
        pytest.param((40, 20), "sqlite", marks=pytest.mark.long),
        pytest.param((80, 24), "postgres", marks=pytest.mark.long),
    ],
    ids=str,
    indirect=["database_url"],
)
def test_thirty_turns(shell, chat, size, database_url):
    """Questions, openings, plain commands, and Ctrl-C in a search, in a model call and in an approval."""
    person = chat(size=size)
    brain = person.brain
    for _ in range(6):
        a_question(shell, person)
        find_and_open(shell, person)
        person.ask("open 2")
        a_long_reply(shell, person)
    for _ in range(3):
        a_screenshot_without_a_screen(shell, person)
    ctrl_c_in_a_search(shell, person)
    ctrl_c_in_a_model_call(shell, person)
    ctrl_c_in_an_approval(shell, person)

    assert person.leave().status == 0

    person.assert_sane()
    kept = turns(shell)
    assert len(kept) == 30
    assert [turn["status"] for turn in kept] == ["done"] * 24 + ["failed"] * 3 + ["interrupted"] * 3
    assert shell.opened == [MIT, "https://b.example/"] * 6
    assert [line for line in person.lines if line.startswith("jarvis:")] == ["jarvis: Interrupted."] * 3
    assert not alive(brain)


def a_question(shell, person):
    shell.search_finds(MIT, "https://b.example/")
    shell.gemini.plans(
        SEARCH,
        lambda asked: {
            "action": "reply",
            "text": f"So [{id_of('web.mit.edu', asked)}], or so [{id_of('b.example', asked)}].",
        },
    )
    person.ask("what is MIT?")
    person.see("[2] About")


def find_and_open(shell, person):
    before = len(shell.opened)
    shell.search_finds(MIT)
    opening = {"action": "open_website", "finish": True}
    shell.gemini.plans(SEARCH, lambda asked: {**opening, "address": id_of("web.mit.edu", asked)})
    person.ask("find the MIT website and open it")
    wait_until(lambda: len(shell.opened) == before + 1)


def a_long_reply(shell, person):
    shell.gemini.plans(Slow({"action": "reply", "text": LONG}, chunks=8, delay=0.01))
    person.ask("tell me more")
    person.see(LONG[-20:])


def a_screenshot_without_a_screen(shell, person):
    shell.gemini.plans({"action": "take_screenshot", "finish": True}, HELLO)
    person.ask("i need a picture of my screen, now")
    person.see("Did not take a screenshot: there is no screen in this session.")


def id_of(host, asked):
    """The id under which the address of *host* is offered to the model."""
    return re.search(rf"\[(r\d+)\] .*\({re.escape(host)}\)", asked.prompt)[1]


def ctrl_c_in_a_search(shell, person):
    shell.serpapi.finds(SearchStalls())
    shell.gemini.plans(SEARCH)
    searches = len(shell.serpapi.requests)
    person.type("what is a stall?" + ENTER)
    wait_until(lambda: len(shell.serpapi.requests) > searches)
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt()


def ctrl_c_in_a_model_call(shell, person):
    shell.gemini.plans(Stall())
    calls = len(shell.gemini.requests)
    person.type("what is a call?" + ENTER)
    wait_until(lambda: len(shell.gemini.requests) > calls)
    person.type(CTRL_C)
    person.until(lambda: person.lines.count("jarvis: Interrupted.") == 2)
    person.at_prompt()
    wait_until(lambda: shell.gemini.requests[-1].gone)


def ctrl_c_in_an_approval(shell, person):
    shell.search_finds("https://xn--mnchen-3ya.example/")
    opening = {"action": "open_website", "finish": True}
    shell.gemini.plans(SEARCH, lambda asked: {**opening, "address": id_of("xn--mnchen-3ya.example", asked)})
    person.type("find the ticket shop and open it" + ENTER)
    person.see("to do instead")
    person.at_prompt()
    person.type(CTRL_C)
    person.until(lambda: person.lines.count("jarvis: Interrupted.") == 3)
    person.at_prompt()


def test_what_is_typed_ahead_is_asked_next_and_ctrl_d_then_leaves_nothing(shell, chat):
    shell.gemini.plans(Slow(HELLO, chunks=8, delay=0.1), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)

    person.type("what is two?" + ENTER + CTRL_D + "half of a")

    person.see("> half of a")
    assert [turn["goal"] for turn in turns(shell)] == ["what is one?", "what is two?"]
    person.type(CTRL_C)
    assert person.leave().status == 0
    assert "> what is two?" in person.lines


@pytest.mark.parametrize("at", ["in the turn", "at its end", "before it"])
def test_a_sentence_typed_across_the_end_of_a_turn_arrives_whole(shell, chat, at):
    """Letter by letter, by someone who does not look at what the screen says."""
    words = "please tell me this and that about the 大学 of Besançon, and why it is so old"
    pause = 1 / len(words)
    shell.gemini.plans(Slow(HELLO, chunks=10, delay=0.04 if at == "in the turn" else 0.01), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    if at != "before it":
        wait_until(lambda: shell.gemini.requests)
    for letter in words:
        person.type(letter)
        time.sleep(pause)

    person.until(lambda: person.line.endswith("so old"))
    typed = "".join(person.lines).count(words)
    person.type(ENTER)
    person.until(lambda: person.lines.count("Hello.") == 2)

    assert [turn["goal"] for turn in turns(shell)] == ["what is one?", words]
    assert typed == 1
    # None of it stands in what was told of the turn.
    told = [line for line in person.lines if line and not line.startswith(">")]
    assert [line for line in told if line != "Hello." and " model call" not in line] == []


def test_an_enter_in_every_gap_asks_every_line_once(shell, chat):
    """Plain commands end at once: their prompts open and close under the fingers."""
    person = chat()
    person.at_prompt()
    wanted = [f"open {n}.example" for n in range(12)]
    for words in wanted:
        for letter in words + ENTER:
            person.type(letter)
            time.sleep(0.004)

    person.until(lambda: len(shell.opened) == 12)
    person.at_prompt()
    assert shell.opened == [f"https://{n}.example" for n in range(12)]
    assert [line for line in person.lines if line.startswith("> ")] == [f"> {each}" for each in wanted]


def test_lines_typed_ahead_stand_in_the_prompt_after_ctrl_c_and_are_not_sent(shell, chat):
    shell.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)
    person.type("open example.org" + ENTER + "and then this" + ENTER)

    person.type(CTRL_C)

    person.see("Interrupted.")
    person.until(lambda: person.line == "and then this")
    assert "> open example.org" in person.lines
    person.type(ENTER)
    person.until(lambda: "Hello." in person.lines)
    assert shell.opened == []
    goals = [turn["goal"] for turn in turns(shell)]
    assert goals == ["what is one?", "open example.org\nand then this"]


def test_what_is_typed_after_ctrl_c_is_asked(shell, chat):
    shell.gemini.plans(Stall())
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)

    person.type(CTRL_C + "open example.org" + ENTER)

    person.see("Sent https://example.org to your browser.")


def test_ctrl_c_on_the_heels_of_enter_stops_the_turn(shell, chat):
    shell.gemini.plans(Stall())
    person = chat()
    person.at_prompt()

    person.type("what is one?" + ENTER + CTRL_C + "open example.org" + ENTER)

    person.see("jarvis: Interrupted.")
    person.until(lambda: any(line.endswith("open example.org") for line in person.lines))


def test_what_was_typed_before_a_question_is_no_answer_to_it(shell, chat):
    shell.search_finds("https://xn--mnchen-3ya.example/")
    opening = {"action": "open_website", "finish": True}
    shell.gemini.plans(SEARCH, lambda asked: {**opening, "address": id_of("xn--mnchen-3ya.example", asked)})
    person = chat()
    person.at_prompt()

    person.type("find the ticket shop and open it" + ENTER + "y" + ENTER)

    person.see("to do instead")
    person.at_prompt()
    person.type(CTRL_C)
    person.until(lambda: person.line == "> y")
    assert shell.opened == []


def test_ctrl_c_in_a_command_that_takes_long_brings_the_prompt_back(shell, chat):
    """One that asks a server which does not answer."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://someone@127.0.0.1:{silent.getsockname()[1]}/none"
        person = chat(environment={"DATABASE_URL": address})
        person.at_prompt()
        person.type("/threads" + ENTER)
        with silent.accept()[0]:
            person.type("half of a" + CTRL_C)

            person.see("jarvis: Interrupted.")
            person.until(lambda: person.line == "> half of a")


@pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=str)
def test_a_reply_is_wrapped_at_words_while_it_streams(shell, chat, size):
    words = f"It was founded in 1861, see {MIT} for more. " * 4 + "大学は1861年に創立されました。" * 4
    shell.gemini.plans(Slow({"action": "reply", "text": words}, chunks=40, delay=0.02))
    person = chat(size=size)
    person.at_prompt()
    person.type(f"what is {MIT} ?" + ENTER)
    person.until(lambda: any(line.startswith("It was founded") for line in person.lines))
    early = len(shell.gemini.requests), any("創立" in line for line in person.lines)
    person.see("model call")
    person.at_prompt()

    assert early == (1, False)
    shown = person.lines[1 : next(n for n, line in enumerate(person.lines) if "model call" in line)]
    assert "".join("".join(shown).split()) == "".join(words.split())
    assert sum(line.count(MIT) for line in shown) == 4
    ends = {line.split()[-1] for line in shown}
    assert {end for end in ends if end.isascii()} <= set(words.split())


def test_a_window_that_is_resized_in_the_middle_of_a_reply_breaks_nothing(shell, chat):
    words = "One two three four five six seven eight nine ten. " * 8
    shell.gemini.plans(Slow({"action": "reply", "text": words}, chunks=40, delay=0.05), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.until(lambda: any(line.startswith("One two") for line in person.lines))

    person.resize(40, 20)

    person.see("model call")
    person.at_prompt()
    printed = person.said.decode().partition("One two")[2].partition("\x1b")[0]
    lines = printed.split("\r\n")
    assert "".join(words.split()).removeprefix("Onetwo").startswith("".join("".join(lines[:6]).split()))
    narrow = [line for line in lines if line.startswith(("One", "two", "three", "four", "five", "six"))]
    assert any(len(line) <= 40 for line in narrow)
    person.ask("what is two?")
    assert "Hello." in person.lines


def test_what_is_typed_before_there_is_a_prompt_is_done(shell, chat):
    person = chat(cold=True)
    person.type("open example.org" + ENTER)

    person.see("Sent https://example.org to your browser.")
    person.at_prompt()


def test_what_is_typed_ahead_outlives_a_ctrl_c(shell, chat):
    shell.gemini.plans(Stall())
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)

    person.type("typed ahead" + CTRL_C)

    person.see("Interrupted.")
    person.until(lambda: person.line == "> typed ahead")


def test_ctrl_c_at_a_prompt_clears_it_and_never_leaves(shell, chat):
    person = chat()
    person.at_prompt()
    person.type("half of a")
    person.until(lambda: person.line == "> half of a")
    person.type(CTRL_C)
    person.at_prompt()
    assert "Ctrl-D to leave" not in person.lines

    person.type(CTRL_C)

    person.until(lambda: "Ctrl-D to leave" in person.lines and person.line == ">")
    person.send(signal.SIGINT)
    person.until(lambda: person.lines.count("Ctrl-D to leave") == 2 and person.line == ">")
    assert person.leave().status == 0
    person.assert_sane()


def test_ctrl_c_before_the_brain_is_there_brings_the_prompt_back(shell, chat):
    person = chat()
    person.at_prompt()
    os.kill(person.brain, signal.SIGSTOP)
    person.type("what is one?" + ENTER)
    person.until(lambda: person.line.startswith("starting"))

    person.type(CTRL_C)

    person.see("Interrupted. Nothing was begun.")
    person.at_prompt()
    assert shell.cost == (0, 0)
    assert person.leave().status == 0  # and ends the one that does not leave


def test_ctrl_c_while_the_hands_act_tells_that_it_is_not_known(shell, chat):
    an_opener_that_waits(shell)
    shell.gemini.plans({"action": "open_website", "address": "u1", "finish": True})
    person = chat()
    person.at_prompt()
    person.type("have a look at https://example.org for me" + ENTER)
    wait_until(lambda: shell.opened)

    person.type(CTRL_C)

    person.see("It is not known whether this happened: open website https://example.org.")
    person.at_prompt()
    assert turns(shell)[0]["steps"][0]["state"] == "unknown"
    (shell.home / "go").touch()


def an_opener_that_waits(shell):
    """For the file `go`, and then fails."""
    (shell.home / "opener").write_text(
        """#!/bin/sh
        echo "$1" >> "$HOME/opened"
        for _ in $(seq 200); do [ -e "$HOME/go" ] && exit 4; sleep 0.05; done
        """
    )


def test_a_brain_that_does_not_stop_is_ended(shell, chat):
    shell.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)
    brain = person.brain
    os.kill(brain, signal.SIGSTOP)

    person.type(CTRL_C)

    person.see("has stopped")
    person.at_prompt()
    assert not alive(brain)
    person.ask("what is two?")
    assert "Hello." in person.lines


def test_a_brain_that_dies_ends_the_turn_alone(shell, chat):
    shell.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)

    os.kill(person.brain, signal.SIGKILL)

    person.see("jarvis: The process that plans and searches has stopped (SIGKILL).")
    person.ask("what is two?")
    assert "Hello." in person.lines
    assert [turn["status"] for turn in turns(shell)] == ["interrupted", "done"]


def test_a_brain_that_dies_in_the_middle_of_a_reply_leaves_no_broken_line(shell, chat):
    shell.gemini.plans(Slow({"action": "reply", "text": "one two three four"}, chunks=100, delay=0.2))
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.until(lambda: person.line.startswith("on"))

    os.kill(person.brain, signal.SIGKILL)

    person.see("has stopped (SIGKILL)")
    assert any(line.startswith("jarvis: The process that") for line in person.lines)
    person.at_prompt()


def test_a_brain_that_dies_while_the_hands_act_leaves_it_to_be_told(shell, chat):
    shell.gemini.plans({"action": "open_website", "address": "u1", "finish": True}, HELLO)
    person = chat()
    person.at_prompt()
    brain = person.brain
    # The one who opens is the one who kills.
    (shell.home / "opener").write_text(f"#!/bin/sh\nkill -9 {brain}\n")
    person.ask("have a look at https://example.org for me")
    person.see("has stopped (SIGKILL)")

    person.ask("what is two?")

    person.see("This may or may not have happened: open website https://example.org")


@pytest.mark.parametrize("words", ["", "what is one?"], ids=["at the prompt", "in a turn"])
def test_a_chat_that_is_killed_takes_its_brain_along(shell, chat, words):
    shell.gemini.plans(*[Stall()] * bool(words))
    person = chat()
    person.at_prompt()
    brain = person.brain
    if words:
        person.type(words + ENTER)
        wait_until(lambda: shell.gemini.requests)

    person.send(signal.SIGKILL)

    wait_until(lambda: not alive(brain))
    if words:
        assert [turn["status"] for turn in turns(shell)] == ["interrupted"]


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
@pytest.mark.parametrize("words", ["", "what is one?"], ids=["at the prompt", "in a turn"])
def test_a_chat_that_is_terminated_leaves_in_order(shell, chat, words, terminal):
    shell.gemini.plans(*[Stall()] * bool(words))
    person = chat(environment={"TERM": terminal})
    person.at_prompt()
    brain = person.brain
    if words:
        person.type(words + ENTER)
        wait_until(lambda: shell.gemini.requests)

    person.send(signal.SIGTERM)

    assert person.finish().status == 143
    person.see("jarvis: Terminated.")
    person.assert_sane()
    assert not alive(brain)
    if words:
        assert [turn["status"] for turn in turns(shell)] == ["interrupted"]


def test_a_chat_whose_terminal_is_gone_ends_with_its_brain(shell, chat):
    person = chat()
    person.at_prompt()
    brain = person.brain

    person.send(signal.SIGHUP)

    assert person.finish().status == 143
    assert not alive(brain)


def test_slash_commands(shell, chat):
    person = chat()
    person.ask("/help")
    assert any(line.startswith("  /threads [NAME]") for line in person.lines)
    person.ask("/thread")
    person.see("jarvis: There is no command /thread. Did you mean /threads?")
    person.ask("/threads")
    person.see("No threads yet.")
    person.ask("/quit now")
    person.see("/quit does not take that.")
    person.type("/quit" + ENTER)

    assert person.finish().status == 0
    assert shell.cost == (0, 0)


@pytest.mark.parametrize("word", ["exit", "Quit"])
def test_a_word_leaves(shell, chat, word):
    person = chat()
    person.at_prompt()
    person.type(word + ENTER)

    assert person.finish().status == 0
    person.assert_sane()


def test_new_and_threads_choose_the_thread(shell, chat):
    person = chat()
    person.ask("open example.org")
    person.ask("/new work", "work>")
    person.ask("open example.com", "work>")
    person.ask("/new default", "work>")
    person.see("hint: To go on in it: /threads default")
    person.ask("/new no/slash", "work>")
    person.see("That thread name can't be used.")
    fresh = f"{time.strftime('%Y-%m-%d', time.gmtime())}-1"
    person.type("reset" + ENTER)
    person.see(f"A new thread: {fresh}")
    person.ask("open example.net", f"{fresh}>")
    person.ask("/threads nonesuch", f"{fresh}>")
    person.see("There is no thread nonesuch.")
    person.ask("/threads default")
    person.ask("/threads")

    listed = [line.split()[:3] for line in person.lines if line.split()[-2:-1] == ["open"]]
    assert [goal["goal"] for goal in turns(shell, "work")] == ["open example.com"]
    assert [goal["goal"] for goal in turns(shell, fresh)] == ["open example.net"]
    assert ["*", "default", "1"] in listed
    assert any(line.startswith(f"  {fresh} ") for line in person.lines)
    assert person.leave().status == 0


def test_a_plain_command_leaves_no_file_open(shell, chat):
    person = chat()
    held = []
    for _ in range(3):
        person.ask("open example.org")
        folder = f"/proc/{person.pid}/fd"
        held.append(sum("history.db" in os.readlink(f"{folder}/{n}") for n in os.listdir(folder)))

    assert len(shell.opened) == 3
    assert held == [0, 0, 0]


def test_what_begins_with_a_path_is_words(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat()
    person.ask("/etc/hosts what is it")
    person.ask(" /frobnicate what is it")

    assert [turn["goal"] for turn in turns(shell)] == ["/etc/hosts what is it", "/frobnicate what is it"]


def test_several_lines_are_one_request(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat()
    person.at_prompt()
    person.type(f"one{ALT_ENTER}two{CTRL_J}three{ENTER}")
    person.see("Hello.")
    person.at_prompt()
    person.type("\x1b[200~four\rfive\x1b[201~" + ENTER)
    person.until(lambda: person.lines.count("Hello.") == 2)

    assert [turn["goal"] for turn in turns(shell)] == ["one\ntwo\nthree", "four\nfive"]


def test_what_was_typed_is_kept_for_its_owner_alone(shell, chat):
    person = chat()
    person.ask("open example.org")
    person.leave()
    kept = shell.home / "jarvis" / "state" / "chat_history"
    again = chat()
    again.at_prompt()

    again.type("\x1b[A")

    again.until(lambda: again.line == "> open example.org")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_words_that_can_not_be_read_are_told(shell, chat):
    person = chat()
    person.at_prompt()
    person.type("\x1b[200~" + "a b " * 6000 + "\x1b[201~" + ENTER)

    person.see("at most 20,000 are read.")
    person.until(lambda: person.line == ">")


def test_a_dumb_terminal_gets_no_escapes(shell, chat):
    person = chat(environment={"TERM": "dumb"})
    person.at_prompt()
    person.type("open example.org" + ENTER)
    wait_until(lambda: shell.opened)
    person.see("Sent https://example.org")
    person.at_prompt()
    person.type(CTRL_C)
    person.see("Ctrl-D to leave")
    assert person.leave().status == 0

    assert b"\x1b" not in person.said


def test_the_options_of_a_chat(shell, chat):
    shell.jarvis("-t", "work", "open", "example.com")
    shell.gemini.plans({"action": "open_website", "address": "u2", "finish": True})
    person = chat("chat", "-c", "-n", "--timeout", "30")
    person.at_prompt("work>")
    person.ask("have a look at https://example.org for me", "work>")

    person.see("Would open https://example.org")
    assert shell.opened == ["https://example.com"]


def test_without_a_terminal_there_is_no_chat(shell):
    done = shell.jarvis("chat")

    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("jarvis: A chat needs a terminal.")


def test_the_chat_itself_never_imports_the_stack(shell, chat):
    person = chat(environment={"PYTHONPROFILEIMPORTTIME": "1"}, cold=True, size=(200, 50))
    person.at_prompt()
    person.type("open example.org" + ENTER)
    person.see("Sent https://example.org")
    person.leave()

    names = {
        line.rsplit(b"|", 1)[1].strip().decode()
        for line in person.said.splitlines()
        if line.startswith(b"import time:")
    }
    assert "prompt_toolkit" in names
    heavy = {"langgraph", "langchain", "langchain_core", "langchain_google_genai", "google", "pydantic"}
    assert {name for name in names if name.split(".")[0] in heavy | {"typer", "rich", "requests"}} == set()


def test_ctrl_c_in_a_plain_command_brings_the_prompt_back(shell, chat):
    """What the hands are at can't be taken back; what comes of it is in history."""
    an_opener_that_waits(shell)
    person = chat()
    person.at_prompt()
    person.type("open example.org" + ENTER)
    wait_until(lambda: shell.opened)

    person.type(CTRL_C)

    person.see("Not waited for any longer: this may or may not have happened.")
    assert any(line.startswith("jarvis: Not waited") for line in person.lines)
    person.at_prompt()
    (shell.home / "go").touch()
    wait_until(lambda: turns(shell)[0]["status"] == "failed")
    assert not any("Did not open" in line for line in person.lines)


def test_a_brain_that_can_not_start_says_why_and_is_tried_again(shell, chat):
    shell.gemini.plans(HELLO)
    data = shell.home / "jarvis" / "data"
    data.mkdir(parents=True)
    (data / "inflight.db").write_text("no database at all, but long enough to be taken for one" * 100)
    person = chat()
    person.ask("open example.org")

    person.ask("what is one?")

    assert any(line.startswith("jarvis: ") and "database" in line for line in person.lines)
    assert shell.opened == ["https://example.org"]
    (data / "inflight.db").unlink()
    person.ask("what is one?")
    assert "Hello." in person.lines


def test_a_brain_that_could_not_start_is_told_in_a_line_and_nothing_else(shell, chat):
    """It has failed before anybody asked for it: that is told once it is needed."""
    data = shell.home / "jarvis" / "data"
    data.mkdir(parents=True)
    (data / "inflight.db").write_text("no database at all, but long enough to be taken for one" * 100)
    person = chat()
    person.at_prompt()
    person.until(lambda: not person._children())

    person.ask("what is one?")

    assert any(line.startswith("jarvis: ") and "database" in line for line in person.lines)
    shown = "\n".join(person.lines)
    assert "Traceback" not in shown
    assert "never retrieved" not in shown


def test_a_thread_that_is_in_use_is_waited_for_until_ctrl_c(shell, chat):
    lock = FileLock(str(shell.home / "jarvis" / "state"), "default")
    assert at_once(lock.take())
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.see(f"The thread default is in use by process {os.getpid()}: waiting")

    person.type(CTRL_C)

    person.see("Interrupted.")
    person.at_prompt()
    at_once(lock.release())
    assert shell.cost == (0, 0)


def test_a_chat_in_another_locale_reads_and_prints_the_same(shell, chat):
    shell.gemini.plans({"action": "reply", "text": "大学です。"})
    person = chat(environment={"LANG": "", "LC_ALL": "POSIX"})
    person.ask("大学 とは?")

    person.see("大学です。")
    assert turns(shell)[0]["goal"] == "大学 とは?"


def test_a_key_that_is_put_into_its_file_while_chatting_is_read(shell, chat):
    shell.gemini.plans(HELLO)
    person = chat(environment={"GOOGLE_API_KEY": ""})
    person.ask("hi")
    person.see("GOOGLE_API_KEY")
    config = shell.home / "jarvis" / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / ".env").write_text("GOOGLE_API_KEY=key-of-the-tests\n")
    (config / ".env").chmod(0o600)

    person.ask("hi again")

    person.see("Hello.")
