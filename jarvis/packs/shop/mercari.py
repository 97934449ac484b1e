"""Says of Mercari what only its own page can show: a link to its live search, made here."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from ...core import urls
from ...core.money import Money
from ...core.tables import Row, Table
from ...search.entries import MOST
from ...search.offers.mercari import SITE, STORE
from ...search.offers.offer import MERCHANT
from .listing import Limits
from .priced import FOR

_ON_SALE = "on sale"


def with_live_search(table: Table, queries: Sequence[str], limits: Limits) -> Table:
    """Return *table*, of what an index has, behind lines that lead to the live search for each of *queries*.

    The states in *limits* are nothing that the index tells.
    """
    live = tuple(_row(query, limits, is_one_of=len(queries) > 1) for query in queries)
    lines = "line 1 shows" if len(live) == 1 else f"lines 1 to {len(live)} show"
    read = ", ".join(f"“{query}”" for query in queries)
    note = f"From Google's index, read as {read}; what is on sale only {lines}."
    unknown = f" It does not tell what is {' or '.join(limits.states)}." if limits.states else ""
    return table._replace(rows=(*live, *table.rows)[:MOST], note=f"{note}{unknown} {table.note}".strip())


def _row(query: str, limits: Limits, *, is_one_of: bool) -> Row:
    least, most = (_in_yen(limit) for limit in (limits.least, limits.most))
    told = [f"live search on {STORE}", _told(least, most)]
    cells = {"product": ", ".join(filter(None, told)), "state": _ON_SALE, "store": STORE}
    cells |= {FOR: query} if is_one_of else {}
    return Row("", cells, _page(query, least, most), MERCHANT)


def _told(least: Money | None, most: Money | None) -> str:
    if least and most:
        return f"{least.told} to {most.told}"
    return f"from {least.told}" if least else f"up to {most.told}" if most else ""


def _page(query: str, least: Money | None, most: Money | None) -> str:
    asked = {
        "keyword": query,
        **({"price_min": f"{least.amount:f}"} if least else {}),
        **({"price_max": f"{most.amount:f}"} if most else {}),
        "status": "on_sale",
    }
    return urls.canon(f"https://{SITE}/search?{urlencode(asked)}").url


def _in_yen(limit: Money | None) -> Money | None:
    return limit if limit and limit.currency == "JPY" else None
