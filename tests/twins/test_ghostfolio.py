"""The twin of Ghostfolio adds up, lags and fails as it is told to."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import httpx
import pytest

from tests.twins import ghostfolio as g

IMPORT = "v1/import"
SCRIPT = Path(__file__).parents[2] / "scripts" / "check_ghostfolio"


@pytest.fixture
def twin():
    with g.GhostfolioTwin(base="EUR", USD=0.5) as twin:
        twin.quotes("TIDE", "Tide Energy", 12)
        yield twin
    assert twin.unexpected == []


@pytest.fixture
def client(twin):
    with httpx.Client(base_url=f"{twin.url}/api", timeout=5, trust_env=False) as client:
        token = client.post("v1/auth/anonymous", json={"accessToken": g.TOKEN}).json()["authToken"]
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def bought(*quantities):
    common = {"symbol": "TIDE", "dataSource": "YAHOO", "currency": "EUR", "type": "BUY", "unitPrice": 10}
    common |= {"fee": 0, "date": "2026-02-03"}
    return {"activities": [common | {"quantity": quantity} for quantity in quantities]}


def test_figures_add_up_to_the_ends_of_the_chart_and_a_range_has_what_was_gained_in_it(twin, client):
    broker, last_year = twin.account("Broker", cash=100.25), g.today().year - 1
    twin.account("Dollars", cash=50, currency="USD")
    twin.quotes("TIDE", "Tide Energy", 12.5, before={"2024-01-02": 8, f"{last_year}-12-31": 10})
    twin.quotes("DUNE", "Dune Sand", 30, currency="USD", before={f"{last_year}-12-31": 30})
    twin.booked("BUY", "TIDE", 10, 8, "2024-01-02", fee=1.5, account=broker)
    twin.booked("BUY", "DUNE", 4, 20, "2024-06-02")
    twin.booked("SELL", "TIDE", 2, 10, "2024-07-01", account=broker)
    twin.booked("DIVIDEND", "DUNE", 4, 0.5, "2024-08-01")

    details = client.get("v1/portfolio/details").json()
    all_of_it, this_year = (
        client.get("v2/portfolio/performance", params={"range": each}).json() for each in ("max", "ytd")
    )

    rows, summary = details["holdings"].values(), details["summary"]
    net_worth = 8 * 12.5 + 4 * 30 * 0.5 + 100.25 + 50 * 0.5
    assert sum(row["valueInBaseCurrency"] for row in rows) == net_worth == summary["totalValueInBaseCurrency"]
    assert sum(row["allocationInPercentage"] for row in rows) == pytest.approx(1)
    assert sum(one["valueInBaseCurrency"] for one in details["accounts"].values()) == net_worth
    gain = (8 * 12.5 - 64) + (20 - 16) - 1.5 + (60 - 40)
    last = all_of_it["chart"][-1]
    assert sum(row["netPerformance"] for row in rows) == summary["netPerformance"] == gain
    assert (last["date"], last["netPerformanceWithCurrencyEffect"]) == (f"{g.today()}", gain)
    assert all_of_it["performance"]["netPerformance"] == gain
    share = pytest.approx(20 / (8 * 10 + 60))
    assert this_year["performance"] == {"netPerformance": 20, "netPerformancePercentage": share}


def test_figures_lag_behind_a_write_and_are_nothing_after_the_first(twin, client):
    def figures():
        return client.get("v1/portfolio/details").json()["summary"]["totalValueInBaseCurrency"]

    twin.account("Broker", cash=5)
    twin.lag = 600
    seen = []
    for quantity in (1, 2):
        client.post(IMPORT, json=bought(quantity))
        seen.append((client.get("v1/activities").json()["count"], figures()))
        twin.catch_up()

    assert [*seen, figures()] == [(1, 0), (2, 17), 41]


def test_it_lets_nobody_in_and_knows_nothing_that_no_source_offers(twin, client):
    twin.is_lookup_down = True
    assert client.post(IMPORT, json=bought(1)).status_code == 400
    assert client.post("v1/auth/anonymous", json={"accessToken": "wrong"}).status_code == 403
    client.headers["Authorization"] = "Bearer wrong"
    assert client.get("v1/user").status_code == 401


def test_the_script_tells_what_differs_from_a_recording_or_a_server(twin, tmp_path, monkeypatch):
    script = runpy.run_path(str(SCRIPT))
    same = {"name": "same", "method": "GET", "path": "/v1/health", "status": 200, "request": None}
    same |= {"response": {"status": "OK"}}
    other = same | {"name": "other", "status": 201, "response": {"status": 1}}
    pages = {"_index": [{"name": "other"}, {"name": "same"}], "same": same, "other": other}
    for name, page in pages.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(page), "utf-8")
    assert script["replayed"](tmp_path) == {"other": ["a /status str", "a status 200"], "same": []}

    monkeypatch.setenv("GHOSTFOLIO_TOKEN", g.TOKEN)
    twin.booked("BUY", "GF_OTHER", 1, 1, "2025-01-02", account=twin.account("Broker"))
    assert set(map(tuple, script["compared"](twin.url).values())) == {()}
    twin.activities.clear()
    assert "/errors" in script["compared"](twin.url)["v2/portfolio/performance"]
