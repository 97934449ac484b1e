"""Tells a greeting from a request. It decides about a conversation's title alone."""

from __future__ import annotations

_GREETINGS = frozenset(
    "hi hello hey howdy yo hiya greetings there jarvis good morning afternoon evening day thanks thank you "
    "how are ok okay test ping hallo moin servus guten tag morgen abend hola buenos dias bonjour salut ciao "
    "buongiorno olá namaste".split()
)


def is_greeting(words: str) -> bool:
    """Return whether *words* greet and say no more, as “hi there, Jarvis!” does."""
    return all(word.strip(",.!?") in _GREETINGS for word in words.casefold().split())
