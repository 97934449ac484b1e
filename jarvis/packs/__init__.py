"""The packs: every folder next to this file is a pack, a package with a PACK. See pack.py."""
