"""What people ask for in ordinary words, with what an honest planner makes of it: for `scripts/bench asks`.

A line is the words, then the steps after a bar:
site NAME HOST  search, and open what the search knows as NAME's own site
any HOST        search for what is nobody's own, and open the first that is found
typed N         open the N-th address in the words
line N · the HOST  open what an earlier turn found: what was listed in line N, or its address on HOST
app NAME · picture · look · say   start an app, take a screenshot, search only, reply
"""

from __future__ import annotations

# In a thread in which nothing was said before.
FRESH = """
open github | site GitHub github.com
open up github please | site GitHub github.com
pls open youtube | site YouTube www.youtube.com
can u open reddit | site Reddit www.reddit.com
could you open wikipedia for me? | site Wikipedia www.wikipedia.org
go to hacker news | site Hacker News news.ycombinator.com
take me to stack overflow | site Stack Overflow stackoverflow.com
find the MIT website and open it | site MIT web.mit.edu
find mits website n open it | site MIT web.mit.edu
open the stanford website | site Stanford University www.stanford.edu
Open the website of the Louvre. | site Louvre www.louvre.fr
i want to go to the homepage of the red cross | site Red Cross www.redcross.org
I'd like to see the website of Oxford University, please. | site University of Oxford www.ox.ac.uk
let's go to the nasa site | site NASA www.nasa.gov
hey jarvis, pull up the BBC website | site BBC www.bbc.com
look up the python docs and open them | any docs.python.org
search for the rust book and open the first result | any doc.rust-lang.org
google sourdough recipes and open one | any www.breadclub.org
find me a good pizza place in naples and open their website | any www.pizzeriavesuvio.it
I need the website of the city of Vienna opened | site City of Vienna www.wien.gv.at
get me to the deutsche bahn site | site Deutsche Bahn www.bahn.de
bring up the tesla homepage | site Tesla www.tesla.com
show me the ikea website | site IKEA www.ikea.com
open ikea's website in my browser | site IKEA www.ikea.com
the mit website, please open it | site MIT web.mit.edu
opne the mozilla website | site Mozilla www.mozilla.org
please vist the debian site | site Debian www.debian.org
plz find teh kernel.org website and open it | typed 1
search online for the weather service, then open its site | site Weather Service www.weather.gov
find out what the official site of the olympics is and open it | site Olympics www.olympics.com
do a search for the acm digital library and open it | site ACM Digital Library dl.acm.org
what's the website of spotify? open it | site Spotify www.spotify.com
who makes the fairphone? open their website | site Fairphone www.fairphone.com
I forgot the address of the Met museum, can you find it and open it | site Met Museum www.metmuseum.org
i don't know the url of arxiv, find it and open it | site arXiv arxiv.org
would you mind opening the gutenberg project website | site Project Gutenberg www.gutenberg.org
would you be so kind as to open the wikipedia page on octopuses? | any en.wikipedia.org
open the wikipedia article about the moon landing | any en.wikipedia.org
open a map of lisbon | any www.openstreetmap.org
open something funny about cats | any www.catfacts.org
find a tutorial on css grid and take me there | any css-tricks.com
once you have found the gnu website, open it | site GNU www.gnu.org
locate the who website and open it up | site WHO www.who.int
find the fifa website then open it in a new tab | site FIFA www.fifa.com
open the official lego site | site LEGO www.lego.com
launch the netflix website | site Netflix www.netflix.com
open gmail | site Gmail mail.google.com
go to google maps | site Google Maps google.com/maps
head over to the new york times | site The New York Times www.nytimes.com
visit the guardian | site The Guardian www.theguardian.com
find cheap flights to rome and open the best site | any www.flightfinder.net
OPEN THE AMAZON WEBSITE | site Amazon www.amazon.com
open paypal.com | typed 1
can you open https://docs.python.org/3/library/re.html for me | typed 1
please go to news.ycombinator.com now | typed 1
visit www.eff.org | typed 1
take me to example.org/about please | typed 1
open localhost:8080 in my browser | typed 1
check out https://www.w3.org/TR/ | typed 1
show me lwn.net | typed 1
get https://kernel.org on my screen, open it | typed 1
go to github.com and gitlab.com | typed 1; typed 2
open python.org, pypi.org and lwn.net | typed 1; typed 2; typed 3
open firefox | app firefox
open firefox pls | app firefox
start firefox | app firefox
launch the calculator | app calculator
can you start the terminal for me | app terminal
could you please run gimp? | app gimp
fire up spotify | app spotify
I want you to open vs code | app vs code
open libreoffice writer | app libreoffice writer
start the file manager | app file manager
open my text editor | app text editor
i need the calendar app, open it please | app calendar
spin up a terminal | app terminal
open thunderbird, thanks | app thunderbird
launch slack quickly | app slack
yo open discord | app discord
alright, open the settings | app settings
open system monitor so i can see what's slow | app system monitor
open firefox and thunderbird | app firefox; app thunderbird
start vlc, then open the calculator too | app vlc; app calculator
boot up steam | app steam
run blender | app blender
hey could you open the notes app? | app notes
take a screenshot | picture
take a screenshot please | picture
screenshot | picture
screen shot pls | picture
can you take a screenshot of my screen? | picture
grab a screenshot for me | picture
i need a screenshot | picture
capture the screen | picture
make a quick screenshot of this window | picture
please capture my screen now | picture
take a picture of my screen | picture
save a screenshot of the desktop | picture
could you snap a screenshot real quick | picture
open calculator and take a screenshot | app calculator; picture
find the weather in oslo, then take a screenshot | look; picture
open github.com then take a screenshot of it | typed 1; picture
find the mit website, open it and take a screenshot | site MIT web.mit.edu; picture
open the arch wiki and the gentoo wiki | site Arch Wiki wiki.archlinux.org; site Gentoo Wiki wiki.gentoo.org
open the mit and the stanford website | site MIT web.mit.edu; site Stanford www.stanford.edu
who runs tesla | look; say
what's the capital of australia? | say
how tall is mont blanc | look; say
when does the super bowl start | look; say
explain recursion to me like I'm five | say
is it going to rain in hamburg tomorrow? | look; say
translate good morning into french | say
tell me a joke | say
find out how much a bigmac costs in norway | look; say
what did i ask you before? | say
compare postgres and mysql | look; say
how do i open a tar file in the terminal? | say
what happens if i delete system32 | say
thanks, that's all | say
"""

