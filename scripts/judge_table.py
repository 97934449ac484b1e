"""What was judged, as a table: a line for each kind of request, and one for all of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from judging import INVENTED, MISSED, RIGHT, UNSURE, Judged

HEAD = (
    "kind",
    "asked",
    "plan %",
    "reading %",
    "missed %",
    "invented %",
    "unsure %",
    "repairs",
    "tokens",
    "ms",
)
LEGEND = (
    "plan: the first one is right. reading: so is `wants`. missed: read as nothing, of those that ask for\n"
    "something. invented: read as an effect, of those that ask for nothing. unsure: asked about needlessly.\n"
    "repairs: all of them; tokens and ms: of a case, in the middle."
)


class Row(NamedTuple):
    """The figures of some answers, in per cent but for the last three; None: there is nothing to count."""

    kind: str
    count: int
    planned: float | None
    right: float | None
    missed: float | None
    invented: float | None
    unsure: float | None
    repairs: int
    tokens: float
    ms: float


def table(judged: Sequence[Judged]) -> str:
    """The whole table, with what its columns mean."""
    lines = [HEAD, *map(_cells, rows(judged))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = (
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in lines
    )
    return "\n".join([*aligned, "", LEGEND])


def rows(judged: Sequence[Judged]) -> list[Row]:
    kinds = dict.fromkeys(one.case.kind for one in judged)
    each = [row(kind, [one for one in judged if one.case.kind == kind]) for kind in kinds]
    return [*each, row("all", judged)]


def row(kind: str, judged: Sequence[Judged]) -> Row:
    honest = [one.score.reading for one in judged if one.case.is_honest]
    idle = [one.score.reading for one in judged if one.case.asks_nothing]
    readings = [one.score.reading for one in judged]
    return Row(
        kind,
        len(judged),
        planned=_share(one.score.is_planned for one in judged),
        right=_share(reading == RIGHT for reading in readings),
        missed=_share(reading == MISSED for reading in honest),
        invented=_share(reading == INVENTED for reading in idle),
        unsure=_share(reading == UNSURE for reading in readings),
        repairs=sum(one.answer.repairs for one in judged),
        tokens=statistics.median([one.answer.tokens for one in judged] or [0]),
        ms=statistics.median([one.answer.ms for one in judged] or [0]),
    )


def _share(claims: Iterable[bool]) -> float | None:
    counted = list(claims)
    return 100 * sum(counted) / len(counted) if counted else None


def _cells(row: Row) -> tuple[str, ...]:
    shares = (row.planned, row.right, row.missed, row.invented, row.unsure)
    told = ("-" if share is None else f"{share:.1f}" for share in shares)
    return (row.kind, str(row.count), *told, str(row.repairs), f"{row.tokens:.0f}", f"{row.ms:.0f}")
