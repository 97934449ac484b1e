"""Reads what is for sale out of SerpAPI's answers: one file an engine. Nothing here asks, keeps or shows."""
