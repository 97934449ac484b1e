"""A file of activities is read as it was by hand, here; what is not sure is refused by its line."""

from __future__ import annotations

import json
import random
import re
import time
from decimal import Decimal

import pytest

from jarvis.core.errors import UsageError
from jarvis.packs.portfolio.activities_file import read_activities

UNSURE = "it is not sure which is the day and which the month: write dates as 2026-01-31"
LMP = {"fee": 0, "quantity": 1, "type": "BUY", "unitPrice": 1, "date": "2024-05-01T00:00:00.000Z"}
LMP |= {"symbol": "LMP"}
FULL = {"currency": "USD", "dataSource": "YAHOO", "id": "x", "tags": []}
EXPORT = {
    "accounts": [{"id": "a-1", "name": "Broker A"}],
    "activities": [
        LMP | FULL | {"accountId": "a-1", "comment": "a\nb", "fee": 1.5, "quantity": 2, "unitPrice": 100.125},
        {"accountId": "a-2", "comment": None, "fee": 49, "quantity": 0, "type": "FEE", "unitPrice": 0,
         "date": "2024-04-01T23:59:59.000Z", "symbol": "custody", **FULL},
        LMP | {"quantity": 1e-8, "unitPrice": 61234.5},
        LMP | {"type": "ITEM"}, LMP | {"quantity": True}, "LMP", LMP | {"quantity": -1},
    ],
}  # fmt: skip
# By name: a file, what it has (line kind symbol quantity price day fee currency time account comment), and
# what is refused of it, with a part of the reason.
FILES: dict[str, tuple[str | bytes, list[str], dict[int, str]]] = {
    "a German bank": (
        "Depotauszug 4711;;\r\nErstellt am 02.02.2026\r\n\r\n"
        "Buchungstag;Uhrzeit;Typ;ISIN;Stück;Kurs (EUR);Gebühren;Notiz\r\n"
        '31.01.2026;14:03;Kauf;XX0011223344;1.234,5;112,30 €;-1,50;"erste\r\nRate"\r\n'
        "30.01.2026;09:15:07;Verkauf;XX0011223344;-5;1.112,30;-0,99;\r\n\r\n"
        "31.02.2026;;Kauf;XX0011223344;5;112,30;;\r\nn/a;;Kauf;XX0011223344;5;112,30;;\r\n"
        "28.01.2026;;Einzahlung;;;;;\r\n27.01.2026;;Ausschüttung;XX0011223344;10;0,25;;\r\nSumme;;;;;1,00;;\r\n",
        ["5 BUY XX0011223344 1234.5 112.3 2026-01-31 1.5 EUR 14:03:00 - erste Rate",
         "7 SELL XX0011223344 5 1112.3 2026-01-30 0.99 EUR 09:15:07 - -",
         "12 DIVIDEND XX0011223344 10 0.25 2026-01-27 0 EUR - - -"],
        {9: "no date in “31.02.2026”", 10: "no date in “n/a”", 11: "“Einzahlung”", 13: "no date in “Summe”"}),
    "a broker of the USA": (
        '"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"\n'
        '"01/31/2026","Buy","LMP","LAMPS INC","1,200","$1,190.10","$4.95","-$1,428,124.95"\n'
        '"02/03/2026","Cash Dividend","LMP","LAMPS INC","","","","$12.34"\n'
        '"02/04/2026","Sell","LMP","LAMPS INC","(3)","$190","",""\n'
        '"02/05/2026","Stock Split","LMP","LAMPS INC","3","","",""\n'
        '"Transactions Total","","","","","","","$1.00"\n',
        ["2 BUY LMP 1200 1190.1 2026-01-31 4.95 - - - -",
         "3 DIVIDEND LMP 1 12.34 2026-02-03 0 - - - -",
         "4 SELL LMP 3 190 2026-02-04 0 - - - -"],
        {5: "“Stock Split” is none of", 6: "no date in “Transactions Total”"}),
    "an app": (
        "Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,"
        "Total,Currency (Total)\n"
        "Market buy,2026-01-31 14:03:22.5,XX11,LMP,Lamps,0.123456789,190.10,USD,1.1,21.33,EUR\n"
        "Limit sell,2026-02-01 08:00:00,XX11,LMP,Lamps,1.5,1234.5,GBX,1.1,15.1,EUR\n"
        "Dividend (Ordinary),2026-02-02 00:00:00,XX11,LMP,Lamps,2,0.25,usd,1.1,0.45,EUR\n"
        "Deposit,2026-02-03 08:00:00,,,,,,,,100,EUR\n",
        ["2 BUY LMP 0.123456789 190.1 2026-01-31 0 USD 14:03:22 - -",
         "4 DIVIDEND LMP 2 0.25 2026-02-02 0 USD - - -"],
        {3: "“GBX” is no currency", 5: "“Deposit” is none of"}),
    "a flex query": (
        "ClientAccountID,CurrencyPrimary,Symbol,TradeDate,Quantity,TradePrice,IBCommission,Buy/Sell\n"
        "U-1,USD,LMP,20260131,3,190.1,-1.00,BUY\nU-1,USD,LMP,20260131;140300,-3,190.1,-1,SELL\n"
        "U-1,USD,LMP,20260201,-3,190.1,-1,BUY\nU-1,USD,LMP,20260202,3,190.1,0.3,BUY\n",
        ["2 BUY LMP 3 190.1 2026-01-31 1 USD - U-1 -",
         "3 SELL LMP 3 190.1 2026-01-31 1 USD 14:03:00 U-1 -"],
        {4: "“BUY” of a negative quantity", 5: "its fee has another sign than others"}),
    "a neobroker": (
        "date;time;status;reference;type;isin;shares;price;amount;fee;currency\n"
        "2026-01-31;14:03:22;Executed;R1;Savings plan;XX11;0,523;95,60;-50,00;0,00;EUR\n"
        "2026-01-31;14:03:22;Cancelled;R2;Buy;XX11;1;95,60;-95,60;0,99;EUR\n"
        "2026-02-01;08:00:00;Executed;R3;Distribution;XX11;;;7,21;0,00;EUR\n"
        "2026-02-02;08:00:00;Executed;R4;Distribution;XX11;;;-7,21;0,00;EUR\n",
        ["2 BUY XX11 0.523 95.6 2026-01-31 0 EUR 14:03:22 - -",
         "4 DIVIDEND XX11 1 7.21 2026-02-01 0 EUR 08:00:00 - -"],
        {3: "it is “Cancelled”", 5: "what was paid is negative"}),
    "an app that says the currency with the price": (
        "Date,Ticker,Type,Quantity,Price per share,Total Amount,Currency,FX Rate\n"
        "2026-01-31T14:03:22.123456Z,LMP,BUY - MARKET,2,EUR 190.10,EUR 380.20,EUR,1\n"
        "2026-02-01T14:03:22Z,LMP,SELL - LIMIT,1,$191,$191,EUR,1\n"
        "2026-02-02T14:03:22Z,LMP,CUSTODY FEE,,,-€1.20,EUR,1\n",
        ["2 BUY LMP 2 190.1 2026-01-31 0 EUR 14:03:22 - -",
         "4 FEE LMP 0 0 2026-02-02 1.2 EUR 14:03:22 - -"],
        {3: "EUR and “$” don't agree"}),
    "Ghostfolio's own": (
        json.dumps(EXPORT),
        ["1 BUY LMP 2 100.125 2024-05-01 1.5 USD - Broker A a b",
         "2 FEE custody 0 0 2024-04-01 49 USD 23:59:59 a-2 -",
         "3 BUY LMP 0.00000001 61234.5 2024-05-01 0 - - - -"],
        {4: "“ITEM” is none of", 5: "no activity", 6: "no activity", 7: "“BUY” of a negative quantity"}),
    "no type, UTF-16, tabs, a price by its amount": (
        "Date\tShares\tSymbol\tTotal\tAccount\n2026-01-31\t3\tLMP\t100\tDepot\n2026-02-01\t-4\tLMP\t100\t\n".encode("utf-16"),
        ["2 BUY LMP 3 33.3333333333333 2026-01-31 0 - - Depot -",
         "3 SELL LMP 4 25 2026-02-01 0 - - - -"],
        {}),
    "windows-1252, bars": (
        ("Währung|Stück|Kurs|Datum|Wertpapier\nchf|2|1'234.50|31 Jan 2026|Müller\n"
         "£|2|5|January 31, 2026|Ä\nxyz|2|5|Feb 1, 2026|Ä").encode("cp1252"),
        ["2 BUY Müller 2 1234.5 2026-01-31 0 CHF - - -", "3 BUY Ä 2 5 2026-01-31 0 GBP - - -"],
        {4: "“xyz” is no currency"}),
    "a BOM, thin spaces, quotes amiss": (
        '\ufeffdate,symbol,quantity,unit_price\n2026-01-31,"A ""B""",1\u202f234.5,"1,234.5"\n'
        '2026-01-31,"LMP,1,2\n2026-01-31,"LMP,1,2\n2026-01-31,C,1,2\n2026-01-31,"D,1,2\n2026-02-01,E,1,2\n',
        ['2 BUY A "B" 1234.5 1234.5 2026-01-31 0 - - - -', "5 BUY C 1 2 2026-01-31 0 - - - -"],
        dict.fromkeys((3, 4, 6, 7), "its quotes don't match")),
    "formulas": (
        "date,symbol,quantity,price,comment\n2026-01-31,A,+5,+1.5,-3\n2026-01-31,=A1,5,1,\n"
        '2026-01-31,A,5,1,@SUM(1)\n2026-01-31,A,5,1,+1+cmd|x\n2026-01-31,A,5,1,"\tx"\n2026-01-31,A,5,1,+A1\n',
        ["2 BUY A 5 1.5 2026-01-31 0 - - - -3"],
        {3: "“=A1” is a formula", 4: "formula", 5: "formula", 6: "“x” is a formula", 7: "formula"}),
    "the same twice": (
        "date,time,symbol,quantity,price,fee\n2026-01-31,,A,5,1.5,\n2026-01-31,,A,5,1.50,0\n2026-01-31,10:00,A,5,1.5,\n",
        ["2 BUY A 5 1.5 2026-01-31 0 - - - -", "4 BUY A 5 1.5 2026-01-31 0 - 10:00:00 - -"],
        {3: "the same as line 2"}),
    "days that are not sure": (
        "date,symbol,quantity,price\n01/02/2026,A,1,2.5\n05/05/2026,B,1,2.5\n2026-02-01,C,1,2.5\n",
        ["3 BUY B 1 2.5 2026-05-05 0 - - - -", "4 BUY C 1 2.5 2026-02-01 0 - - - -"],
        {2: UNSURE}),
    "days that are sure by others": (
        "date,symbol,quantity,price\n01/02/2026,A,1,2.5\n13/02/2026,B,1,2.5\n31/02/2026,C,1,2\n",
        ["2 BUY A 1 2.5 2026-02-01 0 - - - -", "3 BUY B 1 2.5 2026-02-13 0 - - - -"],
        {4: "no date in “31/02/2026”"}),
    "days in both orders": (
        "date,symbol,quantity,price\n01/02/2026,A,1,2\n13/02/2026,B,1,2\n02/13/2026,C,1,2\n31/12/1969,D,1,2\n",
        ["3 BUY B 1 2 2026-02-13 0 - - - -", "4 BUY C 1 2 2026-02-13 0 - - - -"],
        {2: UNSURE, 5: "no date in “31/12/1969”"}),
    "days first by a semicolon, decimal commas by it too": (
        "date;symbol;quantity;price\n01/02/2026;A;1,234;2\n",
        ["2 BUY A 1.234 2 2026-02-01 0 - - - -"],
        {}),
    "points by a comma": (
        'date,symbol,quantity,price\n2026-02-01,A,"1,234",1.234\n2026-02-01,A,1,5,2\n2026-02-01,A,1\n',
        ["2 BUY A 1234 1.234 2026-02-01 0 - - - -"],
        {3: "it has 5 cells below 4 heads", 4: "no price"}),
    "both decimal marks": (
        'date,symbol,quantity,price\n2026-02-01,A,"1,5",2.5\n2026-02-01,A,"1,234",2\n2026-02-01,A,"1,234.5",2',
        ["2 BUY A 1.5 2.5 2026-02-01 0 - - - -", "4 BUY A 1234.5 2 2026-02-01 0 - - - -"],
        {3: "it is not sure which mark in “1,234” is the decimal one"}),
    "numbers that are none": (
        "date,symbol,quantity,price\n" + "".join(
            f"2026-02-01,A,{number},1\n"
            for number in ("NaN", "inf", "1" * 41, "1.2.3", "5 %", "--5", "(5", "", "0", "1e5", "٣", "1" * 40)
        ),
        ["13 BUY A " + "1" * 40 + " 1 2026-02-01 0 - - - -"],
        {2: "no quantity in “NaN”", 3: "“inf”", 4: "“1111", 5: "“1.2.3”", 6: "“%” is no currency", 7: "“--5”",
         8: "“(5”", 9: "no quantity", 10: "no quantity", 11: "“1e5”", 12: "“٣”"}),
    "two currencies": (
        "date,symbol,quantity,price (EUR),fee,currency\n2026-02-01,A,1,2,1,USD\n2026-02-01,B,1,2,$1,\n"
        "2026-02-01,C,1,2,$0,\n2026-02-01,D,1,2,1,GBp\n",
        ["4 BUY C 1 2 2026-02-01 0 EUR - - -"],
        {2: "USD and “EUR” don't agree", 3: "EUR and “$” don't agree", 5: "EUR and “GBp” don't agree"}),
}  # fmt: skip
UNREADABLE = {
    b"": "empty", b" \r\n": "empty", b"PK\x03\x04\0\0": "no text", b"\x81\x8d": "no text",
    b"x" * 20_000_001: "20 MB",
    b"{": "no export", b"[]": "no export", b'{"activities": 3}': "no export", b"[" * 100_000: "no export",
    b'{"activities": [], "x": 1e99999999999999999999}': "no export",
    b"when,what\n1,A": "the date or the symbol or the quantity or the price. The heads: “when”, “what”",
    b"date,symbol,price\n": "No column is the quantity. The heads: “date”, “symbol”, “price”",
    b"date,ticker,symbol,shares,price": "Two columns are the symbol: “ticker” and “symbol”",
    b"date,symbol,shares,price (EUR),price (USD)": "“price (EUR)” and “price (USD)”",
}  # fmt: skip
BITS = [*map(str.encode, ("", '"', ",", ";", "\n", ".", "7", "-", "\t", "(", "e-2", "\u202f", "{", "\0"))]
SPACE = " \u202f"
RUNS = [f"[0-9{each}]+" for each in (f".,'{SPACE}", f".{SPACE}", f",{SPACE}", ".,'", ".", ",", "")]


