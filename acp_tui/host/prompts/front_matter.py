"""The front matter of a prompt file: simple `key: value` or `key = value` lines between two of `---` or of `+++`."""

import re
from collections.abc import Iterator, Sequence

from acp_tui.frozen import Frozen
from acp_tui.safe_text import one_line

FENCES = ("---", "+++")
SHOWN = 40  # characters of a wrong line
_FIELD = re.compile(r"([A-Za-z][\w-]*)\s*[:=](?:\s+|$|(?=[\"']))(.*)")
_OURS = re.compile(r"(?i:description|argument[-_]hint|send)\b")
_BLOCK = re.compile(r"[|>]\d?[+-]?\d?")  # YAML: the lines below are the value
_WORDS = {"true": True, "false": False}


class Unreadable(Exception):
    """`line` counts from 1, in the file."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


class FrontMatter(Frozen):
    """What a prompt file says of itself; `send` is whether the prompt is sent at once, or edited first."""

    description: str = ""
    argument_hint: str = ""
    send: bool = True


def split(text: str) -> tuple[FrontMatter, str]:
    """The front matter of a file and the prompt below it. Raises `Unreadable`.

    What is not ours is passed over, so that files for other clients can be used as they are. Lines that are set in, and
    items of a list, belong to the key above them.
    """
    lines = text.split("\n")
    fence = lines[0].rstrip()
    if fence not in FENCES:
        return FrontMatter(), text.strip()
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == fence), 0)
    if not end:
        raise Unreadable(1, f"no second line of {fence} ends the front matter")
    said = {name.lower().replace("_", "-"): (value, at) for name, value, at in _fields(lines[1:end])}
    description, hint = (said.get(name, ("", 0))[0] for name in ("description", "argument-hint"))
    send, at = said.get("send", ("true", 0))
    if send.lower() not in _WORDS:
        raise Unreadable(at, f"send must be true or false, not {one_line(send, SHOWN) or 'empty'}")
    return FrontMatter(description, hint, _WORDS[send.lower()]), "\n".join(lines[end + 1 :]).strip()


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Name, value and line in the file of each field."""
    at = 0
    while at < len(lines):
        first = at
        at += 1
        line = lines[first].rstrip()
        if not line or line.startswith("#"):
            continue
        found = _FIELD.fullmatch(line)
        if found is None and _OURS.match(line) is None:
            continue
        if found is None:
            raise Unreadable(first + 2, f'“{one_line(line, SHOWN)}” is not "key: value"')
        below: list[str] = []
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t" or lines[at].startswith("- ")):
            below.append(lines[at].strip())
            at += 1
        value = "" if _BLOCK.fullmatch(found[2]) else _value(found[2])
        yield found[1], " ".join(part for part in (value, *below) if part), first + 2


def _value(written: str) -> str:
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "'\""
    return written[1:-1] if quoted else written
