"""The twin of Ghostfolio adds up, lags and fails as it is told to."""

from __future__ import annotations

import json
import runpy
import threading
from pathlib import Path

import httpx
import pytest

from tests.twins.ghostfolio import (
    ERROR,
    EXPIRED,
    HALF_STORED,
    HTML,
    LOST_AFTER_STORING,
    LOST_BEFORE_STORING,
    TOKEN,
    GhostfolioTwin,
    slow,
    today,
)

IMPORT = "v1/import"
SCRIPT = Path(__file__).parents[2] / "scripts" / "check_ghostfolio"


@pytest.fixture
def twin():
    with GhostfolioTwin(base="EUR", USD=0.5) as twin:
        yield twin
    assert twin.unexpected == []


@pytest.fixture
def client(twin):
    with httpx.Client(base_url=f"{twin.url}/api", timeout=5, trust_env=False) as client:
        log_in(client)
        yield client


def log_in(client):
    token = client.post("v1/auth/anonymous", json={"accessToken": TOKEN}).json()["authToken"]
    client.headers["Authorization"] = f"Bearer {token}"


def bought(*quantities, symbol="TIDE"):
    common = {
        "symbol": symbol,
        "dataSource": "YAHOO",
        "currency": "EUR",
        "type": "BUY",
        "unitPrice": 10,
        "fee": 0,
    }
    return {"activities": [common | {"date": "2026-02-03", "quantity": quantity} for quantity in quantities]}


def test_figures_add_up(twin, client):
    broker = twin.account("Broker", cash=100.25)
    twin.account("Dollars", cash=50, currency="USD")
    twin.quotes("TIDE", "Tide Energy", 12.5, before={"2025-01-02": 8})
    twin.quotes("DUNE", "Dune Sand", 30, currency="USD")
    twin.booked("BUY", "TIDE", 10, 8, "2025-01-02", fee=1.5, account=broker)
    twin.booked("BUY", "DUNE", 4, 20, "2025-06-02")
    twin.booked("SELL", "TIDE", 2, 10, "2025-07-01", account=broker)
    twin.booked("DIVIDEND", "DUNE", 4, 0.5, "2025-08-01")

    details = client.get("v1/portfolio/details", params={"range": "max"}).json()
    performance = client.get("v2/portfolio/performance", params={"range": "max"}).json()

    rows, summary = details["holdings"].values(), details["summary"]
    net_worth = 8 * 12.5 + 4 * 30 * 0.5 + 100.25 + 50 * 0.5
    assert sum(row["valueInBaseCurrency"] for row in rows) == net_worth == summary["totalValueInBaseCurrency"]
    assert sum(row["allocationInPercentage"] for row in rows) == pytest.approx(1)
    assert sum(one["valueInBaseCurrency"] for one in details["accounts"].values()) == net_worth
    gain = (8 * 12.5 - 64) + (20 - 16) - 1.5 + (60 - 40)
    assert sum(row["netPerformance"] for row in rows) == summary["netPerformance"] == gain
    assert performance["performance"]["netPerformance"] == performance["chart"][-1]["netPerformance"] == gain
    assert performance["chart"][-1]["date"] == today().isoformat()
    assert (summary["dividendInBaseCurrency"], details["hasError"]) == (1, False)


def test_a_range_tells_what_was_gained_in_it(twin, client):
    last_year = today().year - 1
    twin.quotes("TIDE", "Tide Energy", 12, before={f"{last_year}-12-31": 9})
    twin.booked("BUY", "TIDE", 10, 8, f"{last_year}-01-02")

    this_year, all_of_it = (
        client.get("v2/portfolio/performance", params={"range": named}).json() for named in ("ytd", "max")
    )

    assert this_year["performance"]["netPerformance"] == 30
    assert this_year["performance"]["netPerformancePercentage"] == pytest.approx(30 / 90)
    assert all_of_it["performance"]["netPerformance"] == 40


