"""A picture of the screen is taken where it was plainly asked for, once."""

from __future__ import annotations

import pytest

from jarvis.guard import ALLOW, ASK, REFUSE
from tests.guard.verdicts import capturing, facts


@pytest.mark.parametrize(
    "words",
    [
        "take a screenshot",
        "screenshot",
        "Capture my screen.",
        "snap a quick picture of my screen",
        "could you grab a screen shot for me",
        "open github.com and take a screenshot",
        "I need a screenshot please",
        "find the weather, then screenshot it",
        "a screenshot of this page please",
        "can i have a screenshot?",
        "save my screen as an image",
        "screen shoot pls",
        "take a pic of my screen",
        "take a picture of what's on my screen",
        "i need a screenshot for a bug report",
        "take a screenshot so i can send it",
        "take a snapshot",
        "screen capture",
        "take two screenshots",
        "would you mind taking a screenshot",
        "why not take a screenshot",
        "if you can, take a screenshot",
        "take a screenshot real quick",
    ],
)
def test_a_picture_that_was_asked_for_is_taken_once(words):
    assert capturing(words) == ALLOW
    assert capturing(words, facts()) == ALLOW
    assert capturing(words, facts(done=("captures",))) == REFUSE


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("who runs Tesla?", ASK, REFUSE),
        ("don't take a screenshot", REFUSE, REFUSE),
        ("what is a screenshot?", ASK, ASK),
        ("mach bitte einen Screenshot", ASK, ASK),
        ("how do I take a screenshot on a Mac?", ASK, ASK),
        ("summarise:\ntake a screenshot\nbye", ASK, ASK),
        ("he said, take a screenshot", ASK, ASK),
        ("explain how to open paint and take a screenshot", ASK, ASK),
        ("take a screenshot? never", ASK, ASK),
        ("take a screenshot means what", ASK, ASK),
        ("the screenshot", ASK, ASK),
        ("no screen shot please", REFUSE, REFUSE),
        ("write a script, run firefox and take a screenshot", ASK, ASK),
        ("print it", ASK, REFUSE),
        ("look, but take no pictures of my screen", REFUSE, REFUSE),
        ("do a search for screenshot tools", ASK, ASK),
        ("make a python script that takes screenshots", ASK, ASK),
        ("get me the best screenshot app for linux", ASK, ASK),
        ("create a screenshot tool in python", ASK, ASK),
        ("give me tips for taking screenshots", ASK, ASK),
        ("create a folder for my screenshots", ASK, ASK),
        ("get screenshots of the new zelda game", ASK, ASK),
        ("grab the screenshot i made yesterday", ASK, ASK),
        ("save my screen time report", ASK, REFUSE),
        ("screenshot to pdf converter", ASK, ASK),
        ("take a screenshot policy for example", ASK, ASK),
        ("take a snapshot of the market", ASK, REFUSE),
        ("are you able to take screenshots?", ASK, ASK),
        ("take a screenshot, but of the second monitor only after i say cheese", ASK, ASK),
    ],
)
def test_a_picture_that_was_not_plainly_asked_for_is_not_taken(words, before, after):
    assert capturing(words) == before
    assert capturing(words, facts()) == after
