"""What is said of an address before a user goes there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.questions.question import LONGEST, address_of
from tests.rows import each_of


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/a?b=c#d", "example.com"),
        ("https://EXAMPLE.com:8443/", "example.com:8443"),
        ("http://localhost:3000/callback", "localhost:3000"),
        ("http://127.0.0.1:80", "127.0.0.1:80"),
        ("http://[::1]:8080/", "::1:8080"),
        ("http://app.localhost/", "app.localhost"),
    ],
)
def test_plain_addresses_are_not_odd(url: str, host: str) -> None:
    address = address_of(url)
    assert (address.host, address.warnings, address.refusal) == (host, (), "")


@each_of(
    ("url", "word"),
    [
        ("http://example.com/", "not encrypted"),
        ("https://bank.example@evil.example/", "user name"),
        ("https://user:secret@evil.example/", "user name"),
        ("https://xn--bcher-kva.example/", "bücher.example"),
        ("https://xn--a-ecp.xn--/", "unreadable"),
        ("https://ex\u0430mple.com/", "look-alike letters"),
        ("https://192.168.1.1/", "an IP address, not a name"),
        ("https://3232235777/", "an IP address, not a name"),
        ("https://[2001:db8::1]/", "an IP address, not a name"),
    ],
)
def test_odd_hosts_are_flagged_and_may_be_opened(url: str, word: str) -> None:
    address = address_of(url)
    assert any(word in warning for warning in address.warnings), address
    assert address.refusal == ""


@each_of(
    ("url", "word"),
    [
        ("javascript:alert(1)", "not a web link"),
        ("file:///etc/passwd", "not a web link"),
        ("-config=x", "not a web link"),
        ("", "not a web link"),
        ("https://", "no host name"),
        ("https:///path", "no host name"),
        ("https://[::1", "not a valid URL"),
        ("https://a.example:99999/", "not a valid URL"),
        ("https://good.example\\@evil.example/", "not valid in a URL"),
        ("https://a.example/ b", "not valid in a URL"),
        ("https://a.example/\x1b]52;c;aGk=\x07", "not valid in a URL"),
        ("https://a.example/\u202egnp.exe", "not valid in a URL"),
        ("https://a.example/\nhttps://b.example/", "not valid in a URL"),
        ("https://a.example/" + "a" * LONGEST, "too long"),
    ],
)
def test_what_cannot_be_read_first_is_not_opened(url: str, word: str) -> None:
    assert word in address_of(url).refusal


@given(st.text(max_size=30).map("https://{}".format) | st.text(max_size=30))
def test_nothing_that_an_agent_sends_raises(url: str) -> None:
    address = address_of(url)
    if not address.refusal:
        assert address.host
        assert url.isprintable()
