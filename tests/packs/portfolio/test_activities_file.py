"""A file of activities is read as it was by hand, here; what is not sure is refused by its line."""

from __future__ import annotations

import json
import random
import re

import pytest

from jarvis.core.errors import UsageError
from jarvis.packs.portfolio.activities_file import read_activities

LMP = {"quantity": 1, "type": "BUY", "unitPrice": 1, "date": "2024-05-01T00:00:00.000Z", "symbol": "LMP"}
FULL = LMP | {"currency": "USD", "dataSource": "YAHOO", "tags": [], "accountId": "a-1", "comment": "a\nb"}
FEE = {"type": "FEE", "fee": 49, "quantity": 0, "unitPrice": 0, "accountId": "a-2",
       "date": "2024-04-01T23:59:59.000Z"}  # fmt: skip
OTHERS = ({"quantity": 0.25}, {"quantity": 1e-8}, {"type": "ITEM"}, {"quantity": True}, {"quantity": -1})
ACTIVITIES = [FULL | {"fee": 1.5, "unitPrice": 100.125}, FULL | FEE, *(LMP | each for each in OTHERS), "LMP"]
EXPORT = {"accounts": [{"id": "a-1", "name": "Broker A"}], "activities": ACTIVITIES}
# By name: a file, what it has (line kind symbol quantity price day fee currency time account comment), and
# what is refused of it, with a part of the reason.
FILES: dict[str, tuple[str | bytes, list[str], dict[int, str]]] = {
    "a German bank": (
        "Buchungstag;Uhrzeit;Typ;ISIN;Stück;Kurs (EUR);Gebühren;Notiz\r\n"
        '31.01.2026;14:03;Kauf;XX0011223344;1.234,5;112,30 €;-1,50;"erste\r\nRate"\r\n'
        "30.01.2026;09:15:07;Verkauf;XX0011223344;-5;1.112,30;-0,99;\r\n\r\n"
        "31.02.2026;;Kauf;XX0011223344;5;112,30;;\r\nn/a;;Kauf;XX0011223344;5;112,30;;\r\n"
        "28.01.2026;;Einzahlung;;;;;\r\n27.01.2026;;Ausschüttung;XX0011223344;10;0,25;;\r\nSumme;;;;;1,00;;\r\n",
        ["3 BUY XX0011223344 1234.5 112.3 2026-01-31 1.5 EUR 14:03:00 - erste Rate",
         "4 SELL XX0011223344 5 1112.3 2026-01-30 0.99 EUR 09:15:07 - -",
         "9 DIVIDEND XX0011223344 10 0.25 2026-01-27 0 EUR - - -"],
        {6: "no date in “31.02.2026”", 7: "no date in “n/a”", 8: "“Einzahlung”", 10: "no date in “Summe”"}),
    "a broker of the USA": (
        '"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"\n'
        '"01/31/2026","Buy","LMP","LAMPS INC","1,200","$1,190.10","$4.95","-$1,428,124.95"\n'
        '"02/03/2026","Cash Dividend","LMP","LAMPS INC","","","","$12.34"\n'
        '"02/04/2026","Sell","LMP","LAMPS INC","-3","$190","",""\n'
        '"02/05/2026","Sell","LMP","LAMPS INC","(3)","$190","",""\n'
        '"Transactions Total","","","","","","","$1.00"\n',
        ["2 BUY LMP 1200 1190.1 2026-01-31 4.95 - - - -", "3 DIVIDEND LMP 1 12.34 2026-02-03 0 - - - -",
         "4 SELL LMP 3 190 2026-02-04 0 - - - -"],
        {5: "no number in “(3)”", 6: "no date in “Transactions Total”"}),
    "an app": (
        "Action,Time,Ticker,No. of shares,Price / share,Currency (Price / share),Total,Currency (Total)\n"
        "Market buy,2026-01-31 14:03:22.5,LMP,0.123456789,190.10,USD,21.33,EUR\n"
        "Limit sell,2026-02-01 08:00:00,LMP,1.5,1234.5,GBX,15.1,EUR\n"
        "Dividend (Ordinary),2026-02-02 00:00:00,LMP,2,0.25,usd,0.45,EUR\n"
        "Deposit,2026-02-03 08:00:00,,,,,100,EUR\n",
        ["2 BUY LMP 0.123456789 190.1 2026-01-31 0 USD 14:03:22 - -",
         "4 DIVIDEND LMP 2 0.25 2026-02-02 0 USD - - -"],
        {3: "its currency isn't clear: GBX", 5: "“Deposit” isn't one of"}),
    "a flex query": (
        "ClientAccountID,CurrencyPrimary,Symbol,TradeDate,Quantity,TradePrice,IBCommission,Buy/Sell\n"
        "U-1,USD,LMP,20260131,3,190.1,-1.00,BUY\nU-1,USD,LMP,20260131;140300,-3,190.1,-1,SELL\n"
        "U-1,USD,LMP,20260201,-3,190.1,-1,BUY\n",
        ["2 BUY LMP 3 190.1 2026-01-31 1 USD - U-1 -", "3 SELL LMP 3 190.1 2026-01-31 1 USD 14:03:00 U-1 -"],
        {4: "its quantity is negative"}),
    "a neobroker": (
        "date;time;status;reference;type;isin;shares;price;amount;fee;currency\n"
        "2026-01-31;14:03:22;Executed;R1;Savings plan;XX11;0,523;95,60;-50,00;0,00;EUR\n"
        "2026-01-31;14:03:22;Cancelled;R2;Buy;XX11;1;95,60;-95,60;0,99;EUR\n"
        "2026-02-01;08:00:00;Executed;R3;Distribution;XX11;;;7,21;0,00;EUR\n"
        "2026-02-02;08:00:00;Executed;R4;Distribution;XX11;;;-7,21;0,00;EUR\n",
        ["2 BUY XX11 0.523 95.6 2026-01-31 0 EUR 14:03:22 - -",
         "4 DIVIDEND XX11 1 7.21 2026-02-01 0 EUR 08:00:00 - -"],
        {3: "it is “Cancelled”", 5: "its price is negative"}),
    "Ghostfolio's own": (
        json.dumps(EXPORT),
        ["1 BUY LMP 1 100.125 2024-05-01 1.5 USD - Broker A a b",
         "2 FEE LMP 0 0 2024-04-01 49 USD 23:59:59 a-2 a b", "3 BUY LMP 0.25 1 2024-05-01 0 - - - -"],
        {4: "“1e-08”", 5: "“ITEM” isn't one of", 6: "no quantity", 7: "is negative", 8: "no date"}),
    "no type, UTF-16, tabs": (
        "Date\tShares\tSymbol\tPrice\n2026-01-31\t3\tLMP\t100\n2026-02-01\t-4\tLMP\t25\n".encode("utf-16"),
        ["2 BUY LMP 3 100 2026-01-31 0 - - - -", "3 SELL LMP 4 25 2026-02-01 0 - - - -"], {}),
    "windows-1252, bars": (
        ("Währung|Stück|Kurs|Datum|Wertpapier\nchf|2|1'234.50|31.1.2026|Müller\n"
         "£|2|5|2026/01/31|Ä\nxyz|2|5|01.02.2026|Ä\n£|2|5|31 Jan 2026|Ä").encode("cp1252"),
        ["2 BUY Müller 2 1234.5 2026-01-31 0 CHF - - -", "3 BUY Ä 2 5 2026-01-31 0 GBP - - -"],
        {4: "its currency isn't clear: xyz", 5: "no date in “31 Jan 2026”"}),
    "formulas, and the same twice": (
        "date,time,symbol,quantity,price,comment\n2026-01-31,,A,+5,+1.5,-3\n2026-01-31,,=A1,5,1,\n"
        "2026-01-31,,A,5,1,@SUM(1)\n2026-01-31,,A,5,1,+1+cmd|x\n2026-01-31,,A,5,1,\"\t=x\"\n"
        "2026-01-31,,A,5,1,+A1\n2026-01-31,,A,5,1.50,-3\n2026-01-31,10:00,A,5,1.5,-3\n2026-01-31,,A,1,5,2,3\n",
        ["2 BUY A 5 1.5 2026-01-31 0 - - - -3", "9 BUY A 5 1.5 2026-01-31 0 - 10:00:00 - -3"],
        {**dict.fromkeys(range(3, 8), "one of its cells is a formula"), 8: "the same as line 2",
         10: "it has more or fewer cells than the header"}),
    "two currencies": (
        "date,symbol,quantity,price (EUR),fee,currency\n2026-02-01,A,1,2,1,USD\n2026-02-01,B,1,2,$1,\n"
        "2026-02-01,C,1,2,,\n2026-02-01,D,1,2,1,GBp\n",
        ["4 BUY C 1 2 2026-02-01 0 EUR - - -"],
        {2: "clear: USD, EUR", 3: "clear: EUR, $", 5: "clear: GBp, EUR"}),
}  # fmt: skip
# By the days, and by the quantities, in the rows of a file: what each is, or a part of why it is refused.
BY_DAYS = {
    "01/02/2026 13/02/2026 31/02/2026": ["2026-02-01", "2026-02-13", "no date in “31/02/2026”"],
    "01/02/2026 02/13/2026 05/05/2026": ["2026-01-02", "2026-02-13", "2026-05-05"],
    "01/02/2026 05/05/2026": ["“01/02/2026” could be two", "2026-05-05"],
    "20260131 2026/01/31 31.1.2026": ["2026-01-31"] * 3,
}
BY_NUMBERS = {
    "1,234 1.234,5 1'234": ["1.234", "1234.5", "1234"],
    "1,234 1.234": ["1234", "1.234"],
    "NaN inf 1.2.3 5_% --5 (5 _ 0 1e5 ٣": ["“NaN”", "“inf”", "“1.2.3”", "clear: %", "“--5”", "“(5”",
                                         "no quantity", "no quantity", "“1e5”", "“٣”"],
    f"{'1' * 15} {'1' * 16}": ["1" * 15, "no number in “1111"],
}  # fmt: skip
UNREADABLE = {
    b" \r\n": "empty", b"PK\x03\x04\0\0": "isn't text", b"\x81\x8d": "isn't text", b"x" * 200_000: "as CSV",
    b'date,symbol,quantity,price\n1,A,1,1\n1,"A"x,1,1\n': "Can't read it as CSV, somewhere up to line 3",
    b"{": "isn't an export", b"[]": "isn't an export", b'{"activities": 3}': "isn't an export",
    b"[" * 100_000: "isn't an export",
    b"what,date\n1,A": "No column is the symbol. Columns: what, date",
    b"Statement 4711\n\ndate,symbol,quantity,price": "No column is the date. Columns: Statement 4711",
    b"date,symbol,shares,price (EUR),price (USD)": "Two columns could be the unitPrice",
    b'date,symbol,shares,price\n1.2.2026,A,"1,5","1,234.5"': "“1,5” and “1,234.5” use different formats",
    b"date,symbol,shares,price\n13/02/2026,A,1,5\n02/13/2026,A,1,5": "use different formats",
}  # fmt: skip
BITS = [*map(str.encode, ("", '"', ",", ";", "\n", ".", "7", "-", "\t", "(", "e-2", "\u202f", "{", "\0"))]
RUNS = [f"[0-9{each}]+" for each in (".,' \u202f", ". \u202f", ", \u202f", ".,'", ".", ",", "")]


