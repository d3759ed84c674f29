"""The question before a session is opened in folders that the user did not give: which they are, and who named them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from acp_tui.ui.kit.figures import counted, home_path
from acp_tui.ui.kit.key_guards import Guard
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.render.text import sanitise

WIDTH, ROWS = 46, 10  # cells of a row in the narrowest panel, and how many rows of folders it can show
RELATIVE = "not an absolute path"
Answer = Literal["no", "here", "there"]


class FoldersQuestion(Picker[Answer]):
    """Asks where to open a session; `there` is in all of its folders. Enter without a choice opens nothing."""

    def __init__(self, project: str, folders: Sequence[tuple[str, str]]) -> None:
        rows: list[PickerRow[Answer]] = [
            PickerRow("no", "Do not open it"),
            PickerRow("here", "Open it in this project only", sanitise(home_path(project))),
        ]
        lines = [f"! {path}{about}" for path, about in folders]
        if sum(1 + len(line) // WIDTH for line in lines) > ROWS:
            lines = [f"! {counted(len(lines), 'folder')}: too many or too long to be shown"]
        elif not any(RELATIVE in about for _, about in folders):
            rows.append(PickerRow("there", "Open it with these folders", "the agent may read and write there"))
        super().__init__("This session works outside this project", rows, ["The agent names these folders:", *lines])
        self._guard = Guard(time.monotonic)

    def on_mount(self) -> None:
        super().on_mount()
        self._guard.wait()
        self.call_after_refresh(self._guard.begin)

    def pick(self, row: PickerRow[Answer]) -> None:
        if not self._guard.swallows():
            super().pick(row)


def described(folder: str) -> tuple[str, str]:
    """A folder as it is shown, and what is odd about it. It looks at the disk: call it in a thread."""
    try:
        real = os.path.realpath(folder)
        exists = Path(real).is_dir()
    except (ValueError, OSError):
        real, exists = folder, False
    abouts = {
        RELATIVE: not Path(folder).is_absolute(),
        "does not exist": not exists,
        f"leads to {real}": Path(folder).is_absolute() and os.path.normpath(folder) != real,
        "every file of this computer": real == "/",
        "your home folder": real == os.path.realpath(Path.home()),
    }
    about = ", ".join(words for words, holds in abouts.items() if holds)
    shown = sanitise(folder).replace("\n", "⏎")
    shown = shown if shown == shown.strip() else f"“{shown}”"
    return shown, sanitise(f"  ({about})").replace("\n", "⏎") if about else ""