def told(each):
    numbers = [f"{number:f}" for number in (each.quantity, each.price, each.fee)]
    quantity, price, fee = (re.sub(r"\.0*$|(\.\d*?)0+$", r"\1", number) for number in numbers)
    names = (each.currency, each.time, each.account, each.comment)
    words = (each.kind, each.symbol, quantity, price, each.day, fee, *names)
    return " ".join([str(each.line), *(word or "-" for word in words)])


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


@pytest.mark.parametrize("name", FILES)
def test_what_a_file_has_is_read_or_refused_by_its_line(name):
    text, activities, refused = FILES[name]
    found = read_activities(as_bytes(text))
    assert [told(each) for each in found.activities] == activities
    assert found.refused.keys() == refused.keys()
    assert [line for line, reason in refused.items() if reason not in found.refused[line]] == []


@pytest.mark.parametrize("data", UNREADABLE)
def test_a_file_that_is_none_is_refused_with_what_it_lacks(data):
    with pytest.raises(UsageError) as refused:
        read_activities(data)
    assert UNREADABLE[data] in str(refused.value)


def test_it_says_what_each_head_was_taken_for_where_it_was_used():
    heads = "Trade Date,Settlement Date,Ticker,ISIN,Shares,Price [USD],Total,Colour\n"
    columns = {"Trade Date": "date", "Ticker": "symbol", "Shares": "quantity", "Price [USD]": "price"}
    read = read_activities((heads + "2026-01-31,2026-02-02,LMP,XX11,2,3,6,red").encode())
    assert (read.columns, read.activities[0].currency) == (columns, "USD")
    read = read_activities((heads + "2026-01-31,2026-02-02,LMP,XX11,2,,6,red").encode())
    assert (read.columns, read.activities[0].price) == ({**columns, "Total": "price = amount / quantity"}, 3)


