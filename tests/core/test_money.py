"""Prices and amounts, read out of what services and people write."""

from decimal import Decimal

import pytest

from jarvis.core.money import Money, amount_in, money_of, price_in, price_of, totals

# What a service wrote, the country it was asked for, the number it read there itself, and the price.
PRICES = (
    ("$129.00", "us", 129.0, "129.00 USD"),
    ("US$29.99", "gb", 29.99, "29.99 USD"),
    ("$150", "ca", 150, "150.00 CAD"),
    ("CA$1,299.00", "us", None, "1299.00 CAD"),
    ("R$ 1.299,00", "br", 1299.0, "1299.00 BRL"),
    ("₹1,25,000.00", "in", 125000.0, "125000.00 INR"),
    ("Rs. 500", "pk", None, "500.00 PKR"),
    ("3,500円", "jp", 3500, "3500 JPY"),
    ("1.299\u00a0€", "de", None, "1299.00 EUR"),
    ("1\u202f299,99\u00a0€", "fr", 1299.99, "1299.99 EUR"),
    ("CHF 1’299", "ch", 1299, "1299.00 CHF"),
    ("1.299 kr.", "dk", None, "1299.00 DKK"),
    ("KWD 12.500", "kw", 12.5, "12.500 KWD"),
    ("999 999 999 999 999,99 kr", "no", None, "999999999999999.99 NOK"),  # no float holds it
    # Not sure which currency.
    ("¥12,800", "us", 12800, None),
    ("$150", "de", 150, None),
    ("€150 USD", "us", 150, None),
    # Not sure which number.
    ("$.99", "us", 0.99, None),
    ("15,-", "nl", 15, None),
    ("$3.459", "us", None, None),
    ("¥35.50", "jp", 35.5, None),
    ("$129.00", "us", 120.0, None),
    ("$129.00", "us", float("nan"), None),
    ("$1,29,00", "us", None, None),
    ("$007", "us", 7, None),
    ("$１２９", "us", 129, None),
    ("3万円", "jp", 3, None),
    # No price to pay.
    ("-$5.00", "us", 5.0, None),
    ("$0.00", "us", 0, None),
    ("$12.50/mo", "us", 12.5, None),
    ("from $98.50", "us", 98.5, None),
    ("$98.50 to $120.00", "us", 98.5, None),
    ("$2.80 + tax", "us", 2.8, None),
    ("Free", "us", 0, None),
    ("$" + "9" * 300, "us", None, None),
    (None, "us", 5, None),
    ({"raw": "$5.00"}, "us", 5.0, None),
)


@pytest.mark.parametrize(("text", "country", "extracted", "price"), PRICES)
def test_a_price_is_read_where_it_is_sure(text, country, extracted, price):
    found = price_in(text, country, extracted)

    assert (found and found.serialized) == price


def test_the_currency_that_was_asked_in_says_what_a_sign_means():
    prices = {
        ("5000", "JPY"): "5000 JPY",
        ("$87", "USD"): "87.00 USD",
        ("$87", "AUD"): "87.00 AUD",
        ("€87", "USD"): "87.00 EUR",
        ("kr 87", "NOK"): "87.00 NOK",
    }

    assert {each: price_in(each[0], "ca", default=each[1]).serialized for each in prices} == prices
    assert price_in("87", "ca", default="XXX") is None


def test_a_bare_number_is_a_price_in_the_currency_that_was_asked_in():
    prices = {(69, "EUR"): "69.00 EUR", (12.98, "usd"): "12.98 USD", (5000.0, "JPY"): "5000 JPY"}
    none = [
        (1.299, "EUR"),
        (12.5, "JPY"),
        (69, ""),
        *((n, "USD") for n in (0, True, 10**30, float("inf"), "69")),
    ]

    assert {each: price_of(*each).serialized for each in prices} == prices
    assert [each for each in none if price_of(*each)] == []


@pytest.mark.parametrize(
    ("words", "country", "amount"),
    [
        ("150 USD", "", "150.00 USD"),
        ("$150", "ca", "150.00 CAD"),
        ("150 US dollars", "de", "150.00 USD"),
        ("€1.299,00", "us", "1299.00 EUR"),
        ("€1.299", "us", "1299.00 EUR"),
        ("1,5 euros", "fr", "1.50 EUR"),
        ("4000 yen", "us", "4000 JPY"),
        ("US$ 1,000", "us", "1000.00 USD"),
        ("130", "us", "130.00 USD"),
        ("US $ 150", "ca", "150.00 USD"),
        ("KWD 12.500", "us", "12.500 KWD"),
        # Not sure which currency, or not sure how much.
        ("130", "", None),
        ("$150", "", None),
        ("1,299 kr", "us", None),
        ("100 to 150 USD", "us", None),
        ("$2 million", "us", None),
        ("a hundred dollars", "us", None),
        ("under 150 USD", "us", None),
        ("USD $150", "ca", None),
        ("words " * 50 + "150 USD", "us", None),
        ("1 500 000 000 000 000 000 USD", "us", None),
    ],
)
def test_what_a_model_writes_is_read_as_an_amount(words, country, amount):
    found = amount_in(words, country)

    assert (found and found.serialized) == amount


def test_a_record_that_makes_no_sense_is_no_amount():
    amounts = (129.0, "NaN", "9" * 5000)
    records = [{"amount": amount, "currency": "USD"} for amount in amounts]
    records += [{"amount": "129.00", "currency": currency} for currency in ("XYZ", ["USD"])]

    assert [record for record in (*records, None, "129.00 USD") if money_of(record)] == []


def test_sums_are_exact_and_of_one_currency_each():
    coins = [("0.10", "USD"), ("999999999999999.99", "USD"), ("5", "JPY"), ("0.20", "USD"), ("7", "JPY")]

    sums = totals([Money(Decimal(amount), code) for amount, code in coins])
    assert sums == (Money(Decimal("1000000000000000.29"), "USD"), Money(Decimal(12), "JPY"))
    assert totals([]) == ()
