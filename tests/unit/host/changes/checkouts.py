"""Real checkouts, and what of them is not committed."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import anyio

from acp_tui.host.changes.snapshot_history import Changes
from acp_tui.host.changes.uncommitted_files import HEAD, Uncommitted
from acp_tui.host.snapshots.path_state import PathChange

FILES = {"a": b"one\ntwo\n", "sub/b": b"b\n", "tool": b"#!/bin/sh\n", "big": b"".join(b"%d\n" % n for n in range(60))}


def git(folder: Path, *words: str, data: bytes | None = None) -> str:
    names = "-c", "user.name=x", "-c", "user.email=x@y.z", "-c", "protocol.file.allow=always"
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    words = ("git", *names, *words)
    done = subprocess.run(words, cwd=folder, env=environment, input=data, check=True, capture_output=True, timeout=60)
    return done.stdout.decode().strip()


def commit(folder: Path) -> None:
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-qm", "all")


def make(folder: Path, *options: str) -> Path:
    """A checkout in which all is committed."""
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", *options)
    for path, data in FILES.items():
        (folder / path).write_bytes(data)
    (folder / "tool").chmod(0o755)
    (folder / "link").symlink_to("a")
    commit(folder)
    return folder


class Compared:
    """One look at folders after the other."""

    def __init__(self, *folders: Path) -> None:
        self.source = Uncommitted([*map(str, folders)])
        self.changes = self.look()

    def look(self) -> Changes:
        async def between() -> Changes:
            return await self.source.between(HEAD, await self.source.look(HEAD))

        self.changes = anyio.run(between)
        return self.changes

    @property
    def notes(self) -> Sequence[str]:
        return self.changes.notes

    @property
    def told(self) -> dict[str, str]:
        """What became of each path."""
        assert all(file.who == "anyone" for file in self.changes.files)
        return {file.path: file.status for file in self.changes.files}

    def file(self, path: str) -> PathChange:
        return next(file for file in self.changes.files if file.path == path)

    def texts(self, path: str) -> tuple[bytes | None, bytes | None]:
        return anyio.run(self.source.texts, self.file(path))
