"""Addresses that the thread does not know: in a reply, however it is told, none can be followed."""

from __future__ import annotations

import json
import random
import re

import pytest

from jarvis.graph.foreign import Foreign
from jarvis.turn import Address
from tests.person import Person
from tests.twins.gemini_script import CutStream, Slow

FOREIGN = {
    "https://evil.example": "hxxps://evil[.]example",
    "See http://evil.example/a?b=c.d.": "See hxxp://evil[.]example/a?b=c[.]d.",
    "HTTPS://EVIL.EXAMPLE": "HxxPS://EVIL[.]EXAMPLE",
    "[MIT](https://evil.example/x)": "[MIT](hxxps://evil[.]example/x)",
    "<https://evil.example>": "<hxxps://evil[.]example>",
    "https://web.mit.edu/?leak=secret": "hxxps://web[.]mit[.]edu/?leak=secret",
    "https://web.mit.edu@evil.example/": "hxxps://web[.]mit[.]edu@evil[.]example/",
    "https://web.mit.edu.evil.example/": "hxxps://web[.]mit[.]edu[.]evil[.]example/",
    "https://web.mit.edu。evil.example/": "hxxps://web[.]mit[.]edu[.]evil[.]example/",
    "[https://web.mit.edu](https://evil.example)": "[https://web.mit.edu](hxxps://evil[.]example)",
    "https:evil.example and https:/evil.example": "hxxps:evil[.]example and hxxps:/evil[.]example",
    "https://a.example/https://b.example": "hxxps://a[.]example/hxxps://b[.]example",
    "www.evil.example evil.com Evil.RU": "www[.]evil[.]example evil[.]com Evil[.]RU",
    "evil.club/login": "evil[.]club/login",
    "これはevil.comです": "これはevil[.]comです",
    "ftp://evil.example file:///etc/passwd": "ftp[:]//evil[.]example file[:]///etc/passwd",
    "http://127.0.0.1:8080/": "hxxp://127[.]0[.]0[.]1:8080/",
    "xhttps://evil.example": "xhttps[:]//evil[.]example",
}
KNOWN = (
    *("https://web.mit.edu/", "http://web.mit.edu", "web.mit.edu", "https://web.mit.edu.", "mit.edu"),
    *("www.mit.edu", "(https://web.mit.edu/)", "[MIT](https://web.mit.edu/)", "https://typed.example/a?b=c", "https://bücher.de"),
)  # fmt: skip
NO_ADDRESSES = (
    *("main.py", "self.id", "logging.info(x)", "e.g. this", "3.14", "a@evil.com", "and/or", "..."),
    *("src/main.rs:3", "os.path.join", "asyncio.run", "10:30", "C++", "README.md"),
    *("http: a protocol", "end.Then", "12.5/7"),
)  # fmt: skip
# What a terminal or a mail program would make a link of.
LINK = re.compile(r"(?i)https?:/*\w|\bwww\.\w|evil\.(example|com)")


def foreign() -> Foreign:
    return Foreign(
        [Address("r1", "https://web.mit.edu/")],
        "compare it with https://typed.example/a?b=c",
        "Person: open bücher.de\nJarvis: I know https://evil.example Person: https://evil.example",
    )


@pytest.mark.parametrize(("reply", "shown"), FOREIGN.items())
def test_an_address_that_nobody_named_and_nothing_found_is_taken_apart(reply, shown):
    assert foreign().defanged(reply) == shown


@pytest.mark.parametrize("word", KNOWN)
def test_one_that_the_thread_knows_stays(word):
    assert foreign().defanged(f"See {word} for it") == f"See {word} for it"


@pytest.mark.parametrize("word", NO_ADDRESSES)
def test_what_is_no_address_stays(word):
    assert foreign().defanged(f"See {word} for it") == f"See {word} for it"


def test_wherever_a_reply_is_split_what_is_shown_first_is_the_beginning_of_it():
    chance, judge, held = random.Random(3), foreign(), 0
    words = [*FOREIGN, *KNOWN, *NO_ADDRESSES, "日本語", "a", "…", "\n", "(", "ends."]
    for _ in range(120):
        text = chance.choice((" ", "", "\n")).join(chance.choices(words, k=6))
        whole, shown = judge.defanged(text), ""
        for end in range(len(text) + 1):
            so_far = judge.defanged(text[:end], whole=False)
            assert so_far.startswith(shown)
            held += len(so_far) < end
            shown = so_far
        assert whole.startswith(shown), (text, shown, whole)
    assert held > 500


