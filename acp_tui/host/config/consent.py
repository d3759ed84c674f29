"""Which commands of projects the person has agreed to; must not know how that is asked.

A consent is for exactly one folder, text of its file, command and environment, and for the text of the files of the
project that these name: when any of them changes, it is asked again. What those files load in turn is not looked at.
"""

import hashlib
import json
import os
from pathlib import Path

from acp_tui.host.folders import private_folder, state_folder


def fingerprint(folder: Path, name: str, start: object) -> str:
    """One short word for all that would be started; `start` is plain data."""
    told = json.dumps([str(folder.resolve()), name, start], sort_keys=True, default=str)
    return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()


class Consents:
    """Consents that were given, one line each: `{"start": FINGERPRINT, "folder": ..., "agent": ...}`."""

    def __init__(self, path: Path | None = None) -> None:
        """`path` is the file; by default one in the state folder."""
        self._path = path or state_folder() / "consents.jsonl"

    def holds(self, start: str) -> bool:
        """Whether the person agreed to that; a file that cannot be read holds nothing."""
        try:
            lines = self._path.read_bytes().splitlines()
        except OSError:
            return False
        return any(_start(line) == start for line in lines)

    def add(self, start: str, folder: Path, name: str) -> None:
        """Remember that the person agreed. Raises OSError."""
        line = json.dumps({"start": start, "folder": str(folder), "agent": name}).encode() + b"\n"
        private_folder(self._path.parent)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, b"\n" + line)
        finally:
            os.close(descriptor)


def _start(line: bytes) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    start = record.get("start") if isinstance(record, dict) else None
    return start if isinstance(start, str) else ""
