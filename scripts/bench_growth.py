"""What a turn costs as its thread grows long."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Self

import psycopg
from bench_times import IS_TRIAL, RUNS, Figures, in_turn, ms
from bench_twins import SHOP, WORDS, Resident

from tests.postgres import Server

_YOUNG, _OLD = 100, 3000
_REAL = 2 if IS_TRIAL else 20  # turns: as many as the window has
_KEPT = ("turns", "steps", "addresses")


def growth(checkouts: Sequence[str]) -> None:
    with Server() as server:
        for kind in (Opening, Listing):
            grown(kind, "SQLite", checkouts, lambda: "")
            grown(kind, "Postgres", checkouts, lambda: server.url(server.database()))


def grown(kind: type[Growing], base: str, checkouts: Sequence[str], url: Callable[[], str]) -> None:
    """Print what the turns around number 100 take beside those around number 3,000, in homes of their own."""
    with contextlib.ExitStack() as homes:
        sides = [
            homes.enter_context(kind(each, DATABASE_URL=url())).grow(turns - RUNS)
            for each in checkouts
            for turns in (_YOUNG, _OLD)
        ]
        before = [side.size() for side in sides]
        cpus = [figures["CPU"] for figures in in_turn(*(side.turn for side in sides))]
        sizes = [(side.size() - begin) / RUNS for side, begin in zip(sides, before, strict=True)]
    for n, checkout in enumerate(checkouts):
        (early, late), (small, large) = cpus[2 * n : 2 * n + 2], sizes[2 * n : 2 * n + 2]
        print(f"growth  {kind.told}, {base}, of {checkout}")
        print(f"        turn   100   {ms(early)} of the brain's CPU   {small:7.0f} bytes of history")
        print(f"        turn 3,000   {ms(late)} of the brain's CPU   {large:7.0f} bytes of history")
        print(f"        CPU {late / early:.2f}x, bytes {large / small:.2f}x", flush=True)


class Growing(Resident):
    """A home with a thread that is filled up: it begins and ends with real turns, the rest repeats one."""

    told: str
    words: str

    def grow(self, turns: int) -> Self:
        self.jarvis(self.words)
        self.requests(_REAL, self.words)
        long = json.dumps(repeated(json.loads(self.output("threads", "export")), turns - _REAL))
        path = os.path.join(self.folder, "long.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(long)
        self.output("-y", "threads", "delete", "default")
        self.output("threads", "import", path)
        self.requests(_REAL, self.words)
        return self

    def turn(self) -> Figures:
        return {"CPU": self.requests(1, self.words)["the brain's CPU"]}

    def size(self) -> int:
        """Return the bytes in use; what lies free is used again."""
        if url := self.environment["DATABASE_URL"]:
            parts = " UNION ALL ".join(f"SELECT SUM(pg_column_size({t}.*)) AS n FROM {t}" for t in _KEPT)
            with psycopg.connect(url) as connection:
                return int(connection.execute(f"SELECT SUM(n) FROM ({parts}) AS p").fetchone()[0])
        database = sqlite3.connect(os.path.join(self.folder, "data", "history.db"))
        (size,) = database.execute("SELECT SUM(pgsize - unused) FROM dbstat").fetchone()
        database.close()
        return int(size)


class Opening(Growing):
    """Each turn finds ten new addresses, and opens one."""

    told, words = "find + open", WORDS


class Listing(Growing):
    """Each turn lists a table."""

    told, words, reading = "40 offers", SHOP, "nothing"


def repeated(thread: dict[str, Any], turns: int) -> dict[str, Any]:
    """Return the exported *thread* with its last turn again and again, until it has as many; ids count on."""
    columns = {part: names.split() for part, names in thread["columns"].items()}
    rows = {
        part: [dict(zip(names, row, strict=True)) for row in thread[part]] for part, names in columns.items()
    }
    (head,), last = rows["threads"], rows["turns"][-1]
    steps = [row for row in rows["steps"] if row["turn"] == last["id"]]
    addresses = [row for row in rows["addresses"] if row["turn"] == last["n"]]
    offers = len(set(re.findall(r'"o\d+"', last["tables"] or "")))
    for n in range(last["n"] + 1, turns + 1):
        counted_on = functools.partial(_counted_on, by=offers * (n - last["n"]))
        tables = last["tables"] and re.sub(r'"o(\d+)"', counted_on, last["tables"])
        rows["turns"].append({**last, "id": f"{n:016x}", "n": n, "tables": tables})
        rows["steps"] += [{**row, "turn": f"{n:016x}"} for row in steps]
        rows["addresses"] += [
            {**row, "id": f"r{head['found'] + i}", "url": f"{row['url']}?{n}", "turn": n}
            for i, row in enumerate(addresses, 1)
        ]
        head["found"] += len(addresses)
        head["offers"] += offers
    head["turns"] = turns
    return {**thread, **{part: [[*row.values()] for row in rows[part]] for part in columns}}


def _counted_on(offer: re.Match[str], by: int) -> str:
    return f'"o{int(offer[1]) + by}"'
