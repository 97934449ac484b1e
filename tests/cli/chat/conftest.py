"""Chats that end with their test, and what is said in them."""

import pytest

from tests.person import Person

MIT = "https://web.mit.edu/"
HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.fixture
def chat(shell):
    """Starts a chat; all of them end with the test."""
    people = []

    def start(*argv, size=(80, 24), environment=None, **how):
        program = shell.program(**(environment or {}))
        people.append(Person(program, *argv, size=size, **how))
        return people[-1]

    yield start
    for person in people:
        person.__exit__(None, None, None)
