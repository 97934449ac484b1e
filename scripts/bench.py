"""Figures side by side, as ratios to `python -c pass` in the same run: machines differ and are noisy.

turn     a warm find + open turn with a full window of 40 messages, on twins that answer at once
growth   turn 3,000 of a thread beside turn 100, in CPU and in bytes, on both databases: of turns that open
         what they find, and of turns that list a table of 40 rows
plain    the commands that need no model, each as a whole process, on both databases and with none there
warm     find + open and small talk as whole processes, done by the brain that stays; what that has cost
load     find + open of 1 to 200 clients at once, on SQLite and on Postgres, near and 20 ms away;
         `load far 64` is one row of these
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]

BENCHES = {
    "turn": "bench_turn",
    "growth": "bench_growth",
    "plain": "bench_plain",
    "warm": "bench_warm",
    "load": "bench_load",
}


def main(argv: Sequence[str]) -> int:
    if argv[:1] == ["load"]:  # what follows names its rows
        return importlib.import_module(BENCHES["load"]).load(argv[1:])
    if unknown := set(argv) - set(BENCHES):
        print(
            f"No such bench: {', '.join(sorted(unknown))}. There are {', '.join(BENCHES)}.", file=sys.stderr
        )
        return 2
    done = [getattr(importlib.import_module(BENCHES[name]), name)() for name in argv or BENCHES]
    return max(status or 0 for status in done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
