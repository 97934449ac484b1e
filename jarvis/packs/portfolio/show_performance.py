"""Show how the portfolio did in a range of time: a line that is drawn of it, where it began and ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from ...actions import BrainAction, Service
from ...core.money import number_of
from ...core.tables import CHANGE, COST, DATE, MONEY, NAME, PERCENT, TEXT, Check, Column, Row, cell_in
from ...core.types import Effect, Facts, Outcome
from ..entries import at, entries_at, words_at
from . import PERFORMANCE, RANGES, SINCE
from .client import MEASURE, Columns, Ghostfolio, percent_of, sum_of

_GAIN = "netPerformanceInPercentageWithCurrencyEffect"  # of a day
_TOTAL = "netPerformancePercentageWithCurrencyEffect"  # of the whole range
_BLOCKS = "▁▂▃▄▅▆▇"
_WIDTH = 24  # of them in the line, which no terminal breaks then
_OFF = Decimal("0.0005")  # by rounding


class ShowPerformance(BrainAction):
    name = "show_performance"
    verb = "show the performance"
    description = "show how their portfolio did since when `range` says, in percent and in money, as a line."
    fields = (SINCE,)
    services = (Service("ghostfolio", Ghostfolio),)
    answers = True

    def resolve(self, arguments: Mapping[str, Any], facts: Facts) -> Effect:
        return Effect("reads", str(arguments.get("range") or "max"))

    async def perform(self, effect: Effect, ghostfolio: Ghostfolio) -> Outcome:
        told, path = RANGES[effect.target], "v2/portfolio/performance"
        page, currency, is_fresh = await ghostfolio.figures(path, effect.target)
        points: list[Any] = [
            each for each in entries_at(page, "chart") if number_of(at(each, _GAIN)) is not None
        ]
        if not points:
            await ghostfolio.refuse_unready()
            return Outcome("done", f"There is no performance of the range {effect.target}.", effect.target)
        named = {"first": points[0], "last": points[-1]}
        named |= {"lowest": min(points, key=_gain), "highest": max(points, key=_gain)}
        rows = [{**dict(point), "point": name} for name, point in named.items()]
        note = f"The range is {effect.target}, {told}; gains are {MEASURE}"
        table = ghostfolio.table(PERFORMANCE, _columns(currency), rows, note)
        line = Row("", {"point": drawn([*map(_gain, points)])})
        table = table._replace(foot=(line,), checks=(*is_fresh, *_checks(page, points[-1])))
        return Outcome("done", f"Showed the performance, {told}.", effect.target, table=table)


def _columns(currency: str) -> Columns:
    return {
        Column("point", "gain", TEXT, 0, NAME): lambda each: each["point"],
        Column("day", "day", DATE, 1): lambda each: cell_in(DATE, each.get("date")),
        Column("percent", "in percent", PERCENT, 0, CHANGE): lambda each: percent_of(each[_GAIN]),
        Column("amount", "amount", MONEY, 2): lambda each: sum_of(
            each.get("netPerformanceWithCurrencyEffect"), currency
        ),
        Column("worth", "net worth", MONEY, 3, COST): lambda each: sum_of(each.get("netWorth"), currency),
    }


def drawn(values: Sequence[Decimal], width: int = _WIDTH) -> str:
    """Return a line of at most *width* blocks, each as high as the last of *values* that it stands for."""
    count = min(len(values), width)
    some = [values[place * len(values) // count - 1] for place in range(1, count + 1)]
    step = (max(some) - min(some)) / (len(_BLOCKS) - 1) or Decimal(1)
    heights = (((each - min(some)) / step).to_integral_value(ROUND_HALF_UP) for each in some)
    return "".join(_BLOCKS[int(height)] for height in heights)


def _gain(point: object) -> Decimal:
    return number_of(at(point, _GAIN)) or Decimal(0)


def _checks(page: object, last: object) -> Iterator[Check]:
    """Yield whether it is complete, and whether the line ends where the whole range does."""
    if at(page, "hasErrors") is not False:
        symbols = ", ".join(filter(None, (words_at(each, "symbol") for each in entries_at(page, "errors"))))
        yield Check("complete", None, f"incomplete: Ghostfolio lacks prices of {symbols or 'some days'}")
    total = number_of(at(page, "performance", _TOTAL))
    is_met = total is not None and abs(total - _gain(last)) <= _OFF
    said = "the line ends at the gain of the whole range"
    yield Check("line", is_met, said if is_met else f"not so: {said}", is_hard=False)


ACTION = ShowPerformance()
