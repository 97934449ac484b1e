"""A web service that answers in JSON: the meaning of its answers, and the proxy to reach it.

The client is in http.py, which takes long to import.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address, ip_network
from socket import create_connection
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ..core.errors import BadTarget, JarvisError, RateLimited, SearchFailed, ServiceUnreachable, SettingsError
from ..core.text import one_line, redact
from ..core.urls import canon

_KINDS = ("http://", "https://", "socks5://", "socks5h://")
_SECONDS = 2.0  # for a connection: a proxy is near


class WebService(NamedTuple):
    """A web service and its server."""

    name: str  # of the service, for people
    url: str  # of the server, without a / at its end
    setting: str  # the name of the one that says where it is
    page: str  # of the service, with its state or its documentation
    when_busy: str = "Try again in a moment"  # the hint where it allows no more for now


def reason_in(answer: Any, key: str) -> str:
    """Return the service's own error message in the JSON *answer*, or "".

    key: the one that was sent. The message may quote it.
    """
    error = answer.get("error") if isinstance(answer, dict) else None
    text = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    if isinstance(answer, dict) and isinstance(each := answer.get("message"), list):  # all that was wrong
        text = "; ".join(map(str, each))
    return one_line(redact(text, (key,)), 200) if isinstance(text, str) else ""


def _check_status(status: int, text: str, server: WebService, refused: Callable[[], JarvisError]) -> None:
    """Raise the error for *status*, if it is one.

    text: the service's own message: SerpAPI reports errors with 200 too. refused: makes the error for the
    key.
    """
    is_of_key = any(name in text.lower() for name in ("api key", "subscription token"))
    if status in (401, 403) or (status in (200, 400, 422) and is_of_key):
        raise refused()
    if status == 429 or "run out of searches" in text:
        message = f"{server.name} allows no more requests for now{f': {text}' if text else '.'}"
        raise RateLimited(message, hint=f"{server.when_busy}   (or see {server.page})")
    if status >= 500:
        message = f"{server.name} has a fault: it answered with status {status}."
        raise ServiceUnreachable(message, hint=f"Try again later, or see {server.page}")
    if status >= 300:  # a redirect is not followed, since the key would go along
        message = f"{server.name} says: {text}" if text else f"{server.name} answered with status {status}."
        raise SearchFailed(message, hint=f"Check {server.setting}, or see {server.page}")


def checked_json(
    text: str, status: int, server: WebService, key: str, refused: Callable[[], JarvisError]
) -> Any:
    """Return the JSON of an answer. Raises what its *status* means.

    refused: makes the error for the *key*.
    """
    answer = None
    with suppress(ValueError, RecursionError):
        answer = json.loads(text)
    if answer is None and text.lstrip().startswith("<"):
        message = (
            f"A web page came instead of {server.name}'s answer ({status} from {server_in(server.url)}): "
        )
        hint = f"Open a page in your browser. Check HTTPS_PROXY and {server.setting}."
        raise ServiceUnreachable(f"{message}a proxy, a login page or a wrong address.", hint=hint)
    _check_status(status, reason_in(answer, key), server, refused)
    if answer is None:
        raise SearchFailed(f"Can't read {server.name}'s answer: it isn't JSON.", hint="Try again.")
    return answer


def server_in(base_url: str) -> str:
    """Return host and port of *base_url*, as shown to users."""
    return base_url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]


# The proxies of the environment, or of the system.


class Proxy(NamedTuple):
    url: str  # with the password that it may have
    label: str  # its host, and what names it
    hint: str

    def check(self) -> None:
        """Raise ServiceUnreachable where nothing answers at its address."""
        parts = urlsplit(self.url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 1080)
        try:
            create_connection((parts.hostname, port), _SECONDS).close()
        except OSError as error:
            message = f"{self.label} does not answer: {error.strerror or error}"
            raise ServiceUnreachable(message, hint=self.hint) from None


def proxy_for(url: str) -> Proxy | None:
    """Return the proxy for the server at *url*, or None. Raises SettingsError.

    It ignores settings for other addresses: desktops have several, some of other kinds.
    """
    proxies, scheme = getproxies(), url.partition("://")[0]
    kind = next((kind for kind in (scheme, "all") if proxies.get(kind)), "")
    if not kind or proxy_bypass(server_in(url)) or _is_in_network(url, proxies.get("no", "")):
        return None
    names = [name for name in sorted(os.environ) if name.lower() == f"{kind}_proxy" and os.environ[name]]
    source = names[-1] if names else "your system's settings"  # the variable in small letters wins
    off = f"do without it: unset {source}" if names else "turn it off there"
    address = _address(proxies[kind])
    if address.startswith(_KINDS):
        return Proxy(
            address, f"{server_in(address)} ({source})", f"See that it runs and lets you in, or {off}"
        )
    at = f" ({server_in(address)})" if address else ""
    hint = f"Write it as http://HOST:PORT or socks5://HOST:PORT, or {off}"
    raise SettingsError(f"{source} names no proxy that can be used{at}.", hint=hint)


def _is_in_network(url: str, networks: str) -> bool:
    """Return whether the host of *url* is an IP address in one of the networks, such as 10.0.0.0/8."""
    for network in filter(lambda each: "/" in each, networks.split(",")):
        with suppress(ValueError):
            if ip_address(urlsplit(url).hostname or "") in ip_network(network.strip(), strict=False):
                return True
    return False


def _address(value: str) -> str:
    """Return *value* as an address, http by default, or "" if it isn't one."""
    kind, _, rest = value.strip().rpartition("://")
    try:
        address = canon(f"http://{rest}").url
    except BadTarget:
        return ""
    return address.replace("http", {"": "http", "socks": "socks5"}.get(kind, kind), 1)  # as GNOME writes it
