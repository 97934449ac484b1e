"""Files of trades, and what a server has stored of them."""

from __future__ import annotations

BUY = "BUY,VWCE.DE,5,112.30,2025-11-20,1.50,EUR"  # the first of THREE
HEADS = "type,symbol,quantity,price,date,fee,currency"
# What `trades` writes, as a server stores it.
THREE = [
    ("BUY", "VWCE.DE", "5", "112.3", "1.5", "EUR", "2025-11-20"),
    ("SELL", "VWCE.DE", "2", "113.07", "0", "EUR", "2025-11-23"),
    ("DIVIDEND", "AAPL", "815.5", "0.26", "0", "USD", "2025-11-24"),
]


def lines(rows):
    """Each row of a server's as a line of a file."""
    return [",".join((*row[:4], row[6], row[4], row[5])) for row in rows]


def trades(home, *rows, name="trades.csv"):
    """Write a file of these lines, or of THREE; returns its name."""
    (home / name).write_text("\n".join([HEADS, *(rows or lines(THREE)), ""]))
    return name


def stored(twin):
    """The activities there, in order, as an independent look at them has them."""
    kinds = {ident: one["symbol"] for ident, one in twin.profiles.items()}
    return [
        (
            row["type"],
            kinds[row["symbolProfileId"]],
            *(f"{row[name].normalize():f}" for name in ("quantity", "unitPrice", "fee")),
            row["currency"],
            row["date"][:10],
        )
        for row in twin.activities
    ]


def writes(twin):
    """How many times something was sent that changes it: imports, removals."""
    return [
        sum(request.method == method and begins in request.path for request in twin.requests)
        for method, begins in (("POST", "/import"), ("DELETE", "/activities/"))
    ]
