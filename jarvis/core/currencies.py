"""Lists the currencies of prices: how many digits they have, how they are written, and where."""

from __future__ import annotations

from typing import NamedTuple


class Currency(NamedTuple):
    """A currency in use today, by ISO 4217."""

    code: str
    digits: int  # of the smallest amount there is, behind the decimal mark
    mark: str  # the decimal mark, where it is used
    sign: str  # what we write in front of an amount; empty: its code
    signs: frozenset[str]  # that mean it wherever they stand
    home: frozenset[str]  # that mean it in its own countries, and elsewhere maybe another one
    countries: tuple[str, ...]  # in lower case

    def has(self, sign: str) -> bool:
        """Return whether *sign*, in lower case and without spaces, may stand for it: $, kr, usd."""
        return sign in self.signs or sign in self.home or sign == self.code.lower()


# A row: code, digits, decimal mark, our sign (as English writes it; -: its code) | signs that are sure
# anywhere | signs that are sure at home | countries. Of the English names those of one currency alone are
# sure anywhere. Arabic signs are left out: services that are asked in English write the code. So is the
# Tunisian dinar: 1.250 is an amount of it as we write it, and as Tunisians do it is a thousand times that.
_TABLE = """
USD 2 . $   | us$ u$s usdollar usdollars | $ dollar dollars bucks | us pr gu vi as mp ec sv
EUR 2 , €   | € euro euros | | at be bg cy de ee es fi fr gr hr ie it lt lu lv mt nl pt si sk ad mc sm va me
GBP 2 . £   | £ gb£ sterling | pound pounds | gb uk gg im je
JPY 0 . ¥   | jp¥ 円 yen | ¥ ￥ | jp
CNY 2 . CN¥ | cn¥ rmb yuan | ¥ ￥ 元 | cn
CAD 2 . CA$ | ca$ c$ | $ dollar dollars bucks | ca
AUD 2 . A$  | a$ au$ | $ dollar dollars bucks | au
NZD 2 . NZ$ | nz$ | $ dollar dollars | nz
HKD 2 . HK$ | hk$ | $ dollar dollars | hk
TWD 2 . NT$ | nt$ | $ 元 | tw
SGD 2 . -   | s$ sg$ | $ dollar dollars | sg
MXN 2 . MX$ | mx$ mex$ | $ pesos | mx
ARS 2 , -   | ar$ | $ pesos | ar
CLP 0 , -   | clp$ | $ pesos | cl
COP 2 , -   | cop$ col$ | $ pesos | co
UYU 2 , -   | $u uyu$ | $ pesos | uy
DOP 2 . -   | rd$ | $ pesos | do
BRL 2 , R$  | r$ reais | | br
PEN 2 . -   | s/ s/. soles | | pe
CRC 2 , -   | ₡ | | cr
INR 2 . ₹   | ₹ | rs rs. ₨ rupee rupees | in
PKR 2 . -   | | rs rs. ₨ rupee rupees | pk
LKR 2 . -   | | rs rs. ₨ රු. rupee rupees | lk
BDT 2 . -   | ৳ taka | | bd
CHF 2 . -   | sfr sfr. | fr fr. francs | ch li
SEK 2 , -   | | kr kr. kronor | se
NOK 2 , -   | | kr kr. kroner | no
DKK 2 , -   | | kr kr. kroner | dk
ISK 0 , -   | | kr kr. | is
PLN 2 , -   | zł zloty zlotys | | pl
CZK 2 , -   | kč | korun | cz
HUF 2 , -   | ft forint forints | | hu
RON 2 , -   | | lei leu | ro
TRY 2 , -   | ₺ tl lira | | tr
UAH 2 , -   | ₴ грн грн. | | ua
RUB 2 , -   | ₽ руб руб. | р р. rubles | ru
KZT 2 , -   | ₸ tenge | | kz
GEL 2 , -   | ₾ lari | | ge
ILS 2 . ₪   | ₪ nis shekel shekels | | il
KRW 0 . ₩   | ₩ 원 won | | kr
THB 2 . -   | ฿ baht | | th
VND 0 , ₫   | ₫ vnđ | đ | vn
IDR 2 , -   | | rp rp. rupiah | id
MYR 2 . -   | ringgit | rm | my
PHP 2 . ₱   | ₱ | pesos | ph
AED 2 . -   | | dh dhs dirham dirhams | ae
SAR 2 . -   | | sr riyal riyals | sa
QAR 2 . -   | | qr riyal riyals | qa
KWD 3 . -   | | kd dinar dinars | kw
BHD 3 . -   | | bd dinar dinars | bh
OMR 3 . -   | | | om
JOD 3 . -   | | jd dinar dinars | jo
MAD 2 , -   | | dh dhs dirham dirhams | ma
EGP 2 . -   | e£ | £ le pound pounds | eg
ZAR 2 , -   | | r rand | za
NGN 2 . -   | ₦ naira | | ng
GHS 2 . -   | gh₵ ₵ cedi cedis | | gh
KES 2 . -   | ksh ksh. | shillings | ke
GIP 2 . -   | | £ pound pounds | gi
FKP 2 . -   | | £ pound pounds | fk
SHP 2 . -   | | £ pound pounds | sh
"""


def _currency(row: str) -> Currency:
    facts, signs, home, countries = row.split("|")
    code, digits, mark, sign = facts.split()
    ours = "" if sign == "-" else sign
    return Currency(
        code,
        int(digits),
        mark,
        ours,
        frozenset(signs.split()),
        frozenset(home.split()),
        tuple(countries.split()),
    )


CURRENCIES = {currency.code: currency for currency in map(_currency, _TABLE.strip().splitlines())}
_OF_COUNTRY = {country: currency for currency in CURRENCIES.values() for country in currency.countries}
_SIGNS = {sign for known in CURRENCIES.values() for sign in (known.code.lower(), *known.signs, *known.home)}
_ANYWHERE = {sign: currency for currency in CURRENCIES.values() for sign in currency.signs}


def home_currency(country: str) -> Currency | None:
    """Return what is paid with in *country*, of two letters; None where we don't know."""
    return _OF_COUNTRY.get(country.lower())


def is_sign(text: str) -> bool:
    """Return whether *text* is the code or a sign of any currency."""
    return text.lower() in _SIGNS


def currency_meant(sign: str, country: str, asked: str = "") -> Currency | None:
    """Return the currency that *sign* or code stands for in *country*, in lower case; None: it is not sure.

    asked: the code of the currency that prices were asked in, which has the first say.
    """
    if sign.upper() in CURRENCIES:
        return CURRENCIES[sign.upper()]
    for currency in (CURRENCIES.get(asked.upper()), home_currency(country)):
        if currency and currency.has(sign):
            return currency
    return _ANYWHERE.get(sign)
