"""List the sites that are known by name, written and checked by hand. Others are searched for, not guessed.

Names that are everyday words (a target, the weather) are left out, unless nobody means the word by them.
"""

from __future__ import annotations

from collections.abc import Sequence

# An address without its scheme, then its names: in lower case, without signs. Each ends with a bar.
SITES = """
www.google.com|google|google search|
mail.google.com|gmail|google mail|
drive.google.com|google drive|gdrive|
docs.google.com/document|google docs|
docs.google.com/spreadsheets|google sheets|
docs.google.com/presentation|google slides|
calendar.google.com|google calendar|gcal|
www.google.com/maps|google maps|
photos.google.com|google photos|
keep.google.com|google keep|
meet.google.com|google meet|
translate.google.com|google translate|
news.google.com|google news|
scholar.google.com|google scholar|
www.google.com/finance|google finance|
classroom.google.com|google classroom|
colab.research.google.com|google colab|colab|
console.cloud.google.com|google cloud console|gcp console|
cloud.google.com|google cloud|
analytics.google.com|google analytics|
aistudio.google.com|google ai studio|ai studio|
www.youtube.com|youtube|yt|
music.youtube.com|youtube music|
studio.youtube.com|youtube studio|
www.facebook.com|facebook|
www.messenger.com|facebook messenger|
www.instagram.com|instagram|
x.com|twitter|
www.linkedin.com|linkedin|
www.reddit.com|reddit|
www.pinterest.com|pinterest|
www.tiktok.com|tiktok|
www.snapchat.com|snapchat|
www.tumblr.com|tumblr|
www.quora.com|quora|
bsky.app|bluesky|
web.whatsapp.com|whatsapp|whatsapp web|
web.telegram.org|telegram|telegram web|
discord.com/app|discord|
app.slack.com|slack|
teams.microsoft.com|microsoft teams|ms teams|
zoom.us|zoom|
www.twitch.tv|twitch|
vimeo.com|vimeo|
www.netflix.com|netflix|
www.primevideo.com|prime video|amazon prime video|
www.disneyplus.com|disney plus|disney+|
www.hulu.com|hulu|
tv.apple.com|apple tv|
music.apple.com|apple music|
open.spotify.com|spotify|
soundcloud.com|soundcloud|
bandcamp.com|bandcamp|
www.pandora.com|pandora|
www.last.fm|last fm|lastfm|
www.imdb.com|imdb|internet movie database|
www.rottentomatoes.com|rotten tomatoes|
www.metacritic.com|metacritic|
www.goodreads.com|goodreads|
www.audible.com|audible|
store.steampowered.com|steam store|
store.epicgames.com|epic games|epic games store|
www.roblox.com|roblox|
www.minecraft.net|minecraft|
lichess.org|lichess|
www.wikipedia.org|wikipedia|
en.wikipedia.org|english wikipedia|
www.wiktionary.org|wiktionary|
www.britannica.com|britannica|encyclopaedia britannica|encyclopedia britannica|
www.merriam-webster.com|merriam webster|
www.urbandictionary.com|urban dictionary|
www.deepl.com|deepl|
www.wolframalpha.com|wolfram alpha|wolframalpha|
archive.org|internet archive|
web.archive.org|wayback machine|
www.gutenberg.org|project gutenberg|
www.openstreetmap.org|openstreetmap|open street map|osm|
www.bing.com|bing|
duckduckgo.com|duckduckgo|duck duck go|ddg|
search.brave.com|brave search|
www.startpage.com|startpage|
www.yahoo.com|yahoo|
mail.yahoo.com|yahoo mail|
finance.yahoo.com|yahoo finance|
kagi.com|kagi|
chatgpt.com|chatgpt|chat gpt|
openai.com|openai|open ai|
claude.ai|claude ai|
www.anthropic.com|anthropic|
gemini.google.com|google gemini|
www.perplexity.ai|perplexity|perplexity ai|
copilot.microsoft.com|microsoft copilot|
huggingface.co|hugging face|huggingface|
github.com|github|
gist.github.com|github gist|github gists|
gitlab.com|gitlab|
bitbucket.org|bitbucket|
codeberg.org|codeberg|
sourceforge.net|sourceforge|
stackoverflow.com|stack overflow|stackoverflow|
stackexchange.com|stack exchange|stackexchange|
askubuntu.com|ask ubuntu|
news.ycombinator.com|hacker news|hackernews|hn|ycombinator news|
www.ycombinator.com|y combinator|ycombinator|
lobste.rs|lobsters|
www.producthunt.com|product hunt|producthunt|
pypi.org|pypi|python package index|
docs.python.org|python docs|python documentation|
doc.rust-lang.org|rust docs|rust documentation|
developer.mozilla.org|mdn|mdn web docs|
caniuse.com|can i use|caniuse|
www.w3schools.com|w3schools|w3 schools|
hub.docker.com|docker hub|dockerhub|
aws.amazon.com|aws|amazon web services|
console.aws.amazon.com|aws console|
azure.microsoft.com|azure|microsoft azure|
www.cloudflare.com|cloudflare|
www.digitalocean.com|digitalocean|digital ocean|
vercel.com|vercel|
codepen.io|codepen|
replit.com|replit|
leetcode.com|leetcode|
regex101.com|regex101|regex 101|
godbolt.org|compiler explorer|godbolt|
www.figma.com|figma|
www.canva.com|canva|
unsplash.com|unsplash|
www.flickr.com|flickr|
imgur.com|imgur|
giphy.com|giphy|
trello.com|trello|
asana.com|asana|
linear.app|linear app|
www.dropbox.com|dropbox|
onedrive.live.com|onedrive|one drive|
outlook.live.com|hotmail|
www.office.com|microsoft office online|microsoft 365|
www.icloud.com|icloud|
mail.proton.me|protonmail|proton mail|
app.fastmail.com|fastmail|
substack.com|substack|
www.patreon.com|patreon|
www.kickstarter.com|kickstarter|
www.gofundme.com|gofundme|
www.paypal.com|paypal|
www.coinbase.com|coinbase|
www.amazon.com|amazon|
www.amazon.co.uk|amazon uk|
www.ebay.com|ebay|
www.etsy.com|etsy|
www.aliexpress.com|aliexpress|ali express|
www.craigslist.org|craigslist|
www.airbnb.com|airbnb|air bnb|
www.tripadvisor.com|tripadvisor|trip advisor|
www.uber.com|uber|
www.lyft.com|lyft|
www.doordash.com|doordash|door dash|
www.grubhub.com|grubhub|
www.yelp.com|yelp|
www.zillow.com|zillow|
www.glassdoor.com|glassdoor|
www.nytimes.com|new york times|nytimes|ny times|nyt|
www.washingtonpost.com|washington post|
www.wsj.com|wall street journal|wsj|
www.theguardian.com|the guardian|guardian newspaper|
www.bbc.com|bbc|
www.bbc.com/news|bbc news|
www.cnn.com|cnn|
www.foxnews.com|fox news|
www.nbcnews.com|nbc news|
www.npr.org|npr|
www.reuters.com|reuters|
apnews.com|associated press|ap news|
www.aljazeera.com|al jazeera|aljazeera|
www.bloomberg.com|bloomberg|
www.ft.com|financial times|
www.economist.com|the economist|
www.huffpost.com|huffpost|huffington post|
www.theverge.com|the verge|
www.wired.com|wired magazine|
arstechnica.com|ars technica|arstechnica|
techcrunch.com|techcrunch|tech crunch|
www.nationalgeographic.com|national geographic|
xkcd.com|xkcd|
www.theonion.com|the onion|
arxiv.org|arxiv|
pubmed.ncbi.nlm.nih.gov|pubmed|pub med|
www.researchgate.net|researchgate|research gate|
www.webmd.com|webmd|web md|
www.khanacademy.org|khan academy|
www.coursera.org|coursera|
www.udemy.com|udemy|
www.duolingo.com|duolingo|
www.ted.com|ted talks|
www.accuweather.com|accuweather|accu weather|
weather.com|weather channel|the weather channel|
www.espn.com|espn|
www.nba.com|nba|
www.nfl.com|nfl|
www.microsoft.com|microsoft|
www.mozilla.org|mozilla|
wiki.archlinux.org|arch wiki|archwiki|
www.speedtest.net|speedtest|speed test|
"""
# These do not count after a wish or “go back to”: “I want to go to MIT” may be about studies.
INSTITUTIONS = """
www.mayoclinic.org|mayo clinic|
www.mit.edu|mit|
www.stanford.edu|stanford|stanford university|
www.harvard.edu|harvard|harvard university|
www.nasa.gov|nasa|
www.who.int|world health organization|world health organisation|
www.un.org|united nations|
europa.eu|european union|
"""
# These count after “open” or as “… website” only: “take me to IKEA” may mean the shop.
PLACES = """
www.walmart.com|walmart|
www.costco.com|costco|
www.ikea.com|ikea|
www.starbucks.com|starbucks|
www.mcdonalds.com|mcdonalds|mc donalds|
www.bankofamerica.com|bank of america|
www.wellsfargo.com|wells fargo|
www.usps.com|usps|
www.fedex.com|fedex|
www.dhl.com|dhl|
"""
# These do not count after “start” and the like: “start npm” means the program, which may be no app.
PROGRAMS = """
www.npmjs.com|npm|npmjs|
www.rust-lang.org|rust lang|
go.dev|golang|
nodejs.org|nodejs|
numpy.org|numpy|
pytorch.org|pytorch|
scikit-learn.org|scikit learn|
www.langchain.com|langchain|
kubernetes.io|kubernetes|
www.postgresql.org|postgresql|postgres|
www.debian.org|debian|
archlinux.org|arch linux|archlinux|
"""
ALL = (SITES, INSTITUTIONS, PLACES, PROGRAMS)


def site(name: str, among: Sequence[str] = ALL) -> str:
    """Return the address of the site of that *name*, in lower case without signs; empty if none is known.

    among: the lists that count, since a site's name may name other things as well.
    """
    for called in dict.fromkeys((name, name.replace(" ", ""))):
        for listed in among:
            at = listed.find(f"|{called}|") if called else -1
            if at >= 0:
                start = listed.rfind("\n", 0, at) + 1
                return f"https://{listed[start : listed.index('|', start)]}"
    return ""


def names() -> list[tuple[str, str]]:
    """Return every name with its address."""
    rows = [row.split("|")[:-1] for row in "".join(ALL).split("\n") if row]
    return [(name, f"https://{address}") for address, *called in rows for name in called]


def hosts() -> set[str]:
    """Return the host of every known site, without www."""
    rows = (row for row in "".join(ALL).split("\n") if row)
    return {row.partition("|")[0].partition("/")[0].removeprefix("www.") for row in rows}
