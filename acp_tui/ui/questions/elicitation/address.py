"""What a user should know of an address before they go there. Nothing is ever fetched."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from acp_tui.frozen import Frozen
from acp_tui.ui.render.text import sanitise

LONGEST = 8_000  # characters; a longer one cannot be read before it is opened
_FOREIGN = frozenset(' \t\n\r\\"<>`{}|^')  # not of an address; browsers and people read them differently


class Address(Frozen):
    """`host` is where it leads, with its port; `warnings` say what is odd; `refusal` why it is not opened here."""

    url: str
    host: str
    warnings: tuple[str, ...]
    refusal: str = ""


def address_of(url: str) -> Address:
    """Look at an address that an agent sent."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return Address(url, "", (), "not a valid URL")
    refusal = _refusal(url, parts, host)
    shown = host if port is None else f"{host}:{port}"
    return Address(url, shown, tuple(_warnings(parts, host)), refusal)


def _refusal(url: str, parts: SplitResult, host: str) -> str:
    if len(url) > LONGEST:
        return f"too long to review ({len(url):,} characters)"
    if sanitise(url) != url or not url.isprintable() or any(sign in _FOREIGN for sign in url):
        return "contains characters that are not valid in a URL"
    if parts.scheme not in ("http", "https"):
        return f"not a web link ({parts.scheme})" if parts.scheme else "not a web link"
    return "" if host else "names no site"


def _warnings(parts: SplitResult, host: str) -> list[str]:
    number = _number(host)
    here = host == "localhost" or host.endswith(".localhost") or (number is not None and number.is_loopback)
    found: list[str] = []
    if parts.username is not None or parts.password is not None:
        found.append("the part before the @ is a user name, not the site")
    if any(label.startswith("xn--") for label in host.split(".")):
        found.append(f"the site's name is encoded and reads: {_spelled(host)}")
    elif not host.isascii():
        found.append("the site's name has look-alike letters")
    if parts.scheme == "http" and not here:
        found.append("not encrypted (http)")
    if not here and (number is not None or host.replace(".", "").isdigit() or host.startswith("0x")):
        found.append("the site is an IP address, not a name")
    return found


def _spelled(host: str) -> str:
    try:
        return sanitise(host.encode("ascii").decode("idna"))
    except UnicodeError:
        return "unreadable"


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
