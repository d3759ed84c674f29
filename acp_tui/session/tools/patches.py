"""Patches in what a tool is given: `*** Begin Patch` envelopes and unified diffs, and the files that they name."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

LONGEST = 4 << 20  # characters of a text that is looked at
DEEPEST = 4  # lists and objects around a text
TEXTS_AT_MOST = 200
_ENVELOPE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (?P<path>[^\n]+)", re.MULTILINE)
_BEGINS = re.compile(r"^\*\*\* Begin Patch\b", re.MULTILINE)
_UNIFIED = re.compile(r"^--- (?P<old>[^\n]+)\n\+\+\+ (?P<new>[^\n]+)\n@@ ", re.MULTILINE)
_NOWHERE = "/dev/null"


def paths_in_patches(raw: Any) -> Iterator[str]:
    """The files that patches in a tool's input name, as they write them, in their order; of a rename both."""
    for text in islice(_texts(raw, DEEPEST), TEXTS_AT_MOST):
        if _BEGINS.search(text):
            yield from (found["path"].strip() for found in _ENVELOPE.finditer(text))
        else:
            for found in _UNIFIED.finditer(text):
                old, new = (found[side].partition("\t")[0].rstrip() for side in ("old", "new"))  # a time may follow
                if {old[:2], new[:2]} <= {"a/", "b/"} or _NOWHERE in (old, new):  # as Git writes them
                    old, new = (path[2:] if path[:2] in ("a/", "b/") else path for path in (old, new))
                yield from dict.fromkeys(path for path in (old, new) if path != _NOWHERE)


def _texts(value: Any, deep: int) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) <= LONGEST:
            yield value
    elif deep and isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner, deep - 1)
