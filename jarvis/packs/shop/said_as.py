"""The words by which people say which state and market they want, in a few languages: how each begins.

One that nobody said would hide what they look for, so a plan may not have it. In a language that is not here
nothing is hidden: the list has all of it, with the state in a column, and can be narrowed by that.
"""

from __future__ import annotations

from ...search.offers.offer import NEW, REFURBISHED, USED
from .markets import EBAY, IN_SHOPS, MERCARI

STATE_WORDS = {
    NEW: "brand-new unused neu nuev nuov neuf neuve novo nova nieuw новы ny nowy nowe 新品 未使用 全新",
    USED: (
        "second 2nd pre-owned preowned pre-loved gebraucht occasion segunda usad usat tweedehands "
        "gebruikt begagna brugt używan подержан б/у 中古 二手"
    ),
    REFURBISHED: (
        "refurb renew recondition remanufactured generalüberholt aufbereitet wiederaufbereitet recondicion "
        "reacondicion restaurad ricondizionat rigenerat gereviseerd 整備 再生 翻新"
    ),
}
MARKET_WORDS = {
    IN_SHOPS: "shop store retail laden läden geschäft tienda magasin boutique negoz loja winkel 店",
    EBAY: "e-bay",
    MERCARI: "メルカリ",
}
