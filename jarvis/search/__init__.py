"""Searches the web: one request to a service, and the addresses that Python takes out of the answer."""
