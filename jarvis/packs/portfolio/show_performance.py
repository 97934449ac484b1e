"""Show how the portfolio did over time: a chart, and its first, last, lowest, and highest day."""

from collections.abc import Sequence
from decimal import Decimal
from operator import itemgetter

from ...core.tables import BLOCKS, CHANGE, COST, DATE, MONEY, NAME, PERCENT, TEXT, Column
from ...core.types import Effect, Outcome
from . import ALL_TIME, PERFORMANCE, SINCE
from .ghostfolio import MEASURE, Ghostfolio, GhostfolioAction, added_up, rows_of

_GAIN = "netPerformanceInPercentageWithCurrencyEffect"
_COLUMNS = {
    Column("point", "gain", TEXT, 0, NAME): "point",
    Column("day", "day", DATE, 1): "date",
    Column("percent", "in percent", PERCENT, 0, CHANGE): _GAIN,
    Column("amount", "amount", MONEY, 2, CHANGE): "netPerformanceWithCurrencyEffect",
    Column("worth", "net worth", MONEY, 3, COST): "netWorth",
}
_MOST = 120  # blocks in the line: a chart is stretched, or samples them


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
        days = {"first": chart[0], "last": chart[-1], "lowest": lowest, "highest": highest}
        points = [{**point, "point": name} for name, point in days.items()]
        line = {"point": draw_line([added_up([point], _GAIN) for point in chart])}
        rows, foot = (rows_of(each, _COLUMNS, currency) for each in (points, [line]))
        note = f"The range is {since}. Gains are {MEASURE}"
        table = ghostfolio.table(PERFORMANCE, _COLUMNS, rows, note)
        table = table._replace(foot=tuple(foot), checks=tuple(checks))
        return Outcome("done", f"Showed the performance: {since}.", since, table=table)


def draw_line(values: Sequence[Decimal], most: int = _MOST) -> str:
    """Return at most *most* blocks, as high as those of *values* from the first to the last."""
    count = min(len(values), most)
    some = [values[place * (len(values) - 1) // max(1, count - 1)] for place in range(count)]
    step = (max(values) - min(values)) / (len(BLOCKS) - 1) or Decimal(1)
    return "".join(BLOCKS[round((each - min(values)) / step)] for each in some)


ACTION = ShowPerformance()
