"""Draws how figures went, from a line of blocks that are as high as they are.

Why by hand: plotext takes a tenth of a second to import, and has native code and a new API since its 6.0.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..core.tables import BLOCKS, DATE, PERCENT, Column, Row, Table, column_of, format_cell

_NARROW = 60  # columns of a terminal, below which the line of blocks has to do


class Chart(NamedTuple):
    blocks: str
    highest: str
    lowest: str
    first: str  # day and figure
    last: str

    def lines(self, width: int) -> Iterator[str]:
        """Yield a row for each height of a block, then an axis with the first and the last figure."""
        if width < _NARROW:
            yield _sampled(self.blocks, width)
            return
        margin = max(len(self.highest), len(self.lowest))
        heights = [BLOCKS.index(each) for each in _sampled(self.blocks, width - margin - 2)]
        labels = {len(BLOCKS) - 1: self.highest, 0: self.lowest}
        for row in reversed(range(len(BLOCKS))):
            label, steps = labels.get(row, ""), zip([heights[0], *heights], heights, strict=False)
            yield f"{label:>{margin}} {'┤' if label else '│'}" + "".join(_sign(*step, row) for step in steps)
        yield f"{'':{margin}} └{'─' * len(heights)}"
        yield f"{'':{margin}}  {self.first}{self.last:>{len(heights) - len(self.first)}}"


def taken_out(table: Table) -> tuple[Table, Chart | None]:
    """Return *table* without the line of blocks below it, and that as a chart."""
    line = next((str(cell) for row in table.foot for cell in row.cells.values() if _is_line(cell)), "")
    percent, day = column_of(table, PERCENT), column_of(table, DATE)
    rows = [row for row in table.rows if percent and row.cells.get(percent.key) is not None]
    if not (line and percent and day and rows):
        return table, None
    by_figure, by_day = (sorted(rows, key=lambda row: row.cells[each.key]) for each in (percent, day))  # type: ignore[arg-type, return-value]
    figures = [_cell_text(row, percent) for row in (by_figure[-1], by_figure[0])]
    ends = [f"{_cell_text(row, day)} {_cell_text(row, percent)}" for row in (by_day[0], by_day[-1])]
    return table._replace(foot=()), Chart(line, *figures, *ends)


def _cell_text(row: Row, column: Column) -> str:
    return format_cell(row.cells.get(column.key), column)


def _is_line(cell: object) -> bool:
    return isinstance(cell, str) and bool(cell) and set(cell) <= set(BLOCKS)


def _sampled(blocks: str, width: int) -> str:
    """Return *width* blocks, spread over all of *blocks*, from the first to the last."""
    last = max(1, width - 1)
    return "".join(blocks[round(place * (len(blocks) - 1) / last)] for place in range(width))


def _sign(before: int, now: int, row: int) -> str:
    """Return the sign in *row* for a line from one height to the next."""
    if row == now:
        return "─" if before == now else "╭" if now > before else "╰"
    if row == before:
        return "╯" if now > before else "╮"
    return "│" if min(before, now) < row < max(before, now) else " "
