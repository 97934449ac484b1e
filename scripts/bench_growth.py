"""What a turn costs as its thread grows long."""

from __future__ import annotations

import statistics

from bench_times import RUNS, ms
from bench_turn import Bench
from bench_twins import MIT, SHOP, WORDS, addresses

YOUNG, OLD = 100, 3000


def growth() -> None:
    from tests.postgres import Server

    with Server() as server:
        for kind in (Opening, Listing):
            grown(kind, "SQLite", ["", ""])
            grown(kind, "Postgres", [server.url(server.database()) for _ in range(2)])


def grown(kind: type[Growing], name: str, urls: list[str]) -> None:
    """Print what the turns around number 100 take beside those around number 3,000.

    Two threads, each in a database of its own, are asked turn about, so that both see the same machine.
    """
    with kind(urls[0]) as young, kind(urls[1]) as old:
        young.grow(YOUNG - RUNS)
        old.grow(OLD - RUNS)
        before = young.size(), old.size()
        early, late = zip(*[(young.turn(), old.turn()) for _ in range(RUNS)], strict=True)
        after = young.size(), old.size()
    sizes = [(end - begin) / RUNS for begin, end in zip(before, after, strict=True)]
    cpus = [statistics.median(early), statistics.median(late)]
    for what, cpu, size in zip(("turn   100", "turn 3,000"), cpus, sizes, strict=True):
        print(f"growth  {name:<8}  {kind.told}, {what}   {ms(cpu)}   {size:7.0f} bytes of history a turn")
    print(f"        {name:<8}  CPU {cpus[1] / cpus[0]:.2f}x, bytes {sizes[1] / sizes[0]:.2f}x")


class Growing(Bench):
    """A thread that is filled up: its first turns are real, the rest is like them, by history alone."""

    told: str
    _REAL = 10

    def grow(self, turns: int) -> None:
        self.turns(self._REAL)
        self._runner.run(self._fill(turns - self._REAL))

    def size(self) -> int:
        """Bytes in use; what lies free is used again."""
        database = self._history.database
        ours = ("turns", "steps", "addresses")
        parts = " UNION ALL ".join(f"SELECT SUM(pg_column_size({t}.*)) AS n FROM {t}" for t in ours)
        sql = (
            f"SELECT SUM(n) FROM ({parts}) AS p"
            if database.shared
            else "SELECT SUM(pgsize - unused) FROM dbstat"
        )
        return int(self._runner.run(database.run(sql))[0][0])

    @property
    def _history(self) -> object:
        return self._jarvis._store.history  # noqa: SLF001

    async def _fill(self, count: int) -> None:
        raise NotImplementedError


class Opening(Growing):
    """Each turn finds ten new addresses, and opens one."""

    told = "find + open"

    async def _fill(self, count: int) -> None:
        from jarvis.core.types import Found, Outcome
        from tests.steps import end_step, keep_found, start_step

        history = self._history
        for _ in range(count):
            turn = await history.begin("default", WORDS)
            found = [Found(url, title) for title, url, _ in addresses(f"filled {turn.n}")]
            kept = await keep_found(history, turn, 1, found)
            for n, (action, outcome) in enumerate((("search", "Found 10."), ("open_website", "Sent.")), 1):
                await start_step(history, turn, n, action, {"query": WORDS}, MIT)
                await end_step(history, turn, n, Outcome("done", outcome), kept[0].id if n == 2 else "")
            await history.end(turn, "done", usage={"model_calls": 2, "searches": 1, "seconds": 1.0})


class Listing(Growing):
    """Each turn lists a table."""

    told, words, reading = "40 offers  ", SHOP, "nothing"

    async def _fill(self, count: int) -> None:
        from jarvis.core.types import Outcome
        from tests.steps import end_step, start_step

        history = self._history
        _, ((table, _),) = await history.listed("default")
        for _ in range(count):
            turn = await history.begin("default", SHOP)
            ids = [f"o{turn.offers + n}" for n in range(1, len(table.rows) + 1)]
            rows = tuple(row._replace(id=id_) for row, id_ in zip(table.rows, ids, strict=True))
            queries = {"queries": "brass lantern"}
            await start_step(history, turn, 1, "find_products", queries, "brass lantern")
            await end_step(history, turn, 1, Outcome("done", "Found 40 offers for brass lantern."))
            tables = [(table._replace(rows=rows), 1)]
            usage = {"model_calls": 1, "searches": 1, "seconds": 1.0}
            await history.end(turn, "done", shown=ids, tables=tables, usage=usage)
