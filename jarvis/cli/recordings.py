"""The recorded sessions of the demo, which the pictures of the documentation show too."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..config.services import USUAL

BANNER = f"Demo: recorded answers stand in for {USUAL.title} and SerpAPI. Nothing leaves this machine."


class DemoLine(NamedTuple):
    """A line of a session, and the services' answers to it."""

    words: str
    wants: str = "nothing"  # what the words ask for, as the model reads them
    plans: Sequence[Mapping[str, Any]] = ()
    pages: Mapping[str, Any] = {}  # of SerpAPI, by the engine
    keys: str = ""  # that the user presses at a question, for a picture


def sessions() -> dict[str, list[DemoLine]]:
    """Return the recorded sessions by their first words."""
    with open(f"{os.path.dirname(__file__)}/recordings.json", encoding="utf-8") as file:
        recorded = json.load(file)
    return {words: [DemoLine(**line) for line in lines] for words, lines in recorded.items()}