# After a turn that found MIT's own site, its article and its courses, and listed them in this order.
FOLLOWING = """
open it | the web.mit.edu
open their website | the web.mit.edu
ok open the website | the web.mit.edu
open the second one | line 2
the third one please, open it | line 3
open the first link | line 1
open number 2 | line 2
open result 3 please | line 3
can you open the last one? | line 3
go to the wikipedia one | the en.wikipedia.org
open the wikipedia article | the en.wikipedia.org
show me the second result | line 2
great, take me there | the web.mit.edu
yes please open that | the web.mit.edu
no, open the second | line 2
visit their homepage | the web.mit.edu
open the official site | the web.mit.edu
pls open mit's website | the web.mit.edu
now open it in my browser | the web.mit.edu
open ocw.mit.edu | typed 1
"""

# In other languages the words can't be read yet: asking is by design, so these are counted apart.
OTHER_LANGUAGES = """
öffne die webseite vom louvre | site Louvre www.louvre.fr
starte firefox | app firefox
mach einen screenshot | picture
ouvre le site de la sncf | site SNCF www.sncf.com
lance firefox s'il te plaît | app firefox
abre la página del museo del prado | site Museo del Prado www.museodelprado.es
abre firefox por favor | app firefox
apri il sito di trenitalia | site Trenitalia www.trenitalia.com
abra o site do ibge | site IBGE www.ibge.gov.br
ファイアフォックスを開いて | app firefox
"""


def requests(text: str) -> list[tuple[str, list[str]]]:
    """The words of each line of *text*, with its steps."""
    lines = [line.rpartition(" | ") for line in text.strip().splitlines()]
    return [(words, steps.split("; ")) for words, _, steps in lines]
