"""The prompts that were sent in a project, kept across runs.

One file per project: JSON lines, `{"text": ...}` each, oldest first. Lines are appended in one write, so that
several runs can share the file; what is damaged is skipped; what is too much is dropped when the file is read.
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from acp_tui.host.store.state_files import (
    append_object,
    json_line,
    json_lines,
    json_object,
    kept_name,
    state_folder,
    write_private,
)
from acp_tui.host.system.paths import real_path

MAX_PROMPTS = 1000
MAX_CHARACTERS = 100_000  # of one prompt; a longer one is recalled in this run only
_MAX_BYTES = 8 * 1024 * 1024  # of the file; only its end is read
_SLACK = 2  # the file may hold this many times MAX_PROMPTS lines before it is written anew


def history_file(project: Path) -> Path:
    """The history file of the project folder `project`: its name to be recognised, its path to be told apart."""
    real = real_path(project)
    name = kept_name(real.name, str(real).encode(errors="surrogateescape"), "root")
    return state_folder() / "history" / f"{name}.jsonl"


class PromptHistory:
    """The prompts of one project, oldest first, none twice.

    Trouble with the file never raises: `problem` says in words what keeps the history from being kept, and the
    prompts of this run are still recalled.
    """

    def __init__(self, path: Path | None) -> None:
        """The file at `path` is read when its prompts are wanted; `None` keeps nothing beyond this run."""
        self.path = path
        self.problem = ""

    @cached_property
    def entries(self) -> list[str]:
        return self._load(self.path) if self.path is not None else []

    def add(self, text: str) -> None:
        """Remember a prompt that was sent; an earlier one with the same text gives way, an empty one is ignored."""
        if not text.strip() or self.entries[-1:] == [text]:
            return
        self.entries = _latest([*self.entries, text])
        if self.path is not None and len(text) <= MAX_CHARACTERS:
            try:
                append_object(self.path, {"text": text})
            except OSError as error:
                self.problem = f"{self.path}: {error.strerror or error}"

    def _load(self, path: Path) -> list[str]:
        entries: list[str] = []
        try:
            lines = json_lines(path, _MAX_BYTES)
            entries = _latest(text for line in lines if (text := _read(line)) is not None)
            if len(lines) > _SLACK * MAX_PROMPTS or path.stat().st_size > _MAX_BYTES:
                write_private(path, b"".join(json_line({"text": text}) for text in entries), sync=False)  # on the loop
        except FileNotFoundError:
            pass
        except OSError as error:
            self.problem = f"{path}: {error.strerror or error}"
        return entries


def _latest(texts: Iterable[str]) -> list[str]:
    unique = dict.fromkeys(reversed(list(texts)))
    return list(reversed(list(unique)[:MAX_PROMPTS]))


def _read(line: bytes) -> str | None:
    text = (json_object(line) or {}).get("text")
    return text if isinstance(text, str) and text.strip() and len(text) <= MAX_CHARACTERS else None
