"""Tells new, used and refurbished goods apart, by the words that services use for them in English."""

from __future__ import annotations

import re

from .offer import BROKEN, NEW, REFURBISHED, USED

# What eBay and Google write, of which the first that stands in a condition counts: “Open box” and “New with
# defects” are not new, “Very Good - Refurbished” is refurbished, not used.
_CONDITIONS = (
    (BROKEN, r"\bfor parts\b|\bparts only\b|\bnot working\b"),
    (REFURBISHED, r"refurbished|renewed|remanufactured|reconditioned"),
    (USED, r"\bused\b|pre-?owned|second[- ]?hand|open[- ]?box|like new|defects|imperfections"),
    (USED, r"^(?:very good|good|acceptable)(?: ·.*)?$"),  # of books and records
    (NEW, r"^(?:brand )?new\b"),
)
# Shops that don't mark an entry as second-hand say so in its title, and these words mean nothing else there.
_IN_TITLE = ((REFURBISHED, r"\b(?:refurbished|renewed)\b"), (USED, r"\b(?:pre-?owned|second[- ]hand)\b"))


def state_of(condition: str) -> str:
    """Return the state that *condition* stands for, or that it is broken; empty where it says neither."""
    return _first(condition, _CONDITIONS)


def state_in_title(title: str) -> str:
    """Return the state that *title* itself tells; empty where it tells none."""
    return _first(title, _IN_TITLE)


def _first(text: str, patterns: tuple[tuple[str, str], ...]) -> str:
    return next((state for state, said in patterns if re.search(said, text, re.IGNORECASE)), "")
