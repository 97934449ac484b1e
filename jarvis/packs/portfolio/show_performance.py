"""Show how the portfolio did in a range of time: a line that is drawn of it, where it began and ended."""

from collections.abc import Sequence
from decimal import Decimal
from operator import itemgetter

from ...core.tables import CHANGE, COST, DATE, MONEY, NAME, PERCENT, TEXT, Column
from ...core.types import Effect, Outcome
from . import ALL_TIME, PERFORMANCE, SINCE
from .ghostfolio import MEASURE, Ghostfolio, GhostfolioAction, added_up, rows_of

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
        chart = [point for point in page["chart"] if point[_GAIN] is not None]
        if not chart:
            return await ghostfolio.nothing(f"There is no performance of the range: {since}.")
        lowest, highest = (end(chart, key=itemgetter(_GAIN)) for end in (min, max))
        named = {"first": chart[0], "last": chart[-1], "lowest": lowest, "highest": highest}
        points = [{**point, "point": name} for name, point in named.items()]
        line = {"point": drawn([added_up([point], _GAIN) for point in chart])}
        rows, foot = (rows_of(each, _COLUMNS, currency) for each in (points, [line]))
        note = f"The range is {since}; gains are {MEASURE}"
        table = ghostfolio.table(PERFORMANCE, _COLUMNS, rows, note)
        table = table._replace(foot=tuple(foot), checks=tuple(checks))
        return Outcome("done", f"Showed the performance: {since}.", since, table=table)


def drawn(values: Sequence[Decimal], width: int = _WIDTH) -> str:
    """Return a line of at most *width* blocks, each as high as the last of *values* that it stands for."""
    count = min(len(values), width)
    some = [values[place * len(values) // count - 1] for place in range(1, count + 1)]
    step = (max(some) - min(some)) / (len(_BLOCKS) - 1) or Decimal(1)
    return "".join(_BLOCKS[round((each - min(some)) / step)] for each in some)


ACTION = ShowPerformance()
