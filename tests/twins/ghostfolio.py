"""A twin of a Ghostfolio 3.58 server: keeps accounts and activities in memory, and works out their figures.

    with GhostfolioTwin(base="EUR", USD=0.92) as twin:
        broker = twin.account("Broker", cash=5_903)
        twin.quotes("VWCE.DE", "FTSE All-World", 112.30)
        twin.booked("BUY", "VWCE.DE", 120, 98.40, "2025-03-03", account=broker)
        twin.lag = 6  # seconds in which figures stay as they were before a write
        twin.fails("POST /api/v1/import", LOST_AFTER_STORING)
        …  # with twin.url and TOKEN
        assert twin.happened == ["lost after storing"]
        assert [row["quantity"] for row in twin.activities] == [120, 5]

Rows and cash make the net worth, shares are parts of it, the gains of the rows are the performance. The pages
and refusals are as recorded (scripts/check_ghostfolio holds them to that). Not recorded, but as documented:
hits of a lookup, live prices, dividends, ranges, /info, and the refusal of a date or a kind. A time-weighted
percentage is not worked out: gains are parts of what was put in.
"""

from __future__ import annotations

import json
import re
import threading
import time
from bisect import bisect_right
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlencode
from uuid import uuid4

from .faults import Html, Raw, Reset, Stall
from .wire import Exchange, Request, Step, Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Page = tuple[int, Any]
    Number = int | float | str | Decimal
    Row = dict[str, Any]

TOKEN = "access-token-of-the-tests"
DRAFT = {"id": str(uuid4()), "name": "DRAFT"}
NIL, DAY = Decimal(0), timedelta(1)
KINDS = ("BUY", "DIVIDEND", "FEE", "INTEREST", "LIABILITY", "SELL")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

# What goes in: of an activity, and of a question for some. What makes two the same: never the account.
NUMBERS = ("fee", "quantity", "unitPrice")
FIELDS = "accountId assetClass assetSubClass comment currency customCurrency dataSource date fee quantity"
FIELDS += " symbol tags type unitPrice updateAccountBalance"
FILTERS = "accounts assetClasses dataSource range symbol tags skip sortColumn sortDirection take"
SAME = "symbolProfileId type fee quantity unitPrice currency comment"

# What comes out, beside what is worked out.
ACCOUNT = "comment createdAt currency id name platformId updatedAt userId"
NULLS = "assetClass assetSubClass comment countries cusip figi figiComposite figiShareClass isin sectors"
NULLS += " scraperConfiguration symbolMapping url"
BRIEF = "dataSource symbol currency name"
CASH = f"{BRIEF} assetClass assetSubClass holdings"
IN_EXPORT = f"{CASH} comment cusip figi figiComposite figiShareClass isActive isin url"
TRIED = "createdAt currency date fee id quantity type unitPrice updatedAt userId"
EXPORTED = "accountId comment fee id quantity type unitPrice currency date"
LIMITS = ("thresholdMax", "thresholdMin")
RULES = {  # by their limits
    LIMITS: "AssetClassClusterRiskEquity AssetClassClusterRiskFixedIncome"
    " EconomicMarketClusterRiskDevelopedMarkets EconomicMarketClusterRiskEmergingMarkets"
    " RegionalMarketClusterRiskAsiaPacific RegionalMarketClusterRiskEmergingMarkets"
    " RegionalMarketClusterRiskEurope RegionalMarketClusterRiskJapan RegionalMarketClusterRiskNorthAmerica",
    LIMITS[:1]: "AccountClusterRiskCurrentInvestment CurrencyClusterRiskCurrentInvestment"
    " FeeRatioTotalInvestmentVolume",
    LIMITS[1:]: "BuyingPower",
    (): "CurrencyClusterRiskBaseCurrencyCurrentInvestment EmergencyFundCoverage EmergencyFundSetup",
}
UNAUTHORIZED = {"message": "Unauthorized", "statusCode": 401}


class Fault(NamedTuple):
    """A way to fail: what is left of a write (all, half, nothing), and what is sent instead of an answer."""

    name: str
    step: Step | None = None  # None: the answer itself
    stores: str = "nothing"
    seconds: float = 0  # from storing to the answer


def slow(seconds: float) -> Fault:
    """Store at once, answer after that many seconds."""
    return Fault("slow", None, "all", seconds)


NO_FAULT = Fault("", stores="all")
BROKEN = Raw(b'{"statusCode":500,"message":"Internal Server Error"}', status=500)
LOST_AFTER_STORING = Fault("lost after storing", Reset(), "all")
LOST_BEFORE_STORING = Fault("lost before storing", Reset())
REFUSED = Raw(b'{"error":"Bad Request","message":["activities.1 is not valid"]}', status=400)
HALF_STORED = Fault("half stored", REFUSED, "half")
SILENT = Fault("silent", Stall())
HTML = Fault("html", Html())
ERROR = Fault("500", BROKEN)
EXPIRED = Fault("401", Raw(json.dumps(UNAUTHORIZED).encode(), status=401))
AWAY = Fault("away", Reset())