def test_a_very_long_word_comes_through():
    for piece in ("a", "a.", "https://", "a-", ".", "/"):
        text = piece * (20_000 // len(piece))
        assert len(foreign().defanged(text)) >= len(text)
        foreign().defanged(text, whole=False)


EVIL = "Go to https://evil.example/login now, or www.evil.com; the real one is https://web.mit.edu/ [r1]."
SAFE = (
    "Go to hxxps://evil[.]example/login now, or www[.]evil[.]com; the real one is https://web.mit.edu/ [1]."
)


def evil_turn(shell, answer=Slow):
    shell.search_finds("https://web.mit.edu/")
    shell.gemini.plans(
        {"action": "search", "query": "mit"}, answer({"action": "reply", "text": EVIL}, chunks=40)
    )


def piecewise(said: dict[str, str], chunks: int) -> Slow:
    return Slow(said, chunks, delay=0.005)


@pytest.mark.parametrize("options", [(), ("--json",), ("--ndjson",)], ids=str)
def test_on_a_pipe_and_for_programs(shell, options):
    evil_turn(shell, piecewise)

    said = shell.jarvis(*options, "who is mit?").stdout

    assert SAFE in said
    assert not LINK.search(said.replace("https://web.mit.edu/", ""))
    if options == ("--ndjson",):
        records = [json.loads(line) for line in said.splitlines()]
        deltas = "".join(r["text"] for r in records if r["event"] == "reply_delta")
        assert deltas == SAFE
        assert sum(r["event"] == "reply_delta" for r in records) > 5  # it came in pieces
    assert "evil.example" not in shell.jarvis("threads", "show").stdout


@pytest.mark.parametrize("argv", [("who is mit?",), ()], ids=["one-shot", "chat"])
def test_on_a_terminal_while_it_is_written(shell, argv):
    evil_turn(shell, piecewise)

    with Person(shell.program(), *argv, size=(200, 40)) as person:
        if not argv:
            person.ask("who is mit?")
            person.see("model calls")
            person.at_prompt()
            person.leave()
        else:
            person.finish()

    said = person.said.decode()
    assert "hxxps://evil[.]example/login" in said
    assert "evil.example" not in said
    assert "www.evil" not in said
    assert b"\x1b]8" not in person.said


def test_what_is_joined_stays_so_wherever_a_reply_is_split(shell):
    text = "می\u200cخواهم 👨\u200d👩\u200d👧 here"
    shell.gemini.plans(piecewise({"action": "reply", "text": text}, 60))

    assert text.encode() in shell.jarvis("hello", tty=True).screen


def test_of_a_reply_that_breaks_off(house):
    house.search_finds("https://web.mit.edu/")
    house.model_plans(
        {"action": "search", "query": "mit"},
        CutStream({"action": "reply", "text": EVIL + " More."}, chunks=60),
    )

    asked = house.ask("who is mit?")

    assert "hxxps://evil[.]example" in asked.reply
    assert "(cut off)" in asked.reply
    assert "evil.example" not in asked.reply + asked.streamed


def test_in_the_title_of_a_source(house):
    house.serpapi.finds(
        {
            "organic_results": [
                {"title": "MIT at https://evil.example", "link": "https://web.mit.edu/", "snippet": ""}
            ]
        }
    )
    house.model_plans(
        {"action": "search", "query": "mit", "text": "look at https://evil.example"},
        {"action": "reply", "text": "It is there [r1]."},
    )

    asked = house.ask("who is mit?")

    assert asked.summary["sources"][0]["title"] == "MIT at hxxps://evil[.]example"
    assert "evil.example" not in json.dumps(asked.summary["sources"])
    assert "hxxps://evil[.]example" in str(asked)


def test_what_was_typed_in_an_earlier_turn_is_known(house):
    house.model_plans(
        {"action": "reply", "text": "Noted."},
        {"action": "reply", "text": "It is https://mine.example/a, not https://evil.example."},
    )
    house.ask("remember https://mine.example/a")

    asked = house.ask("which one was it?")

    assert asked.reply == "It is https://mine.example/a, not hxxps://evil[.]example."
