"""Which model is asked: for one request, in a chat, and which there are."""

import json

import pytest

from tests.brain.brains import HELLO
from tests.brain.conftest import home  # noqa: F401 (a fixture)

pytestmark = pytest.mark.slow

USUAL, OTHER = "gemini-3.5-flash-lite", "gemini-3.5-flash"


def asked(twin):
    return [request.model for request in twin.requests]


def test_a_request_names_its_model_and_no_other_brain_is_started(home):  # noqa: F811
    pid = home.start_brain()
    home.gemini.plans(HELLO, HELLO, HELLO)

    for argv in (("-m", OTHER), ("--model", f"models/{OTHER}"), ()):
        assert home.jarvis(*argv, "hello").stdout == "Hello.\n"

    assert asked(home.gemini) == [USUAL, OTHER, OTHER, USUAL]
    assert home.brains == [pid]


def test_one_that_is_not_there_is_told_with_those_that_are(shell):
    done = shell.jarvis("-m", "gemini-9-ultra", "hello")

    assert (done.status, done.stdout) == (78, "")
    assert "no model named gemini-9-ultra" in done.stderr
    assert "jarvis config set model NAME. Your key can use: " in done.stderr
    assert OTHER in done.stderr


@pytest.mark.parametrize("name", ["model", "fallback_model"])
def test_a_model_that_is_kept_is_one_that_the_key_can_use(name, shell):
    shell.gemini.lists = {f"gemini-1-{n}": ("generateContent",) for n in range(60)}
    wrong = shell.jarvis("config", "set", name, "gemini-3.5-flsh")
    right = shell.jarvis("config", "set", name, f"models/{OTHER}")

    assert (wrong.status, wrong.stdout) == (2, "")
    told = f"Gemini has no model called gemini-3.5-flsh for you. Did you mean {OTHER}?"
    assert told in wrong.stderr
    assert (right.stdout, right.stderr) == (f"Saved {name} = {OTHER} (config.toml)\n", "")
    assert shell.json("config", "set", name, "gemini-1-59")["saved"]["value"] == "gemini-1-59"
    assert {request.path for request in shell.gemini.requests} == {"/v1beta/models"}


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({"GOOGLE_API_KEY": ""}, "No model key is set"),
        ({"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9"}, "Gemini can't be reached: no connection"),
    ],
)
def test_where_nobody_says_whether_there_is_such_a_model_it_is_kept_and_that_is_told(environment, why, shell):
    done = shell.jarvis("config", "set", "model", "gemini-9-ultra", environment=environment)

    assert (done.status, done.stdout) == (0, "Saved model = gemini-9-ultra (config.toml)\n")
    assert done.stderr == f"Not checked with Gemini ({why}).\n"


def test_a_chat_asks_the_model_of_its_option_and_then_the_one_that_was_chosen_there(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat("chat", "-m", OTHER)
    person.ask("/model")
    person.see(f"Using {OTHER}.")
    person.ask("hello")
    person.ask(f"/model {USUAL}")
    person.see(f"Next request: {USUAL}")
    person.ask("hello again")
    person.ask("/model")
    person.see(f"Using {USUAL}.")
    person.ask("/models")
    person.see(f"* {USUAL}")
    person.ask("/model a/b")

    person.see("That isn't a valid model name.")
    assert asked(shell.gemini) == [OTHER, USUAL, "models"]


def test_those_that_the_key_can_use_are_listed_newest_first(shell):
    assert shell.jarvis("models", environment={"GOOGLE_API_KEY": ""}).status == 78
    shell.gemini.lists = {"gemini-2.5-flash": ("generateContent",), "gemini-embedding-9": ("embedContent",)}

    done = shell.jarvis("models")
    listed = json.loads(shell.jarvis("models", "--json").stdout)

    lines = done.stdout.splitlines()
    assert done.status == 0
    assert [line for line in lines if line.startswith("*")] == [f"* {USUAL}"]
    assert "embedding" not in done.stdout
    assert lines[-1].split()[0] == "gemini-2.5-flash"
    assert "2026-12-01" in lines[-1]
    assert {"name": "gemini-2.5-flash", "is_set": False, "ends": "2026-12-01"} in listed
    assert [each["name"] for each in listed if each["is_set"]] == [USUAL]
    assert asked(shell.gemini) == ["models", "models"]  # nothing is planned


@pytest.mark.parametrize("brain", ["on", "off"])
def test_a_model_that_ends_is_told_once_a_run_with_what_helps(shell, chat, brain):
    told = "gemini-2.5-flash ends on 2026-12-01. Then gemini-3.5-flash-lite answers instead. Set that one."
    shell.gemini.plans(*[HELLO] * 5)
    chosen = shell.jarvis("-m", "gemini-2.5-flash", "hello", environment={"JARVIS_BRAIN": brain})
    shell.configure('model = "gemini-2.5-flash"')
    runs = [shell.jarvis(*argv, environment={"JARVIS_BRAIN": brain}) for argv in (["hello"], ["doctor"])]
    person = chat("chat", environment={"JARVIS_BRAIN": brain})
    for _ in range(2):
        person.ask("hello")
        person.see("Hello.")

    assert [chosen.stderr.count(told), *((run.stdout + run.stderr).count(told) for run in runs)] == [1, 1, 1]
    assert "".join(person.lines_of_text).count("ends on") == 1
    assert told in shell.jarvis("models").stdout
    assert shell.jarvis("open", "a.example").stderr == ""
    shell.jarvis("brain", "stop", environment={"JARVIS_BRAIN": "on"})
