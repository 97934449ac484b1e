"""Jarvis does what a person asks in plain words: opens sites and apps, searches, answers."""

# A constant: importlib.metadata would cost every plain command 100 ms.
__version__ = "0.1.0"
