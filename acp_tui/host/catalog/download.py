"""Fetch something small from the web by https, in bounded time and space."""

import ssl
import threading
import time
from http.client import HTTPMessage
from queue import Empty, SimpleQueue
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from acp_tui import __version__
from acp_tui.errors import reason_of

_PIECE = 64 * 1024
_ONLY_HTTPS = "only https is allowed"


def download(address: str, patience: float, most: int, trusted: ssl.SSLContext | None = None) -> bytes:
    """What is at the web address, within `patience` seconds and `most` bytes. Raises ValueError that says why not.

    Every address that it is redirected to must be https, too. `trusted` says which servers are, if not those that the
    system trusts.
    """
    answers = SimpleQueue[bytes | Exception]()

    def fetch() -> None:
        try:
            answers.put(_receive(address, patience, most, trusted))
        except Exception as error:  # noqa: BLE001 - told where it is waited for
            answers.put(error)

    # A server may send its headers a byte at a time, which no timeout of a socket notices.
    threading.Thread(target=fetch, name="download", daemon=True).start()
    try:
        answer = answers.get(timeout=patience + 0.5)
    except Empty:
        raise ValueError(f"took longer than {patience:g} s") from None
    if isinstance(answer, bytes):
        return answer
    raise ValueError(_reason(answer, patience)) from answer


def _reason(error: Exception, patience: float) -> str:
    match error:
        case HTTPError():
            return f"the server returned HTTP {error.code}"
        case TimeoutError():
            return f"no response within {patience:g} s"
        case URLError():
            return str(error.reason)
        case OSError() | ValueError():
            return reason_of(error)
        case _:  # http.client has its own for answers that are none
            return f"invalid response ({type(error).__name__})"


def _receive(address: str, patience: float, most: int, trusted: ssl.SSLContext | None) -> bytes:
    if urlsplit(address).scheme != "https":
        raise ValueError(_ONLY_HTTPS)
    end, pieces, size = time.monotonic() + patience, list[bytes](), 0
    request = Request(address, headers={"User-Agent": f"acp-tui/{__version__}"})  # noqa: S310 (the scheme is checked)
    with build_opener(_OnlyHttps(), HTTPSHandler(context=trusted)).open(request, timeout=patience) as answer:
        while piece := answer.read1(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise ValueError(f"larger than {most:,} bytes")
            if time.monotonic() > end:
                raise ValueError(f"took longer than {patience:g} s")
    return b"".join(pieces)


class _OnlyHttps(HTTPRedirectHandler):
    """Follows redirects as they are usual, none of which may lead away from https."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme != "https":
            raise ValueError(f"redirected elsewhere, but {_ONLY_HTTPS}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
