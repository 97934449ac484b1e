"""Twins of the services we talk to: real HTTP servers on this machine that say what a test scripted."""
