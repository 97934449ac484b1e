"""Files of trades, how they are sent and taken back, and what a server has stored of them."""

BUY = "BUY,VWCE.DE,5,112.30,2025-11-20,1.50,EUR"  # the first of THREE
HEADS = "type,symbol,quantity,price,date,fee,currency"
# What `trades` writes, as a server stores it.
THREE = [
    ("BUY", "VWCE.DE", "5", "112.3", "1.5", "EUR", "2025-11-20"),
    ("SELL", "VWCE.DE", "2", "113.07", "0", "EUR", "2025-11-23"),
    ("DIVIDEND", "AAPL", "815.5", "0.26", "0", "USD", "2025-11-24"),
]
POST, READ = "POST /api/v1/import", "GET /api/v1/activities"
ONE_MORE = "BUY,VWCE.DE,5,116.30,2025-11-20,1.50,EUR"


def lines(rows):
    """Each row of a server's as a line of a file."""
    return [",".join((*row[:4], row[6], row[4], row[5])) for row in rows]


def many(count):
    """That many rows of a server's."""
    return [("BUY", "VWCE.DE", "1", f"{n}.25", "0", "EUR", "2025-11-20") for n in range(count)]


def trades(home, *rows, heads=HEADS, name="trades.csv"):
    """Write a file of these lines, or of THREE; returns its name."""
    (home / name).write_text("\n".join([heads, *(rows or lines(THREE)), ""]))
    return name


def imported(shell, *more, file="trades.csv", **how):
    return shell.jarvis("portfolio", "import", file, *more, **how)


def undone(shell, *argv, **how):
    return shell.jarvis("portfolio", "undo", *argv, **how)


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


def left_on_disk(shell):
    """All bytes that Jarvis keeps of that person."""
    return b"".join(path.read_bytes() for path in (shell.home / "jarvis").rglob("*") if path.is_file())
