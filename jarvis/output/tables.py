"""Shows a table, laid out on a terminal or as lines for programs, and the notes about it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain

from ..core.events import Changes, TableShown, always
from ..core.money import Money
from ..core.tables import (
    BEST_RATED,
    COUNTING,
    MONEY,
    RATING,
    Cell,
    Column,
    Rating,
    Table,
    format_check,
    money_in,
    serialize_cell,
    summary_line,
    tally,
)
from ..core.text import clean, one_line, side_by_side
from .screen import Screen, as_typed_at
from .styles import FAINT, styled

_LONGEST_NOTE = 400  # characters
_FRESH = timedelta(minutes=10)  # for so long the user remembers when they asked
# A spreadsheet takes text that begins with one of these for a formula, also as wide characters.
_FORMULA = tuple("=+-@＝＋－＠")


def show_table(
    screen: Screen,
    tabled: TableShown,
    changes: Changes = always,
    *,
    as_csv: bool = False,
    is_quiet: bool = False,
) -> None:
    """Show a table on stdout: laid out on a terminal, or only its rows, for programs.

    Notes go to stderr, unless *is_quiet*. So does all of a table that isn't listed. changes: whether a text
    differs from the last one on its topic.
    """
    table, first = tabled.table, tabled.first
    if not first:
        extra = [summary_line(table)]
    elif screen.out_tty and not as_csv:
        screen.out(_laid_out(screen, table, first, screen.width, changes))
        remarks = () if is_quiet else _remarks(table, first, screen, changes)
        extra = side_by_side(remarks, screen.width)
    else:
        lines = comma_separated(table, first) if as_csv else tab_separated(table, first)
        if text := "\n".join(lines):  # in one piece, which is faster
            screen.out(text)
        extra = beside_rows(table, first)
    style = "" if table.failures else FAINT  # failures are not to be missed
    for line in () if is_quiet else extra:
        screen.err(styled(clean(line), style, color=screen.err_color))


def table_lines(screen: Screen, table: Table, first: int, width: int) -> list[str]:
    """Return the lines of a table of an earlier turn, laid out if stdout is a terminal."""
    if not first:
        return [summary_line(table)]
    if not screen.out_tty:
        return [*tab_separated(table, first), *beside_rows(table, first)]
    text = _laid_out(screen, table, first, width)
    return [*text.split("\n"), *filter(None, [_caption(table)])]


def _laid_out(screen: Screen, table: Table, first: int, width: int, changes: Changes = always) -> str:
    from .grid import laid_out  # rich: only terminals need it

    return laid_out(table, width, first, changes, color=screen.out_color)


def _remarks(table: Table, first: int, screen: Screen, changes: Changes) -> Iterator[str]:
    """Yield the notes about the page that is shown, as far as they *change*.

    Failures are shown with each new table.
    """
    failures = _sentences(*table.failures)
    pages = [first + table.start + at for at, row in enumerate(table.page) if row.url]
    answer = [
        ("note", _sentences(table.note), ""),
        ("failures", failures, f"{failures} {table.seen_at}"),
        ("seen", _seen_at(table, _FRESH), ""),
        ("order", COUNTING if table.order == BEST_RATED and table.rows else "", ""),
        # How to do it is the same for all lines.
        ("more", "jarvis more" if table.end < len(table.rows) else "", "how"),
        ("open", f"jarvis open {pages[0]}" if pages else "", "how"),
    ]
    for about, remarks, same in answer:
        if remarks and changes(about, same or remarks):
            yield as_typed_at(screen, remarks)


def beside_rows(table: Table, first: int) -> list[str]:
    """Return sums, checks, and notes that the lines for programs leave out."""
    sums = table._replace(rows=table.foot, note="").lines
    left_out = tally(table._replace(start=0, end=len(table.rows)), first)
    return [line for line in (*sums, *map(format_check, table.checks), left_out, _caption(table)) if line]


def _caption(table: Table) -> str:
    """Return the notes about all of *table*, and when it was found."""
    return " · ".join(filter(None, (_sentences(table.note, *table.failures), _seen_at(table))))


def _sentences(*texts: str) -> str:
    return one_line(" ".join(filter(None, texts)), _LONGEST_NOTE).rstrip(".")


def _seen_at(table: Table, fresh: timedelta = timedelta(0)) -> str:
    """Return when *table* was found, in local time. Empty if that is *fresh* or unknown."""
    try:
        at = datetime.fromisoformat(table.seen_at).astimezone()
    except ValueError:
        return ""
    now = datetime.now().astimezone()
    if now - at < fresh:
        return ""
    return f"seen {at:%H:%M}" if at.date() == now.date() else f"seen {at:%Y-%m-%d %H:%M}"


def tab_separated(table: Table, first: int = 1) -> Iterator[str]:
    """Return a line for each row of *table*, from the page that is shown now to its end.

    They are its number, its cells as the columns stand, and its address. first: the number of its first line.
    """
    for line, row in enumerate(table.rows[table.start :], first + table.start):
        cells = [_harmless(row.cells.get(column.key)) for column in table.columns]
        yield "\t".join([str(line), *cells, _harmless(row.url)])


def comma_separated(table: Table, first: int = 1) -> Iterator[str]:
    """Return *table* as CSV: a head, and a line a row, from the current page to the end."""
    rows = [[_fields(row.cells.get(each.key), each) for each in table.columns] for row in table.rows]
    columns = zip([_fields(None, each) for each in table.columns], *rows, strict=True)
    names = [[*dict.fromkeys(chain(*column))] for column in columns]
    yield _quoted("line", *map(_harmless, chain(*names)), "url")
    for at, row in enumerate(table.rows[table.start :], table.start):
        of_names = zip(rows[at], names, strict=True)
        fields = [cell.get(name, "") for cell, parts in of_names for name in parts]
        yield _quoted(str(first + at), *fields, _harmless(row.url))


def _fields(cell: Cell, column: Column) -> dict[str, str]:
    """Return the fields of a cell by name. An amount has a currency, and may have a basis."""
    if column.kind == MONEY:
        money = money_in(cell)
        amount, currency = [*money.record.values()][:2] if money else ("", "")
        basis = {f"{column.key}_basis": _harmless(money.basis)} if money and money.basis else {}
        return {column.key: amount, f"{column.key}_currency": currency, **basis}
    if column.kind == RATING:
        value, raters = cell.record.values() if isinstance(cell, Rating) else ("", None)
        return {column.key: value, f"{column.key}_count": "" if raters is None else str(raters)}
    return {column.key: _harmless(cell)}


def _harmless(cell: Cell) -> str:
    """Return *cell* for programs. Foreign text is quoted so that no spreadsheet runs it."""
    text = serialize_cell(cell)
    is_foreign = isinstance(cell, str) or (isinstance(cell, Money) and bool(cell.basis))
    return f"'{text}" if is_foreign and text.startswith(_FORMULA) else text


def _quoted(*fields: str) -> str:
    """Return a line of CSV with each field in quotes, which every reader splits the same way."""
    return ",".join('"' + field.replace('"', '""') + '"' for field in fields)
