"""Behind a pooler that hands out another server connection for every transaction."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from jarvis.core.events import Words
from jarvis.turns import build
from tests.desktop.screen import give_up
from tests.house import House, front_end
from tests.planned import opening, reply
from tests.postgres import unprivileged

HELLO = reply()
CONFIG = """
[databases]
* = host={socket} user=postgres
[pgbouncer]
pool_mode = transaction
unix_socket_dir = {folder}
listen_addr =
auth_type = any
default_pool_size = {size}
logfile = {folder}/log
pidfile = {folder}/pid
"""


@pytest.fixture
def pooled(own, request):
    """The URL of a database behind pgbouncer, and its own."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        give_up("not installed: pgbouncer")
    # Not pytest's: a socket's path has room for a hundred characters, and nobody has to reach it.
    size = getattr(request, "param", 5)
    folder = Path(tempfile.mkdtemp(prefix="jarvis-pooler-", dir="/tmp"))
    as_user = unprivileged(folder)
    (folder / "config").write_text(CONFIG.format(socket=own.root, folder=folder, size=size))
    (folder / "config").chmod(0o644)
    process = subprocess.Popen([program, "-q", folder / "config"], stderr=subprocess.PIPE, **as_user)
    name = own.database()
    url = f"postgresql://postgres@/{name}?host={quote(str(folder))}&port=6432"
    try:
        _wait(url, process)
        yield url, own.url(name)
    finally:
        process.terminate()
        process.wait(10)
        process.stderr.close()
        shutil.rmtree(folder)
        own.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _wait(url, process):
    for _ in range(3000):
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(url, prepare_threshold=None).close()
            return
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    raise AssertionError("the pooler never answered")


def test_four_clients_take_ten_turns_each_and_never_two_at_once_in_a_thread(
    pooled, tmp_path, gemini, serpapi
):
    url, direct = pooled
    at_work, overlaps = {"one": 0, "two": 0}, []

    def answer(asked):
        thread = "one" if "in one" in asked.prompt.rsplit("The person now says:", 1)[1] else "two"
        at_work[thread] += 1
        overlaps.extend([thread] if at_work[thread] > 1 else [])
        time.sleep(0.02)
        at_work[thread] -= 1
        return HELLO

    gemini.plans(*[answer] * 40)

    def client(n):
        thread, house = "one" if n % 2 else "two", House(tmp_path / str(n), gemini, serpapi, url)
        with house.staying():
            return [house.ask(f"turn {i} of {n} in {thread}", thread).status for i in range(10)]

    with ThreadPoolExecutor(4) as clients:
        statuses = [*clients.map(client, range(4))]

    assert statuses == [[("done", 0)] * 10] * 4
    assert overlaps == []
    with psycopg.connect(direct) as connection:
        counted = connection.execute(
            "SELECT thread, count(*), max(n) FROM turns WHERE status = 'done' GROUP BY thread ORDER BY thread"
        ).fetchall()
        left = connection.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert counted == [("one", 20, 20), ("two", 20, 20)]
    assert left == (0,)


def test_a_turn_that_waits_for_an_answer_is_found_through_it(pooled, tmp_path, gemini, serpapi):
    house = House(tmp_path, gemini, serpapi, pooled[0])
    house.search_finds("https://xn--mnchen-3ya.example/")
    house.model_plans({"action": "search", "query": "x"}, opening("r1"))
    asked = house.ask("find x and open it")
    assert (asked.status, len(house.checkpoints)) == (("needs_answer", 3), 1)

    assert house.answer(asked, "y").status == ("done", 0)
    assert house.rows("SELECT count(*) FROM checkpoints") == [(0,)]


@pytest.mark.parametrize("pooled", [3], indirect=True)
def test_twelve_turns_at_once_need_three_connections_of_the_server(pooled, tmp_path, gemini, serpapi):
    house = House(tmp_path, gemini, serpapi, pooled[0])
    gemini.plans(*[HELLO] * 12)

    async def all_twelve():
        async with build.session(house.settings) as session:
            turns = (session.turn(Words("what is it?"), f"thread-{n}", front_end()) for n in range(12))
            return [ended.status for ended in await asyncio.gather(*turns)]

    assert asyncio.run(all_twelve()) == ["done"] * 12