def test_twenty_thousand_rows_are_read_exactly_and_at_once():
    rng = random.Random(1)
    drawn = [
        (f"20{rng.randrange(10, 26)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}", f"S{line}",
         f"{rng.randrange(10**9)}.{rng.randrange(1, 10**6)}",
         f"{rng.randrange(10**6)}.{rng.randrange(100):02}")
        for line in range(20_000)
    ]  # fmt: skip
    rows = [",".join(row) + ",1.5,USD" for row in drawn]
    text = "\n".join(["Date,Symbol,Quantity,Price,Fee,Currency", *rows])
    started = time.process_time()
    read = read_activities(text.encode())
    assert time.process_time() - started < 3  # 0.8 s where nothing else runs
    assert not read.refused
    found = [(each.day, each.symbol, each.quantity, each.price) for each in read.activities]
    assert str(read.activities[0].quantity) == drawn[0][2]
    assert found == [(day, symbol, Decimal(count), Decimal(price)) for day, symbol, count, price in drawn]
    assert [each.line for each in read.activities] == [*range(2, 20_002)]


def digits(number):
    return re.sub(r"[^0-9]", "", number).strip("0")


def test_whatever_is_cut_or_changed_in_a_file_no_number_is_made_up():
    """But for a price that is a quotient, and the one thing that a sum without a quantity is paid for."""
    rng, read = random.Random(7), 0
    files = [as_bytes(text) for text, _, _ in FILES.values()]
    for _ in range(2_000):
        data = bytearray(rng.choice(files))
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(len(data) + 1)
            data[place : place + rng.choice((0, 1, 1, 9))] = rng.choice(BITS)
        try:
            found = read_activities(bytes(data[: None if rng.random() < 0.8 else rng.randrange(len(data))]))
        except UsageError:
            continue
        read += 1
        text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8", "replace")
        there = {digits(each) for run in RUNS for each in re.findall(run, text)} | {""}
        is_quotient = "price = amount / quantity" in found.columns.values()
        for each in found.activities:
            numbers = [each.quantity, each.fee, *([] if is_quotient else [each.price])]
            assert {digits(f"{number:f}") for number in numbers} <= there | ({"1"} if is_quotient else set())
            assert min(each.quantity, each.price, each.fee) >= 0
            assert each.day[:4] in text
    assert read > 500
