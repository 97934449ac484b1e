"""What the tests of a chat say, and what was kept of it."""

from __future__ import annotations

import re

MIT = "https://web.mit.edu/"
SEARCH = {"action": "search", "query": "MIT official website"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
LONG = "大学は1861年に創立されました。" * 4 + "It was founded in 1861."


def turns(shell, thread=""):
    return shell.turns(thread)


def an_opener_that_waits(shell):
    """For the file `go`, and then fails."""
    (shell.home / "opener").write_text(
        """#!/bin/sh
        echo "$1" >> "$HOME/opened"
        for _ in $(seq 200); do [ -e "$HOME/go" ] && exit 4; sleep 0.05; done
        """
    )


def id_of(host, asked):
    """The id under which the address of *host* is offered to the model."""
    return re.search(rf"\[(r\d+)\] .*\({re.escape(host)}\)", asked.prompt)[1]
