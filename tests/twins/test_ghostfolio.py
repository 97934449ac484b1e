"""The script that holds the twin of Ghostfolio to a recording or a server."""

import json
import runpy
from pathlib import Path

from tests.twins import ghostfolio as g

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_ghostfolio"


def test_the_script_tells_what_differs_from_a_recording_or_a_server(tmp_path, monkeypatch):
    script = runpy.run_path(str(SCRIPT))
    same = {"name": "same", "method": "GET", "path": "/v1/health", "status": 200, "request": None}
    same |= {"response": {"status": "OK"}}
    other = same | {"name": "other", "status": 201, "response": {"status": 1}}
    pages = {"_index": [{"name": "other"}, {"name": "same"}], "same": same, "other": other}
    for name, page in pages.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(page), "utf-8")
    assert script["replayed"](tmp_path) == {"other": ["a /status str", "a status 200"], "same": []}

    monkeypatch.setenv("GHOSTFOLIO_TOKEN", g.TOKEN)
    with g.GhostfolioTwin() as twin:
        twin.booked("BUY", "GF_OTHER", 1, 1, "2025-01-02", account=twin.account("Broker"))
        assert set(map(tuple, script["compared"](twin.url).values())) == {()}
        twin.activities.clear()
        assert "/errors" in script["compared"](twin.url)["v2/portfolio/performance"]
