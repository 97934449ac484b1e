"""The packs: every folder beside this file is one, whose package has a PACK. See pack.py."""
