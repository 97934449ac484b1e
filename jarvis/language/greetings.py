"""List the words that greet, and give a conversation no title where it says no more."""

from __future__ import annotations

GREETINGS = frozenset(
    "hi hello hey howdy yo hiya greetings there jarvis good morning afternoon evening day thanks thank you "
    "how are ok okay test ping hallo moin servus guten tag morgen abend hola buenos dias bonjour salut ciao "
    "buongiorno olá namaste".split()
)
