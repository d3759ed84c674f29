"""Whose a change is, as tool calls tell."""

from typing import Any

import pytest

from acp_tui.host.changes import attribution
from acp_tui.host.changes.attribution import FolderRoots, Named, TurnCalls, paths_of
from acp_tui.protocol.vocabulary.tool_calls import Diff, FileChange, ToolCallLocation
from acp_tui.session.entries import ToolCallEntry
from tests.rows import each_of

ROOT = "/real/project"
ROOTS = FolderRoots(("/link/project", "/other"), (ROOT, "/other"))


def call(kind: str = "edit", *, paths: tuple[str, ...] = (), **more: Any) -> ToolCallEntry:
    return ToolCallEntry(f"call-{kind}", kind=kind, locations=[ToolCallLocation(path=path) for path in paths], **more)


def named(*calls: ToolCallEntry, written: dict[str, str] | None = None) -> Named:
    turn = TurnCalls(calls={id(each): (ROOT, each) for each in calls}, written=written or {})
    return turn.named(ROOTS)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/real/project/a/b", (ROOT, "a/b")),
        ("/link/project/a", (ROOT, "a")),
        ("/real/project/x/../a", (ROOT, "a")),
        ("/real/project-other/a", None),
        ("/real/project", None),
        ("/other/a", ("/other", "a")),
        ("/elsewhere", None),
    ],
)
def test_the_root_of_a_path(path: str, key: tuple[str, str] | None) -> None:
    assert ROOTS.key(path) == key


@each_of(
    ("entry", "paths"),
    [
        (call(paths=("a", "/b")), ["a", "/b"]),
        (call("read", paths=("a",)), []),
        (call("search", paths=("a",)), []),
        (call("execute", paths=("a",)), ["a"]),  # a command that says what it writes
        (call("other", raw_input={"input": "*** Begin Patch\n*** Update File: a\n"}), ["a"]),
        (call("read", raw_input={"input": "*** Begin Patch\n*** Update File: a\n"}), []),
        (call("other", raw_input={"path": "a"}), []),
        (call("other", content=[Diff(path="a", new_text="x")]), ["a"]),
        (call("other", written=[Diff(path="/w", new_text="x")]), ["/w"]),
        (call("edit", raw_input={"file_path": "in", "content": "x"}), ["in"]),
        (call("move", raw_input={"source": "from", "destination": "to"}), ["from", "to"]),
        (call("other", content=[Diff(changes=[FileChange(operation="move", path="n", old_path="o")])]), ["n", "o"]),
        (call(paths=("", "nul\0", "x" * 5000)), []),
    ],
)
def test_what_a_call_names(entry: ToolCallEntry, paths: list[str]) -> None:
    assert list(paths_of(entry)) == paths


def test_relative_paths_are_those_of_the_folder() -> None:
    assert named(call(paths=("sub/a",))).call((ROOT, "sub/a")) == "call-edit"


def test_what_the_user_rejected_names_nothing() -> None:
    assert named(call(paths=("a",), stopped="rejected")).call((ROOT, "a")) is None


@pytest.mark.parametrize(("kind", "whole"), [("delete", True), ("move", True), ("edit", False)])
def test_a_folder_that_is_deleted_or_moved_goes_with_all_in_it(kind: str, whole: bool) -> None:
    assert (named(call(kind, paths=("folder",))).call((ROOT, "folder/deep/a")) is not None) is whole


def test_the_last_call_that_names_a_file_is_the_one() -> None:
    first, last = call("edit", paths=("a",)), call("delete", paths=("a",))
    assert named(first, last).call((ROOT, "a")) == "call-delete"


def test_more_than_is_kept_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribution, "NAMED_AT_MOST", 2)
    assert named(call(paths=("a",)), call(paths=("b",)), call(paths=("c",))).cut
    assert not named(call(paths=("a", "b"))).cut


def test_a_command_is_known() -> None:
    assert TurnCalls(calls={1: (ROOT, call("execute"))}).commands
    assert not TurnCalls(calls={1: (ROOT, call("edit"))}).commands