def digits(number):
    return re.sub(r"[^0-9]", "", number).strip("0")


def told(line, each):
    numbers = [f"{each[name]:f}" for name in ("quantity", "unitPrice", "fee")]
    quantity, price, fee = (re.sub(r"\.0*$|(\.\d*?)0+$", r"\1", number) for number in numbers)
    clock = each["date"][11:19].replace("00:00:00", "")
    words = (each["currency"], clock, each["accountId"], each["comment"])
    told = (each["type"], each["symbol"], quantity, price, each["date"][:10], fee, *words)
    return " ".join([str(line), *(word or "-" for word in told)])


def found_in(text):
    """What a file has, by line, and why the others are refused."""
    found, refused, _ = read_activities(text.encode() if isinstance(text, str) else text)
    return found, refused


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_has_is_read_or_refused_by_its_line(name):
    text, activities, reasons = FILES[name]
    found, refused = found_in(text)
    assert [told(*each) for each in found.items()] == activities
    assert refused.keys() == reasons.keys()
    assert [line for line, reason in reasons.items() if reason not in refused[line]] == []


@pytest.mark.parametrize(("cells", "said"), [*BY_DAYS.items(), *BY_NUMBERS.items()])
def test_all_cells_of_a_file_decide_what_one_is(cells, said):
    row, at = ("{0},S{1},1,7", 5) if cells in BY_DAYS else ('2026-01-31,S{1},"{0}",7', 3)
    rows = [row.format(cell.replace("_", " "), n) for n, cell in enumerate(cells.split())]
    found, refused = found_in("\n".join(["date,symbol,quantity,price", *rows]))
    read = refused | {line: told(line, each).split()[at] for line, each in found.items()}
    assert [line for line, each in enumerate(said, 2) if each not in read[line]] == []


