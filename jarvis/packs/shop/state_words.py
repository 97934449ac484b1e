"""The words by which people say in which state they want a thing, in a few languages: how each begins.

A state that nobody said would hide what they look for, so a plan may not have one. In a language that is not
here nothing is hidden: the list has all of it, with the state in a column, and can be narrowed by that.
"""

from __future__ import annotations

from ...search.offers.offer import NEW, REFURBISHED, USED

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
