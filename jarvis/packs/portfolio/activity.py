"""One thing that was traded, paid out or charged, as a file or the person says it."""

from decimal import Decimal
from typing import NamedTuple

KINDS = ("BUY", "SELL", "DIVIDEND", "INTEREST", "FEE", "LIABILITY")


class Activity(NamedTuple):
    """What Ghostfolio keeps one of; numbers are exact, as they were written."""

    kind: str  # one of KINDS
    symbol: str  # as the file has it: a symbol, or an ISIN
    quantity: Decimal  # not negative
    price: Decimal  # of one, not negative
    day: str  # 2026-01-31
    fee: Decimal = Decimal(0)
    currency: str = ""  # its code, by ISO 4217; empty: not said
    source: str = ""  # Ghostfolio's dataSource; empty: not said
    account: str = ""  # its id or name; empty: not said
    time: str = ""  # 14:03:00; empty: not said
    comment: str = ""
    line: int = 0  # where in the file it stands, from 1; of JSON: its place in the list
