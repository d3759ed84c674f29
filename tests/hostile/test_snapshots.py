"""The laws of snapshots from end to end: turns in real folders with real Git, taken back, undone, and started anew."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes.history_tables import earlier_runs
from acp_tui.host.changes.retention import forget_session, kept_folders
from acp_tui.host.changes.session_folders import SessionFolders
from acp_tui.host.revert.file_operations import FULL
from acp_tui.host.revert.steps import Preview, TakenBack
from acp_tui.host.snapshots import folder_store
from acp_tui.host.snapshots.database import FILE_NAME
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.snapshot_rows import Snapshots
from acp_tui.host.system import git as git_module
from acp_tui.session.entries import NoticeEntry
from tests.turns import BOUND, Turns, at_home, bytes_below, full_disk, git, print_of, tree_of, watched

__all__ = ["at_home"]

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("at_home")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def write(root: Path, **files: str | bytes) -> None:
    for name, held in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(held.encode() if isinstance(held, str) else held)


def refusals(preview: Preview) -> dict[str, str]:
    return {step.change.path: step.refusal for step in preview.steps if step.refusal}


async def taken_back(turns: Turns, act: Callable[[], object]) -> TakenBack:
    """What it comes to if a turn does that and all of it is taken back."""
    await turns.begin()
    act()
    return await turns.take_back(await turns.preview(*await turns.end()))


ATTRIBUTES = "* text=auto eol=lf ident filter=x diff=x merge=x\nwide.txt working-tree-encoding=UTF-16\n"


def hostile(marks: Path) -> str:
    run = f"touch {marks}/"
    return f"""
[core]
    fsmonitor = {run}monitor
    hooksPath = {marks}
    sshCommand = {run}ssh
    pager = {run}pager
    editor = {run}editor
    attributesFile = {marks}/attributes
[filter "x"]
    clean = {run}clean; cat
    smudge = {run}smudge; cat
    process = {run}process
    required = true
[diff "x"]
    textconv = {run}textconv
    command = {run}diff
[merge "x"]
    driver = {run}merge
[include]
    path = {marks}/included
[credential]
    helper = !{run}helper
