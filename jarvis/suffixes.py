"""Rules that would allow the hosts of people who have nothing to do with each other: those under co.uk.

The list of such public suffixes takes 0.1 s to read, more than a whole plain command does. Ask only of a rule
that is to be kept, shown, or about to settle a doubt.
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
    return (rule.is_wide and "." not in host) or _known().publicsuffix(host) == host


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
def _known() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)  # localhost is no suffix
