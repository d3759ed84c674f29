"""The picture on this machine's clipboard, read by whichever program the platform has."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

import anyio

from acp_tui.host.system.programs import own_environment, own_program

WITHIN = 2.0  # seconds
MOST = 20_000_000  # bytes
PNG = "image/png"
_MAGIC = b"\x89PNG\r\n\x1a\n"
_OSASCRIPT = "get the clipboard as «class PNGf»"


def readers(
    environment: Mapping[str, str], platform: str, find: Callable[[str], str | None] = own_program
) -> list[tuple[str, ...]]:
    """The commands that can write a PNG of the clipboard to their output, on this machine, the best first."""
    ways: list[tuple[str, ...]] = []
    if platform == "darwin":
        ways = [("pngpaste", "-"), ("osascript", "-e", _OSASCRIPT)]
    elif environment.get("WAYLAND_DISPLAY"):
        ways = [("wl-paste", "--no-newline", "--type", PNG)]
    if environment.get("DISPLAY"):
        ways.append(("xclip", "-selection", "clipboard", "-target", PNG, "-out"))
    return [way for way in ways if find(way[0])]


async def read_clipboard_image() -> bytes | None:
    """The picture as PNG, None where there is none or nobody can tell within a moment."""
    for argv in readers(os.environ, sys.platform):
        data = _image(await _output(argv), osascript=argv[0] == "osascript")
        if data is not None:
            return data
    return None


def _image(data: bytes, *, osascript: bool) -> bytes | None:
    if osascript:  # «data PNGf8950…»
        with suppress(ValueError):
            data = bytes.fromhex(data.decode("ascii", "ignore").rpartition("PNGf")[2].strip().rstrip("»"))
    return data if data.startswith(_MAGIC) and len(data) <= MOST else None


async def _output(argv: tuple[str, ...]) -> bytes:
    with suppress(OSError), anyio.move_on_after(WITHIN):
        ended = await anyio.run_process(
            argv, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=own_environment()
        )
        return ended.stdout
    return b""
