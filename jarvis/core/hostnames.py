"""Checks and normalises the names of hosts; lists the endings that such a name may have."""

from __future__ import annotations

import re

from .errors import BadTarget

# No regular expressions for plain hosts: to compile them costs a plain command more than all else here.
DIGITS = "0123456789"
LETTERS = DIGITS + "abcdefghijklmnopqrstuvwxyz_-"
# What IDNA drops though it is called a letter or a mark; compiled for other scripts only.
_DROPPED = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3002\u3164\ufe00-\ufe0f\uffa0]"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_IN_BOTH = {"EN", "ES", "CS", "ET", "ON", "NSM"}


def ascii_host(host: str) -> str:
    """Return *host* in ASCII and lower case, an IPv6 address in its brackets.

    Raises BadTarget for what is no host, and for what IDNA or a browser would take for another one.
    """
    if host.startswith("["):
        return _ipv6(host[1:-1])
    if "ẞ" in host:  # ss, or ß: that depends on the browser's age
        raise _ambiguous()
    # One by one: at the end of a word lower() makes another letter of Σ than browsers do.
    labels = "".join(map(str.lower, host)).removesuffix(".").split(".")
    if not host.isascii() or any(label.startswith("xn--") for label in labels):
        labels = _encoded([_spelt(label) for label in labels])
    host = ".".join(labels)
    if not _is_host(host) or (_is_number(host) and not is_ipv4(host)):
        raise unreadable()
    return host


def is_ipv4(host: str) -> bool:
    """Return whether *host* is an IPv4 address, written in the one way that is not ambiguous."""
    parts = host.split(".")
    return len(parts) == 4 and all(
        part and not part.strip(DIGITS) and len(part) < 4 and part == str(int(part)) and int(part) < 256
        for part in parts
    )


def _is_host(host: str) -> bool:
    return len(host) <= 253 and all(
        0 < len(label) <= 63 and label[0] != "-" and not label.strip(LETTERS) for label in host.split(".")
    )


def _is_number(host: str) -> bool:
    """Return whether browsers take *host* for an IP address by its last label: 0x7f.1 is 127.0.0.1."""
    last = host.rpartition(".")[2]
    return not last.strip(DIGITS) or (last.startswith("0x") and not last[2:].strip(DIGITS + "abcdef"))


def unreadable() -> BadTarget:
    return BadTarget("The host in that address can't be read.")


def _ambiguous() -> BadTarget:
    return BadTarget("The host in that address can be read in two ways.")


def _spelt(label: str) -> str:
    """Return *label* in the letters that its punycode stands for. Raises BadTarget."""
    if not label.startswith("xn--"):
        return label
    try:
        spelt = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        raise unreadable() from None
    if spelt.isascii() or spelt.startswith("xn--") or _punycode(spelt) != label:
        raise _ambiguous()
    return spelt


def _encoded(labels: list[str]) -> list[str]:
    if not all(label.isascii() or _has_one_spelling(label) for label in labels) or not _reads_one_way(labels):
        raise _ambiguous()
    return [label if label.isascii() else _punycode(label) for label in labels]


def _punycode(label: str) -> str:
    return "xn--" + label.encode("punycode").decode()


def _has_one_spelling(label: str) -> bool:
    """Return whether IDNA leaves *label* as it is. What it maps or drops could be read in two ways."""
    # Only names in other scripts need them.
    import unicodedata
    from encodings.idna import nameprep

    kinds = [unicodedata.category(character) for character in label]
    if re.search(_DROPPED, label) or kinds[0].startswith("M") or {"Cn", "Cf", "Co", "Cs"} & set(kinds):
        return False
    kept = label.replace("ß", "").replace("ς", "")  # casefold() would change them, browsers don't
    try:
        prepared = nameprep(kept)
    except UnicodeError:
        return False
    return kept == prepared == unicodedata.normalize("NFKC", kept.casefold())


def _reads_one_way(labels: list[str]) -> bool:
    """Return whether *labels* keep RFC 5893, the rule for names that are written from right to left.

    We are stricter: no Arabic digits, and beside labels of that kind only Latin ones.
    """
    if all(label.isascii() for label in labels):
        return True
    import unicodedata  # 1.4 ms, and most words are ASCII

    classes = [[unicodedata.bidirectional(character) for character in label] for label in labels]
    if not any(_RIGHT_TO_LEFT & set(each) for each in classes):
        return True
    plain = all(label.isascii() or each[0] != "L" for label, each in zip(labels, classes, strict=True))
    return plain and all(map(_is_one_direction, classes))


def _is_one_direction(classes: list[str]) -> bool:
    while classes and classes[-1] == "NSM":
        classes = classes[:-1]
    own = {"R", "AL"} if classes and classes[0] in _RIGHT_TO_LEFT else {"L"}
    return (
        bool(classes) and classes[0] in own and classes[-1] in own | {"EN"} and set(classes) <= own | _IN_BOTH
    )


