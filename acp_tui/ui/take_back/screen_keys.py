"""The keys of the changes screen that undo what is looked at there: a file, all that are listed, a hunk."""

from functools import partial

from acp_tui.host.take_back.steps import Preview
from acp_tui.ui.changes.extensions import ExtraKey, Extras, Here
from acp_tui.ui.take_back.actions import TakeBackActions
from acp_tui.ui.take_back.folders import with_its_folders
from acp_tui.ui.take_back.words import turn_name


class ScreenKeys:
    """What each key does, once it is looked at what the user saw when it was pressed."""

    def __init__(self, actions: TakeBackActions) -> None:
        self._actions = actions

    def add_to(self, extras: Extras) -> None:
        extras.keys += (
            ExtraKey(("u",), ("u", "undo"), self._file, _on_file, refusal=_no_undo),
            ExtraKey(("h",), ("h", "undo hunk"), self._hunk, _on_hunk, refusal=_no_undo),
            ExtraKey(("U",), ("U", "undo all"), self._all, _on_any, refusal=_no_undo),
        )

    def _file(self, here: Here) -> None:
        if here.file is not None:
            self._begin("u", here.file.path, here)

    def _all(self, here: Here) -> None:
        self._begin("U", _all_words(here), here)

    def _hunk(self, here: Here) -> None:
        if here.file is not None:
            self._begin("h", f"one hunk of {here.file.path}", here)

    def _begin(self, key: str, words: str, here: Here) -> None:
        self._actions.begin(f"changes {key}", f"Undo {words}", partial(self._ask, key, here))

    async def _ask(self, key: str, here: Here) -> None:
        preview = await self._preview(key, here)
        if preview is not None:
            await self._actions.ask(preview)

    async def _preview(self, key: str, here: Here) -> Preview | None:
        changes, file = here.changes, here.file
        if key == "h":
            return None if file is None or here.hunk is None else await here.source.preview_hunk(file, here.hunk)
        if changes is None:
            return None
        if key == "U":
            return await here.source.preview(_all_words(here), changes, changes.files)
        if file is None:
            return None
        return await here.source.preview(file.path, changes, with_its_folders(file, changes.files), pointed=True)


def _on_file(here: Here) -> bool:
    return here.file is not None and not here.no_undo


def _on_hunk(here: Here) -> bool:
    return here.hunk is not None and not here.no_undo


def _on_any(here: Here) -> bool:
    return bool(here.changes and here.changes.files) and not here.no_undo


def _no_undo(here: Here) -> str:
    return here.no_undo


def _all_words(here: Here) -> str:
    """`"fix the parser"` for a turn, else `all since the session began`."""
    if here.turn and here.changes is not None:
        return turn_name(here.changes.since.words, here.turn)
    return f"all {here.words[:1].lower()}{here.words[1:]}"
