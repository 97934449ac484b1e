"""A portfolio: what the person holds, how it did and what was traded, from their own Ghostfolio."""

import re

from ...actions import Field, Want
from ...config.keys import Key, Login
from ...core.errors import BadTarget
from ...core.tables import ALL, NAMES
from ...core.urls import canon, is_ipv4
from ..pack import Pack, PackSetting

HOLDING, PERFORMANCE, ACTIVITY, SYMBOL = "holding", "performance", "activity", "symbol"  # kinds of its tables
TRADED = Want("record NAME", "put a trade into their portfolio; NAME: what of")
BATCHES, SENDING = "batches", "being sent"  # its list of what was sent; what is not known to be stored yet
SEES = "model_sees"  # the setting that says what the model sees of them
# How far it looks back, in Ghostfolio's words and in ours.
RANGES = {
    "1d": "today",
    "wtd": "this week",
    "mtd": "this month",
    "ytd": "this year",
    "1y": "one year",
    "5y": "five years",
    "max": "from the beginning",
}
SINCE = Field(
    "range",
    "how far back; wtd, mtd, ytd: this week, month, year",
    kind="choice",
    choices=tuple(RANGES),
    optional=True,
)
# Addresses that lead no further than the network at home.
_NEAR_ADDRESS = r"(10|127)\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|169\.254\..*"
_NEAR_NAME = r"localhost|[a-z0-9-]+|.*\.(local|lan|home|internal|home\.arpa)|\[(::1|f[cd].*|fe[89ab].*)\]"


def _server(value: object) -> str:
    """Return the address of a server; empty where the key could be read on its way there."""
    try:
        address = canon(value if isinstance(value, str) else "")
    except BadTarget:
        return ""
    is_near = re.fullmatch(_NEAR_ADDRESS if is_ipv4(address.host) else _NEAR_NAME, address.host)
    return address.url.rstrip("/") if is_near or address.url.startswith("https:") else ""


def _sees(value: object) -> str:
    return value if isinstance(value, str) and value in (NAMES, ALL) else ""


PACK = Pack(
    "portfolio",
    "their own portfolio: what they hold and what it is worth, how it did, what was traded, dividends",
    words={
        "en": "portfolio holding holdings stock stocks shares etf etfs dividend dividends invested "
        "investment investments performance broker ghostfolio bought sold",
        "de": "depot aktien dividende dividenden wertpapiere rendite gekauft verkauft",
        "es": "cartera acciones dividendos inversiones rentabilidad",
        "fr": "portefeuille actions dividendes placements rendement",
        "it": "portafoglio azioni dividendi investimenti rendimento",
    },
    actions=("show_portfolio", "show_performance", "show_activities", "find_symbol", "add_activity"),
    wants=(TRADED,),
    tables=(HOLDING, PERFORMANCE, ACTIVITY, SYMBOL),
    budgets={"steps": 6, "seconds": 90},
    is_on=True,
    settings=(
        PackSetting(
            "url",
            _server,
            "must be an https address, or an http one of this machine or your own network",
            'url = "http://ghost.home.lan:3333"',
            ("GHOSTFOLIO_URL",),
        ),
        # Names: what holdings are called, and no figure. All: the tables as they are.
        PackSetting(SEES, _sees, "must be names or all", 'model_sees = "names"'),
    ),
    key=Key(
        "ghostfolio",
        "Ghostfolio",
        ("GHOSTFOLIO_TOKEN",),
        "https://github.com/ghostfolio/ghostfolio",
        "your own portfolio, read from your own server; it is its security token",
        "Bearer",
        "/api/v1/user",
        Login("/api/v1/auth/anonymous", "accessToken", "authToken"),
    ),
    server="url",
)