def _ipv6(text: str) -> str:
    """Return this IPv6 address as RFC 5952 writes it, in its brackets."""
    from ipaddress import IPv6Address  # only for those who type one

    try:
        number = int(IPv6Address(text))
    except ValueError:
        raise unreadable() from None
    groups = ":".join(f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))
    longest = max(re.findall(r"\b0(?::0)+\b", groups), key=len, default="")
    return f"[{re.sub(rf'(?:^|:){longest}(?:$|:)', '::', groups, count=1) if longest else groups}]"


COUNTRIES = frozenset(
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt "
    "bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er "
    "es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht "
    "hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr "
    "ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng "
    "ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd "
    "se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw "
    "tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw".split()
)
# Of a network of one's own, or of none.
RESERVED = (
    "local localhost localdomain internal intranet private lan home corp test invalid onion arpa alt".split()
)
# Those of which people know a site. Whoever types another one may have mistyped it, or mean a file.
_WELL_KNOWN = frozenset(
    "com org net edu gov mil int info biz name pro aero asia cat coop jobs mobi museum post tel travel xxx "
    "example academy accountant accountants actor adult agency apartments app art associates attorney "
    "auction audio auto baby band bank bargains beauty beer best bet bible bid bike bingo bio black blog "
    "blue boo boston boutique box broker build builders business buzz cafe cam camera camp capital car "
    "cards care career careers cars casa cash casino catering center cern channel charity chat cheap church "
    "city claims cleaning click clinic clothing cloud club coach codes coffee college cologne community "
    "company computer condos construction consulting contact contractors cooking cool country coupons "
    "courses credit creditcard cruises cyou dance date dating day deals degree delivery democrat dental "
    "dentist design dev diamonds diet digital direct directory discount doctor dog domains download earth "
    "eco education email energy engineer engineering enterprises equipment estate events exchange expert "
    "exposed express fail faith family fan fans farm fashion film finance financial fish fishing fit fitness "
    "flights florist flowers football forex forsale forum foundation free fun fund furniture futbol fyi "
    "gallery game games garden gay gent gift gifts gives giving glass gle global gmbh gold golf goog google "
    "graphics gratis green gripe group guide guitars guru hair health healthcare help hiphop hockey holdings "
    "holiday homes horse hospital host hosting hotel house how immo immobilien inc industries ing ink "
    "institute insurance insure international investments irish jetzt jewelry juegos kaufen kim kitchen kiwi "
    "land lat law lawyer lease legal lgbt life lighting limited limo link live living llc loan loans lol "
    "london lotto love ltd ltda luxury maison management market marketing markets mba media melbourne meme "
    "memorial men menu miami moda mom money monster mortgage motorcycles movie music navy network new news "
    "nexus ngo ninja now nyc one ong online ooo organic paris partners parts party pet pharmacy phd photo "
    "photography photos pics pictures pink pizza place plumbing plus poker porn press productions promo "
    "property protection quebec quest racing radio realestate realty recipes red rehab reise reisen rent "
    "rentals repair report republican restaurant review reviews rich rip rocks rodeo rsvp ruhr run sale "
    "salon sarl school schule science scot security services sex sexy shiksha shoes shop shopping show "
    "singles site ski skin soccer social software solar solutions space sport store stream studio study "
    "style sucks supplies supply support surf surgery swiss sydney systems tattoo tax taxi team tech "
    "technology tennis theater theatre tickets tienda tips tires tirol today tokyo tools top tours town toys "
    "trade trading training tube university uno vacations vegas ventures vet viajes video villas vin vip "
    "vision vodka vote voting voyage wales wang watch watches webcam website wedding wien wiki win wine work "
    "works world wtf xyz yachts yoga youtube zone amsterdam apple amazon aws bayern berlin brussels budapest "
    "bzh capetown corsica cymru dubai durban eus gal hamburg helsinki istanbul joburg koeln kyoto madrid "
    "microsoft moscow nagoya nrw okinawa osaka rio saarland stockholm taipei vlaanderen yokohama".split()
)
# Such a word is no address unless it has a scheme.
FILES = frozenset(
    "7z aac apk appimage avi bak bat bin blend bmp bz2 cfg class conf config cpp css csv dat deb "
    "desktop diff dll dmg doc docx dwg eml env epub exe flac flv gif git gradle gzip heic heif htm html "
    "ico ics ini ipynb iso jar java jpeg jpg js json jsonl jsx key keynote kt lock log lua m4a mkv "
    "mobileconfig mov mp3 mp4 mpeg mpg msi numbers odp ods odt ogg old opus orig otf pages parquet "
    "patch pdf pem php png ppt pptx psb psd pyc pyi rar rpm rst rtf scss service sketch sql sqlite svg "
    "swift swp tar tex tgz tif tiff tmp toml torrent ts tsv tsx ttf txt vcf vim vue war wasm wav webloc "
    "webm webp whl wma wmv woff woff2 xls xlsx xml yaml yml zip zsh".split()
)


def is_well_known(domain: str) -> bool:
    """Return whether people type the top-level *domain*, in lower case. In other scripts, any counts."""
    if domain in COUNTRIES or domain in _WELL_KNOWN or domain in RESERVED:
        return True
    return not domain.isascii() or domain.startswith("xn--")
