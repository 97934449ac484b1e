"""The rows of the commands of packs, and of the packs that have commands of their own."""

from __future__ import annotations

from .options import CSV, PRINTED, QUIET
from .rows import MANY, Argument, Command

_PACKS = (Argument("name", most=MANY, kind="pack"),)
_MAY_BE_PACK, _SWITCH = "commands.packs.may_be_pack", "commands.packs.switch_packs"

PACKS = (
    Command(
        "list",
        "list them: what each is for, and whether it is on",
        "commands.packs.list_packs",
        options=PRINTED,
    ),
    Command("on", "turn packs on", _SWITCH, _PACKS, PRINTED, fits=_MAY_BE_PACK),
    Command("off", "turn packs off", _SWITCH, _PACKS, PRINTED, fits=_MAY_BE_PACK),
    Command(
        "export",
        "print what is on your own lists, one thing a line, for `packs import` elsewhere",
        "commands.lists.export_lists",
        options=PRINTED,
    ),
    Command(
        "import",
        "read things from FILE, or from stdin where it is `-`; one that is there is left as it is",
        "commands.lists.import_lists",
        (Argument("file", kind="file"),),
        PRINTED,
    ),
)
ABOUT_PACKS = """
A pack that is on is used where your words are about it: nothing of it is
offered to the language model before. What it does is asked about as ever."""

SHOP = (
    Command(
        "list",
        "list what is on your own lists, with its price then and as it was seen last",
        "commands.shop.list_kept",
        options=PRINTED,
    ),
    Command(
        "check",
        "ask what each costs now; no model is asked, each takes a search or two",
        "commands.shop_check.check_kept",
        options=(QUIET._replace(help="print only what became cheaper; failures go to stderr"), *PRINTED),
    ),
    Command(
        "rm",
        "take something off its list: by its line, or by words of its title",
        "commands.shop.remove_kept",
        (Argument("what", "a line of `shop list`, or words of a title", most=MANY, kind="words"),),
        PRINTED,
    ),
    Command(
        "export",
        "print all of it in lines for programs, separated by tabs",
        "commands.shop.export_kept",
        options=(CSV._replace(help="as CSV, with a header"), *PRINTED),
    ),
)
ABOUT_SHOP = """
What is for sale is put there in words: `jarvis add 1 to my wishlist`, once it
was listed. `jarvis shop check -q` in a crontab tells what became cheaper.
Any other words behind `shop` are a request: `jarvis shop for a desk`."""
