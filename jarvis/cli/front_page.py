"""What `jarvis --help` prints: a screen of 80 columns and 24 lines."""

from __future__ import annotations

from .. import __version__
from ..packs import with_commands

VERSION = f"jarvis {__version__}"
_PACKS = ", ".join([*with_commands(), "packs"])
FRONT_PAGE = f"""\
Say in plain words what you want:

  jarvis open github.com
  jarvis "find the MIT website and open it"
  jarvis "find me a used Switch under 150 dollars"     then: jarvis open 2
  git log | jarvis what changed
  jarvis -f notes.txt "sum this up"
  jarvis                                               a chat; Ctrl-D leaves

  -t NAME, -c, -r    the conversation: named, the last one, picked from a list
  -n, -y             do nothing on the desktop; say yes to what would be asked
  --json, --csv, -q  for programs: one object, tables, the answer alone

  setup, keys        the keys of the model and of the search: ask for them, test
  threads, why       what was asked and what came of it; why something was done
  usage, doctor      what was used up; what is wrong, and what mends it
  alias, policy      your own names for addresses; what may be done unasked
  {_PACKS:<17}  what you keep of what was found; what else it can do

jarvis help all      every command; jarvis help ask: all options of a request
jarvis -- why me     sends it as words, whatever it looks like"""
