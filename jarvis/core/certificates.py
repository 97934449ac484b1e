"""Tells what is wrong with certificates: a server's, or the files that name those who are trusted."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator

from .errors import JarvisError, ServiceUnreachable, SettingsError
from .text import one_line

_FILES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # the libraries look at these
_HINT = "Behind a proxy of your network name its certificate: export SSL_CERT_FILE=FILE. Or check the clock."


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield *error* and all that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def server_in(base_url: str) -> str:
    """Return the host in *base_url*, with its port, as it is told."""
    return base_url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]


def distrust(error: BaseException, service: str, server: str) -> JarvisError | None:
    """Return that the certificate of *server* is not trusted, and why, if that led to *error*."""
    for each in chain(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            why = one_line(each.verify_message, 200).rstrip(".")
            told = f"{service} can't be reached: the certificate of {server} is not trusted: {why}."
            return ServiceUnreachable(told, hint=_HINT)
    return None


def trusted() -> str | None:
    """Return the file of those who are trusted, if the environment names one.

    Raises SettingsError where it is not there.
    """
    name = next((name for name in _FILES if os.environ.get(name)), None)
    path = os.environ[name] if name else None
    if path and not os.path.exists(path):
        told = f"The certificates in {path}, which {name} names, can't be read: there is no such file."
        raise SettingsError(told, hint=f"unset {name}   (or name a file of certificates in PEM format)")
    return path
