"""A portfolio of invented figures on a twin of the person's own server, which house and shell read."""

import pytest

from tests.twins.ghostfolio import TOKEN, GhostfolioTwin


@pytest.fixture
def ghost(house, shell):
    with GhostfolioTwin(base="EUR", USD="0.9") as twin:
        for home in (house, shell):
            home.environment |= {"GHOSTFOLIO_URL": twin.url, "GHOSTFOLIO_TOKEN": TOKEN}
        yield twin


@pytest.fixture
def portfolio(ghost):
    """Three holdings in two accounts, with cash, and dividends."""
    broker, other = ghost.account("Broker A", cash="60606.61"), ghost.account("Broker B")
    ghost.quotes("VWCE.DE", "FTSE All-World", "112.37")
    ghost.quotes("AAPL", "Apple", "190.19", currency="USD")
    ghost.quotes("BNDX", "World Bonds", "47.53")
    ghost.booked("BUY", "VWCE.DE", "4711", "98.43", "2025-03-03", fee="31.57", account=broker)
    ghost.booked("BUY", "AAPL", "817.25", "201.71", "2025-03-04", fee="22.51", account=other)
    ghost.booked("BUY", "BNDX", "9293", "47.11", "2025-03-05", account=broker)
    ghost.booked("DIVIDEND", "AAPL", "817.25", "0.26", "2025-08-12", account=other)
    ghost.booked("DIVIDEND", "AAPL", "817.25", "0.27", "2025-11-12", account=other)
    return ghost


@pytest.fixture
def broker(ghost):
    """A server with an account, where two symbols can be traded."""
    ghost.account("Mine")
    ghost.quotes("VWCE.DE", "FTSE All-World", "112.37")
    ghost.quotes("AAPL", "Apple", "190.19", currency="USD")
    return ghost


@pytest.fixture
def allowed(shell, broker):
    """The same, which a rule lets be written to."""
    assert shell.jarvis("policy", "allow", "write", "127.0.0.1").status == 0
    return broker
