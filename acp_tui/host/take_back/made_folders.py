"""Folders that are made while changes are taken back: private, until all that belongs into them is there."""

import os
import stat
from collections.abc import Sequence
from dataclasses import replace

from acp_tui.errors import reason_of
from acp_tui.host.services.roots import Place, Roots
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.host.take_back.acts import CHANGED, LeftAlone, make_folder, node_of, set_folder_mode
from acp_tui.host.take_back.disk import NoWay, at, look
from acp_tui.host.take_back.order import depth, parents
from acp_tui.host.take_back.plan import Key
from acp_tui.host.take_back.preview import Step


class MadeFolders:
    """`steps` is what is known of folders, done or not: a folder that a path needs gets its mode from there."""

    def __init__(self, steps: Sequence[Step], roots: Roots) -> None:
        self._known = {step.change.key: step for step in steps if step.target.kind == "folder"}
        self._roots = roots
        self._there = set[Key]()
        self._made: list[tuple[Step, tuple[int, int] | None]] = []

    def note(self, step: Step, place: Place) -> None:
        """A folder was made for a step."""
        self._there.add(step.change.key)
        self._made.append((replace(step, refusal="", forcible=False, chosen=True), node_of(place)))

    def make_for(self, root: str, path: str) -> None:
        """Make the folders of a path that are missing. Raises `LeftAlone`, `NoWay` or `OSError`."""
        for folder in parents(path):
            if (root, folder) not in self._there:
                with at(root, folder, self._roots) as place:
                    self._make(root, folder, place)
                self._there.add((root, folder))

    def _make(self, root: str, path: str, place: Place) -> None:
        try:
            info = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
        except FileNotFoundError:
            pass
        else:
            if not stat.S_ISDIR(info.st_mode):
                raise LeftAlone(f"Left as it is: its folder {path} is none any more")
            return
        if step := self._known.get((root, path)):
            make_folder(place)
            self.note(replace(step, act="folder", now=ABSENT), place)
            return
        os.mkdir(place.name, dir_fd=place.folder)  # its mode is not known: as any new one
        state = look(place).state
        self.note(Step(PathChange(root, path, "deleted", state, ABSENT), "folder", ABSENT, state), place)

    def finish(self) -> tuple[list[Step], list[tuple[str, str]]]:
        """Give all their modes, the innermost first: the steps as they are done, and what has to be said, by path."""
        made, self._made = sorted(self._made, key=lambda each: -depth(each[0].change.path)), []
        steps, troubles = [], []
        for step, node in made:
            mode = 0o700
            try:
                with at(*step.change.key, self._roots) as place:
                    if node_of(place) != node:
                        raise LeftAlone(CHANGED)
                    mode = set_folder_mode(place, step.target.mode)
            except (LeftAlone, NoWay, OSError) as error:
                words = reason_of(error)
                troubles.append((step.change.path, f"Came back, but only for you: {words}"))
            steps.append(replace(step, target=PathState("folder", mode)))
        return steps, troubles
