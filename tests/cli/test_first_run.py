"""A newcomer without a key: it is asked for on the terminal, never shown, and the question is answered."""

import signal

import pytest

from tests.brain.brains import Resident
from tests.person import CTRL_C, ENTER
from tests.twins.keyrings import NONE, OPEN, using

from .test_keys import FORMED, KEY, OLD, files_with

pytestmark = pytest.mark.slow

UV = "# uv\n\nInstall it:\n\n```sh\ncurl -LsSf https://astral.example/uv | sh\n```\n"
ANSWER = {"action": "reply", "text": UV, "finish": True}
NOTHING = {"GOOGLE_API_KEY": "", "SERPAPI_API_KEY": ""}
ASKED = "Paste the key (hidden, Enter skips):"


@pytest.fixture
def newcomer(tmp_path, gemini, serpapi):
    """Nothing is set, and requests are served by the brain that stays."""
    shell = Resident(tmp_path, gemini, serpapi)
    shell.environment |= {**NOTHING, **using(NONE)}
    yield shell
    shell.stop()


@pytest.fixture
def person(newcomer, people):
    return lambda *argv, **how: people(newcomer, *argv, **how)


def give(person, key, then):
    person.until(lambda: person.line == ASKED)
    person.type(key + ENTER)
    person.see(then)


def test_the_key_is_asked_for_and_the_question_is_answered(newcomer, person):
    newcomer.gemini.refuse_key = OLD
    newcomer.gemini.plans(ANSWER)
    asking = person("what is uv and how do I install it?", size=(40, 20))

    asking.see("This needs a language model.")
    asking.see("https://aistudio.google.com/apikey")
    assert newcomer.brains == []
    give(asking, OLD, "Google refused this key.")
    give(asking, KEY, "Checked with Google, saved in")
    done = asking.finish()

    assert done.status == 0
    asking.see("curl -LsSf https://astral.example/uv | sh")
    assert newcomer.gemini.requests[-1].key == KEY
    assert files_with(newcomer, KEY) == [".env"]
    assert files_with(newcomer, OLD) == []
    for key in (KEY, OLD):
        assert key.encode() not in done.screen
    asking.assert_sane()


def test_who_leaves_it_is_told_how_to_set_one_and_nothing_was_begun(newcomer, person):
    asking = person("what is uv?")
    asking.see(ASKED)
    asking.type(ENTER)
    done = asking.finish()

    assert done.status == 78
    assert b"hint: jarvis keys set google" in done.screen
    assert newcomer.brains == []
    assert newcomer.cost == (0, 0)


def test_the_terminal_is_as_before_where_it_is_broken_off(person):
    asking, ending = person("keys", "set"), person("keys", "set")
    asking.see(ASKED)
    ending.see(ASKED)
    asking.type(f"half-a-key{CTRL_C}")
    ending.send(signal.SIGTERM)
    done, ended = asking.finish(), ending.finish()

    assert (done.status, ended.status) == (130, 143)
    assert b"half-a-key" not in done.screen
    asking.assert_sane()
    ending.assert_sane()


def test_what_follows_the_key_in_a_paste_is_not_left_for_the_shell(person):
    asking = person("keys", "set")
    asking.see(ASKED)
    asking.type(KEY + ENTER + "rm -r everything" + ENTER)
    done = asking.finish()

    assert done.status == 0
    assert b"rm -r" not in done.screen


def test_setting_up_asks_for_what_is_missing_and_nothing_more(newcomer, person):
    asking = person("setup")
    give(asking, KEY, "Checked with Google")
    asking.see("https://serpapi.com/manage-api-key")
    give(asking, "", "Skipped. Set it later: jarvis keys set serpapi")
    assert asking.finish().status == 0
    told = asking.lines
    assert "" not in told[: told.index("Skipped. Set it later: jarvis keys set serpapi")]

    again = person("setup")
    again.see("Google key: GOOGLE_API_KEY in ")
    give(again, OLD, "Checked with SerpAPI")
    assert again.finish().status == 0
    assert [request.key for request in newcomer.serpapi.accounts] == [OLD]


def test_in_a_chat_it_is_asked_for_too_and_no_line_with_a_key_is_kept(newcomer, person):
    newcomer.gemini.plans(ANSWER)
    chat = person()
    chat.at_prompt()
    assert newcomer.brains == []
    chat.type("what is uv?" + ENTER)
    chat.see("This needs a language model.")
    give(chat, KEY, "Checked with Google")
    chat.see("curl -LsSf")
    chat.at_prompt()
    chat.type(f"is {FORMED} a key?" + ENTER)
    chat.see("Your request contains an API key. Jarvis neither sent nor saved it.")
    chat.at_prompt()
    done = chat.leave()

    assert done.status == 0
    assert newcomer.gemini.requests[-1].key == KEY
    assert KEY.encode() not in done.screen
    assert files_with(newcomer, KEY) == [".env"]
    assert files_with(newcomer, FORMED) == []
    assert "what is uv?" in (newcomer.home / "jarvis/state/chat_history").read_text()


@pytest.mark.parametrize("backend", [NONE, OPEN])
def test_nobody_is_served_with_the_key_of_before(newcomer, backend):
    newcomer.environment |= using(backend)
    newcomer.gemini.plans(ANSWER, ANSWER)
    for key in (OLD, KEY):
        newcomer.jarvis("keys", "set", stdin=key)
        assert newcomer.jarvis("what is uv?").status == 0

    assert [request.key for request in newcomer.gemini.requests if request.method == "POST"] == [OLD, KEY]
