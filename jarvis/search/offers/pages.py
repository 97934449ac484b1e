"""Takes the page of an offer out of a service's entry: no ad, and nothing that leads on to somewhere else."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from ...core import urls
from ..extract import is_google, public_address

_ON_GOOGLE = ("/shopping/product/", "/search")  # of its paths, those that show a product
# eBay under each country's domain; rover.ebay.com and its like lead on.
_EBAY = re.compile(r"(?:www\.)?ebay\.(?:com|[a-z]{2}|com?\.[a-z]{2}|com\.[a-z]{2})\Z")
_ITEM = re.compile(r"/itm/(?:[^/]+/)?([0-9]{9,19})/?\Z")


def merchant_page(raw: object) -> str:
    """Return the address of a shop's own page; empty for a redirect, and for a page of the search's."""
    address = public_address(raw)
    return address.url if address and not _leads_on(address.url) else ""


def service_page(raw: object) -> str:
    """Return the address of Google's page about a product; empty for anything else, an ad's above all."""
    address = urls.found(raw)
    if not address or not is_google(address.host) or _leads_on(address.url):
        return ""
    return address.url if urlsplit(address.url).path.startswith(_ON_GOOGLE) else ""


def ebay_page(raw: object) -> tuple[str, str]:
    """Return the address of eBay's page of an item, without what tracks, and the item's number."""
    address = urls.found(raw)
    item = _ITEM.search(urlsplit(address.url).path) if address and _EBAY.match(address.host) else None
    return (f"https://{address.host}/itm/{item[1]}", item[1]) if address and item else ("", "")


def _leads_on(url: str) -> bool:
    """Return whether another address stands within *url*: then it may be a redirect."""
    inside = unquote(unquote(url.partition("://")[2])).lower()
    return "://" in inside or "http:/" in inside or "https:/" in inside