"""


async def test_laws_1_and_10_nothing_of_a_hostile_checkout_runs_and_every_byte_comes_back(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    (marks / "included").write_text(f'[filter "y"]\n clean = touch {marks}/included-clean\n')
    held: dict[str, str | bytes] = {
        "crlf.txt": b"one\r\ntwo\r\n",
        "ident.txt": b"$Id: mine$\n",
        "wide.txt": "\ufeffwide\n".encode("utf-16-le"),
        "bin": b"\0\xff",
        "sub__deep": "x\n",
    }
    write(root, **held)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    write(
        root,
        **{".gitattributes": ATTRIBUTES},
    )
    for checkout in (root, root / "nested"):
        checkout.mkdir(exist_ok=True)
        git(checkout, "init", "-q")
        with (checkout / ".git/config").open("a") as file:
            file.write(hostile(marks))
        for hook in ("post-checkout", "pre-commit", "post-index-change"):
            (checkout / ".git/hooks" / hook).write_text(f"#!/bin/sh\ntouch {marks}/{hook}\n")
            (checkout / ".git/hooks" / hook).chmod(0o755)
    write(root, nested__file="not ours\n")
    program = root / "bin-of-project/git"
    write(root, **{"bin-of-project__git": f"#!/bin/sh\ntouch {marks}/git\n"})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}:.")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(marks / name.lower()))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor=touch {marks}/parameters'")
    before, repositories = tree_of(root), [print_of(folder / ".git") for folder in (root, root / "nested")]
    async with watched(root) as turns:
        taken = await taken_back(turns, lambda: write(root, **dict.fromkeys(held, b"new\r\n"), nested__file="new"))
        assert {outcome.path for outcome in taken.outcomes} == {name.replace("__", "/") for name in held}
        now = tree_of(root)
        assert now.pop("nested/file") != before.pop("nested/file")  # left alone, and said
        assert now == before
        assert any("nested" in gap for gap in turns.changes.points[0].gaps)
    assert [path.name for path in marks.iterdir()] == ["included"]
    assert [print_of(folder / ".git") for folder in (root, root / "nested")] == repositories


async def test_laws_6_and_10_a_work_tree_with_files_that_git_hides_comes_back_after_all_is_removed(
    root: Path, tmp_path: Path
) -> None:
    write(root, a="1\n", assumed="1\n", skipped="1\n", plain="1\n", d__e__f="1\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    side = tmp_path / "side"
    git(root, "worktree", "add", "-q", str(side))
    git(side, "update-index", "--assume-unchanged", "assumed")
    git(side, "update-index", "--skip-worktree", "skipped")
    (side / "d").chmod(0o750)
    (side / "a").chmod(0o600)
    (side / "empty").mkdir(mode=0o700)
    before, repository = tree_of(side), print_of(root / ".git")

    def remove() -> None:
        for path in side.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(root)

    async with watched(side) as turns:
        write(side, assumed="2\n", skipped="2\n")
        before = tree_of(side)
        assert print_of(root / ".git") == repository
        await taken_back(turns, remove)
        assert tree_of(side) == before


async def test_law_3_what_was_ignored_is_never_deleted_when_the_rules_go(root: Path) -> None:
    git(root, "init", "-q")
    write(root, **{".gitignore": ".env\nbuild/\n", ".env": "SECRET", "build__out": "x", "a": "1"})

    def act() -> None:
        write(root, **{".gitignore": "", "a": "2", "new": "n"})
        (root / ".env").chmod(0o600)

    async with watched(root) as turns:
        await taken_back(turns, act)
    assert (root / ".env").read_text() == "SECRET"
    assert (root / "build/out").read_text() == "x"
    assert (root / ".gitignore").read_text() == ".env\nbuild/\n"
    assert not (root / "new").exists()


async def test_law_4_what_changed_since_the_turn_ended_is_refused_unless_told_to(root: Path) -> None:
    write(root, a="1", b="1", c="1")
    async with watched(root) as turns:
        await turns.begin()
        write(root, a="2", b="2", c="2", new="n")
        since, until = await turns.end()
        write(root, a="mine", new="mine")
        (root / "b").unlink()
        (root / "c").chmod(0o600)
        preview = await turns.preview(since, until)
        assert refusals(preview) == {
            "a": "Changed since the turn ended",
            "b": "Deleted since the turn ended",
            "c": "Its mode changed since the turn ended",
            "new": "Changed since the turn ended",
        }
        assert not any(step.chosen for step in preview.steps)
        now = tree_of(root)
        taken = await turns.take_back(preview, forced=True)
        assert {path: data for path, (_, _, data) in tree_of(root).items()} == dict.fromkeys("abc", b"1")
        await turns.undo(taken)
        assert tree_of(root) == now


async def test_law_9_a_parent_that_is_a_link_now_is_refused_and_what_it_leads_to_stays(
    root: Path, tmp_path: Path
) -> None:
    write(root, d__a="1", e__b="1")
    other = tmp_path / "other"
    write(other, a="theirs", b="theirs")

    def act() -> None:
        write(root, d__a="2")
        shutil.rmtree(root / "e")
        (root / "e").symlink_to(other)

    async with watched(root) as turns:
        await turns.begin()
        act()
        since, until = await turns.end()
        shutil.rmtree(root / "d")
        (root / "d").symlink_to(other)
        await turns.take_back(await turns.preview(since, until), forced=True)
        assert (other / "a").read_text() == (other / "b").read_text() == "theirs"
        assert (root / "d").is_symlink()
        assert (root / "e/b").read_text() == "1"


async def test_law_11_a_change_that_hides_is_taken_back(root: Path) -> None:
    write(root, a="1111")
    info = (root / "a").stat()

    def act() -> None:
        write(root, a="2222")
        os.utime(root / "a", ns=(info.st_atime_ns, info.st_mtime_ns))

    async with watched(root) as turns:
        await taken_back(turns, act)
    assert (root / "a").read_text() == "1111"


async def test_law_6_bytes_kept_before_a_write_outlast_pruning_and_a_restart(root: Path) -> None:
    git(root, "init", "-q")
    write(root, **{".gitignore": ".env\n", ".env": "SECRET", "a": "1"})
    async with watched(root) as turns:
        await turns.begin()
        await turns.changes.turns.before_write(str(root / ".env"))
        write(root, **{".env": "gone", "a": "2"})
        since, until = await turns.end()
        now = [step for step in (await turns.preview(since, until)).steps if step.change.path == ".env"]
        assert [step.refusal for step in now] == [""]
        kept = next(iter(turns.changes.turns.folders))
    kept.drop([])
    async with watched(root) as turns:
        since, until = turns.changes.points[1:3]
        taken = await turns.take_back(await turns.preview(since, until))
        assert (root / ".env").read_text() == "SECRET"
        kept.drop([])
        await turns.undo(taken)
        assert (root / ".env").read_text() == "gone"


@pytest.mark.parametrize("what", ["home", "above", "top", "state"])
async def test_law_7_no_snapshots_where_secrets_are(
    private_folders: Path, what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if what == "above":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    root = {
        "home": private_folders,
        "above": private_folders.parent,
        "top": Path("/"),
        "state": private_folders / ".local/state/acp-tui",
    }[what]
    root.mkdir(parents=True, exist_ok=True)
    async with watched(root) as turns:
        assert turns.changes.off
        assert not turns.changes.points
    assert not folder_store.snapshots_folder().exists() or not list(folder_store.snapshots_folder().rglob(FILE_NAME))


async def test_law_7_a_home_that_is_asked_for_does_not_keep_our_store(private_folders: Path) -> None:
    write(private_folders, a="1" * 1000)
    async with watched(private_folders, everywhere=True) as turns:
        await taken_back(turns, lambda: write(private_folders, a="2"))
        assert (private_folders / "a").read_text() == "1" * 1000
        folder = next(iter(turns.changes.turns.folders))
        kept = folder.below(turns.changes.points[-1].trees[folder.root], "")
        assert [path for path, state in kept.items() if "snapshots/" in path and state.kind != "unknown"] == []


async def test_law_7_only_the_owner_reads_the_store_and_forgetting_removes_the_bytes(root: Path) -> None:
    write(root, a=os.urandom(64).hex(), b="s")
    old, store = (root / "a").read_bytes(), folder_store.place_of(str(root))
    umask = os.umask(0)
    try:
        async with watched(root) as turns:
            await taken_back(turns, lambda: write(root, a="new", b="t"))
        assert {path.stat().st_mode & 0o777 for path in store.rglob("*") if path.is_file()} == {0o600}
        assert {path.stat().st_mode & 0o777 for path in (store, *store.rglob("*")) if path.is_dir()} == {0o700}
    finally:
        os.umask(umask)
    assert FolderStore(str(root), store).content.digests()
    await forget_session("A", "s")
    assert not FolderStore(str(root), store).content.digests()
    assert old not in bytes_below([store])
    assert not kept_folders()[0].sessions


async def test_law_7_without_records_nothing_is_left(root: Path, private_folders: Path) -> None:
    secret = b"SECRET-" + os.urandom(8).hex().encode()  # too short to be compressed
    write(root, a=secret)
    async with watched(root, passing=True) as turns:
        await taken_back(turns, lambda: write(root, a="2"))
        assert secret in bytes_below([folder_store.snapshots_folder()])
    assert bytes_below([private_folders]) == b""


async def test_a_full_disk_is_said_once_and_prompts_go_out(root: Path) -> None:
    write(root, a="1")
    with full_disk():
        async with watched(root) as turns:
            for number in (1, 2):
                await turns.begin()
                write(root, a=f"{number}")
                since, _ = await turns.end()
                assert "No snapshot was taken" in since.gaps
            notices = [entry for entry in turns.changes.turns.session.entries if isinstance(entry, NoticeEntry)]
            assert len(notices) == 1
            assert "No space left" in str(notices[0])


async def test_a_store_of_a_newer_release_is_said_with_what_can_be_done(root: Path) -> None:
    write(root, a="1")
    store = FolderStore(str(root))
    store.keep(b"x")
    with store.database.writing() as connection:
        connection.execute("PRAGMA user_version = 9")
    store.database.close()
    async with watched(root) as turns:
        (notice,) = [entry for entry in turns.changes.turns.session.entries if isinstance(entry, NoticeEntry)]
        assert "newer acp-tui" in notice.message
        assert notice.hint == "Update acp-tui, or delete the file."


async def test_what_all_snapshots_may_take_bounds_a_session_that_runs(root: Path) -> None:
    write(root, a="1")
    async with watched(root, store=4 << 20) as turns:
        with anyio.fail_after(BOUND):
            await turns.retained.wait()
            turns.retained = anyio.Event()
            for name, size in (("large", 3_400_000), ("larger", 4_000_000)):
                await turns.begin()
                (root / name).write_bytes(os.urandom(size))
                _, until = await turns.end()
                assert until.gaps == (("1 skipped: the snapshot is too large: larger",) if name == "larger" else ())
            await turns.retained.wait()


async def test_a_full_disk_while_taking_back_replaces_nothing_that_is_not_kept(root: Path) -> None:
    write(root, a="1", b="1")
    async with watched(root) as turns:
        await turns.begin()
        write(root, a="2", b="2")
        since, until = await turns.end()
        write(root, a="mine")
        preview = await turns.preview(since, until)
        with full_disk(), suppress(UserFault):
            await turns.changes.take_back(preview, preview.steps)
        assert (root / "a").read_text() == "mine"
        taken = await turns.take_back(preview, forced=True)
        assert (root / "a").read_text() == "1"
        await turns.undo(taken)
        assert (root / "a").read_text() == "mine"


async def test_on_a_full_disk_what_needs_nothing_kept_comes_back_and_is_redone(root: Path) -> None:
    write(root, a="1", b="1", gone="1")
    before = tree_of(root)
    async with watched(root) as turns:
        await turns.begin()
        write(root, a="2", b="2", junk="junk")
        (root / "gone").unlink()
        (root / "a").chmod(0o600)
        since, until = await turns.end()
        write(root, b="mine")
        after = tree_of(root)
        with full_disk():
            taken = await turns.take_back(await turns.preview(since, until), forced=True)
        assert [(each.path, each.said) for each in taken.outcomes if not each.done] == [("b", FULL)]
        assert tree_of(root) == {**before, "b": after["b"]}
        assert taken.whole  # what could not come back does not stand in the way of the turn before
        notices = [entry.title for entry in turns.changes.turns.session.entries if isinstance(entry, NoticeEntry)]
        assert "This undo was not saved" in notices
        await turns.undo(taken)
        assert tree_of(root) == after


async def test_on_a_full_disk_of_what_cannot_be_kept_nothing_is_written_down_and_it_is_offered_again(
    root: Path,
) -> None:
    write(root, a="1")
    async with watched(root) as turns:
        await turns.begin()
        write(root, a="2")
        since, until = await turns.end()
        write(root, a="mine")
        preview = await turns.preview(since, until)
        with full_disk(), pytest.raises(UserFault, match="cannot be saved"):
            await turns.changes.take_back(preview, preview.steps)
        assert turns.changes.turns.history.taken_back == []
        assert turns.changes.last_turn() == (since, until)
        taken = await turns.take_back(preview, forced=True)
        assert (root / "a").read_text() == "1"
        await turns.undo(taken)
        assert (root / "a").read_text() == "mine"


async def test_what_is_no_file_costs_nothing_else(root: Path) -> None:
    odd = ["n\nl", os.fsdecode(b"\xff\xfe"), "-rf", " ", "\x1b[31m", "a" * 255, "d/" + "b" * 255]
    write(root, **dict.fromkeys(odd, "1"))
    os.mkfifo(root / "fifo")
    (root / "loop").symlink_to("loop")
    before = tree_of(root)

    def act() -> None:
        write(root, **dict.fromkeys(odd, "2"))
        os.mkfifo(root / "more")

    async with watched(root) as turns:
        taken = await taken_back(turns, act)
        assert {outcome.path for outcome in taken.outcomes if outcome.done} >= set(odd)
        assert tree_of(root) == before
        assert (root / "more").is_fifo()


@pytest.mark.parametrize("where", [".gitignore", "d/.gitignore"])
async def test_a_pipe_where_git_reads_rules_is_told_and_undo_brings_back_what_was_kept(
    root: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git would wait for it for ever."""
    monkeypatch.setattr(git_module, "LOOK_AFTER", 0.05)
    git(root, "init", "-q")
    write(root, a="1", d__x="1")

    def act() -> None:
        os.mkfifo(root / where)
        write(root, a="2", d__x="2")

    async with watched(root) as turns:
        await turns.begin()
        act()
        since, until = await turns.end()
        assert f".gitignore rules could not be read: {where} is not a regular file" in until.gaps
        taken = await turns.take_back(await turns.preview(since, until))
        assert {outcome.path for outcome in taken.outcomes if outcome.done} == {"a", "d/x"}
        assert ((root / "a").read_text(), (root / "d/x").read_text()) == ("1", "1")
    assert not git_module._running


