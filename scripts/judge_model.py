"""What a model makes of one case: the true prompts, sent to any address that speaks Gemini's protocol."""

from __future__ import annotations

from typing import NamedTuple

from judging import Answer, Case


class Model(NamedTuple):
    name: str  # empty: the one of Jarvis's settings
    base_url: str  # empty: Gemini's own
    key: str

    def asked(self, case: Case) -> Answer:
        """Its first plan for *case* and its reading, with what they cost."""
        raise NotImplementedError("to be completed with jarvis.graph")
