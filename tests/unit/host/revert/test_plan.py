"""What a plan says of each path, without a disk."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from acp_tui.host.revert.apply import ordered
from acp_tui.host.revert.plan import Plan
from acp_tui.host.revert.steps import Act, DiskState, Step, undoing
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, Who, same
from tests.rows import each_of

ROOT = "/r"
OLD = PathState("file", 0o644, 3, "old")
NEW = PathState("file", 0o644, 3, "new")
OTHER = PathState("file", 0o644, 3, "other")
FOLDER = PathState("folder", 0o755)
LINK = PathState("link", 0o777, 1, "to")


def change(
    path: str, before: PathState, after: PathState, status: Status = "changed", old: str = "", who: Who = "agent"
) -> PathChange:
    return PathChange(ROOT, path, status, before, after, old, who=who)


def planned(
    changes: Sequence[PathChange],
    now: Mapping[str, PathState | DiskState],
    chain: Mapping[str, Sequence[Who]] = {},
    *,
    lost: Sequence[str] = (),
    folds: bool = False,
) -> list[Step]:
    found = {(ROOT, path): DiskState(each) if isinstance(each, PathState) else each for path, each in now.items()}
    for each in changes:
        found.setdefault((ROOT, each.path), DiskState(each.after))
        if each.old_path:
            found.setdefault((ROOT, each.old_path), DiskState(ABSENT))
    whose = {(ROOT, path): who for path, who in chain.items()}
    plan = Plan(found, lambda digest: digest not in lost, whose, [ROOT] if folds else [], "the turn ended")
    return plan.steps(changes)


def only(changes: PathChange, now: PathState | DiskState) -> Step:
    (step,) = planned([changes], {changes.path: now})
    return step


class TestActs:
    @each_of(
        ("before", "after", "act"),
        [
            (OLD, NEW, "write"),
            (OLD, ABSENT, "write"),
            (ABSENT, NEW, "delete"),
            (ABSENT, FOLDER, "delete"),
            (ABSENT, LINK, "delete"),
            (replace(OLD, mode=0o600), OLD, "mode"),
            (replace(FOLDER, mode=0o700), FOLDER, "mode"),
            (FOLDER, ABSENT, "folder"),
            (FOLDER, LINK, "folder"),
            (LINK, ABSENT, "link"),
            (LINK, NEW, "link"),
            (OLD, FOLDER, "write"),
        ],
    )
    def test_as_it_was_at_the_end_it_is_chosen(self, before: PathState, after: PathState, act: str) -> None:
        step = only(change("p", before, after), after)
        assert (step.act, step.target, step.refusal, step.chosen, step.forcible) == (act, before, "", True, False)

    def test_a_rename_is_one_step(self) -> None:
        step = only(change("n", OLD, OLD, "renamed", "o"), OLD)
        assert (step.act, step.target, step.chosen) == ("move", OLD, True)

    @pytest.mark.parametrize("now", [OLD, replace(OLD, reason="whatever")])
    def test_what_is_as_it_was_has_nothing_to_be_done(self, now: PathState) -> None:
        step = only(change("p", OLD, NEW), now)
        assert (step.act, step.chosen, step.refusal) == ("nothing", False, "")


class TestWho:
    @pytest.mark.parametrize(("who", "chosen"), [("agent", True), ("unknown", False), ("outside", False)])
    def test_what_nobody_knows_who_did_is_not_chosen(self, who: Who, chosen: bool) -> None:
        step = only(change("p", OLD, NEW, who=who), NEW)
        assert (step.chosen, step.refusal) == (chosen, "")

    @pytest.mark.parametrize(
        ("chain", "chosen", "refused"),
        [
            (["agent", "agent"], True, False),
            (["agent", "unknown"], False, False),
            (["outside", "outside"], False, False),
            (["outside", "agent"], False, True),
            (["agent", "outside", "agent"], False, True),
            (["unknown", "outside"], False, True),
        ],
    )
    def test_own_edits_among_the_turns_are_not_taken_along(self, chain: list[Who], chosen: bool, refused: bool) -> None:
        (step,) = planned([change("p", OLD, NEW)], {"p": NEW}, {"p": chain})
        assert (step.chosen, bool(step.refusal), step.forcible) == (chosen, refused, refused)


class TestRefusals:
    @pytest.mark.parametrize(
        ("now", "words"),
        [
            (OTHER, "Changed since the turn ended"),
            (ABSENT, "Deleted since the turn ended"),
            (replace(NEW, mode=0o600), "Its mode changed since the turn ended"),
            (LINK, "Changed since the turn ended"),
        ],
    )
    def test_what_changed_since_is_refused_unless_told_to(self, now: PathState, words: str) -> None:
        step = only(change("p", OLD, NEW), now)
        assert (step.refusal, step.forcible, step.chosen) == (words, True, False)

    @pytest.mark.parametrize(
        ("reason", "words"),
        [
            ("ignored", "Git ignored it at that time, so it may already have existed"),
            ("too large", "Too large to save"),
            ("saved too late to undo", "Saved too late to undo"),
            ("not readable", "Not readable at that time"),
            ("snapshot too large", "Not saved: snapshot too large"),
            ("", "Not saved: reason unknown"),
        ],
    )
    def test_what_is_not_known_is_never_done(self, reason: str, words: str) -> None:
        step = only(change("p", PathState("unknown", reason=reason), NEW), NEW)
        assert (step.refusal, step.forcible, step.chosen) == (words, False, False)

    def test_what_is_not_known_is_not_done_by_force_where_it_changed_since_too(self) -> None:
        assert not only(change("p", PathState("unknown", reason="ignored"), NEW), OTHER).forcible

    def test_an_end_that_is_not_known_may_have_changed_since(self) -> None:
        step = only(change("p", OLD, PathState("unknown", reason="ignored")), NEW)
        assert (step.refusal, step.forcible) == ("May have changed since the turn ended: ignored", True)

    def test_bytes_that_are_not_in_the_store_any_more(self) -> None:
        (step,) = planned([change("p", OLD, NEW)], {"p": NEW}, lost=["old"])
        assert (step.refusal, step.forcible) == ("Its content is no longer saved", False)
        (step,) = planned([change("p", replace(NEW, mode=0o600), NEW)], {"p": NEW}, lost=["new"])
        assert (step.act, step.refusal) == ("mode", "")  # they are on the disk

    @pytest.mark.parametrize("reason", ["special file", "not readable", "busy"])
    def test_what_cannot_be_kept_is_left_alone(self, reason: str) -> None:
        step = only(change("p", OLD, NEW), PathState("unknown", reason=reason))
        assert step.refusal
        assert not step.forcible

    def test_no_way(self) -> None:
        step = only(change("p", OLD, ABSENT), DiskState(ABSENT, trouble="Outside"))
        assert (step.refusal, step.forcible) == ("Outside", False)

    def test_an_old_name_that_is_in_use_again(self) -> None:
        (step,) = planned([change("n", OLD, OLD, "renamed", "o")], {"o": OTHER})
        assert (step.refusal, step.forcible) == ("Its old name o is taken", False)


class TestFolders:
    def test_a_folder_goes_with_all_that_it_holds(self) -> None:
        changes = [change("d", ABSENT, FOLDER), change("d/x", ABSENT, NEW), change("d/y", OLD, OLD, "renamed", "o")]
        steps = planned(changes, {"d": DiskState(FOLDER, holds=["x", "y"])})
        assert [step.chosen for step in steps] == [True, True, True]

    def test_it_stays_with_what_nobody_keeps(self) -> None:
        changes = [change("d", ABSENT, FOLDER), change("d/x", ABSENT, NEW)]
        steps = planned(changes, {"d": DiskState(FOLDER, holds=[".env", "x", "y"])})
        assert steps[0].refusal == "Contains files that are not undone: .env, y"
        assert not steps[0].forcible

    def test_it_stays_with_what_is_refused_unless_told_to(self) -> None:
        changes = [change("d", ABSENT, FOLDER), change("d/e", ABSENT, FOLDER), change("d/e/x", ABSENT, NEW)]
        found: dict[str, PathState | DiskState] = {
            "d": DiskState(FOLDER, holds=["e"]),
            "d/e": DiskState(FOLDER, holds=["x"]),
            "d/e/x": OTHER,
        }
        steps = planned(changes, found)
        assert [bool(step.refusal) for step in steps] == [True, True, True]
        assert [step.forcible for step in steps] == [True, True, True]

    def test_it_is_not_chosen_where_what_it_holds_is_not(self) -> None:
        changes = [change("d", ABSENT, FOLDER), change("d/x", ABSENT, NEW, who="unknown")]
        steps = planned(changes, {"d": DiskState(FOLDER, holds=["x"])})
        assert [(step.chosen, step.refusal) for step in steps] == [(False, ""), (False, "")]

    def test_a_file_does_not_take_the_place_of_a_folder_that_holds_more(self) -> None:
        steps = planned([change("cfg", OLD, FOLDER, "kind")], {"cfg": DiskState(FOLDER, holds=["own"])})
        assert (steps[0].refusal, steps[0].forcible) == ("Contains files that are not undone: own", False)

    def test_what_was_in_a_folder_that_is_a_link_now_needs_the_folder(self) -> None:
        inside, folder = change("d/x", OLD, ABSENT), change("d", FOLDER, LINK, "kind")
        below: dict[str, PathState | DiskState] = {"d/x": DiskState(ABSENT, way="d")}
        assert [step.refusal for step in planned([inside, folder], below)] == ["", ""]
        (alone,) = planned([inside], below)
        assert (alone.refusal, alone.forcible) == ("d is no longer a folder", False)
        other = planned([inside, folder], {"d/x": DiskState(ABSENT, way="d"), "d": OTHER})
        assert [step.forcible for step in other] == [True, True]


class TestNamesThatDifferInCase:
    def test_of_a_rename_to_another_case_the_bytes_come_back_and_the_only_file_stays(self) -> None:
        """To delete the new name would delete the file that has the old one, too."""
        changes = [change("Read", OLD, ABSENT, "deleted"), change("read", ABSENT, NEW, "new")]
        one: dict[str, PathState | DiskState] = {name: DiskState(NEW, node=(1, 2)) for name in ("Read", "read")}
        (step,) = planned(changes, one, folds=True)
        assert (step.act, step.change.path, step.target, step.refusal) == ("write", "read", OLD, "")
        (step,) = planned([change("read", OLD, NEW, "renamed", "Read")], one, folds=True)
        assert (step.act, step.change.path, step.change.old_path, step.target) == ("write", "read", "", OLD)
        (step,) = planned(
            [change("n", OLD, OLD, "renamed", "N")], {"n": DiskState(OLD), "N": DiskState(OLD)}, folds=True
        )
        assert step.act == "nothing"

    def test_two_files_are_two_though_the_root_folds_case(self) -> None:
        """A folder in it may not: it is another file system, or was told so."""
        changes = [change("d/A", OLD, ABSENT, "deleted"), change("d/a", ABSENT, NEW, "new")]
        now: dict[str, PathState | DiskState] = {"d/A": DiskState(ABSENT), "d/a": DiskState(NEW, node=(1, 2))}
        assert [step.act for step in planned(changes, now, folds=True)] == ["write", "delete"]
        moved = [change("d/a", OLD, NEW, "renamed", "d/A")]
        assert [step.act for step in planned(moved, now, folds=True)] == ["move"]


def test_what_is_not_known_is_like_nothing() -> None:
    assert not same(PathState("unknown"), PathState("unknown"))
    assert same(PathState("link", 0o777, 1, "x"), PathState("link", 0o755, 1, "x"))
    assert not same(OLD, replace(OLD, mode=0o600))


def test_undoing_turns_a_step_round() -> None:
    moved = Step(change("n", OLD, OTHER, "renamed", "o"), "move", OTHER, OLD)
    back = undoing(moved)
    assert (back.path, back.old_path, back.before, back.after, back.status) == ("o", "n", OTHER, OLD, "renamed")
    for now, target, status in [
        (ABSENT, OLD, "new"),
        (OLD, ABSENT, "deleted"),
        (OLD, LINK, "kind"),
        (OLD, NEW, "changed"),
        (OLD, replace(OLD, mode=0o600), "mode"),
    ]:
        back = undoing(Step(change("p", target, now), "write", now, target))
        assert (back.before, back.after, back.status) == (now, target, status)


def test_the_order_has_folders_there_and_empty_when_needed() -> None:
    closed = replace(FOLDER, mode=0o500)
    rows: list[tuple[str, Act, PathState, PathState]] = [
        ("shut", "mode", FOLDER, closed),
        ("d/x", "write", ABSENT, OLD),
        ("d", "folder", LINK, FOLDER),
        ("new", "delete", FOLDER, ABSENT),
        ("new/sub", "delete", FOLDER, ABSENT),
        ("new/sub/f", "delete", NEW, ABSENT),
        ("new/moved", "move", OLD, OLD),
        ("opened", "mode", closed, FOLDER),
    ]
    steps = [Step(change(path, target, now), act, now, target) for path, act, now, target in rows]
    names = [step.change.path for step in ordered(steps)]
    assert names == ["opened", "new/sub/f", "d", "new/moved", "new/sub", "new", "d/x", "shut"]