async def test_a_file_where_a_pipe_was_is_left_alone(root: Path) -> None:
    os.mkfifo(root / "fifo")

    def act() -> None:
        (root / "fifo").unlink()
        write(root, fifo="x")

    async with watched(root) as turns:
        await taken_back(turns, act)
    assert (root / "fifo").read_text() == "x"


async def test_tables_that_were_written_by_others_lead_nowhere(root: Path, tmp_path: Path) -> None:
    write(root, a="1", d__x="1")
    other = tmp_path / "other"
    write(other, secret="theirs")
    async with watched(root) as turns:
        await taken_back(turns, lambda: write(root, a="2", d__x="2"))
    store = FolderStore(str(root))
    outside = (str(root), "../other/secret", ""), (str(other), "secret", ""), ("/", f"{other}/secret"[1:], "")
    with store.database.writing() as connection:
        ((run, taking),) = connection.execute("SELECT run, data FROM taking").fetchall()
        steps = [json.loads(data) for (data,) in connection.execute("SELECT data FROM step").fetchall()]
        for number, (where, path, digest) in enumerate((*outside, (str(root), "a", "zz")), start=2):
            told = json.dumps({**json.loads(taking), "number": number})
            connection.execute("INSERT INTO taking VALUES (?, ?, 1, ?)", (run, number, told))
            for at, step in enumerate(steps):
                step["change"]["root"], step["change"]["path"] = where, path
                step["now"] = {**step["change"]["after"], **({"digest": digest} if digest else {})}
                connection.execute("INSERT INTO step VALUES (?, ?, ?, 1, ?)", (run, number, at, json.dumps(step)))
        no_states = ("file", "zz"), ("file", "00"), ("thing", "00" * 20), ("file", "../../x"), ("folder", "00" * 20)
        for turn, (kind, digest) in enumerate(no_states, start=10):
            early = json.dumps([[[str(root), "a"], {"kind": kind, "mode": 420, "size": 1, "digest": digest}]])
            connection.execute("INSERT INTO turn VALUES (?, ?, ?, '[]', '{')", (run, turn, early))
        connection.executemany("INSERT INTO need VALUES ('x', ?)", [("..",), ("",), ("../root",), ("/",)])
    async with watched(root) as turns:
        await turns.until(lambda: bool(turns.changes.taken_back))
        now = tree_of(other)
        assert len(turns.changes.taken_back) == 1 + len(outside)
        for taken in turns.changes.taken_back:
            await turns.take_back(await turns.changes.preview_undo(taken), forced=True)
        since = next(point for point in turns.changes.points if point.kind == "prompt")
        await turns.preview(since, await turns.changes.look())
        assert tree_of(other) == now
    await forget_session("A", "s")
    assert not FolderStore(str(root)).content.digests()


