import contextlib
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelrag.errors import FetchRefused
from accelrag.transport.addresses import checked_url, vet_address

CLOSED = [
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "169.254.0.1",
    "100.64.0.1", "100.100.100.200", "0.0.0.0", "255.255.255.255", "224.0.0.1", "240.0.0.1", "192.0.2.1",
    "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::", "not-an-address", "",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_an_address_off_the_public_internet_is_refused(address):
    with pytest.raises(FetchRefused) as refused:
        vet_address(address, allow_private=False)
    assert refused.value.reason == "refused-address"


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8"]
)
def test_a_public_address_is_open(address):
    vet_address(address, allow_private=False)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "192.168.0.9", "::1", "fd00::1", "::ffff:127.0.0.1"])
def test_the_setting_opens_loopback_and_private_addresses(address):
    vet_address(address, allow_private=True)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "fe80::1",
        "0.0.0.0",
        "224.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "100.64.0.1",
    ],
)
def test_the_setting_leaves_link_local_and_metadata_closed(address):
    with pytest.raises(FetchRefused):
        vet_address(address, allow_private=True)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_hides_in_no_form_of_ipv6(ip):
    def is_open(address):
        try:
            vet_address(str(address), allow_private=False)
        except FetchRefused:
            return False
        return True

    low = int(ip)
    assert is_open(ipaddress.IPv6Address(0xFFFF << 32 | low)) == is_open(ip)
    assert is_open(ipaddress.IPv6Address(0x64FF9B << 96 | low)) == is_open(ip)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://example.org/x", "gopher://example.org/", "javascript:alert(1)",
        "data:text/plain,x",
        "//example.org/x", "/etc/passwd", "", "http://", "http:///x", "http://exa mple.org/", "http://[::1",
        "http://a:99999/",
        "http://a%2eb/", "dict://example.org/", "http://\x00example.org/",
    ],
)  # fmt: skip
def test_an_address_that_is_not_http_is_refused(url):
    with pytest.raises(FetchRefused):
        checked_url(url)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://user:secret@example.org/x#part", "https://example.org/x"),
        ("HTTPS://EXAMPLE.org", "https://example.org/"),
        ("http://bücher.example/ü?q=ü", "http://xn--bcher-kva.example/%C3%BC?q=%C3%BC"),
        ("http://example.org./x", "http://example.org/x"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://example.org/a%20b", "https://example.org/a%20b"),
    ],
)
def test_an_address_is_asked_for_without_credentials_and_fragment(url, clean):
    assert checked_url(url) == clean


@given(st.text(max_size=80))
def test_any_text_gives_an_address_or_a_refusal(text):
    with contextlib.suppress(FetchRefused):
        assert checked_url(text).startswith(("http://", "https://"))
