"""What is asked of a table of 40 rows: whole processes, each beside a bare start of the same moment."""

from __future__ import annotations

from decimal import Decimal

from bench_plain import home
from bench_times import JARVIS, RUNS, bare_times, medians, ms, process_times

ROWS = 40
SEEN = "2026-11-22T14:02:10Z"
ASKED = (
    "cheapest first",
    "best rated first",
    "only used",
    "under $150",
    "more",
    "show 3",
    "open the cheapest",
)


def follow() -> None:
    with home() as own:
        list_in(own, [f"t{n}" for n in range(len(ASKED) * (RUNS + 1))])
        for place, words in enumerate(ASKED):
            measured(words, place * (RUNS + 1), own)


def measured(words: str, first: int, environment: dict[str, str]) -> None:
    """Print what *words* take, each time in a thread that was not asked before: from number *first* on."""
    commands = [[*JARVIS, "-qt", f"t{first + n}", words] for n in range(RUNS + 1)]
    process_times(commands.pop(), environment)  # a new home is set up
    pairs = [(process_times(command, environment), bare_times()) for command in commands]
    (cpu, wall), (bare_cpu, bare_wall) = (medians(side) for side in zip(*pairs, strict=True))
    print(f"follow  jarvis {words:<25} {ms(cpu)}  {cpu / bare_cpu:5.2f}x, wall {wall / bare_wall:5.2f}x")


def list_in(environment: dict[str, str], threads: list[str]) -> None:
    """Have a table listed in each of *threads*."""
    from jarvis.config.settings import read_settings
    from jarvis.core.events import Tabled
    from jarvis.core.tables import Rating, Table
    from jarvis.store.sqlite import at_once
    from jarvis.turns import build
    from tests.tabled import COLUMNS, dollars, product

    history = build.plain_history(read_settings(environment))
    rows = tuple(
        product(
            f"o{n}",
            f"Nintendo Switch {n}, 32 GB, neon red and neon blue",
            f"{60 + n * 37 % 200}.99",
            state=("new", "used", "refurbished")[n % 3],
            store=("eBay", "GameStop", "Back Market")[n % 3],
            rating=Rating(Decimal(30 + n % 20).scaleb(-1), 12 * n),
            delivery=dollars("5.99"),
        )
        for n in range(1, ROWS + 1)
    )
    table, shown = Table("product", COLUMNS[:6], rows, seen_at=SEEN), [row.id for row in rows]

    async def list_it() -> None:
        for thread in threads:
            turn = await history.begin(thread, "find me a thing")
            await history.end(turn, "done", shown=shown, tables=[Tabled(table)])

    at_once(list_it())
    at_once(history.close())
