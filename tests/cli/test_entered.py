"""Words are parsed once, whatever comes of them."""

import pytest

pytestmark = pytest.mark.slow

# Run by the interpreter itself before the program: notes what is parsed.
SPY = """
import os, sys

def watch(frame, event, _):
    if event == "call" and frame.f_code.co_name == "parse_words":
        with open(os.environ["HOME"] + "/parsed", "a") as file:
            print(frame.f_locals["text"], file=file)

sys.setprofile(watch)
"""
SEVERAL = ["open a.example", "open b.example", "open c.example"]


@pytest.mark.parametrize(
    ("argv", "parsed"),
    [
        *(((words,), [words]) for words in ("open github.com", "github.com", "take a screenshot")),
        *(((words,), [words]) for words in ("open firefox", "open the larch museum", "what is it about?")),
        *(((words,), [words]) for words in ("who runs it, and what does it show?", "cheapest first")),
        (("-n", "open the larch museum"), ["open the larch museum"]),
        (("-f", "notes.txt", "open the larch museum"), ["open the larch museum"]),
        (("open a.example, b.example and c.example",), SEVERAL),  # each of them, after the whole
    ],
    ids=str,
)
def test_words_are_parsed_once(shell, argv, parsed):
    (shell.home / "sitecustomize.py").write_text(SPY)
    (shell.home / "notes.txt").write_text("Water the plums.")

    shell.jarvis(*argv, cold=True, environment={"PYTHONPATH": str(shell.home), "GOOGLE_API_KEY": ""})

    said = (shell.home / "parsed").read_text().splitlines()
    assert said[len(parsed) == 3 :] == parsed
