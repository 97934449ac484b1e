"""What stands on the screen: wide, narrow, resized, dumb, and in another locale."""

from __future__ import annotations

import pytest

from tests.cli.chat.said import MIT, turns
from tests.person import CTRL_C, ENTER
from tests.shell import wait_until
from tests.twins.gemini import Slow


@pytest.mark.parametrize("size", [(80, 24), (40, 20)], ids=str)
def test_a_reply_is_wrapped_at_words_while_it_streams(shell, chat, size):
    words = f"It was founded in 1861, see {MIT} for more. " * 4 + "大学は1861年に創立されました。" * 4
    shell.gemini.plans(Slow({"action": "reply", "text": words}, chunks=40, delay=0.02))
    person = chat(size=size)
    person.at_prompt()
    person.type(f"what is {MIT} ?" + ENTER)
    person.until(lambda: any(line.startswith("It was founded") for line in person.lines))
    early = len(shell.gemini.requests), any("創立" in line for line in person.lines)
    person.see("大学は1861年に創立されました。" * 2)
    person.at_prompt()

    assert early == (1, False)
    first = next(n for n, line in enumerate(person.lines) if line.startswith("It was founded"))
    shown = person.lines[
        first : next(n for n, line in enumerate(person.lines) if n > first and line.startswith(">"))
    ]
    assert "".join("".join(shown).split()) == "".join(words.split())
    assert sum(line.count(MIT) for line in shown) == 4
    ends = {line.split()[-1] for line in shown if line}
    assert {end for end in ends if end.isascii()} <= set(words.split())


def test_a_dumb_terminal_gets_no_escapes(shell, chat):
    person = chat("chat", environment={"TERM": "dumb"})
    person.at_prompt()
    person.type("open example.org" + ENTER)
    wait_until(lambda: shell.opened)
    person.see("Sent https://example.org")
    person.at_prompt()
    person.type(CTRL_C)
    person.see("Ctrl-D to leave")
    assert person.leave().status == 0

    assert b"\x1b" not in person.said


def test_a_chat_in_another_locale_reads_and_prints_the_same(shell, chat):
    shell.gemini.plans({"action": "reply", "text": "大学です。"})
    person = chat(environment={"LANG": "", "LC_ALL": "POSIX"})
    person.ask("大学 とは?")

    person.see("大学です。")
    assert turns(shell)[0]["goal"] == "大学 とは?"
