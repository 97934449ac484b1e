"""What is an address, typed or found, and in which form it is kept."""

from jarvis.core import urls

TYPED = {
    "github.com": "https://github.com",
    "GitHub.COM/User?x=1#Top": "https://github.com/User?x=1#Top",
    "https://github.com": "https://github.com",
    "HTTP://Example.org/": "http://example.org/",
    "foo.example/x": "https://foo.example/x",
    "localhost:3000/docs": "http://localhost:3000/docs",
    "192.168.1.1": "http://192.168.1.1",
    "127.0.0.1:8080/a": "http://127.0.0.1:8080/a",
    "[::1]:80/x": "http://[::1]:80/x",
    "printer.local": "http://printer.local",
    "http://nas/": "http://nas/",
    "bücher.de": "https://xn--bcher-kva.de",
    "straße.de": "https://xn--strae-oqa.de",  # strasse.de is somebody else's
    "https://user:secret@host.example/": "https://user:secret@host.example/",
    "“mit.edu”,": "https://mit.edu",
    "(see.example)": "https://see.example",
    "https://en.wikipedia.org/wiki/Go_(game)": "https://en.wikipedia.org/wiki/Go_(game)",
    "(https://a.example/b)": "https://a.example/b",
    "https://a.example/?b='2'": "https://a.example/?b='2'",
    "'https://a.example/?b=2'": "https://a.example/?b=2",
    "https://a.example/{x}": "https://a.example/%7Bx%7D",
    "github.com.": "https://github.com",
    "(https://a.example/Mercury_(planet))": "https://a.example/Mercury_(planet)",
    "„mit.edu“": "https://mit.edu",
    "«mit.edu»": "https://mit.edu",
    "яндекс.рф": "https://xn--d1acpjx3f.xn--p1ai",
    "a.भारत": "https://a.xn--h2brj9c",
    "a.example//b": "https://a.example//b",
}
NOT_TYPED = [
    *"hello e.g. 3.14 1.2.3 U.S.A readme.txt node.js a.b foo@bar.com a//b.com ..".split(),
    *"javascript:alert(1) file:///etc/passwd ftp://a.example/ data:text/html,x".split(),
    *"--help -x.com https:// http:///x https://a.example:99999/ https://a.example\\@b.example/".split(),
    *("https://[::1", "999.1.1.1", "mailto:a@b.com", "я.я", "т.е.", "a.example?@b.example", "🎉.ws"),
    *"photo.heic nginx.service data.parquet".split(),
    *("", "https://exa mple.com", "https://a.example/\u202e"),
]
FOUND = [
    "https://web.mit.edu/",
    "http://a.example/b?c=d&e=%20#f",
    "https://a.example:8443/",
    "https://xn--bcher-kva.de/",
]
NOT_FOUND = [
    *("http://localhost/", "http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://2130706433/", "http://[::1]/"),
    *("http://192.168.0.1/", "http://10.0.0.1/", "http://169.254.169.254/", "https://8.8.8.8/", "http://nas/"),
    *("https://u@a.example/", "https://u:p@a.example/", "https://a.example%2eevil.example/", "//a.example/"),
    *("ftp://a.example/", "javascript:alert(1)", "https:a.example", "a.example", "https://a.local/", "https://x.onion/"),
    *("https://a.internal/", "https://a.example/\x1b[2J", "https://a.example/ b", "https://a..b/"),
    *("https://a.example\\.evil.example/", "https://-a.example/", "https://a.example。evil.example/", "https://a.localhost"),
    *(None, 7, ["https://a.example/"], {}, "", " "),
]  # fmt: skip


def test_what_a_person_types_as_an_address_is_kept_in_one_form():
    assert {word: urls.address_from_word(word) for word in TYPED} == TYPED


def test_other_words_are_no_addresses():
    assert [word for word in NOT_TYPED if urls.address_from_word(word)] == []


def test_a_public_web_site_that_was_found_is_kept_as_it_is_and_nothing_else():
    assert [urls.found(url).url for url in FOUND] == FOUND
    assert [raw for raw in NOT_FOUND if urls.found(raw)] == []
    assert urls.found("https://a.example/\n").url == "https://a.example/"  # nothing around it is part of it
    # A text fragment goes.
    assert urls.found("https://a.example/b#:~:text=some%20words").url == "https://a.example/b"
    assert urls.found("https://a.example/b#part:~:text=x").url == "https://a.example/b#part:~:text=x"


def test_addresses_are_read_out_of_a_sentence_in_order_and_once():
    words = "open a.example and then https://b.example/x, not a.example, see?"

    assert urls.typed_addresses(words) == ["https://a.example", "https://b.example/x"]


def test_a_hundred_thousand_brackets_are_no_address():
    assert urls.typed_addresses(")" * 100_000) == []
    assert urls.typed_addresses("(" * 500 + "https://a.example" + ")" * 500) == ["https://a.example"]


def test_an_address_in_its_own_form_stays_in_it():
    for url in (*TYPED.values(), *FOUND):
        assert urls.canon(url).url == url


def test_what_a_row_holds_is_a_page_or_nothing():
    rows = ["https://a.example/", "/etc/passwd", "file:///etc/passwd", None, 7, ["https://a.example/"]]

    assert [urls.page_url(each) for each in rows] == ["https://a.example/", *[""] * 5]
