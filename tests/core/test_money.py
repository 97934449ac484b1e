"""Prices and amounts, read out of what services and people write."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import pytest

from jarvis.core.money import Money, amount_in, money_of, old_price_in, price_in, price_of, totals

# What a service wrote, the country it was asked for, the number it read there itself, and the price.
PRICES = (
    ("$129.00", "us", 129.0, "129.00 USD"),
    ("$1,146.00", "us", None, "1146.00 USD"),
    ("$.99", "us", 0.99, "0.99 USD"),
    (" $ 5.00 ", "us", 5.0, "5.00 USD"),
    ("US$29.99", "gb", 29.99, "29.99 USD"),
    ("$150 USD", "ca", None, "150.00 USD"),
    ("$150", "ca", 150, "150.00 CAD"),
    ("$150", "AU", 150, "150.00 AUD"),
    ("CA$1,299.00", "us", None, "1299.00 CAD"),
    ("R$ 1.299,00", "br", 1299.0, "1299.00 BRL"),
    ("£1,250.00", "uk", 1250.0, "1250.00 GBP"),
    ("£52", "eg", None, "52.00 EGP"),
    ("₹1,25,000.00", "in", 125000.0, "125000.00 INR"),
    ("Rs.99", "in", None, "99.00 INR"),
    ("Rs. 500/-", "pk", None, "500.00 PKR"),
    ("¥3,500", "jp", 3500, "3500 JPY"),
    ("￥3500", "jp", None, "3500 JPY"),
    ("3,500円", "jp", 3500, "3500 JPY"),
    ("¥12,800", "cn", None, "12800.00 CNY"),
    ("1.299,00 €", "de", 1299.0, "1299.00 EUR"),
    ("1.299\u00a0€", "de", None, "1299.00 EUR"),
    ("€1,299.00", "de", None, "1299.00 EUR"),
    ("€ 15,-", "nl", 15, "15.00 EUR"),
    ("1\u202f299,99\u00a0€", "fr", 1299.99, "1299.99 EUR"),
    ("EUR 12,50", "us", 12.5, "12.50 EUR"),
    ("CHF 1’299.–", "ch", 1299, "1299.00 CHF"),
    ("12 800 kr", "se", 12800.0, "12800.00 SEK"),
    ("1.299 kr.", "dk", None, "1299.00 DKK"),
    ("2 499:-", "se", None, None),
    ("129,99 zł", "pl", 129.99, "129.99 PLN"),
    ("12 990 Ft", "hu", 12990, "12990.00 HUF"),
    ("₩12,000", "kr", 12000, "12000 KRW"),
    ("KWD 12.500", "kw", 12.5, "12.500 KWD"),
    ("999 999 999 999 999,99 kr", "no", None, "999999999999999.99 NOK"),  # no float holds it
    # Not sure which currency.
    ("¥12,800", "us", 12800, None),
    ("$150", "de", 150, None),
    ("150", "us", 150, None),
    ("150 doubloons", "us", 150, None),
    ("€150 USD", "us", 150, None),
    # Not sure which number.
    ("$3.459", "us", None, None),
    ("€1,299", "de", None, None),
    ("$3.459", "us", 3.459, None),
    ("¥35.50", "jp", 35.5, None),
    ("$129.00", "us", 120.0, None),
    ("$129.00", "us", float("nan"), None),
    ("$1,29,00", "us", None, None),
    ("$007", "us", 7, None),
    ("$１２９", "us", 129, None),
    ("3万円", "jp", 3, None),
    ("$1,000,000,000,000,000", "us", None, None),
    # No price to pay.
    ("-$5.00", "us", 5.0, None),
    ("($5.00)", "us", 5.0, None),
    ("$0.00", "us", 0, None),
    ("$12.50/mo", "us", 12.5, None),
    ("from $98.50", "us", 98.5, None),
    ("$98.50 to $120.00", "us", 98.5, None),
    ("$98–$120", "us", 98, None),
    ("was $99.00", "us", 99.0, None),
    ("$2.80 + tax", "us", 2.8, None),
    ("25.0¢/oz", "us", 25.0, None),
    ("$2 million", "us", 2, None),
    ("2 x $50", "us", 50, None),
    ("20% off $50", "us", 50, None),
    ("Free", "us", 0, None),
    ("", "us", None, None),
    ("$" + "9" * 300, "us", None, None),
    (None, "us", 5, None),
    ({"raw": "$5.00"}, "us", 5.0, None),
)


@pytest.mark.parametrize(("text", "country", "extracted", "price"), PRICES)
def test_a_price_is_read_where_it_is_sure(text, country, extracted, price):
    found = price_in(text, country, extracted)

    assert (found and found.coded) == price


@pytest.mark.parametrize(
    ("text", "asked", "price"),
    [
        ("5000", "JPY", "5000 JPY"),
        ("$87", "USD", "87.00 USD"),
        ("$87", "AUD", "87.00 AUD"),
        ("€87", "USD", "87.00 EUR"),
        ("kr 87", "NOK", "87.00 NOK"),
        ("87", "XXX", None),
    ],
)
def test_the_currency_that_was_asked_in_says_what_a_sign_means(text, asked, price):
    found = price_in(text, "ca", asked=asked)

    assert (found and found.coded) == price


@pytest.mark.parametrize(
    ("number", "asked", "price"),
    [
        (69, "EUR", "69.00 EUR"),
        (12.98, "usd", "12.98 USD"),
        (5000.0, "JPY", "5000 JPY"),
        (1.299, "EUR", None),
        (12.5, "JPY", None),
        (0, "USD", None),
        (True, "USD", None),
        (10**30, "USD", None),
        (float("inf"), "USD", None),
        ("69", "USD", None),
        (69, "", None),
    ],
)
def test_a_bare_number_is_a_price_in_the_currency_that_was_asked_in(number, asked, price):
    found = price_of(number, asked)

    assert (found and found.coded) == price


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("Was $99.00", "99.00 USD"),
        ("$99", "99.00 USD"),
        ("Wash $99", None),
        ("Was $99 - $120", None),
        ("Was", None),
        (None, None),
    ],
)
def test_an_old_price_is_read_by_its_own_function_alone(text, price):
    found = old_price_in(text, "us")

    assert (found and found.coded) == price
    assert text == "$99" or price_in(text, "us") is None


@pytest.mark.parametrize(
    ("words", "country", "amount"),
    [
        ("150 USD", "", "150.00 USD"),
        ("$150", "us", "150.00 USD"),
        ("$150", "ca", "150.00 CAD"),
        ("150 dollars", "us", "150.00 USD"),
        ("150 US dollars", "de", "150.00 USD"),
        ("150 bucks", "us", "150.00 USD"),
        ("€1.299,00", "us", "1299.00 EUR"),
        ("€1.299", "us", "1299.00 EUR"),
        ("€1,299", "de", "1299.00 EUR"),
        ("1,299 kr", "no", "1299.00 NOK"),
        ("1,5 euros", "fr", "1.50 EUR"),
        ("under 4000 yen", "us", "4000 JPY"),
        ("at most US$ 1,000", "us", "1000.00 USD"),
        ("höchstens 20 €", "de", "20.00 EUR"),
        ("130", "us", "130.00 USD"),
        ("1,5", "de", "1.50 EUR"),
        ("0 EUR", "de", "0.00 EUR"),
        ("US $ 150", "ca", "150.00 USD"),
        ("KWD 12.500", "us", "12.500 KWD"),
        ("KWD 12,500", "us", "12500.000 KWD"),
        # Not sure which currency, or not sure how much.
        ("130", "", None),
        ("$150", "", None),
        ("$150", "de", None),
        ("1,299 kr", "us", None),
        ("iPhone 15", "us", None),
        ("100 to 150 USD", "us", None),
        ("-5 USD", "us", None),
        ("$5k", "us", None),
        ("$2 million", "us", None),
        ("150 USD a month", "us", None),
        ("a hundred dollars", "us", None),
        ("三 150 USD", "us", None),
        ("USD $150", "ca", None),
        ("words " * 50 + "150 USD", "us", None),
        ("1 500 000 000 000 000 000 USD", "us", None),
        ("", "us", None),
    ],
)
def test_what_people_write_is_read_as_an_amount(words, country, amount):
    found = amount_in(words, country)

    assert (found and found.coded) == amount


PIECES = "$ US$ € £ ¥ ₹ kr USD eur JPY KWD . , ' ’ - − – / + ¢ ( ) % · was from mo under x k 万 ５ ½".split()
PIECES += "0 7 00 000 99 129 500".split() * 2 + [
    " ",
    "\u00a0",
    "\u202f",
    "\n",
    "\x1b[31m",
    "\u202e",
    "",
    "1" * 40,
]
COUNTRIES = ("us", "uk", "de", "jp", "in", "se", "kw", "", "zz")


def random_text(dice: random.Random) -> str:
    if dice.random() < 0.1:
        return "".join(chr(dice.randrange(0x3000)) for _ in range(dice.randrange(12)))
    return "".join(dice.choice(PIECES) for _ in range(dice.randrange(8)))


def stands_in(amount: Money, text: str) -> bool:
    """Whether the digits of *amount* are all those of *text*, in order, and its fraction behind a mark."""
    digits, part = re.sub("[^0-9]", "", text), re.search("[.,]([0-9]+)[^0-9]*$", text)
    readings = {Decimal(digits or -1), Decimal(digits or -1).scaleb(-len(part[1]) if part else 0)}
    return amount.amount in readings


def test_no_random_text_is_an_amount_that_does_not_stand_in_it():
    dice = random.Random(13)
    found = 0
    for _ in range(10_000):
        text, country = random_text(dice), dice.choice(COUNTRIES)
        extracted = dice.choice((None, None, None, 129, 99.0, "7", [], {}, True))
        asked = dice.choice(("", "", "USD", "JPY"))
        read = [
            price_in(text, country, extracted, asked=asked),
            old_price_in(text, country, extracted, asked=asked),
            amount_in(text, country),
        ]
        assert all(each is None or stands_in(each, text) for each in read), (text, country, extracted, read)
        found += sum(each is not None for each in read)

    assert found > 500  # or nothing was tried


SHOWN = (
    ("1146", "USD", "$1,146.00", "1146.00"),
    ("3500", "JPY", "¥3,500", "3500"),
    ("3500.00", "JPY", "¥3,500", "3500"),
    ("12.5", "KWD", "KWD 12.500", "12.500"),
    ("-2.5", "EUR", "-€2.50", "-2.50"),
    ("1E+3", "SEK", "SEK 1,000.00", "1000.00"),
    ("190.1234", "USD", "$190.1234", "190.1234"),
    ("0.1", "USD", "$0.10", "0.10"),
)


@pytest.mark.parametrize(("amount", "currency", "told", "plain"), SHOWN)
def test_an_amount_is_written_in_the_digits_of_its_currency_and_none_is_dropped(
    amount, currency, told, plain
):
    money = Money(Decimal(amount), currency)

    assert (money.told, money.coded) == (told, f"{plain} {currency}")
    assert money.record == {"amount": plain, "currency": currency}
    assert money_of(money.record) == money


@pytest.mark.parametrize(
    "record",
    [
        None,
        "129.00 USD",
        {"amount": 129.0, "currency": "USD"},
        {"amount": "129.00", "currency": "XYZ"},
        {"amount": "129.00", "currency": ["USD"]},
        {"amount": "NaN", "currency": "USD"},
        {"amount": "9" * 5000, "currency": "USD"},
    ],
)
def test_a_record_that_makes_no_sense_is_no_amount(record):
    assert money_of(record) is None


def test_sums_are_exact_and_of_one_currency_each():
    """Against whole numbers of the smallest coin, in a thousand baskets of six currencies."""
    dice, digits = random.Random(7), {"USD": 2, "EUR": 2, "GBP": 2, "JPY": 0, "KRW": 0, "KWD": 3}
    for _ in range(1_000):
        coins = [(dice.choice(list(digits)), dice.randrange(10**12)) for _ in range(dice.randrange(30))]
        basket = [Money(Decimal(count).scaleb(-digits[code]), code) for code, count in coins]
        sums = {sum_.currency: int(sum_.amount.scaleb(digits[sum_.currency])) for sum_ in totals(basket)}

        assert sums == {code: sum(n for other, n in coins if other == code) for code, _ in coins}