async def test_what_is_taken_back_before_the_first_snapshot_is_whole_is_written_down(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, a="1")
    async with watched(root) as turns:
        await taken_back(turns, lambda: write(root, a="2"))
    write(root, a="own")
    monkeypatch.setattr(SessionFolders, "take", lambda *_: anyio.sleep_forever())
    store = FolderStore(str(root))
    async with watched(root) as turns:
        (taken,) = turns.changes.taken_back
        preview = await turns.changes.preview_undo(taken)
        await turns.changes.take_back(preview, preview.steps)
        known = earlier_runs(store, "A", "s")
        assert len(known.taken_back) == 2
        snapshots = Snapshots(store.database)
        assert {*snapshots.names()} <= known.needed()[str(root)]
        assert all(snapshots.info(name)["run"] for name in snapshots.names())
        assert (root / "a").read_text() == "2"


async def test_a_folder_that_is_gone_is_said_and_comes_back_when_it_is_made_again(root: Path) -> None:
    write(root, d__a="1")
    before = tree_of(root)
    async with watched(root) as turns:
        await turns.begin()
        shutil.rmtree(root)
        since, until = await turns.end()
        assert any("cannot be read" in gap for gap in until.gaps)
        os.mkdir(root)  # noqa: PTH102 (blocks either way)
        await turns.take_back(await turns.preview(since, await turns.changes.look()))
        assert tree_of(root) == before


async def test_refs_are_not_moved_and_that_is_said(root: Path) -> None:
    git(root, "init", "-q")
    write(root, a="1\n", b="1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    before = tree_of(root)
    async with watched(root) as turns:
        await turns.begin()
        git(root, "checkout", "-qb", "other")
        write(root, a="2\n")
        git(root, "commit", "-qam", "two")
        write(root, b="stashed\n")
        git(root, "stash", "-q")
        since, until = await turns.end()
        repository = print_of(root / ".git")
        preview = await turns.preview(since, until)
        assert any("other" in note for note in preview.notes)
        assert any("stash" in note for note in preview.notes)
        await turns.take_back(preview)
        assert tree_of(root) == before
        assert print_of(root / ".git") == repository
