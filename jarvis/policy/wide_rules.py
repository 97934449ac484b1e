"""Finds rules that name a public suffix (co.uk, github.io), where anybody may have a host: they don't
count.

Which those are takes some 50 ms to read, more than a whole plain command does: only where it is needed.
"""

from __future__ import annotations

from ..search.hosts import listed
from .rules import ALLOW, Rule


def is_too_wide(rule: Rule) -> bool:
    """Return whether *rule* counts for nothing. A rule without a name is not too wide: it says so itself."""
    if (rule.verdict, rule.effect) != (ALLOW, "opens") or not rule.name:
        return False
    host = _host(rule)
    return (rule.is_wide and "." not in host) or listed().publicsuffix(host, accept_unknown=False) == host


def why_too_wide(rule: Rule) -> tuple[str, str]:
    """Return why a rule that is too wide counts for nothing, and what to do instead."""
    host = _host(rule)
    return (
        f"{rule.name} is too wide, as the hosts under {host} may be anybody's.",
        f"Name a host below it: jarvis policy allow open www.example.{host}",
    )


def _host(rule: Rule) -> str:
    return rule.name.removeprefix("*.")