class StoresLater:
    """Answer by *step*; store what the request brings once the test says so, however long that takes."""

    def __init__(self, twin: GhostfolioTwin, step: Step) -> None:
        self._twin, self._step = twin, step

    def send(self, exchange: Exchange, request: Any) -> None:
        request.is_half = False
        self._request = request
        self._step.send(exchange, request)

    def store(self) -> None:
        with self._twin._state:
            self._twin._page(self._request)


PAGES: dict[str, Callable[[GhostfolioTwin, Request], Page]] = {}
OPEN = ("GET /api/v1/health", "GET /api/v1/info", "POST /api/v1/user", "POST /api/v1/auth/anonymous")


def page(called: str) -> Callable[[Any], Any]:
    """Answer that method and path by what is below."""
    return lambda answer: PAGES.setdefault(called, answer)


class GhostfolioTwin(Twin):
    """base: the currency of its figures; rates: what one of another is worth in it."""

    def __init__(self, *, base: str = "EUR", **rates: Number) -> None:
        super().__init__()
        self.base, self.rates = base, {name: exact(rate) for name, rate in {base: 1, **rates}.items()}
        self.lag = 0.0
        self.gap = 0.0  # seconds from looking for duplicates to storing, unless another has looked meanwhile
        self.is_away = False  # each connection breaks
        self.is_old = False  # of a time before there were activities
        self.is_lookup_down = False  # nothing is found, and no symbol known but MANUAL's
        self.has_error = False  # what /details says
        self.has_errors = False  # what /performance says, of each symbol
        self.happened: list[str] = []  # the faults, by their names
        self.activities: list[Row] = []
        self.accounts: list[Row] = []
        self.profiles: dict[str, Row] = {}  # by their ids
        self.prices: dict[str, dict[date, Decimal]] = defaultdict(dict)  # by symbol
        self._user_id = str(uuid4())
        self._tokens: set[str] = set()
        self._faults: list[tuple[str, Fault]] = []
        self._stale: list[Row] = []
        self._fresh_at = 0.0
        self._state = threading.Condition()

    def __enter__(self) -> Self:
        entered = super().__enter__()
        self._server.RequestHandlerClass = DeletingExchange
        return entered

    # What a test arranges

    def account(self, name: str, cash: Number = 0, currency: str = "") -> str:
        """Add an account; returns its id."""
        fresh = named(("comment platformId", None), ("createdAt updatedAt", now()), ("userId", self._user_id))
        fresh |= {"id": str(uuid4()), "name": name, "currency": currency or self.base, "balance": exact(cash)}
        self.accounts.append(fresh)
        self.accounts.sort(key=lambda one: one["name"])
        return fresh["id"]

    def quotes(self, symbol: str, name: str, price: Number, **more: Any) -> None:
        """Have the lookup find it at that price. more: currency; before: prices by day, it glides between."""
        profile = self._profile("YAHOO", symbol, more.get("currency", self.base))
        profile.update(name=name, assetClass="EQUITY", assetSubClass="ETF")
        past = {date.fromisoformat(on): exact(then) for on, then in more.get("before", {}).items()}
        self.prices[symbol] = {**past, today(): exact(price)}

    def booked(self, kind: str, symbol: str, quantity: Number, price: Number, day: str, **more: Any) -> str:
        """Have an activity stored long ago; returns its id. more: fee, account, comment, currency."""
        profile = next((one for one in self.profiles.values() if one["symbol"] == symbol), {})
        asked = {"type": kind, "symbol": symbol, "quantity": exact(quantity), "unitPrice": exact(price)}
        asked |= {"date": day, "fee": exact(more.pop("fee", 0)), "accountId": more.pop("account", None)}
        asked |= {"currency": profile.get("currency", self.base), "dataSource": profile.get("dataSource")}
        self.activities.append(self._row(asked | more))
        return self.activities[-1]["id"]

    def fails(self, on: str, *faults: Fault) -> None:
        """Fail the next requests whose method and path begin with *on*, one each."""
        with self._state:
            self._faults += [(on, fault) for fault in faults]

    def catch_up(self) -> None:
        """Have all figures worked out."""
        with self._state:
            self._fresh_at = 0.0

    def expire(self) -> None:
        """Let no token of before in."""
        with self._state:
            self._tokens.clear()

    # What a request meets

    def hear(self, request: Request) -> Request:
        return self.note(request)

    def answer(self, exchange: Exchange, request: Request) -> None:
        fault = self._next_fault(f"{request.method} {request.path}")
        status, body = 200, None
        if fault.stores != "nothing":
            request.is_half = fault.stores == "half"
            with self._state:
                status, body = self._page(request)
        if fault.seconds:
            exchange.wait(fault.seconds)
        step = fault.step or Raw(json.dumps(body, default=plain).encode(), status=status)
        step.send(exchange, request)

    def _next_fault(self, called: str) -> Fault:
        with self._state:
            due = next((one for one in self._faults if called.startswith(one[0])), ("", NO_FAULT))
            if self.is_away:
                due = ("", AWAY)
            elif due in self._faults:
                self._faults.remove(due)
            self.happened += [due[1].name] if due[1] is not NO_FAULT else []
            return due[1]

    def _page(self, request: Request) -> Page:
        called = re.sub(r"(?<=/activities/)[^/]+$", "ID", f"{request.method} {request.path}")
        if called not in PAGES or (self.is_old and "/activities" in called):
            query = f"?{urlencode(request.params)}" if request.params else ""
            message = f"Cannot {request.method} {request.path}{query}"
            return 404, {"message": message, "error": "Not Found", "statusCode": 404}
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if called not in OPEN and token not in self._tokens:
            return 401, UNAUTHORIZED
        return PAGES[called](self, request)

    # Who asks

    @page("GET /api/v1/health")
    def _health(self, request: Request) -> Page:
        return 200, {"status": "OK"}

    @page("GET /api/v1/info")
    def _info(self, request: Request) -> Page:
        return 200, {"baseCurrency": self.base, "currencies": list(self.rates)}

    @page("POST /api/v1/user")
    def _sign_up(self, request: Request) -> Page:
        self.account("Mine")
        return 201, {"accessToken": TOKEN, "role": "ADMIN", "authToken": self._admitted()}

    @page("POST /api/v1/auth/anonymous")
    def _log_in(self, request: Request) -> Page:
        if read(request)["accessToken"] != TOKEN:
            return 403, {"statusCode": 403, "message": "Forbidden"}
        return 201, {"authToken": self._admitted()}

    def _admitted(self) -> str:
        self._tokens.add(token := f"jwt-{uuid4()}")
        return token

    @page("GET /api/v1/user")
    def _user(self, request: Request) -> Page:
        tags = ("DRAFT", "EMERGENCY_FUND", "EXCLUDE_FROM_ANALYSIS")
        return 200, {
            "activitiesCount": len(self.activities),
            "activityTypes": sorted({row["type"] for row in self.activities}),
            "dateOfFirstActivity": min((row["date"] for row in self.activities), default=None),
            "id": self._user_id,
            "permissions": ["createActivity", "deleteActivity", "readMarketData"],
            "scopes": ["account:read", "activity:read", "portfolio:read"],
            "tags": [{"id": str(uuid4()), "name": name, "userId": None, "isUsed": False} for name in tags],
            "accounts": [of(one, ACCOUNT) | {"platform": None} for one in self.accounts],
            "settings": self._settings(),
            **named(("referralPartners access", [])),
        }

    def _settings(self) -> Row:
        common = {"locale": "en-US", "isActive": True}
        rules = {
            name: common | {"baseCurrency": self.base} | dict.fromkeys(limits, 0.5)
            for limits, names in RULES.items()
            for name in names.split()
        }
        rules["AccountClusterRiskSingleAccount"] = common
        numbers = "annualInterestRate projectedTotalAmount safeWithdrawalRate savingsRate"
        said = {"performanceCalculationType": "ROAI", "viewMode": "DEFAULT", "dateRange": "max"}
        said |= {"language": "en", "locale": "en-US", "xRayRules": rules}
        return said | named((numbers, 0), ("currency baseCurrency", self.base))

    @page("GET /api/v1/account")
    def _accounts(self, request: Request) -> Page:
        figures = self._figures()
        pages = [self._account(one, figures) for one in self.accounts]
        names = [f"{what}InBaseCurrency" for what in ("Balance", "Dividend", "Interest", "Value")]
        totals = {
            f"total{name}": sum((one[name[0].lower() + name[1:]] for one in pages), NIL) for name in names
        }
        totals |= {"activitiesCount": sum(one["activitiesCount"] for one in pages)}
        return 200, {"accounts": pages} | totals

    def _account(self, account: Row, figures: Figures) -> Row:
        rows = [row for row in self.activities if row["accountId"] == account["id"]]
        worth = figures.worth_of(account)
        return account | {
            "platform": None,
            "tags": [],
            "activitiesCount": len(rows),
            "dividendInBaseCurrency": figures.paid("DIVIDEND", rows),
            "interestInBaseCurrency": figures.paid("INTEREST", rows),
            "allocationInPercentage": part(worth, figures.net_worth),
            "balanceInBaseCurrency": figures.cash_of(account),
            **named(("value valueInBaseCurrency", worth)),
        }

    @page("POST /api/v1/account")
    def _open_account(self, request: Request) -> Page:
        asked = read(request)
        ident = self.account(asked["name"], asked["balance"], asked["currency"])
        return 201, of(self._account_of({"accountId": ident}), ACCOUNT)

    # Activities: true at once

    @page("GET /api/v1/activities")
    def _listed(self, request: Request) -> Page:
        asked = request.params
        if strange := [f"property {name} should not exist" for name in asked if name not in FILTERS.split()]:
            return refused(strange)
        begin, end = span(asked.get("range", "max"))
        rows = [row for row in self.activities if begin <= day(row) and (day(row) <= end or end == today())]
        column, skip = asked.get("sortColumn", "date"), int(asked.get("skip", 0))
        last = skip + int(asked.get("take", len(rows)))
        rows.sort(key=lambda row: row[column], reverse=asked.get("sortDirection") == "desc")
        dates = defaultdict(list)
        for row in self.activities:
            dates[row["symbolProfileId"]].append(row["date"])
        first = {ident: (len(its), min(its)) for ident, its in dates.items()}
        pages = [self._full(row, *first[row["symbolProfileId"]]) for row in rows[skip:last]]
        return 200, {"activities": pages, "count": len(rows)}

    def _full(self, row: Row, count: int, first: str) -> Row:
        profile, account = self.profiles[row["symbolProfileId"]], self._account_of(row)
        known = {"activitiesCount": count, "dateOfFirstActivity": first, "watchedByCount": 0}
        known |= {"countries": [], "sectors": [], "symbolMapping": {}}
        return row | {
            "account": account and of(account, ACCOUNT) | {"platform": None, "tags": []},
            "SymbolProfile": profile,
            "assetProfile": profile | known,
            "tags": tags_of(row),
            "feeInAssetProfileCurrency": row["fee"],
            "feeInBaseCurrency": row["fee"] * self.rate(row["currency"]),
            "unitPriceInAssetProfileCurrency": row["unitPrice"],
            **self._worth(row),
        }

    def _worth(self, row: Row) -> Row:
        value = row["quantity"] * row["unitPrice"]
        return {"value": value, "valueInBaseCurrency": value * self.rate(row["currency"])}

    @page("POST /api/v1/import")
    def _import(self, request: Request) -> Page:
        asked = read(request)["activities"]
        if refusal := self._refusal(asked, "activities.{}."):
            return refusal
        known, stored = dict(self.profiles), {alike(row) for row in self.activities}
        rows = [self._row(one) for one in asked]
        if request.params.get("dryRun") == "true":
            pages = [self._tried(row, is_same=alike(row) in stored) for row in rows]
            self.profiles = known
            return 201, {"activities": pages}
        rows = [row for row in rows if alike(row) not in stored]
        if self.gap:
            self._state.notify_all()
            self._state.wait(self.gap)  # lets others in
        self._store(rows[: len(rows) // 2] if request.is_half else rows)
        return 201, {"activities": [self._imported(row) for row in rows]}

    def _refusal(self, asked: list[Row], at: str) -> Page | None:
        if wrong := [what for place, one in enumerate(asked) for what in wrong_in(one, at.format(place))]:
            return refused(wrong)
        wrong = [what for place, one in enumerate(asked) for what in self._not_known(one, place)]
        return (400, {"error": "Bad Request", "message": wrong}) if wrong else None

    def _imported(self, row: Row) -> Row:
        profile = self.profiles[row["symbolProfileId"]]
        return row | {"SymbolProfile": profile, "assetProfile": of(profile, BRIEF), **self._worth(row)}

    def _tried(self, row: Row, *, is_same: bool) -> Row:
        account = self._account_of(row)
        brief = of(self.profiles[row["symbolProfileId"]], BRIEF) | {"currency": row["currency"]}
        profile = brief | {"dataGatheringFrequency": "DAILY", "userId": self._user_id}
        body = of(row, TRIED) | {"tags": tags_of(row), "SymbolProfile": profile, "assetProfile": brief}
        body |= {"account": of(account, "id name"), "accountId": account["id"]} if account else {}
        body |= {"comment": row["comment"]} if row["comment"] is not None else {}
        body |= {"error": {"code": "IS_DUPLICATE"}} if is_same else {}
        return body | self._worth(row)

    @page("POST /api/v1/activities")
    def _create(self, request: Request) -> Page:
        asked = read(request)
        if refusal := self._refusal([asked], ""):
            return refusal
        row = self._row(asked)
        self._store([row])
        return 201, row | {"SymbolProfile": self.profiles[row["symbolProfileId"]]}

    @page("DELETE /api/v1/activities/ID")
    def _delete(self, request: Request) -> Page:
        gone = [row for row in self.activities if request.path.endswith(f"/{row['id']}")]
        if not gone:
            return 404, {"statusCode": 404, "message": "Not Found"}
        self._age()
        self.activities.remove(gone[0])
        return 200, gone[0]

    def _store(self, rows: list[Row]) -> None:
        if rows:
            self._age()
            self.activities += rows
        self._state.notify_all()

    def _age(self) -> None:
        """Have figures stay as they are until the lag of the last of several writes is over."""
        if time.monotonic() >= self._fresh_at:
            self._stale = list(self.activities)
        self._fresh_at = time.monotonic() + self.lag

    def _not_known(self, asked: Row, at: int) -> Iterator[str]:
        source, symbol = asked.get("dataSource") or "MANUAL", asked["symbol"]
        known = {(one["dataSource"], one["symbol"]) for one in self._offered()}
        must = ""
        if source == "MANUAL" and not (UUID.fullmatch(symbol) or symbol.startswith("GF_")):
            must = 'must be a UUID or start with the prefix "GF_" for'
        elif source != "MANUAL" and (source, symbol) not in known:
            must = "is not valid for the specified"
        if must and asked["type"] not in ("FEE", "INTEREST", "LIABILITY"):
            the = "the " if source == "MANUAL" else ""
            yield f'activities.{at}.symbol ("{symbol}") {must} {the}data source ("{source}")'

    def _row(self, asked: Row) -> Row:
        """An activity as it is stored; an account that isn't there is dropped without a word."""
        account = self._account_of(asked)
        profile = self._profile(asked.get("dataSource") or "MANUAL", asked["symbol"], asked["currency"])
        row = of(asked, "currency fee quantity type unitPrice") | {"comment": asked.get("comment")}
        row |= {"date": iso(asked["date"]), "id": str(uuid4()), "symbolProfileId": profile["id"]}
        row |= {"accountId": account and account["id"], "accountUserId": account and self._user_id}
        return row | named(("createdAt updatedAt", now()), ("userId", self._user_id))

    def _account_of(self, row: Row) -> Row | None:
        return next((one for one in self.accounts if one["id"] == row.get("accountId")), None)

    def _profile(self, source: str, symbol: str, currency: str) -> Row:
        for one in self.profiles.values():
            if (one["dataSource"], one["symbol"]) == (source, symbol):
                return one
        fresh = named(
            (NULLS, None), ("createdAt updatedAt", now()), ("symbol name", symbol), ("holdings", [])
        )
        fresh |= {"id": str(uuid4()), "currency": currency, "dataSource": source, "isActive": True}
        fresh |= {"dataGatheringFrequency": "DAILY", "userId": self._user_id}
        return self.profiles.setdefault(fresh["id"], fresh)

    def rate(self, currency: str) -> Decimal:
        """What one of it is worth: nothing where no rate is known, and no error."""
        return self.rates.get(currency, NIL)

    # What it comes to: as it was, for a while after a write

    def _figures(self, named_range: str = "max") -> Figures:
        is_stale = time.monotonic() < self._fresh_at
        rows = self._stale if is_stale else self.activities
        # Until a first import is worked out there is nothing, and no cash either.
        accounts = [] if is_stale and not rows else self.accounts
        return Figures(self, rows, accounts, *span(named_range))

    @page("GET /api/v1/portfolio/details")
    def _details(self, request: Request) -> Page:
        figures = self._figures(request.params.get("range", "max"))
        return 200, {
            "accounts": figures.by_account(),
            "createdAt": now(),
            "hasError": self.has_error or figures.has_unpriced,
            "holdings": {one["assetProfile"]["symbol"]: one for one in figures.holdings()},
            "platforms": {"UNKNOWN": figures.platform()},
            "summary": figures.summary(),
        }

    @page("GET /api/v1/portfolio/holdings")
    def _holdings(self, request: Request) -> Page:
        return 200, {"holdings": self._figures(request.params.get("range", "max")).holdings()}

    @page("GET /api/v2/portfolio/performance")
    def _performance(self, request: Request) -> Page:
        figures = self._figures(request.params.get("range", "max"))
        total = {"currentNetWorth": figures.net_worth, **figures.performance()}
        body = {"chart": figures.chart(), "hasErrors": self.has_errors, "performance": total}
        wrong = [of(self.profiles[ident], "dataSource symbol") for ident in figures.now if self.has_errors]
        first = {"errors": wrong, "dateOfFirstActivity": iso(figures.first - DAY)} if figures.rows else {}
        return 200, body | first

    @page("GET /api/v1/symbol/lookup")
    def _lookup(self, request: Request) -> Page:
        asked = request.params["query"].casefold()
        hits = [one for one in self._offered() if asked in f"{one['symbol']} {one['name']}".casefold()]
        more = {"dataProviderInfo": {"isPremium": False, "name": "Invented"}}
        return 200, {"items": [of(one, f"{BRIEF} assetClass assetSubClass") | more for one in hits]}

    def _offered(self) -> list[Row]:
        """What the sources of data know, unless they are down."""
        return [
            one for one in self.profiles.values() if one["dataSource"] != "MANUAL" and not self.is_lookup_down
        ]

    @page("GET /api/v1/export")
    def _export(self, request: Request) -> Page:
        profiles = [of(one, IN_EXPORT) for one in self.profiles.values()]
        sources = {ident: of(one, "dataSource symbol") for ident, one in self.profiles.items()}
        rows = [of(row, EXPORTED) | sources[row["symbolProfileId"]] | {"tags": []} for row in self.activities]
        return 200, {
            "meta": {"date": now(), "version": "3.58.0"},
            "accounts": [self._exported(one) for one in self.accounts],
            "assetProfiles": [one | named(("countries marketData sectors", [])) for one in profiles],
            "activities": rows,
            "user": {"settings": {"currency": self.base, "performanceCalculationType": "ROAI"}},
            **named(("platforms tags", [])),
        }

    def _exported(self, account: Row) -> Row:
        balances = [{"date": iso(today()), "value": account["balance"]}] if account["balance"] else []
        return of(account, "comment currency id name platformId") | {"balances": balances, "tags": []}

    @page("GET /api/v1/portfolio/report")
    def _report(self, request: Request) -> Page:
        threshold = {"max": 1, "min": 0, "step": 0.01, "unit": "%"}
        rule = {"value": True, "isActive": True, **named(("evaluation key name", "Invented"))}
        more = {"configuration": {"threshold": threshold, **dict.fromkeys(LIMITS, True)}}
        rules = [rule | more, rule, rule]
        categories = [{"key": "invented", "name": "Invented", "rules": rules[:count]} for count in (1, 2, 3)]
        counts = named(("rulesActiveCount rulesFulfilledCount", 6))
        return 200, {"xRay": {"categories": categories, "statistics": counts}}


class Position:
    """What somebody has of one symbol, at its average cost; money in the base currency."""

    def __init__(self) -> None:
        self.quantity = self.cost = self.realised = self.bought = self.sold = self.dividend = self.fees = NIL
        self.dates: list[str] = []

    def book(self, row: Row, amount: Decimal, fee: Decimal) -> None:
        self.dates.append(row["date"])
        self.fees += fee
        if row["type"] == "BUY":
            self.quantity += row["quantity"]
            self.cost += amount
            self.bought += amount
        elif row["type"] == "SELL":
            cost = self.cost * part(row["quantity"], self.quantity)
            self.quantity -= row["quantity"]
            self.cost -= cost
            self.realised += amount - cost
            self.sold += amount
        elif row["type"] == "DIVIDEND":
            self.dividend += amount


class Sums(NamedTuple):
    """What positions come to on a day; gains are all that were ever made, or those since another day."""

    value: Decimal = NIL
    cost: Decimal = NIL
    gross: Decimal = NIL
    net: Decimal = NIL
    put_in: Decimal = NIL

    def since(self, then: Sums) -> Sums:
        put_in = then.value + self.put_in - then.put_in
        return Sums(self.value, self.cost, self.gross - then.gross, self.net - then.net, put_in)

    def gains(self, kind: str, percent: str) -> Row:
        """The gross or net gain, and its part of what was put in, by their names; no effect of a currency."""
        gain, name = getattr(self, kind), f"{kind}Performance"
        share = f"{name}{percent} {name}{percent}WithCurrencyEffect"
        return named((f"{name} {name}WithCurrencyEffect", gain), (share, part(gain, self.put_in)))


class Figures:
    """What activities and cash come to within a range of days; drafts, of the future, count nowhere."""

    def __init__(
        self, twin: GhostfolioTwin, rows: list[Row], accounts: list[Row], begin: date, end: date
    ) -> None:
        self.twin, self.accounts, self.begin, self.end = twin, accounts, begin, end
        self.rows = sorted((row for row in rows if day(row) <= today()), key=lambda row: row["date"])
        self.first = day(self.rows[0]) if self.rows else today()
        self.prices = {ident: dict(twin.prices[one["symbol"]]) for ident, one in twin.profiles.items()}
        for row in self.rows:
            if row["type"] in ("BUY", "SELL"):
                self.prices[row["symbolProfileId"]].setdefault(day(row), row["unitPrice"])
        self.before, self.now = (self._booked({}, self._until(last)) for last in (begin - DAY, end))
        self.then = self._sums(self.before, begin - DAY)
        self.sums = self._sums(self.now, end).since(self.then)
        self.cash = sum(map(self.cash_of, accounts), NIL)
        self.net_worth = self.sums.value + self.cash
        held = (twin.profiles[ident]["symbol"] for ident, one in self.now.items() if one.quantity)
        self.has_unpriced = not all(twin.prices[symbol] for symbol in held)

    def _until(self, last: date) -> list[Row]:
        return self.rows[: bisect_right(self.rows, last, key=day)]

    def _booked(self, positions: dict[str, Position], rows: list[Row]) -> dict[str, Position]:
        for row in rows:
            fee = row["fee"] * self.twin.rate(row["currency"])
            positions.setdefault(row["symbolProfileId"], Position()).book(row, self.amount(row), fee)
        return positions

    def _sums(self, positions: Mapping[str, Position], on: date) -> Sums:
        value = sum((self.value(ident, one.quantity, on) for ident, one in positions.items()), NIL)
        names = ("cost", "realised", "fees", "bought")
        cost, realised, fees, bought = (self._sum(name, positions) for name in names)
        gross = value - cost + realised
        return Sums(value, cost, gross, gross - fees, bought)

    def _sum(self, name: str, positions: Mapping[str, Position]) -> Decimal:
        return sum((getattr(one, name) for one in positions.values()), NIL)

    def amount(self, row: Row) -> Decimal:
        return row["quantity"] * row["unitPrice"] * self.twin.rate(row["currency"])

    def paid(self, kind: str, rows: Iterable[Row]) -> Decimal:
        return sum((self.amount(row) for row in rows if row["type"] == kind), NIL)

    def value(self, ident: str, quantity: Decimal, on: date) -> Decimal:
        return quantity * self.price(ident, on) * self.twin.rate(self.twin.profiles[ident]["currency"])

    def price(self, ident: str, on: date) -> Decimal:
        """The price of a day: between two that are known it glides from one to the other."""
        known = self.prices[ident] or {on: NIL}
        earlier = max((one for one in known if one <= on), default=min(known))
        later = min((one for one in known if one >= on), default=earlier)
        share = part(Decimal((on - earlier).days), Decimal((later - earlier).days))
        return known[earlier] + round((known[later] - known[earlier]) * share, 4)

    def cash_of(self, account: Row) -> Decimal:
        return account["balance"] * self.twin.rate(account["currency"])

    def worth_of(self, account: Row | None) -> Decimal:
        """Cash and what is held in an account; None: what is in no account."""
        ident = account and account["id"]
        held = self._booked({}, [row for row in self._until(self.end) if row["accountId"] == ident])
        return self._sums(held, self.end).value + (self.cash_of(account) if account else NIL)

    def holdings(self) -> list[Row]:
        held = [self._holding(ident, one) for ident, one in self.now.items() if one.quantity]
        cash: dict[str, Decimal] = defaultdict(Decimal)
        for account in self.accounts:
            cash[account["currency"]] += account["balance"]
        return held + [self._cash(currency, balance) for currency, balance in cash.items() if balance]

    def _holding(self, ident: str, position: Position) -> Row:
        then = {ident: self.before[ident]} if ident in self.before else {}
        sums = self._sums({ident: position}, self.end).since(self._sums(then, self.begin - DAY))
        profile = of(self.twin.profiles[ident], f"{CASH} isin url") | named(("countries sectors", []))
        row = {"activitiesCount": len(position.dates), "dateOfFirstActivity": position.dates[0]}
        row |= {"marketPrice": self.price(ident, self.end), "assetProfile": profile}
        return row | of(vars(position), "quantity dividend") | self._worth(sums)

    def _cash(self, currency: str, balance: Decimal) -> Row:
        profile = {"assetClass": "LIQUIDITY", "assetSubClass": "CASH", "dataSource": "YAHOO"}
        profile |= named(("currency name symbol", currency), ("countries holdings sectors", []))
        row = {"activitiesCount": 1, "dateOfFirstActivity": iso(today()), "marketPrice": 1, "dividend": 0}
        value = balance * self.twin.rate(currency)
        return row | {"assetProfile": profile, "quantity": balance} | self._worth(Sums(value, value))

    def _worth(self, sums: Sums) -> Row:
        row = {"investment": sums.cost, "valueInBaseCurrency": sums.value, "tags": []}
        row |= {"allocationInPercentage": part(sums.value, self.net_worth)}
        return row | sums.gains("gross", "Percent") | sums.gains("net", "Percent")

    def by_account(self) -> Row:
        rows = {one["id"]: of(one, "balance currency name") for one in self.accounts}
        for one in self.accounts:
            rows[one["id"]]["valueInBaseCurrency"] = self.worth_of(one)
        if any(row["accountId"] is None for row in self.rows):
            rows["UNKNOWN"] = {"balance": 0, "valueInBaseCurrency": self.worth_of(None)}
        return rows

    def platform(self) -> Row:
        return {"balance": self.cash, "currency": self.twin.base, "valueInBaseCurrency": self.net_worth}

    def summary(self) -> Row:
        bought, sold, fees = (self._sum(name, self.now) for name in ("bought", "sold", "fees"))
        all_of = "filteredValue totalAssets totalValue".replace(" ", "InBaseCurrency ") + "InBaseCurrency"
        annual = "annualizedPerformancePercent annualizedPerformancePercentWithCurrencyEffect"
        gross = self.sums.gains("gross", "Percentage")
        return {
            **self.performance(),
            **of(gross, "grossPerformance grossPerformanceWithCurrencyEffect"),
            **named((all_of, self.net_worth), ("cash totalCashInBaseCurrency", self.cash)),
            **named((annual, part(self.sums.net, self.sums.put_in)), ("excludedAccountsAndActivities", 0)),
            "dateOfFirstActivity": self.rows[0]["date"] if self.rows else None,
            "totalBuy": bought,
            "totalSell": sold,
            "fees": fees,
            "activityCount": len(self.rows),
            "dividendInBaseCurrency": self.paid("DIVIDEND", self.rows),
            "interestInBaseCurrency": self.paid("INTEREST", self.rows),
            "liabilitiesInBaseCurrency": self.paid("LIABILITY", self.rows),
            "emergencyFund": named(("assets cash total", 0)),
            "filteredValueInPercentage": 1,
            "fireWealth": {"today": {"valueInBaseCurrency": self.net_worth}},
        }

    def performance(self) -> Row:
        invested = named(("totalInvestment totalInvestmentValueWithCurrencyEffect", self.sums.cost))
        value = {"currentValueInBaseCurrency": self.sums.value}
        return self.sums.gains("net", "Percentage") | invested | value

    def chart(self) -> list[Row]:
        """A point a day, or for more than a year every few days; the last day always."""
        begin = max(self.begin, self.first - DAY)
        days = (self.end - begin).days
        stride = max(1, -(-days // 365))
        return list(self._points(begin, [*range(0, days, stride), days])) if self.rows else []

    def _points(self, begin: date, offsets: list[int]) -> Iterator[Row]:
        positions: dict[str, Position] = {}
        done, cost = 0, self.then.cost
        for on in (begin + timedelta(offset) for offset in offsets):
            due = len(self._until(on))
            sums = self._sums(self._booked(positions, self.rows[done:due]), on).since(self.then)
            yield self._point(on, sums, sums.cost - cost)
            done, cost = due, sums.cost

    def _point(self, on: date, sums: Sums, invested: Decimal) -> Row:
        share = "netPerformanceInPercentage netPerformanceInPercentageWithCurrencyEffect"
        return {"date": on.isoformat()} | named(
            (share, part(sums.net, sums.put_in)),
            ("netPerformance netPerformanceWithCurrencyEffect", sums.net),
            ("investmentValueWithCurrencyEffect", invested),
            ("netWorth", sums.value + self.cash),
            ("totalCashInBaseCurrency", self.cash),
            ("totalInvestment totalInvestmentValueWithCurrencyEffect", sums.cost),
            ("value valueWithCurrencyEffect", sums.value),
        )


class DeletingExchange(Exchange):
    do_DELETE = Exchange.do_GET  # noqa: N815 - the name that http.server looks for


def named(*pairs: tuple[str, Any]) -> Row:
    """Each value by all of its names."""
    return {name: value for names, value in pairs for name in names.split()}


def of(row: Row, names: str) -> Row:
    return {name: row[name] for name in names.split()}


def exact(number: Number) -> Decimal:
    return Decimal(str(number))


def part(value: Decimal, whole: Decimal) -> Decimal:
    return value / whole if whole else NIL


def plain(number: Decimal) -> int | float:
    """Write an amount as JavaScript does: a number, without a point where it is whole."""
    return int(number) if number == number.to_integral_value() else float(number)


def read(request: Request) -> Row:
    return json.loads(request.raw, parse_float=Decimal, parse_int=Decimal)


def refused(messages: list[str]) -> Page:
    return 400, {"message": messages, "error": "Bad Request", "statusCode": 400}


def wrong_in(asked: Row, at: str) -> Iterator[str]:
    """What an activity is refused for."""
    yield from (f"{at}property {name} should not exist" for name in asked if name not in FIELDS.split())
    if not re.fullmatch("[A-Z]{3}", str(asked.get("currency"))):
        yield f"{at}currency must be a valid ISO4217 currency code"
    if moment(asked.get("date")) is None:
        yield f"{at}date must be a valid ISO 8601 date string"
    for name in NUMBERS:
        number = asked.get(name)
        if not isinstance(number, Decimal) or number < 0:
            yield f"{at}{name} must not be less than 0"
        if not isinstance(number, Decimal):
            yield f"{at}{name} must be a number conforming to the specified constraints"
    if not isinstance(asked.get("symbol"), str):
        yield f"{at}symbol must be a string"
    if asked.get("type") not in KINDS:
        yield f"{at}type must be one of the following values: {', '.join(KINDS)}"


def alike(row: Row) -> tuple[Any, ...]:
    return (row["date"][:19], *of(row, SAME).values())


def tags_of(row: Row) -> list[Row]:
    return [DRAFT] if day(row) > today() else []


def span(said: str) -> tuple[date, date]:
    """The first and last day of a range: 1d, wtd, mtd, ytd, 1y, 5y, max or a year."""
    last = today()
    if said.isdigit():
        return date(int(said), 1, 1), min(date(int(said), 12, 31), last)
    begins = {"1d": last, "wtd": last - last.weekday() * DAY, "mtd": last.replace(day=1)}
    begins |= {"ytd": last.replace(month=1, day=1), "1y": last - 365 * DAY, "5y": last - 1826 * DAY}
    begins |= {"max": date(1970, 1, 2)}
    return begins[said], last


def moment(said: object) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def iso(said: object) -> str:
    return f"{moment(said):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def now() -> str:
    return iso(datetime.now(UTC))


def today() -> date:
    return datetime.now(UTC).date()


def day(row: Row) -> date:
    return date.fromisoformat(row["date"][:10])
