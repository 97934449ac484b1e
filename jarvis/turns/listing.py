"""What a turn lists to the person: its tables, whose lines are numbered on, and then a reply's sources."""

from __future__ import annotations

from collections.abc import Callable

from ..core.events import Event, Notice, Tabled
from ..core.tables import Listed, Table, money_in, price_column
from ..core.text import counted


class Listing:
    """Holds a table until it is known whether another one sums it up: then it is told in a line."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self.listed: list[Listed] = []  # also those that were told in a line, which have no numbers
        self._tell = tell
        self._held: list[Table] = []

    @property
    def ids(self) -> list[str]:
        """The ids of the lines, in their order."""
        return [row.id for table, first in self.listed if first for row in table.rows]

    def hold(self, table: Table) -> None:
        self._held.append(table)

    def sum_up(self) -> None:
        """Tell in a line what is held, since the next table sums it up."""
        for table in self._held:
            self.listed.append(Listed(table, 0))
            self._tell(Notice(_in_a_line(table)))
        self._held.clear()

    def show(self) -> None:
        """Tell the tables that are held."""
        for table in self._held:
            first = len(self.ids) + 1
            self.listed.append(Listed(table, first))
            self._tell(Tabled(table, first))
        self._held.clear()


def _in_a_line(table: Table) -> str:
    """Return what *table* is about: `12 products from $588.00`."""
    column = price_column(table)
    amounts = [money for row in table.rows if column and (money := money_in(row.cells.get(column.key)))]
    least = min(amounts, key=lambda money: money.amount) if amounts else None
    # Amounts in several currencies can't be compared.
    is_one = least and all(money.currency == least.currency for money in amounts)
    return counted(len(table.rows), f"{table.kind}s") + (f" from {least.told}" if least and is_one else "")
