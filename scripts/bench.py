"""Figures side by side, as ratios to `python -c pass` in the same run: machines differ and are noisy.

turn     what a find + open turn takes of a warm brain, with a full window of 40 messages, on both databases
growth   turn 3,000 of a thread beside turn 100, in CPU and in bytes, on both databases: of turns that open
         what they find, and of turns that list a table of 40 rows
plain    the commands that need no model, each as a whole process, on both databases and with none there
warm     find + open and small talk as whole processes, done by the brain that stays; what that has cost
read     a page that was typed and a file, read and told of by the brain that stays, beside find + open
look     a look at a screen, shown and told of likewise, beside find + open on it, which is xdg-open's then
load     find + open of 1 and of 8 clients at once, on SQLite and on Postgres, near and 20 ms away

--beside measures the Jarvis of another checkout, too, turn about with this one's: the last ratio is to that;
in `growth`, it is to turn 100 of the same checkout.
JARVIS_BENCH_RUNS says how often, 20 times without it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import methodcaller
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [ROOT, HERE]

from bench_home import LOOK, SCREEN, SHOP, SMALL_TALK, SUM_UP, WORDS, Figures, Home, cpu_of, used  # noqa: E402

from tests.desktop.screen import start, virtual_screen, wait_for  # noqa: E402
from tests.far import Far  # noqa: E402
from tests.postgres import Server  # noqa: E402
from tests.twins.web import WebTwin  # noqa: E402

RUNS = int(os.environ.get("JARVIS_BENCH_RUNS", "20"))
IS_TRIAL = RUNS == 1  # of the bench itself: nothing is filled up or warmed up, and no figure means much
_WINDOW = 1 if IS_TRIAL else 20  # turns until it is full
_BLOCK = 1 if IS_TRIAL else 10  # turns in which it shrinks once
_YOUNG, _OLD = 100, 3000
_GROWING = {"find + open": (WORDS, "open site MIT"), "40 offers": (SHOP, "nothing")}
_AWAY = 0.02  # seconds that a round trip takes longer
_PAGE = "http://docs.example/page"
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
                compare("turn", f"find + open, {base}", sides, methodcaller("requests", _BLOCK))


@contextlib.contextmanager
def residents(checkouts: Sequence[str], urls: Sequence[str], **environment: str) -> Iterator[list[Home]]:
    """Yield a home of each of *checkouts*, whose brain has done one turn; urls: of their databases."""
    with contextlib.ExitStack() as homes:
        sides = [
            homes.enter_context(Home(each, DATABASE_URL=url, **environment))
            for each, url in zip(checkouts, urls, strict=True)
        ]
        for side in sides:
            side.jarvis(WORDS)
        yield sides


def growth(checkouts: Sequence[str]) -> None:
    with Server() as server:
        for checkout in checkouts:
            for name in _GROWING:
                grown(f"{name}, SQLite", checkout, ["", ""], *_GROWING[name])
                urls = [server.url(server.database()) for _ in range(2)]
                grown(f"{name}, Postgres", checkout, urls, *_GROWING[name])


def grown(name: str, checkout: str, urls: Sequence[str], words: str, reading: str) -> None:
    """Compare the turns around number 3,000 with those around number 100, in homes of their own."""
    with contextlib.ExitStack() as homes:
        sides = [homes.enter_context(Home(checkout, reading, DATABASE_URL=url)) for url in urls]
        for side, turns in zip(sides, (_OLD, _YOUNG), strict=True):
            side.grow(turns - RUNS, 2 if IS_TRIAL else _WINDOW, words)
        before = [side.history_bytes() for side in sides]
        print(f"        turn {_OLD:,} of a thread beside turn {_YOUNG}, of {checkout}")
        compare("growth", name, sides, methodcaller("requests", 1, words))
        large, small = (
            (side.history_bytes() - size) / RUNS for side, size in zip(sides, before, strict=True)
        )
    print(f"        bytes of history: {large:.0f} and {small:.0f}, {large / small:.2f}x", flush=True)


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
            run = methodcaller("jarvis", *(argv or name.split()), **environment)
            for side in sides:
                run(side)  # a new home is set up, and the index of apps kept
            compare("plain", f"jarvis {name}", sides, run)


def warm(checkouts: Sequence[str]) -> None:
    with residents(checkouts, [""] * len(checkouts)) as sides:
        for side in sides:
            side.requests(_WINDOW)
        compare("warm", "find + open", sides, methodcaller("requests", 1))
        compare("warm", "small talk", sides, _small_talk)
        for side in sides:
            memory = side.brain_megabytes()
            side.output("brain", "stop")
            cold = side.until("…", WORDS)
            print(f"        the first word of a cold start: {ms(cold)}; the brain's memory: {memory:.0f} MiB")


def _small_talk(side: Home) -> Figures:
    return {
        "on the wall": side.jarvis(SMALL_TALK)["on the wall"],
        "the first word on a terminal": side.until("…", SMALL_TALK),
        "the first piece of a reply": side.until("Hello", SMALL_TALK),
    }


def read(checkouts: Sequence[str]) -> None:
    with WebTwin() as web:
        web.pages[_PAGE] = (
            f"<html><body><article>{'<p>So it goes, on and on.</p>' * 200}</article></body></html>"
        )
        through = {"http_proxy": web.url, "no_proxy": "127.0.0.1"}
        with residents(checkouts, [""] * len(checkouts), **through) as sides:
            for side in sides:
                (side.folder / "notes.md").write_text("So it goes. " * 2000)
            for words in (WORDS, f"{SUM_UP}{_PAGE}", f"{SUM_UP}~/notes.md"):
                for side in sides:
                    side.jarvis(words)
                compare("read", words, sides, methodcaller("whole", words))


def look(checkouts: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as home, virtual_screen(Path(home)) as screen:
        start(["xclock"], screen.env)
        wait_for(screen.windows)
        for words, reading in ((WORDS, "open site MIT"), (LOOK, "look at screen")):
            with contextlib.ExitStack() as homes:
                own = [Home(each, reading, DISPLAY=screen.env["DISPLAY"]) for each in checkouts]
                sides = [homes.enter_context(home) for home in own]
                for side in sides:
                    side.output("policy", "allow", "show", "screen")
                    side.jarvis(words)
                compare("look", words, sides, methodcaller("whole", words))


def load(checkouts: Sequence[str]) -> None:
    with Server() as server:
        for base, away in (("SQLite", 0.0), ("Postgres", 0.0), ("Postgres, 20 ms", _AWAY)):
            with contextlib.ExitStack() as lines:
                counted = [lines.enter_context(Far(server.url(server.database()), away)) for _ in checkouts]
                urls = ["" if base == "SQLite" else line.url for line in counted]
                with residents(checkouts, urls) as sides:
                    for clients in (1, 8):
                        _load(f"{base}, {clients} at once", clients, sides, counted)


def _load(name: str, clients: int, sides: Sequence[Home], lines: Sequence[Far]) -> None:
    for side, line in zip(sides, lines, strict=True):
        side.at_once(clients)  # threads begin
        line.counted()
    compare("load", name, sides, methodcaller("at_once", clients))
    trips = [line.counted().trips / clients / RUNS for line in lines]
    if any(trips):
        print(f"        round trips of a turn: {' '.join(f'{n:.1f}' for n in trips)}")


def compare(bench: str, name: str, sides: Sequence[Home], measure: Callable[[Home], Figures]) -> None:
    """Print what the first of *sides* measures, as ratios to bare Python and to the other, if any.

    They are measured turn about, so that all see the same machine; what counts are the medians.
    """
    nothing = [sys.executable, "-c", "pass"]
    rounds = [[*map(measure, sides), used(nothing, os.environ)] for _ in range(RUNS)]
    here, *beside, bare = (medians(measured) for measured in zip(*rounds, strict=True))
    for what, seconds in here.items():
        ratio = seconds / bare["CPU" if "CPU" in what else "on the wall"]
        to_other = "".join(f"   {seconds / other[what]:5.2f}x beside" for other in beside)
        print(f"{bench:<7} {f'{name}, {what}':<46} {ms(seconds)}  {ratio:5.2f}x{to_other}", flush=True)


def medians(measured: Sequence[Figures]) -> Mapping[str, float]:
    return {what: statistics.median(figures[what] for figures in measured) for what in measured[0]}


def ms(seconds: float) -> str:
    return f"{seconds * 1000:7.1f} ms"


BENCHES = {each.__name__: each for each in (turn, growth, plain, warm, read, look, load)}


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
