"""Where snapshots are kept, and where none are taken."""

import os
import stat
from pathlib import Path
from threading import Thread

import pytest

from acp_tui.host.config.state_files import state_folder
from acp_tui.host.snapshots import folder_store
from acp_tui.host.snapshots.database import StoreFault
from acp_tui.host.snapshots.folder_store import (
    OLD,
    FolderStore,
    place_of,
    refusal,
    remove_leftovers,
    snapshots_folder,
    stores,
)


def test_folders_of_the_same_name_have_stores_of_their_own(tmp_path: Path) -> None:
    one, other = place_of(str(tmp_path / "a" / "x")), place_of(str(tmp_path / "b" / "x"))
    assert one != other
    assert one.name.startswith("x-")
    assert one.parent == other.parent == snapshots_folder()


def test_stores_say_what_they_are_of(tmp_path: Path) -> None:
    roots = [str(tmp_path / "b"), str(tmp_path / "a\n\udcff")]
    for root in roots:
        FolderStore(root).prepare()
    assert stores() == [(root, place_of(root)) for root in sorted(roots)]
    assert stat.S_IMODE(place_of(roots[0]).stat().st_mode) == 0o700
    assert stat.S_IMODE((place_of(roots[0]) / "root").stat().st_mode) == 0o600


def test_a_temporary_store_goes_and_one_that_is_in_use_stays(tmp_path: Path) -> None:
    mine, crashed = FolderStore(str(tmp_path), temporary=True), FolderStore(str(tmp_path), temporary=True)
    for place in (mine, crashed):
        place.prepare()
    assert crashed._held is not None
    os.close(crashed._held)
    assert not remove_leftovers()
    assert mine.folder.is_dir()
    assert not crashed.folder.exists()
    assert stores() == []
    mine.remove()
    assert not mine.folder.exists()


def test_a_store_that_is_being_made_is_nobodys_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a start removes what crashed runs left, in a thread, its first session makes its store."""
    other = Thread(target=remove_leftovers)

    def hold(folder: Path) -> int:
        other.start()
        other.join(0.3)
        return real_hold(folder)

    real_hold = folder_store.hold
    with monkeypatch.context() as patch:
        patch.setattr(folder_store, "hold", lambda folder: real_hold(folder) if other.ident else hold(folder))
        store = FolderStore(str(tmp_path), temporary=True)
        store.prepare()
        other.join()
    assert {"root", "in use"} <= {path.name for path in store.folder.iterdir()}
    store.remove()


def test_who_still_reads_does_not_make_a_removed_store_anew(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path), temporary=True)
    store.prepare()
    store.keep(b"new")
    store.remove()
    with pytest.raises(StoreFault, match="gone"):
        store.keep(b"more")
    assert not store.folder.exists()


def test_what_the_first_two_releases_kept_goes_once(tmp_path: Path) -> None:
    store = FolderStore(str(tmp_path))
    store.prepare()
    digest = store.keep(b"new")
    for name in OLD:
        (store.folder / name).mkdir()
        (store.folder / name / "x").write_bytes(b"old")
    (store.folder / "known").write_bytes(b"old")
    assert [remove_leftovers(), remove_leftovers()] == [True, False]
    assert {path.name for path in store.folder.iterdir()} == {"root", "lock", "content.db", "content.db-journal"} - (
        {"lock"}
    )
    assert store.get(digest) == b"new"


@pytest.mark.parametrize("make", [Path.home, lambda: Path("/"), lambda: state_folder().parent, state_folder])
def test_no_snapshots_of_home_the_top_and_what_holds_our_state(make: type[Path]) -> None:
    state_folder().mkdir(parents=True)
    folder = Path(make())
    assert refusal(str(folder))
    assert refusal(str(folder), everywhere=True) == ""


def test_snapshots_elsewhere(tmp_path: Path) -> None:
    assert refusal(str(tmp_path)) == ""
    assert refusal(str(tmp_path / "none"))
    snapshots_folder().mkdir(parents=True)
    assert refusal(str(snapshots_folder()), everywhere=True)
