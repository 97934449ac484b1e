"""What a kind raises, and whoever reads a plan."""

from __future__ import annotations


class Unusable(Exception):
    """The model's answer is no plan that may be carried out. Says why, so that the model can mend it."""
