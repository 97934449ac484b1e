"""The list of public suffixes, under which anybody may have a host (co.uk, github.io); rules that name one.

It takes some 50 ms to read, more than a whole plain command does: only where it is needed.
"""

from __future__ import annotations

import functools

from .rules import ALLOW, Rule
from .typed import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def is_too_wide(rule: Rule) -> bool:
    """Whether *rule* counts for nothing. One without a name is not meant: it says how wide it is."""
    if (rule.verdict, rule.effect) != (ALLOW, "opens") or not rule.name:
        return False
    host = _host(rule)
    return (rule.is_wide and "." not in host) or listed().publicsuffix(host, accept_unknown=False) == host


def why_too_wide(rule: Rule) -> tuple[str, str]:
    """Why a rule that is too wide counts for nothing, and what to do instead."""
    host = _host(rule)
    return (
        f"{rule.name} is too wide, as the hosts under {host} may be anybody's.",
        f"Name a host below it: jarvis policy allow open www.example.{host}",
    )


def _host(rule: Rule) -> str:
    return rule.name.removeprefix("*.")


@functools.cache
def listed(*, only_registries: bool = False) -> PublicSuffixList:
    """only_registries: without the hosts of providers who let out subdomains."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(only_icann=only_registries)
