"""YouTube against a server that answers as oEmbed and a watch page do."""

import json

import pytest

from accelrag.errors import FetchFailed
from accelrag.sources.hosts.youtube import video_of
from fake_servers import Reply, Web
from fetch_place import fetch_place, html_reply, json_reply

URL = "https://www.youtube.com/watch?v=abcDEF_1234"
OEMBED = {
    "type": "video",
    "version": "1.0",
    "title": "How a Chip Adds",
    "author_name": "Acme Lab",
    "provider_name": "YouTube",
}
SAID = 'We add by hand: "carry".\nThen in silicon.\n0:00 Start'


@pytest.fixture
def web():
    with Web() as web:
        web.sites["/oembed"] = json_reply(OEMBED)
        yield web


def watch_page(description):
    player = json.dumps({"videoDetails": {"shortDescription": description}}, separators=(",", ":"))
    return html_reply(
        '<html><head><meta property="og:title" content="How a Chip Adds"><meta property="og:description" '
        'content="We add by hand"><meta itemprop="datePublished" content="2025-04-05T00:00:00-07:00"></head>'
        f"<body><script>var ytInitialPlayerResponse = {player};</script></body></html>"
    )


@pytest.mark.parametrize(
    ("url", "named"),
    [
        (URL, ("video", "abcDEF_1234")),
        ("https://youtu.be/abcDEF_1234?t=10", ("video", "abcDEF_1234")),
        ("https://www.youtube.com/embed/abcDEF_1234", ("video", "abcDEF_1234")),
        ("https://m.youtube.com/shorts/abcDEF_1234", ("video", "abcDEF_1234")),
        ("https://www.youtube.com/playlist?list=PL0123456789abcdef", ("playlist", "PL0123456789abcdef")),
        ("https://www.youtube.com/@acme", None),
        ("https://www.youtube.com/channel/UC0123456789", None),
        ("https://vimeo.com/1234", None),
    ],
)
def test_a_link_names_a_video_a_playlist_or_neither(url, named):
    assert video_of(url) == named


def test_a_video_gives_title_channel_and_the_whole_description(web):
    web.sites["/watch?v=abcDEF_1234"] = watch_page(SAID)
    made = fetch_place(web, "youtube", URL)
    assert made.text == f"How a Chip Adds (Acme Lab)\n\n{SAID}"
    assert (made.title, made.authors, made.published) == ("How a Chip Adds", ("Acme Lab",), "2025-04-05")
    assert (made.coverage, made.metadata["channel"]) == ("page", "Acme Lab")
    assert web.asked("/oembed")[0].query["url"] == URL


def test_a_page_that_asks_for_consent_leaves_title_and_channel(web):
    web.sites["/watch?v=abcDEF_1234"] = html_reply("<title>Before you continue</title><p>We use cookies.</p>")
    assert fetch_place(web, "youtube", URL).text == "How a Chip Adds (Acme Lab)"


def test_a_page_that_robots_txt_closes_is_not_asked_for(web):
    web.sites["/robots.txt"] = Reply(200, b"User-agent: *\nDisallow: /watch", {"content-type": "text/plain"})
    web.sites["/watch?v=abcDEF_1234"] = watch_page(SAID)
    assert fetch_place(web, "youtube", URL).text == "How a Chip Adds (Acme Lab)"
    assert not web.asked("/watch")


@pytest.mark.parametrize(("status", "reason"), [(401, "login"), (404, "not-found")])
def test_a_private_or_removed_video_says_so(web, status, reason):
    web.sites["/oembed"] = Reply(status, b"Not Found")
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "youtube", URL)
    assert raised.value.reason == reason


def test_a_channel_keeps_the_note_alone(web):
    with pytest.raises(FetchFailed) as raised:
        fetch_place(web, "note", "https://www.youtube.com/@acme", {})
    assert raised.value.reason == "note-only"