@pytest.mark.parametrize("data", UNREADABLE)
def test_a_file_that_is_none_is_refused_with_what_it_lacks(data):
    with pytest.raises(UsageError) as refused:
        read_activities(data)
    assert UNREADABLE[data] in str(refused.value)


def test_it_says_what_each_head_was_taken_for():
    heads = "Trade Date,Settlement Date,Ticker,ISIN,Shares,Price [USD],Total,Colour\n"
    read, _, columns = read_activities(f"{heads}2026-01-31,2026-02-02,LMP,XX11,2,3,7,red".encode())
    known = {"Trade Date": "date", "Ticker": "symbol", "Shares": "quantity"}
    assert columns == {**known, "Price [USD]": "unitPrice", "Total": "amount"}
    assert told(2, read[2]) == "2 BUY LMP 2 3 2026-01-31 0 USD - - -"


def test_whatever_is_cut_or_changed_in_a_file_no_number_is_made_up():
    """But for the one thing that a sum without a quantity is paid for."""
    rng, read = random.Random(7), 0
    files = [text.encode() if isinstance(text, str) else text for text, _, _ in FILES.values()]
    for _ in range(2_000):
        data = bytearray(rng.choice(files))
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(len(data) + 1)
            data[place : place + rng.choice((0, 1, 1, 9))] = rng.choice(BITS)
        del data[len(data) if rng.random() < 0.8 else rng.randrange(len(data)) :]
        try:
            found, _ = found_in(bytes(data))
        except UsageError:
            continue
        read += 1
        text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8", "replace")
        there = {digits(each) for run in RUNS for each in re.findall(run, text)} | {""}
        for each in found.values():
            numbers = [each[name] for name in ("quantity", "unitPrice", "fee")]
            assert {digits(f"{number:f}") for number in numbers} <= there | {"1"}
            assert min(numbers) >= 0
            assert each["date"][:4] in text
    assert read > 500
