"""What stands on a narrow screen, and in another locale."""

from __future__ import annotations

from tests.cli.chat.conftest import MIT
from tests.person import ENTER
from tests.twins.gemini import Slow


def test_a_reply_is_wrapped_at_words_while_it_streams(shell, chat):
    """In a locale that has no letters but those of ASCII."""
    words = f"It was founded in 1861, see {MIT} for more. " * 4 + "大学は1861年に創立されました。" * 4
    shell.gemini.plans(Slow({"action": "reply", "text": words}, chunks=40, delay=0.02))
    person = chat(size=(40, 20), environment={"LANG": "", "LC_ALL": "POSIX"})
    person.at_prompt()
    person.type("大学 とは?" + ENTER)
    person.until(lambda: any(line.startswith("It was founded") for line in person.lines))
    early = len(shell.gemini.requests), any("創立" in line for line in person.lines)
    person.see("大学は1861年に創立されました。" * 2)
    person.at_prompt()

    assert early == (1, False)
    first = next(n for n, line in enumerate(person.lines) if line.startswith("It was founded"))
    last = next(n for n, line in enumerate(person.lines) if n > first and line.startswith(">"))
    shown = person.lines[first:last]
    assert "".join("".join(shown).split()) == "".join(words.split())
    assert sum(line.count(MIT) for line in shown) == 4
    ends = {line.split()[-1] for line in shown if line}
    assert {end for end in ends if end.isascii()} <= set(words.split())
    assert shell.turns()[0]["goal"] == "大学 とは?"
