"""Show how the portfolio did in a range of time: a line that is drawn of it, where it began and ended."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from operator import itemgetter
from typing import Any

from ...core.money import number_of
from ...core.tables import CHANGE, COST, DATE, MONEY, NAME, PERCENT, TEXT, Check, Column, Row
from ...core.types import Effect, Outcome
from ..entries import at, entries_at, words_at
from . import ALL_TIME, PERFORMANCE, SINCE
from .ghostfolio import MEASURE, Ghostfolio, GhostfolioAction

_GAIN = "netPerformanceInPercentageWithCurrencyEffect"
_COLUMNS = {
    Column("point", "gain", TEXT, 0, NAME): "point",
    Column("day", "day", DATE, 1): "date",
    Column("percent", "in percent", PERCENT, 0, CHANGE): _GAIN,
    Column("amount", "amount", MONEY, 2): "netPerformanceWithCurrencyEffect",
    Column("worth", "net worth", MONEY, 3, COST): "netWorth",
}
_BLOCKS = "▁▂▃▄▅▆▇"
_WIDTH = 24  # of them in the line, which no terminal breaks then


class ShowPerformance(GhostfolioAction):
    name = "show_performance"
    description = "show how their portfolio did since when `range` says, in percent and in money, as a line."
    fields = (SINCE,)

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        since = effect.target or ALL_TIME
        page, currency, checks = await ghostfolio.figures("/api/v2/portfolio/performance", since)
        chart: list[Any] = entries_at(page, "chart")
        points = [(gain, each) for each in chart if (gain := number_of(at(each, _GAIN))) is not None]
        if not points:
            return await ghostfolio.nothing(f"There is no performance of the range: {since}.")
        lowest, highest = (end(points, key=itemgetter(0)) for end in (min, max))
        named = {"first": points[0], "last": points[-1], "lowest": lowest, "highest": highest}
        rows = [{**point, "point": name} for name, (_, point) in named.items()]
        note = f"The range is {since}; gains are {MEASURE}"
        table = ghostfolio.table(PERFORMANCE, _COLUMNS, rows, note, currency)
        line = Row("", {"point": drawn([gain for gain, _ in points])})
        if at(page, "hasErrors") is not False:
            symbols = ", ".join(words_at(each, "symbol") for each in entries_at(page, "errors"))
            told = f"incomplete: Ghostfolio lacks prices of {symbols or 'some days'}"
            checks.append(Check("complete", None, told))
        table = table._replace(foot=(line,), checks=tuple(checks))
        return Outcome("done", f"Showed the performance: {since}.", since, table=table)


def drawn(values: Sequence[Decimal], width: int = _WIDTH) -> str:
    """Return a line of at most *width* blocks, each as high as the last of *values* that it stands for."""
    count = min(len(values), width)
    some = [values[place * len(values) // count - 1] for place in range(1, count + 1)]
    step = (max(some) - min(some)) / (len(_BLOCKS) - 1) or Decimal(1)
    heights = (((each - min(some)) / step).to_integral_value(ROUND_HALF_UP) for each in some)
    return "".join(_BLOCKS[int(height)] for height in heights)


ACTION = ShowPerformance()
