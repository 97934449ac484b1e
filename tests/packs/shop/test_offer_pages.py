"""Which address an offer has: its shop's, the search's own, or none; never an ad's and never a redirect."""

from __future__ import annotations

import pytest

from jarvis.packs.shop.offers import Offer
from jarvis.packs.shop.readers import READERS
from tests.twins.shop_pages import ebay, item, listed, shopping

GOOGLE = "https://www.google.com/shopping/product/1?gl=us"


def one(engine: str, page: object) -> Offer:
    [offer] = READERS[engine](page, "us", "USD").offers
    return offer


@pytest.mark.parametrize(
    ("link", "kept", "kind"),
    [
        ("https://shop.example.com/a", "https://shop.example.com/a", "merchant"),
        ("#", GOOGLE, "service"),
        ("https://www.google.com/aclk?adurl=https://shop.example.com/a", GOOGLE, "service"),
        ("https://r.example.com/go?to=https%3A%2F%2Fshop.example.com", GOOGLE, "service"),
        ("https://r.example.com/go?to=https%253A%252F%252Fshop.example.com", GOOGLE, "service"),
        ("https://www.google.com/url?q=https://shop.example.com/a", "https://shop.example.com/a", "merchant"),
        ("https://serpapi.com/search?a", GOOGLE, "service"),
        ("http://127.0.0.1/a", GOOGLE, "service"),
        ("javascript:alert(1)", GOOGLE, "service"),
    ],
)
def test_an_address_is_a_merchants_or_the_services_and_never_a_redirect(link, kept, kind):
    offer = one("google_shopping", shopping(listed(1, link=link)))

    assert (offer.url, offer.link) == (kept, kind)


@pytest.mark.parametrize(
    "link",
    ["https://rover.ebay.com/itm/110000000001", "https://ebay.evil.example/itm/110000000001", "#", None],
)
def test_an_offer_of_ebay_leads_to_an_item_of_ebay_or_nowhere(link):
    offer = one("ebay", ebay(item(1, link=link)))

    assert (offer.url, offer.link, offer.private) == ("", "", {})


@pytest.mark.parametrize(
    "product_link", ["https://www.google.com/aclk?a=1", "https://shop.example.com/", None, 7]
)
def test_an_offer_without_a_page_has_no_address(product_link):
    offer = one("google_shopping", shopping(listed(1, product_link=product_link)))

    assert (offer.url, offer.link) == ("", "")
