"""What stands behind a last dot: the top-level domain of a host, or the kind of a file."""

from __future__ import annotations

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
    """Whether the top-level *domain*, in lower case, is one that people type; in other scripts any is."""
    if domain in COUNTRIES or domain in _WELL_KNOWN or domain in RESERVED:
        return True
    return not domain.isascii() or domain.startswith("xn--")
