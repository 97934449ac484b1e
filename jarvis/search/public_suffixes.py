"""The list of public suffixes, under which anybody may have a host: co.uk, github.io.

It takes some 50 ms to read, more than a whole plain command does: only where it is needed.
"""

from __future__ import annotations

import functools

from ..core.stdlib import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


@functools.cache
def listed(*, only_registries: bool = False) -> PublicSuffixList:
    """only_registries: without the hosts of providers who let out subdomains."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(only_icann=only_registries)
