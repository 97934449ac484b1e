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

Rows and cash make the net worth, shares are parts of it, the gains of the rows are the performance. Of each
page it has what Jarvis reads, as recorded: scripts/check_ghostfolio holds it to that. A time-weighted
percentage is not worked out: gains are parts of what was put in.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import uuid4

from .faults import Html, Raw, Reset, Stall
from .wire import Exchange, Request, Step, Twin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Page = tuple[int, Any]
    Number = int | float | str | Decimal
    Row = dict[str, Any]

TOKEN = "access-token-of-the-tests"
NIL, DAY = Decimal(0), timedelta(1)
KINDS = ("BUY", "DIVIDEND", "FEE", "INTEREST", "LIABILITY", "SELL")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
NUMBERS = ("fee", "quantity", "unitPrice")
STORED = "currency fee quantity type unitPrice"
FIELDS = f"{STORED} accountId comment dataSource date symbol"
SAME = "symbolProfileId type fee quantity unitPrice currency comment"  # never the account
ACCOUNT = "currency id name"
FILTERS = {"range", "skip", "sortColumn", "sortDirection", "take"}
PROFILE = "assetSubClass currency dataSource isin name symbol"
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
OPEN = ("GET /api/v1/health", "POST /api/v1/auth/anonymous")


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
        self.has_errors = False  # what /performance says, of each symbol
        self.happened: list[str] = []  # the faults, by their names
        self.activities: list[Row] = []
        self.accounts: list[Row] = []
        self.profiles: dict[str, Row] = {}  # by their ids
        self.prices: dict[str, dict[date, Decimal]] = defaultdict(dict)  # by symbol
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
        fresh = {"id": str(uuid4()), "name": name, "currency": currency or self.base, "balance": exact(cash)}
        self.accounts.append(fresh)
        self.accounts.sort(key=lambda one: one["name"])
        return fresh["id"]

    def quotes(self, symbol: str, name: str, price: Number, **more: Any) -> None:
        """Have the lookup find it at that price. more: currency; before: prices by day, it glides between."""
        profile = self._profile("YAHOO", symbol, more.get("currency", self.base))
        profile.update(name=name, assetSubClass="ETF")
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

    def exported(self) -> str:
        """The file that its own export of all activities gives."""
        profiles = {ident: of(one, "dataSource symbol") for ident, one in self.profiles.items()}
        names = f"{STORED} accountId comment date"
        rows = [of(row, names) | profiles[row["symbolProfileId"]] for row in self.activities]
        return json.dumps({"accounts": self.accounts, "activities": rows}, default=plain)

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
            message = f"Cannot {request.method} {request.path}"
            return 404, {"message": message, "error": "Not Found", "statusCode": 404}
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if called not in OPEN and token not in self._tokens:
            return 401, UNAUTHORIZED
        return PAGES[called](self, request)

    @page("GET /api/v1/health")
    def _health(self, request: Request) -> Page:
        return 200, {"status": "OK"}

    @page("POST /api/v1/auth/anonymous")
    def _log_in(self, request: Request) -> Page:
        if read(request)["accessToken"] != TOKEN:
            return 403, {"statusCode": 403, "message": "Forbidden"}
        self._tokens.add(token := f"jwt-{uuid4()}")
        return 201, {"authToken": token}

    @page("GET /api/v1/user")
    def _user(self, request: Request) -> Page:
        return 200, {
            "accounts": [of(one, ACCOUNT) for one in self.accounts],
            "settings": {"baseCurrency": self.base},
        }

    @page("GET /api/v1/symbol/lookup")
    def _lookup(self, request: Request) -> Page:
        asked = request.params["query"].casefold()
        hits = [one for one in self._offered() if asked in f"{one['symbol']} {one['name']}".casefold()]
        return 200, {"items": [of(one, "assetSubClass currency dataSource name symbol") for one in hits]}

    def _offered(self) -> list[Row]:
        """What the sources of data know, unless they are down."""
        known = [one for one in self.profiles.values() if one["dataSource"] != "MANUAL"]
        return [] if self.is_lookup_down else known

    # Activities: true at once

    @page("GET /api/v1/activities")
    def _listed(self, request: Request) -> Page:
        asked, rows = request.params, list(self.activities)
        if strange := [f"property {name} should not exist" for name in {*asked} - FILTERS]:
            return 400, {"message": strange, "error": "Bad Request", "statusCode": 400}
        rows.sort(
            key=lambda row: row[asked.get("sortColumn", "date")], reverse=asked.get("sortDirection") == "desc"
        )
        skip = int(asked.get("skip", 0))
        pages = [self._full(row) for row in rows[skip : skip + int(asked.get("take", len(rows)))]]
        return 200, {"activities": pages, "count": len(rows)}

    def _full(self, row: Row) -> Row:
        value, account = row["quantity"] * row["unitPrice"], self._account_of(row)
        worth = {"value": value, "valueInBaseCurrency": value * self.rate(row["currency"])}
        worth |= {"account": account and of(account, ACCOUNT)}
        return row | worth | {"SymbolProfile": self.profiles[row["symbolProfileId"]]}

    @page("POST /api/v1/import")
    def _import(self, request: Request) -> Page:
        asked = read(request)["activities"]
        wrong = [what for place, one in enumerate(asked) for what in wrong_in(one, f"activities.{place}.")]
        wrong = wrong or [what for place, one in enumerate(asked) for what in self._not_known(one, place)]
        if wrong:
            return 400, {"message": wrong, "error": "Bad Request"}
        stored = {alike(row) for row in self.activities}
        rows = [row for row in map(self._row, asked) if alike(row) not in stored]
        if self.gap:
            self._state.notify_all()
            self._state.wait(self.gap)  # lets others in
        kept = rows[: len(rows) // 2] if request.is_half else rows
        if kept:
            self._age()
            self.activities += kept
        self._state.notify_all()
        return 201, {"activities": rows}

    @page("DELETE /api/v1/activities/ID")
    def _delete(self, request: Request) -> Page:
        gone = [row for row in self.activities if request.path.endswith(f"/{row['id']}")]
        if not gone:
            return 404, {"statusCode": 404, "message": "Not Found"}
        self._age()
        self.activities.remove(gone[0])
        return 200, gone[0]

    def _age(self) -> None:
        """Have figures stay as they are until the lag of the last of several writes is over."""
        if time.monotonic() >= self._fresh_at:
            self._stale = list(self.activities)
        self._fresh_at = time.monotonic() + self.lag

    def _not_known(self, asked: Row, at: int) -> Iterator[str]:
        source, symbol = asked.get("dataSource") or "MANUAL", asked["symbol"]
        known = [(one["dataSource"], one["symbol"]) for one in self._offered()]
        is_own = UUID.fullmatch(symbol) or symbol.startswith("GF_")
        if not (is_own if source == "MANUAL" else (source, symbol) in known):
            why = f'is not valid for the specified data source ("{source}")'
            yield f'activities.{at}.symbol ("{symbol}") {why}'

    def _row(self, asked: Row) -> Row:
        """An activity as it is stored; an account that isn't there is dropped without a word."""
        account = self._account_of(asked)
        profile = self._profile(asked.get("dataSource") or "MANUAL", asked["symbol"], asked["currency"])
        row = of(asked, STORED) | {"comment": asked.get("comment"), "accountId": account and account["id"]}
        return row | {"date": iso(asked["date"]), "id": str(uuid4()), "symbolProfileId": profile["id"]}

    def _account_of(self, row: Row) -> Row | None:
        return next((one for one in self.accounts if one["id"] == row.get("accountId")), None)

    def _profile(self, source: str, symbol: str, currency: str) -> Row:
        for one in self.profiles.values():
            if (one["dataSource"], one["symbol"]) == (source, symbol):
                return one
        fresh = {
            "id": str(uuid4()),
            "currency": currency,
            "dataSource": source,
            "symbol": symbol,
            "name": symbol,
        }
        return self.profiles.setdefault(fresh["id"], fresh | {"isin": None, "assetSubClass": None})

    def rate(self, currency: str) -> Decimal:
        """What one of it is worth: nothing where no rate is known, and no error."""
        return self.rates.get(currency, NIL)

    # What it comes to: as it was, for a while after a write

    def _figures(self, request: Request) -> Figures:
        is_stale = time.monotonic() < self._fresh_at
        rows = self._stale if is_stale else self.activities
        # Until a first import is worked out there is nothing, and no cash either.
        accounts = [] if is_stale and not rows else self.accounts
        return Figures(self, rows, accounts, *span(request.params.get("range", "max")))

    @page("GET /api/v1/portfolio/details")
    def _details(self, request: Request) -> Page:
        figures = self._figures(request)
        return 200, {
            "accounts": figures.by_account(),
            "hasError": figures.has_unpriced,
            "holdings": {one["assetProfile"]["symbol"]: one for one in figures.holdings()},
            "summary": figures.summary(),
        }

    @page("GET /api/v2/portfolio/performance")
    def _performance(self, request: Request) -> Page:
        figures = self._figures(request)
        wrong = [of(self.profiles[ident], "dataSource symbol") for ident in figures.now if self.has_errors]
        total = {"netPerformance": figures.sums.net, "netPerformancePercentage": figures.sums.share}
        return 200, {
            "chart": figures.chart(),
            "hasErrors": self.has_errors,
            "performance": total,
            **({"errors": wrong} if figures.rows else {}),
        }


class Position:
    """What somebody has of one symbol, at its average cost; money in the base currency."""

    quantity = cost = realised = bought = fees = NIL

    def book(self, row: Row, amount: Decimal, fee: Decimal) -> None:
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


class Sums(NamedTuple):
    """What positions come to on a day; gains are all that were ever made, or those since another day."""

    value: Decimal = NIL
    net: Decimal = NIL
    put_in: Decimal = NIL

    @property
    def share(self) -> Decimal:
        return part(self.net, self.put_in)

    def since(self, then: Sums) -> Sums:
        return Sums(self.value, self.net - then.net, then.value + self.put_in - then.put_in)


class Figures:
    """What activities and cash come to within a range of days; drafts, of the future, count nowhere."""

    def __init__(
        self, twin: GhostfolioTwin, rows: list[Row], accounts: list[Row], begin: date, end: date
    ) -> None:
        self.twin, self.accounts, self.begin, self.end = twin, accounts, begin, end
        self.rows = sorted((row for row in rows if day(row) <= today()), key=lambda row: row["date"])
        self.prices = {ident: dict(twin.prices[one["symbol"]]) for ident, one in twin.profiles.items()}
        for row in self.rows:
            if row["type"] in ("BUY", "SELL"):
                self.prices[row["symbolProfileId"]].setdefault(day(row), row["unitPrice"])
        self.before, self.now = (self._booked(self.rows, last) for last in (begin - DAY, end))
        self.then = self._sums(self.before, begin - DAY)
        self.sums = self._sums(self.now, end).since(self.then)
        self.cash = sum(map(self._cash_of, accounts), NIL)
        self.net_worth = self.sums.value + self.cash
        held = (twin.profiles[ident]["symbol"] for ident, one in self.now.items() if one.quantity)
        self.has_unpriced = not all(twin.prices[symbol] for symbol in held)

    def _booked(self, rows: Iterable[Row], last: date) -> dict[str, Position]:
        positions: dict[str, Position] = defaultdict(Position)
        for row in rows:
            if day(row) <= last:
                rate = self.twin.rate(row["currency"])
                amount = row["quantity"] * row["unitPrice"] * rate
                positions[row["symbolProfileId"]].book(row, amount, row["fee"] * rate)
        return positions

    def _sums(self, positions: dict[str, Position], on: date) -> Sums:
        values = [
            one.quantity * self._price(ident, on) * self._rate(ident) for ident, one in positions.items()
        ]
        net = [one.realised - one.cost - one.fees for one in positions.values()]
        return Sums(
            sum(values, NIL), sum(values + net, NIL), sum((one.bought for one in positions.values()), NIL)
        )

    def _rate(self, ident: str) -> Decimal:
        return self.twin.rate(self.twin.profiles[ident]["currency"])

    def _price(self, ident: str, on: date) -> Decimal:
        """The price of a day: between two that are known it glides from one to the other."""
        known = self.prices[ident] or {on: NIL}
        earlier = max((one for one in known if one <= on), default=min(known))
        later = min((one for one in known if one >= on), default=earlier)
        share = part(Decimal((on - earlier).days), Decimal((later - earlier).days))
        return known[earlier] + round((known[later] - known[earlier]) * share, 4)

    def _cash_of(self, account: Row) -> Decimal:
        return account["balance"] * self.twin.rate(account["currency"])

    def holdings(self) -> list[Row]:
        held = [self._holding(ident, one) for ident, one in self.now.items() if one.quantity]
        cash: dict[str, Decimal] = defaultdict(Decimal)
        for account in self.accounts:
            cash[account["currency"]] += account["balance"]
        return held + [self._cash(currency, balance) for currency, balance in cash.items() if balance]

    def _holding(self, ident: str, position: Position) -> Row:
        then = {ident: self.before[ident]} if ident in self.before else {}
        sums = self._sums({ident: position}, self.end).since(self._sums(then, self.begin - DAY))
        row = {"marketPrice": self._price(ident, self.end), "quantity": position.quantity}
        return row | {"assetProfile": of(self.twin.profiles[ident], PROFILE)} | self._worth(sums)

    def _cash(self, currency: str, balance: Decimal) -> Row:
        profile = dict.fromkeys(("currency", "name", "symbol"), currency) | {"assetSubClass": "CASH"}
        value = Sums(balance * self.twin.rate(currency))
        return {"assetProfile": profile, "marketPrice": 1, "quantity": balance} | self._worth(value)

    def _worth(self, sums: Sums) -> Row:
        return {
            "valueInBaseCurrency": sums.value,
            "allocationInPercentage": part(sums.value, self.net_worth),
            "netPerformance": sums.net,
            "netPerformancePercentWithCurrencyEffect": sums.share,
        }

    def by_account(self) -> Row:
        """Cash and what is held in each account, and what is held in none."""
        rows = {one["id"]: of(one, "name") for one in self.accounts}
        rows |= {"UNKNOWN": {}} if any(row["accountId"] is None for row in self.rows) else {}
        for ident, row in rows.items():
            own = [each for each in self.rows if (each["accountId"] or "UNKNOWN") == ident]
            cash = sum((self._cash_of(one) for one in self.accounts if one["id"] == ident), NIL)
            row["valueInBaseCurrency"] = self._sums(self._booked(own, self.end), self.end).value + cash
        return rows

    def summary(self) -> Row:
        return {
            "totalValueInBaseCurrency": self.net_worth,
            "totalCashInBaseCurrency": self.cash,
            "excludedAccountsAndActivities": 0,
            "liabilitiesInBaseCurrency": 0,
            "netPerformance": self.sums.net,
        }

    def chart(self) -> list[Row]:
        """A point a day, or for more than a year every few days; the last day always."""
        if not self.rows:
            return []
        begin = max(self.begin, day(self.rows[0]) - DAY)
        days = (self.end - begin).days
        stride = max(1, -(-days // 365))
        return [self._point(begin + timedelta(offset)) for offset in [*range(0, days, stride), days]]

    def _point(self, on: date) -> Row:
        sums = self._sums(self._booked(self.rows, on), on).since(self.then)
        return {
            "date": on.isoformat(),
            "netPerformanceInPercentageWithCurrencyEffect": sums.share,
            "netPerformanceWithCurrencyEffect": sums.net,
            "netWorth": sums.value + self.cash,
        }


class DeletingExchange(Exchange):
    do_DELETE = Exchange.do_GET  # noqa: N815 - the name that http.server looks for


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


def wrong_in(asked: Row, at: str) -> Iterator[str]:
    """What an activity is refused for."""
    yield from (f"{at}property {name} should not exist" for name in asked if name not in FIELDS.split())
    if not re.fullmatch("[A-Z]{3}", str(asked.get("currency"))):
        yield f"{at}currency must be a valid ISO4217 currency code"
    for name in NUMBERS:
        if not isinstance(asked.get(name), Decimal) or asked[name] < 0:
            yield f"{at}{name} must not be less than 0"
    if asked.get("type") not in KINDS:
        yield f"{at}type must be one of the following values: {', '.join(KINDS)}"


def alike(row: Row) -> tuple[Any, ...]:
    return (row["date"][:19], *of(row, SAME).values())


def span(said: str) -> tuple[date, date]:
    """The first and last day of a range: 1d, wtd, mtd, ytd, 1y, 5y or max."""
    last = today()
    begins = {"1d": last, "wtd": last - last.weekday() * DAY, "mtd": last.replace(day=1)}
    begins |= {"ytd": last.replace(month=1, day=1), "1y": last - 365 * DAY, "5y": last - 1826 * DAY}
    begins |= {"max": date(1970, 1, 2)}
    return begins[said], last


def iso(said: str) -> str:
    parsed = datetime.fromisoformat(said)
    moment = parsed.astimezone(UTC) if parsed.tzinfo else parsed
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def today() -> date:
    return datetime.now(UTC).date()


def day(row: Row) -> date:
    return date.fromisoformat(row["date"][:10])
