"""Tables of wordings: a file for each subject in data/, and beside it one that is held back from tuning.

Both are passed by every run. Whoever changes what is understood reads the first and lets the second tell
whether more was learnt than its lines.
"""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"


def lines_of(name: str) -> list[str]:
    """What stands in the file of that *name*, but for its remarks."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("# ")]


def wordings(subject: str) -> list[str]:
    """The lines on *subject*, and those that are held back."""
    return lines_of(f"{subject}.txt") + lines_of(f"{subject}.held_back.txt")


def pairs(subject: str) -> list[tuple[str, str]]:
    """The lines on *subject* that say `words | what is done`."""
    split = (line.rpartition("|") for line in wordings(subject))
    return [(words.strip(), done.strip()) for words, _, done in split]
