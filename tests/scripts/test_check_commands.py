"""The scripts that measure on sentences of one's own start, and tell a line that should not fire."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_commands"
MUST = [
    {"text": "open youtube", "action": "open_website", "argument": "youtube", "reflex": "must"},
    {"text": "start gimp", "action": "open_app", "argument": "gimp", "reflex": "must"},
    {"text": "take a screenshot", "action": "take_screenshot", "argument": "", "reflex": "must"},
]
NEVER = {"text": "open github in firefox", "action": "open_website", "argument": "github", "reflex": "never"}


def test_sentences_are_measured_and_one_that_fires_fails(tmp_path):
    (tmp_path / "commands.jsonl").write_text("\n".join(map(json.dumps, [*MUST, NEVER])))
    for negatives, status in ((("who opened the window", "Gimp"), 0), (("open a.org",), 1)):
        (tmp_path / "negatives.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in negatives))

        done = subprocess.run(
            [sys.executable, "-P", str(SCRIPT), str(tmp_path)], capture_output=True, text=True, check=False
        )

        assert done.returncode == status, done.stderr
        for action in ("open_website", "open_app", "take_screenshot"):
            assert f"must {action}: 1 of 1" in done.stdout
        assert "never: 0 of 1 fired; 0 are nothing but a name" in done.stdout
