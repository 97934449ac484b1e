"""Send one known address to the person's browser."""

from collections.abc import Mapping
from shlex import quote

from ..core import urls
from ..core.errors import Refused
from ..core.intent import Form
from ..core.types import Effect, Facts, Outcome, ParsedWords
from ..desktop.desktop import Platform, sent
from ..language.command_grammar import VERBS, address, line
from .base import DesktopAction, Field, Want


class OpenWebsite(DesktopAction):
    name = "open_website"
    verb = "open"
    description = (
        "send one of the offered addresses to the person's browser; `address` is its id. "
        "Search first if none fits."
    )
    fields = (Field("address", "one offered", offered=True),)
    wants = (
        Want(Form.TYPED, "open the N-th address that stands in these words"),
        Want(Form.LINE, "open that line of the list they saw last"),
        Want(Form.LINES, "open each line of it"),
        Want(Form.FOUND, "open N pages that are to be found, or were found before, without being named so"),
    )
    effect = "opens"
    verbs = VERBS

    def resolve(self, arguments: Mapping[str, object], facts: Facts) -> Effect:
        id_ = str(arguments.get("address"))
        if file := facts.files.get(id_):
            raise Refused("That is a file.", hint=f"jarvis open {quote(file.path)}")
        address = facts.addresses.get(id_)
        if address is None:
            raise Refused("That address is not one that you named or that was found.")
        return Effect("opens", address.url, address=address)

    def plain(self, words: ParsedWords) -> Mapping[str, str] | None:
        """Read `open github.com/user?x=1`, `go to news dot ycombinator dot com`, `open the second one`."""
        if number := line(words):
            return {"address": str(number)}
        word = urls.unwrapped(address(words))
        url = "" if urls.may_be_file(word) else address_in(word)
        return {"address": url} if url else None

    def perform(self, effect: Effect, platform: Platform) -> Outcome:
        return sent(effect.target, "your browser", platform.open_url(effect.target))


def address_in(word: str) -> str:
    """Return *word* as an address, or "" if it isn't one or has an unusual ending."""
    ending = urls.host_of(f"https://{word}").rpartition(".")[2]
    is_host = "://" in word or word.startswith("[") or ending.isdecimal() or urls.is_well_known(ending)
    return urls.address_from_word(word) or "" if is_host else ""


ACTION = OpenWebsite()
