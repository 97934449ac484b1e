"""Figures side by side, as ratios to `python -c pass` in the same run: machines differ and are noisy.

turn     what a find + open turn takes of a warm brain, with a full window of 40 messages, on both databases
growth   turn 3,000 of a thread beside turn 100, in CPU and in bytes, on both databases: of turns that open
         what they find, and of turns that list a table of 40 rows
plain    the commands that need no model, each as a whole process, on both databases and with none there
warm     find + open and small talk as whole processes, done by the brain that stays; what that has cost
load     find + open of 1 and of 8 clients at once, on SQLite and on Postgres, near and 20 ms away

--beside measures the Jarvis of another checkout, too, turn about with this one's: the last ratio is to that.
JARVIS_BENCH_RUNS says how often, 20 times without it.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [ROOT, HERE]

from bench_growth import growth  # noqa: E402
from bench_times import IS_TRIAL, RUNS, Figures, compare, cpu_of, ms  # noqa: E402
from bench_twins import SCREEN, SMALL_TALK, WORDS, Home, Resident  # noqa: E402

from tests.far import Far  # noqa: E402
from tests.postgres import Server  # noqa: E402

_WINDOW = 1 if IS_TRIAL else 20  # turns until it is full
_BLOCK = 1 if IS_TRIAL else 10  # turns in which it shrinks once
_AWAY = 0.02  # seconds that a round trip takes longer
_NOBODY = "postgresql://me@127.0.0.1:1/jarvis"  # no server listens there


def turn(checkouts: Sequence[str]) -> None:
    with Server() as server:
        for base in ("SQLite", "Postgres"):
            urls = [server.url(server.database()) if base == "Postgres" else "" for _ in checkouts]
            with residents(checkouts, urls) as sides:
                started = [ms(cpu_of(side.brain)) for side in sides]
                print(f"        {base}, a new brain, and its first turn: {' '.join(started)} of CPU")
                for side in sides:
                    side.requests(_WINDOW)
                compare("turn", *(functools.partial(_brain_alone, side, base) for side in sides))


def _brain_alone(side: Resident, base: str) -> Figures:
    return {f"find + open, {base}, the brain's CPU": side.requests(_BLOCK)["the brain's CPU"]}


@contextlib.contextmanager
def residents(checkouts: Sequence[str], urls: Sequence[str]) -> Iterator[list[Resident]]:
    """Yield a home of each of *checkouts*, whose brain has done one turn; urls: of their databases."""
    with contextlib.ExitStack() as homes:
        sides = [Resident(each, DATABASE_URL=url) for each, url in zip(checkouts, urls, strict=True)]
        for side in sides:
            homes.enter_context(side).jarvis(WORDS)
        yield sides


def plain(checkouts: Sequence[str]) -> None:
    with Server() as server, contextlib.ExitStack() as homes:
        sides = [homes.enter_context(Home(each)) for each in checkouts]
        for name, argv, environment in (
            ("open example.org", (), {}),
            ("open youtube", (), {}),
            ("--help", (), {}),
            ("--version", (), {}),
            # Not for the others: with a screen it is xdg-open that is measured.
            ("launch calculator", (), {"WAYLAND_DISPLAY": SCREEN}),
            ("open …, on Postgres", ("open", "example.org"), {"DATABASE_URL": server.url(server.database())}),
            ("open …, Postgres is down", ("open", "example.org"), {"DATABASE_URL": _NOBODY}),
        ):
            run = functools.partial(_command, name, argv or name.split(), environment)
            for side in sides:
                run(side)  # a new home is set up, and the index of apps kept
            compare("plain", *(functools.partial(run, side) for side in sides))


def _command(name: str, argv: Sequence[str], environment: dict[str, str], side: Home) -> Figures:
    taken = side.jarvis(*argv, **environment)
    return {f"jarvis {name}, CPU": taken.cpu, f"jarvis {name}, on the wall": taken.wall}


def warm(checkouts: Sequence[str]) -> None:
    with residents(checkouts, [""] * len(checkouts)) as sides:
        for side in sides:
            side.requests(_WINDOW)
        compare("warm", *(functools.partial(_warm, side) for side in sides))
        for side in sides:
            memory = side.brain_megabytes()
            side.output("brain", "stop")
            cold = side.until(b"", WORDS)
            print(f"        the first word of a cold start: {ms(cold)}; the brain's memory: {memory:.0f} MiB")


def _warm(side: Resident) -> Figures:
    opened, talk = side.requests(1), side.requests(1, SMALL_TALK)
    return {
        **{f"find + open, {name}": seconds for name, seconds in opened.items()},
        "small talk, on the wall": talk["the whole, on the wall"],
        "the first word on a terminal": side.until(b"", SMALL_TALK),
        "the first piece of a reply": side.until(b"Hello", SMALL_TALK),
    }


def load(checkouts: Sequence[str]) -> None:
    with Server() as server:
        for base, away in (("SQLite", 0.0), ("Postgres", 0.0), ("Postgres, 20 ms", _AWAY)):
            with contextlib.ExitStack() as lines:
                counted = [lines.enter_context(Far(server.url(server.database()), away)) for _ in checkouts]
                urls = ["" if base == "SQLite" else line.url for line in counted]
                with residents(checkouts, urls) as sides:
                    for threads in (1, 8):
                        _load(f"{base}, {threads} at once", threads, sides, counted)


def _load(name: str, threads: int, sides: Sequence[Resident], lines: Sequence[Far]) -> None:
    trips: dict[Far, int] = dict.fromkeys(lines, 0)

    def measure(side: Resident, line: Far) -> Figures:
        line.counted()
        figures = side.at_once(threads)
        trips[line] += line.counted().trips
        return {f"{name}, {what}": seconds for what, seconds in figures.items()}

    for side in sides:
        side.at_once(threads)  # threads begin
    compare("load", *(functools.partial(measure, *each) for each in zip(sides, lines, strict=True)))
    if any(trips.values()):
        print(
            f"        round trips of a turn: {' '.join(f'{n / threads / RUNS:.1f}' for n in trips.values())}"
        )


BENCHES: dict[str, Callable[[Sequence[str]], None]] = {
    "turn": turn,
    "growth": growth,
    "plain": plain,
    "warm": warm,
    "load": load,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beside", metavar="FOLDER", help="another checkout")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}; all without one")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHES):
        parser.error(f"No such bench: {', '.join(sorted(unknown))}. There are {', '.join(BENCHES)}.")
    checkouts = [ROOT, *([os.path.abspath(options.beside)] if options.beside else [])]
    for name in options.names or BENCHES:
        BENCHES[name](checkouts)


if __name__ == "__main__":
    sys.exit(main())
