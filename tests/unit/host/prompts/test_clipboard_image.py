"""Reading a picture from the clipboard."""

import sys
from pathlib import Path

import pytest

from acp_tui.host.prompts import mentions
from acp_tui.host.prompts.mentions import clipboard_readers, read_clipboard_image

pytestmark = pytest.mark.anyio
PICTURE = b"\x89PNG\r\n\x1a\nrest"


def found(name: str) -> str:
    return f"/usr/bin/{name}"


@pytest.mark.parametrize(
    ("environment", "platform", "names"),
    [
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", ["wl-paste", "xclip"]),
        ({"DISPLAY": ":0"}, "linux", ["xclip"]),
        ({}, "linux", []),
        ({}, "darwin", ["pngpaste", "osascript"]),
    ],
)
def test_which_programs(environment: dict[str, str], platform: str, names: list[str]) -> None:
    assert [way[0] for way in clipboard_readers(environment, platform, found)] == names
    assert clipboard_readers(environment, platform, lambda _: None) == []


def script(folder: Path, code: str) -> list[tuple[str, ...]]:
    file = folder / "reader.py"
    file.write_text(f"import sys, time\n{code}\n")
    return [(sys.executable, str(file))]


@pytest.mark.parametrize(
    ("code", "picture"),
    [
        (f"sys.stdout.buffer.write({PICTURE!r})", PICTURE),
        ("sys.stdout.write('some text')", None),
        ("sys.exit(1)", None),
        ("time.sleep(1000)", None),
    ],
)
async def test_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, picture: bytes | None) -> None:
    ways = script(tmp_path, code)
    monkeypatch.setattr(mentions, "clipboard_readers", lambda *_: ways)
    monkeypatch.setattr(mentions, "CLIPBOARD_WITHIN", 0.5 if "sleep" in code else 20)
    assert await read_clipboard_image() == picture


async def test_a_program_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mentions, "clipboard_readers", lambda *_: [("/no/such/program",)])
    assert await read_clipboard_image() is None


def test_the_form_in_which_apples_script_tells_it() -> None:
    told = "«data PNGf" + PICTURE.hex().upper() + "»\n"
    assert mentions._png_of(told.encode(), osascript=True) == PICTURE
    assert mentions._png_of(b"no hex", osascript=True) is None
