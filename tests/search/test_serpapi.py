"""The client against a SerpAPI that misbehaves, on a real local server."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import logging
import threading
import time

import pytest

from jarvis.config.settings import Budgets, Settings, read_settings
from jarvis.config.sources import Secret
from jarvis.core.errors import (
    JarvisError,
    KeyRefused,
    NoKey,
    RateLimited,
    SearchFailed,
)
from jarvis.search.serpapi import SerpApi
from tests.certificates import self_signed
from tests.shell import wait_until
from tests.twins.endless import packed
from tests.twins.serpapi import NoResults, Raw, SerpApiTwin, Stall, Status, results

KEY = "k3y-that-nobody-may-see"
RESULTS = {
    "knowledge_graph": {"title": "Acme", "website": "https://www.acme.com/"},
    "organic_results": [{"title": f"Page {n}", "link": f"https://p{n}.example.com/"} for n in range(15)],
}
FOUND = results([("A page", "https://a.example/", "What stands there")])


class Redirect:
    """To where it was asked, too: whoever follows it asks twice."""

    def send(self, exchange, request):
        exchange.send_response(302)
        exchange.send_header("Location", request.path)
        exchange.send_header("Content-Length", "0")
        exchange.end_headers()


def settings(url="", key=KEY, seconds=10.0, at_once=8) -> Settings:
    budgets = Budgets(search_seconds=seconds, turns_at_once=at_once)
    return read_settings({})._replace(
        api_keys={"serpapi": Secret(key)}, serpapi_base_url=url, budgets=budgets
    )


@contextlib.asynccontextmanager
async def asking(*how, **named):
    api = SerpApi(settings(*how, **named))
    try:
        yield api
    finally:
        await api.close()


def search(url, name="", query="acme", seconds=10.0, key=KEY):
    async def run():
        async with asking(url, key, seconds) as api:
            return await api(query, name)

    return asyncio.run(run())


def failure(url, ask=search, **how):
    """What a search fails with; no trace of the key is in it. ask: another service than SerpAPI."""
    with pytest.raises(JarvisError) as caught:
        ask(url, **how)
    chain, at = [], caught.value
    while at is not None:
        chain.append(f"{at} {at!r} {getattr(at, 'hint', '')}")
        at = at.__cause__ or at.__context__
    assert KEY not in " ".join(chain)
    assert caught.value.hint
    return caught.value


def test_one_search_is_one_request_to_google(serpapi):
    serpapi.finds(FOUND)

    search(serpapi.url, query="acme & sons")

    (request,) = serpapi.requests
    assert (request.path, request.engine, request.query) == ("/search", "google", "acme & sons")
    assert (request.key, request.params["output"]) == (KEY, "json")


def test_the_ten_best_come_back_the_wanted_site_first_and_among_them_whoever_is_asked_about(serpapi):
    serpapi.default = RESULTS

    named, unnamed = search(serpapi.url, name="Acme"), search(serpapi.url)

    assert (named[0].url, unnamed[0].url) == ("https://www.acme.com/", "https://p0.example.com/")
    assert [item.url for item in named if item.official] == ["https://www.acme.com/"]
    assert "https://www.acme.com/" in [item.url for item in unnamed]
    assert (len(named), len(unnamed)) == (10, 10)


def test_searches_share_one_connection_and_a_compressed_or_an_empty_answer_is_one(serpapi):
    serpapi.finds(FOUND, NoResults(), packed("gzip", gzip.compress(json.dumps(RESULTS).encode())))

    async def run():
        async with asking(serpapi.url) as api:
            return [len(await api("acme", "")) for _ in range(3)]

    assert asyncio.run(run()) == [1, 0, 10]
    assert (len(serpapi.requests), serpapi.connections) == (3, 1)


def test_without_a_key_nothing_is_asked(serpapi):
    wrong = failure(serpapi.url, key="")

    assert isinstance(wrong, NoKey)
    assert "jarvis keys set serpapi" in wrong.hint
    assert "https://serpapi.com/manage-api-key" in wrong.hint
    assert serpapi.requests == []


ODD = f"Odd \x1b[31mthing with api_key={KEY} and {KEY}"


@pytest.mark.parametrize(
    ("answer", "family", "said"),
    [
        (Status(401), KeyRefused, "refused the key"),
        (Status(200, "Invalid API key. Your API key should be here: …"), KeyRefused, "refused the key"),
        (Status(200, "Your account has run out of searches."), RateLimited, "now: Your account has run out"),
        (Status(429, "You may make 50 searches per hour."), RateLimited, "50 searches per hour."),
        (Raw(b"", status=429), RateLimited, "no more requests for now."),
        (Status(400, "Missing query `q` parameter."), SearchFailed, "Missing query"),
        (Status(200, ODD), SearchFailed, "Odd thing with api_key=[key]"),
        (Raw(b'{"error": {"code": 7}}'), SearchFailed, "SerpAPI says"),
        (Raw(b"{}", status=404), SearchFailed, "answered with status 404"),
        (Raw(b"[1, 2]"), SearchFailed, "a JSON object"),
        (Raw(b"[" * 100_000), SearchFailed, "it isn't JSON."),
    ],
)
def test_a_faulty_answer_is_told_for_what_it_is(serpapi, answer, family, said):
    serpapi.finds(answer)

    wrong = failure(serpapi.url)

    assert isinstance(wrong, family)
    assert said in wrong.message
    assert len(serpapi.requests) == 1  # it is not asked for again


@pytest.mark.parametrize("is_there", [True, False])
def test_what_is_wrong_with_certificates_is_told_as_that(tmp_path, monkeypatch, is_there):
    file, there = tmp_path / "own.pem", SerpApiTwin()
    there.tls = self_signed(file)
    if not is_there:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))

    with there:
        wrong = failure(there.url)

    server = there.url.removeprefix("https://")
    if is_there:
        why = f"the certificate of {server} is not trusted: self-signed certificate."
        assert (wrong.message, wrong.exit_status) == (f"Can't reach SerpAPI: {why}", 69)
        assert "SSL_CERT_FILE" in wrong.hint
    else:
        assert wrong.message.endswith("gone.pem: No such file or directory.")
        assert wrong.exit_status == 78
    assert there.requests == []


def test_who_is_cancelled_hangs_up_at_once(serpapi):
    serpapi.finds(Stall(20))

    async def run():
        async with asking(serpapi.url) as api:
            task = asyncio.create_task(api("acme", ""))
            await asyncio.to_thread(wait_until, lambda: serpapi.requests)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    started = time.monotonic()
    asyncio.run(run())

    wait_until(lambda: serpapi.requests[0].gone)
    assert time.monotonic() - started < 10  # of the 20 that the twin waits


def test_the_key_is_in_no_log_and_no_repr(serpapi, caplog):
    serpapi.finds(FOUND)

    with caplog.at_level(logging.DEBUG):
        search(serpapi.url)

    assert "api_key=[key]" in caplog.text
    assert KEY not in caplog.text
    assert KEY not in repr(SerpApi(settings())) + repr(vars(SerpApi(settings())))


def test_as_many_as_may_be_are_asked_at_once_and_the_others_wait(serpapi):
    """With fewer at once the barrier would break; with more there would be more connections."""
    four = threading.Barrier(4)
    serpapi.finds(*[lambda _: four.wait(20) >= 0 and FOUND] * 20)

    async def run():
        async with asking(serpapi.url, seconds=30, at_once=4) as api:
            return await asyncio.gather(*(api(f"query {number}", "") for number in range(20)))

    assert all(asyncio.run(run()))
    assert (len(serpapi.requests), serpapi.connections) == (20, 4)
