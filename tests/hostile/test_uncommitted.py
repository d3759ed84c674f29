"""Checkouts whose settings name programs, compared with HEAD: nothing runs, and nothing of theirs is changed."""

import os
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.system import git as git_module
from tests.hostile.test_git import ATTACKS, Checkout, filters, git, provoke, waiting_index, waiting_objects
from tests.unit.host.changes.checkouts import Compared

PARTS_MISSING = "lazy fetch"


def read_all(root: Path) -> Compared:
    """Look twice, and read every text: some settings bite only at the second time."""
    it = Compared(root)
    it.look()
    for path in it.told:
        it.texts(path)
    return it


@pytest.mark.parametrize("name", ATTACKS)
def test_a_comparison_runs_and_changes_nothing(tmp_path: Path, name: str) -> None:
    change, provoked_by = ATTACKS[name]
    checkout = Checkout(tmp_path)
    change(checkout)
    checkout.mark.unlink(missing_ok=True)  # what prepares the attack is allowed to run it
    before = checkout.state()
    if name == PARTS_MISSING:
        with pytest.raises(UserFault, match="Git cannot read the files of HEAD"):
            Compared(checkout.root)
    else:
        assert read_all(checkout.root).told["new.py"] == "new"
    assert not checkout.mark.exists()
    assert checkout.state() == before
    if provoked_by:  # or else the attack would be none
        provoke(checkout, *provoked_by)
        assert checkout.mark.exists()


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_DIR": "{0}/none", "GIT_WORK_TREE": "{0}"},
        {"GIT_INDEX_FILE": "{0}/none", "GIT_COMMON_DIR": "{0}"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{1}"},
        {"GIT_OBJECT_DIRECTORY": "{0}", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "{0}", "GIT_NAMESPACE": "x"},
        {"GIT_EXTERNAL_DIFF": "{1}", "GIT_SSH_COMMAND": "{1}", "GIT_EXEC_PATH": "{0}", "GIT_TRACE": "{0}/MARK"},
        {"GIT_REPLACE_REF_BASE": "refs/heads", "GIT_GRAFT_FILE": "{0}/none", "GIT_ATTR_SOURCE": "HEAD"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_no_variable_of_the_surroundings_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    checkout = Checkout(tmp_path)
    filters("clean")(checkout)
    checkout.mark.unlink(missing_ok=True)
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path, checkout.program))
    before = checkout.state()
    it = read_all(checkout.root)
    assert it.told == {".gitattributes": "changed", "a.py": "changed", "new.py": "new", "sub/b.py": "changed"}
    assert it.texts("a.py") == (b"", b"longer than it was")
    assert not checkout.mark.exists()
    assert checkout.state() == before


def test_rules_of_the_checkout_convert_nothing(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    committed = b"$Id$ one\r\n\xff\xfet\0w\0o\0\n\0"
    (checkout.root / "a.py").write_bytes(committed)
    git(checkout.root, "commit", "-qam", "bytes")
    checkout.configure(checkout.root, core__autocrlf="true", core__eol="crlf")
    (checkout.root / ".git/info/attributes").write_text("* text=auto ident working-tree-encoding=UTF-16\n")
    (checkout.root / "a.py").write_bytes(committed + b"more\n")
    assert Compared(checkout.root).texts("a.py") == (committed, committed + b"more\n")


def test_an_index_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    waiting_index(checkout)
    assert Compared(checkout.root).told == {"new.py": "new"}


def test_objects_that_are_elsewhere_in_no_file_are_not_waited_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Checkout(tmp_path)
    waiting_objects(checkout)
    monkeypatch.setattr(git_module, "WITHIN", 0.5)
    with pytest.raises(UserFault, match="Git cannot read the files of HEAD"):
        Compared(checkout.root)
    assert not git_module._running


def test_a_git_that_lies_in_the_checkout_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = Checkout(tmp_path)
    checkout.program.rename(checkout.root / "git")
    monkeypatch.setenv("PATH", f"{checkout.root}{os.pathsep}{os.environ['PATH']}")
    assert Compared(checkout.root / "sub").told == {}
    assert Compared(checkout.root).told == {"git": "new", "new.py": "new"}
    assert not checkout.mark.exists()
