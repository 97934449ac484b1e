"""The faults of a model that may pass, or that another model may not have. Any other is for good."""

from __future__ import annotations

from ..core.errors import RateLimited, ServiceUnreachable


class Overloaded(ServiceUnreachable):
    """The service has too much to do, or a fault of its own."""


class TooSlow(ServiceUnreachable):
    """It took the request, and says nothing."""


class Lost(ServiceUnreachable):
    """There is no connection, or it was lost."""


class Busy(RateLimited):
    """It was asked too often in a short time."""

    seconds = 0.0  # after which it wants to be asked again; 0: it does not say


class QuotaSpent(RateLimited):
    """It was asked as often as it may be in a day."""
