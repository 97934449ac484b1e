"""Searches the web: one request to SerpAPI, and the addresses that Python takes out of the answer."""
