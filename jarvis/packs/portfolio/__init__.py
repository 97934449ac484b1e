"""A portfolio: holdings, performance, and trades, from the user's own Ghostfolio."""

from ...actions.base import Field, Want
from ...config.keys import Key, Login
from ...config.settings import OWN_SERVER, Setting, one_of
from ...core.tables import ALL, NAMES
from ..pack import Pack

HOLDING, PERFORMANCE, ACTIVITY, SYMBOL = "holding", "performance", "activity", "symbol"  # kinds of its tables
TRADED = Want("record NAME", "put a trade into their portfolio; NAME: what of")
BATCHES, SENDING = "batches", "being sent"  # its list of batches, and the state of an open one
SEES = "model_sees"  # the setting that says what the model sees of them
RANGES = {  # how far back, with what Ghostfolio calls it
    "today": "1d",
    "this week": "wtd",
    "this month": "mtd",
    "this year": "ytd",
    "one year": "1y",
    "five years": "5y",
    "all time": "max",
}
ALL_TIME = "all time"
SINCE = Field("range", "how far back", kind="choice", choices=tuple(RANGES), optional=True)

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
        Setting("url", OWN_SERVER, ("GHOSTFOLIO_URL",), hint='url = "http://ghost.home.lan:3333"'),
        # Names: what holdings are called, and no figure. All: the tables as they are.
        Setting(SEES, one_of((NAMES, ALL)), hint='model_sees = "names"'),
    ),
    key=Key(
        "ghostfolio",
        "Ghostfolio",
        ("GHOSTFOLIO_TOKEN",),
        "https://github.com/ghostfolio/ghostfolio",
        "your own portfolio, read from your own server (its security token)",
        "Bearer",
        "/api/v1/user",
        Login("/api/v1/auth/anonymous", "accessToken", "authToken"),
    ),
    server="url",
    since="3.5 or newer",
)
