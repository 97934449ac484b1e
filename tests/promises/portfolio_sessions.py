"""Sessions of a person who keeps a portfolio on their own Ghostfolio, and what stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.lying import plan

from .shopping_sessions import Session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.twins.ghostfolio import GhostfolioTwin

BOUGHT = "bought 5 VWCE at 112.30 on 20 November 2025, fee 1.50, Broker A"
YES = "y\r"
FILE = """Datum;Stk.;Kurs;ISIN;Typ;Depot
18.11.2025;3;110,50;VWCE.DE;Kauf;Broker A
17.11.2025;2;47,10;BNDX;Kauf;Broker B
n/a;1;2,00;AAPL;Kauf;Broker B
16.11.2025;1;9,00;NOPE;Verkauf;Broker B
"""


def stocked(ghost: GhostfolioTwin, home: Path) -> None:
    """Have two accounts there with a few holdings, and a file of trades at *home*."""
    broker, other = ghost.account("Broker A", cash="5903"), ghost.account("Broker B")
    # What stands still in a month of long ago is the same lowest point on whichever day it is looked at.
    vwce, aapl, bndx = ({"2025-09-01": low, "2025-10-01": low} for low in ("91.10", "198.70", "47.23"))
    ghost.quotes("VWCE.DE", "FTSE All-World", "112.37", before={"2025-03-03": "98.43", **vwce})
    ghost.quotes("AAPL", "Apple", "190.19", currency="USD", before={"2025-03-04": "201.71", **aapl})
    ghost.quotes("BNDX", "World Bonds", "47.53", before=bndx)
    ghost.booked("BUY", "VWCE.DE", "120", "98.43", "2025-03-03", fee="31.57", account=broker)
    ghost.booked("BUY", "AAPL", "15", "201.71", "2025-03-04", fee="22.51", account=other)
    ghost.booked("BUY", "BNDX", "93", "47.11", "2025-03-05", account=broker)
    ghost.booked("DIVIDEND", "AAPL", "15", "0.26", "2025-08-12", account=other)
    (home / "trades.csv").write_text(FILE, encoding="utf-8")


PORTFOLIO = {
    "holdings, a performance, dividends": Session(
        (
            plan("show_portfolio"),
            plan("show_performance", range="all time"),
            plan("show_activities", kind="DIVIDEND"),
        ),
        {},
        server=stocked,
    ),
    "a trade, a file, and both undone": Session(
        (
            plan("find_symbol", query="VWCE", finish=False),
            plan(
                "add_activity",
                symbol="o1",
                kind="BUY",
                quantity="5",
                price="112.30",
                fee="1.50",
                day="2025-11-20",
                account="Broker A",
            ),
        ),
        {},
        readings={BOUGHT: "record VWCE"},
        keys={BOUGHT: YES, "trades.csv": YES, "undo": YES, "1": YES},
        server=stocked,
    ),
}
