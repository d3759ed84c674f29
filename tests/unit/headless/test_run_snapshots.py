"""Whether a run takes snapshots, and which arguments contradict each other."""

from argparse import Namespace
from pathlib import Path

import pytest

from acp_tui.arguments.command_line import read_arguments
from acp_tui.errors import UserFault
from acp_tui.headless.run_snapshots import run_settings, snapshot_order
from acp_tui.host.config.preferences import MB, SWITCHED_OFF, SnapshotSettings
from tests.rows import each_of

OWN = SnapshotSettings(store=MB)


def options(words: str) -> Namespace:
    return read_arguments(["run", *words.split(), "do it"]).options


@each_of(
    ("words", "terminal", "automated", "taken"),
    [
        ("", True, False, True),
        ("", False, False, False),
        ("", True, True, False),
        ("", False, True, False),
        ("--snapshots", False, False, True),
        ("--snapshots", True, True, True),
        ("--patch p", False, True, True),
        ("--patch p --no-record", False, False, True),
        ("--no-snapshots", True, False, False),
        ("--no-record", True, False, False),
    ],
)
def test_they_are_taken_at_a_terminal_or_where_they_are_asked_for(
    words: str, terminal: bool, automated: bool, taken: bool
) -> None:
    settings = run_settings(options(words), OWN, terminal=terminal, automated=automated)
    assert bool(settings.off) != taken
    assert not taken or settings.store == MB, "what else the user has set"


@each_of(("words", "taken"), [("", False), ("--no-record", False), ("--snapshots", True), ("--patch p", True)])
def test_who_has_switched_them_off_gets_them_by_an_argument_alone(words: str, taken: bool) -> None:
    settings = run_settings(options(words), SWITCHED_OFF, terminal=True, automated=False)
    assert bool(settings.off) != taken


@each_of(
    ("words", "passing"),
    [
        ("", False),
        ("--snapshots", False),
        ("--demo", True),
        ("--demo --patch p", True),
        ("--no-record --patch p", True),
    ],
)
def test_nothing_outlives_a_run_without_a_record_or_the_demo(words: str, passing: bool) -> None:
    assert run_settings(options(words), OWN, terminal=True, automated=False).passing is passing


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--snapshots --no-record", "--snapshots cannot be combined with --no-record"),
        ("--patch p --no-snapshots", "--patch cannot be combined with --no-snapshots"),
        ("--snapshots --no-snapshots", "--no-snapshots: cannot be combined with --snapshots"),
    ],
)
def test_what_contradicts_itself_is_a_fault_of_the_user(words: str, fault: str) -> None:
    with pytest.raises(UserFault) as raised:
        run_settings(options(words), OWN, terminal=True, automated=False)
    assert fault in raised.value.title.replace("Argument ", "")


@each_of("automated", ["1", "true", "false", ""])
def test_ci_counts_whatever_it_says(automated: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("CI", automated)
        patched.setattr("sys.stderr.isatty", lambda: True, raising=False)
        order = snapshot_order(options(""), lambda _, otherwise: otherwise)
    assert bool(order.settings.off) is bool(automated)


def test_a_patch_goes_to_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "there").touch()
    for name, fault in (("link", "already exists"), ("there", "already exists"), ("no/p", "patch was not written")):
        with pytest.raises(UserFault, match=fault):
            snapshot_order(options(f"--patch {tmp_path / name}"), lambda _, otherwise: otherwise)
    assert snapshot_order(options(f"--patch {tmp_path / 'new'}"), lambda _, other: other).patch == tmp_path / "new"
    assert not (tmp_path / "new").exists()
