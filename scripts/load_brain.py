"""A brain that stays, started as the program starts one, but under the name that its environment gives it."""

from __future__ import annotations

import os
import sys


def main() -> None:
    from jarvis.brain.__main__ import main as live
    from jarvis.brain.address import place_of

    sys.argv[1:] = [place_of(os.environ).name]
    live()


if __name__ == "__main__":
    main()
