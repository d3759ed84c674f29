"""Fetch something small from the web, in bounded time and space."""

import time
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from acp_tui.version import __version__

_PIECE = 64 * 1024


def download(address: str, patience: float, most: int) -> bytes:
    """What is at the web address, within `patience` seconds and `most` bytes. Raises ValueError that says why not."""
    try:
        if urlsplit(address).scheme not in ("https", "http"):
            raise ValueError("only https and http addresses can be fetched")
        return _receive(address, patience, most)
    except HTTPError as error:
        raise ValueError(f"the server answers {error.code}") from error
    except TimeoutError as error:
        raise ValueError(f"no answer within {patience:g} s") from error
    except URLError as error:
        raise ValueError(str(error.reason)) from error
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from error


def _receive(address: str, patience: float, most: int) -> bytes:
    end, pieces, size = time.monotonic() + patience, list[bytes](), 0
    request = Request(address, headers={"User-Agent": f"acp-tui/{__version__}"})  # noqa: S310 (the scheme is checked)
    with urlopen(request, timeout=patience) as answer:  # noqa: S310 (the scheme is checked)
        while piece := answer.read1(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise ValueError(f"it is larger than {most:,} bytes")
            if time.monotonic() > end:
                raise ValueError(f"it takes longer than {patience:g} s")
    return b"".join(pieces)
