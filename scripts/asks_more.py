"""More of what people ask for, as in asks.py: politely, with reasons, by lines, and in a second turn."""

from __future__ import annotations

MORE = """
hey there, could you possibly open the ikea site | site IKEA www.ikea.com
i was hoping you could open the bbc website | site BBC www.bbc.com
i'd appreciate it if you could open the nasa website | site NASA www.nasa.gov
is it possible to open the louvre website? | site Louvre www.louvre.fr
are you able to open the debian website | site Debian www.debian.org
why don't you open the lego website | site LEGO www.lego.com
why not open the tesla homepage | site Tesla www.tesla.com
when you have a minute, open the arxiv website | site arXiv arxiv.org
if you have a second, take a screenshot | picture
if it's not too much bother, open the guardian | site The Guardian www.theguardian.com
in that case, open the mozilla website | site Mozilla www.mozilla.org
before i forget, open the spotify website | site Spotify www.spotify.com
* open the netflix website | site Netflix www.netflix.com
step 2: take a screenshot | picture
may i see the website of the uffizi | site Uffizi www.uffizi.it
i don't have an account, open the airbnb website | site Airbnb www.airbnb.com
it's not loading here, open the fifa website | site FIFA www.fifa.com
we never met the deadline, open the jira website | site Jira www.atlassian.com
no need to look further, open the olympics website | site Olympics www.olympics.com
let's not argue about it, open the who website | site WHO www.who.int
what's a good laptop? go to the lenovo website | site Lenovo www.lenovo.com
open the rotten tomatoes page because tonight is movie night | site Rotten Tomatoes www.rottentomatoes.com
open github since the tests are red | site GitHub github.com
open reddit in dark mode | site Reddit www.reddit.com
open wikipedia in incognito | site Wikipedia www.wikipedia.org
open duolingo on my other screen | site Duolingo www.duolingo.com
open ebay for a moment | site eBay www.ebay.com
open reddit with chromium | site Reddit www.reddit.com
open the this american life website | site This American Life www.thisamericanlife.org
open the numpy repo | any github.com
open the rust forum | any users.rust-lang.org
open obama's twitter | any x.com
open the nixos wiki and the debian wiki | site NixOS Wiki wiki.nixos.org; site Debian Wiki wiki.debian.org
open https://shop.example/cart?a=1&b=2 and take a screenshot | typed 1; picture
open https://news.example/why-it-was-late for me | typed 1
https://kernel.org/doc please | typed 1
open example.org with firefox | typed 1
open the login page of example.org | typed 1
open krita asap | app krita
open another terminal | app terminal
start the game minetest | app minetest
run the program called audacity | app audacity
restart thunderbird please | app thunderbird
open libre office | app libreoffice
start inkscape instead of gimp | app inkscape
open sound recorder | app sound recorder
take a pic of my desktop | picture
i need a screenshot for my notes | picture
would you mind taking a screenshot? | picture
grab what's on my screen | picture
screenshot this page please | picture
"""

# As in asks.FOLLOWING: three are listed, MIT's own site, its article and its courses.
MORE_FOLLOWING = """
open the second and third ones | line 2; line 3
open the second to last one | line 2
open the first two | line 1; line 2
open 1 and 2 | line 1; line 2
open all of them | line 1; line 2; line 3
open #3 | line 3
open the top result please | line 1
pull it up | the web.mit.edu
bring the third one up | line 3
click the second link | line 2
the third one please | line 3
ok, the second one | line 2
open the last one, not the first one | line 3
open it | the web.mit.edu
"""

# What was said and answered before, then what is asked, and the query that an honest planner makes of it.
SECOND = """
what is covid-19? | A disease. | what are its symptoms? | covid-19 symptoms
which card is fastest? | The RTX4090 is. | how much does it cost? | RTX4090 price
is iphone16 out? | Yes. | how heavy is it? | iphone16 weight
what does windows11 need? | 4 GB of memory. | does it run on a t480? | windows11 t480
what is gpt-4o? | A model. | who made it? | gpt-4o company
explain ISO27001 | It is a standard. | who certifies it? | ISO27001 certification bodies
what's new in tls1.3? | It is faster. | which browsers support it? | tls1.3 browser support
when is the next eclipse? | On 2026-08-12. | where can i see it? | eclipse 2026-08-12 path
how many live in new york? | 8,336,817 people. | is that more than london? | london population vs 8,336,817
who wrote dune? | Frank Herbert. | what else did he write? | Frank Herbert books
"""


def second_turns() -> list[tuple[str, str, str, str]]:
    lines = (line.split(" | ") for line in SECOND.strip().splitlines())
    return [(before, reply, words, query) for before, reply, words, query in lines]