@pytest.mark.parametrize(
    ("fault", "stored", "answer"),
    [
        (LOST_AFTER_STORING, 2, None),
        (LOST_BEFORE_STORING, 0, None),
        (HALF_STORED, 1, 400),
        (ERROR, 0, 500),
        (EXPIRED, 0, 401),
        (HTML, 0, 502),
        (slow(0.05), 2, 201),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_write_fails_as_told_and_only_once(twin, client, fault, stored, answer):
    twin.quotes("TIDE", "Tide Energy", 12)
    twin.fails("POST /api/v1/import", fault)

    if answer is None:
        with pytest.raises(httpx.TransportError):
            client.post(IMPORT, json=bought(1, 2))
    else:
        assert client.post(IMPORT, json=bought(1, 2)).status_code == answer
    assert (len(twin.activities), twin.happened) == (stored, [fault.name])

    again = client.post(IMPORT, json=bought(1, 2)).json()["activities"]
    assert (len(again), len(twin.activities)) == (2 - stored, 2)


def test_figures_lag_behind_a_write_and_are_nothing_after_the_first(twin, client):
    def figures():
        details = client.get("v1/portfolio/details").json()
        return details["summary"]["totalValueInBaseCurrency"], details["hasError"]

    twin.quotes("TIDE", "Tide Energy", 12)
    twin.account("Broker", cash=5)
    twin.lag = 600
    seen = []
    for quantity in (1, 2):
        client.post(IMPORT, json=bought(quantity))
        seen.append((client.get("v1/activities").json()["count"], *figures()))
        twin.catch_up()

    assert seen == [(1, 0, False), (2, 17, False)]
    assert figures() == (41, False)


@pytest.mark.parametrize(("gap", "stored"), [(0, 1), (60, 2)])
def test_two_that_import_the_same_at_once_both_store_it_where_there_is_a_gap(twin, client, gap, stored):
    twin.quotes("TIDE", "Tide Energy", 12)
    twin.gap = gap
    threads = [
        threading.Thread(target=client.post, args=(IMPORT,), kwargs={"json": bought(1)}) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(twin.activities) == stored


def test_it_lets_nobody_in_and_knows_nothing_when_told_so(twin, client):
    twin.quotes("TIDE", "Tide Energy", 12)
    hits = client.get("v1/symbol/lookup", params={"query": "tide"}).json()["items"]
    assert [hit["symbol"] for hit in hits] == ["TIDE"]

    twin.is_lookup_down = True
    assert client.get("v1/symbol/lookup", params={"query": "tide"}).json() == {"items": []}
    assert client.post(IMPORT, json=bought(1)).status_code == 400
    twin.is_old = True
    assert client.get("v1/activities").status_code == 404
    twin.expire()
    assert client.get("v1/user").status_code == 401
    assert client.post("v1/auth/anonymous", json={"accessToken": "wrong"}).status_code == 403
    twin.is_away = True
    with pytest.raises(httpx.TransportError):
        client.get("v1/health")
    assert twin.happened == ["away"]


def test_the_script_tells_what_differs_from_a_recording_or_a_server(twin, tmp_path, monkeypatch):
    script = runpy.run_path(str(SCRIPT))
    same = {"name": "same", "method": "GET", "path": "/v1/health", "status": 200, "request": None}
    same |= {"response": {"status": "OK"}}
    other = same | {"name": "other", "status": 201, "response": {"status": 1}}
    pages = {"_index": [{"name": "other"}, {"name": "same"}], "same": same, "other": other}
    for name, page in pages.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(page), "utf-8")

    differing = ["no /status number", "a /status str", "a status 200", "no status 201"]
    assert script["replayed"](tmp_path) == {"other": differing, "same": []}

    monkeypatch.setenv("GHOSTFOLIO_TOKEN", TOKEN)
    twin.booked("BUY", "GF_OTHER", 1, 1, "2025-01-02", account=twin.account("Broker"))
    assert set(map(tuple, script["compared"](twin.url).values())) == {()}
    twin.activities.clear()
    assert "/errors" in script["compared"](twin.url)["v2/portfolio/performance"]
