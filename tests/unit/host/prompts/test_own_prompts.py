"""Prompts of the user and of a project: found, read, and what is wrong with them told."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.state_files import config_folder
from acp_tui.host.prompts import own_prompts
from acp_tui.host.prompts.own_prompts import OwnPrompts, slash_name

Write = Callable[[str, str | bytes], Path]


def _writer(folder: Path) -> Write:
    def write(name: str, text: str | bytes) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def own() -> Write:
    return _writer(config_folder() / "prompts")


@pytest.fixture
def project(tmp_path: Path) -> Write:
    return _writer(tmp_path / ".acp-tui" / "prompts")


@pytest.fixture
def prompts(tmp_path: Path) -> OwnPrompts:
    return OwnPrompts(tmp_path)


def names(prompts: OwnPrompts) -> list[str]:
    prompts.look()
    return [prompt.name for prompt in prompts.listed]


def problems(prompts: OwnPrompts) -> str:
    prompts.look()
    return "\n".join(prompts.problems)


def test_no_prompts_are_no_problem(prompts: OwnPrompts) -> None:
    assert names(prompts) == []
    assert prompts.problems == ()


def test_files_of_the_config_folder_are_prompts(prompts: OwnPrompts, own: Write) -> None:
    own("fix.md", "---\ndescription: Fix it\nargument-hint: <what>\nsend: false\n---\nFix $1")
    own("git/commit.md", "Commit")
    own("notes.txt", "x")
    own(".hidden.md", "x")
    assert names(prompts) == ["fix", "git:commit"]
    fix = prompts.listed[0]
    assert (fix.description, fix.argument_hint, fix.send, fix.project) == ("Fix it", "<what>", False, None)
    assert fix.expand("this") == "Fix this"
    assert prompts.may_be_used(fix)


def test_the_first_line_describes_a_prompt_without_a_description(prompts: OwnPrompts, own: Write) -> None:
    own("fix.md", f"# Fix it\n\n{'x' * 500}")
    own("long.md", "x" * 500)
    prompts.look()
    assert [prompt.description for prompt in prompts.listed] == ["Fix it", "x" * 100]


def test_what_changed_is_read_again(prompts: OwnPrompts, own: Write) -> None:
    path = own("fix.md", "One")
    assert prompts.look()
    assert not prompts.look()
    path.write_text("Another")
    assert prompts.look()
    assert prompts.listed[0].text == "Another"
    path.unlink()
    assert names(prompts) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"fine\n\xff\xfe", "fix.md, line 2: not UTF-8"),
        (b"x" * 10_000_000, "fix.md: larger than 262,144 bytes (not used)"),
        ("---\nsend what\n---\nText", 'fix.md, line 2: "send what" is not'),
        ("---\nsend: true\n---\n", "fix.md: no text below the front matter"),
        ("", "fix.md: empty"),
    ],
)
def test_what_cannot_be_used_keeps_its_name_and_the_rest_is_used(
    prompts: OwnPrompts, own: Write, text: str | bytes, told: str
) -> None:
    own("fix.md", text)
    own("good.md", "Fine")
    assert names(prompts) == ["fix", "good"]
    (problem,) = prompts.problems
    assert told in problem
    assert str(config_folder()) in problem
    assert prompts.listed[0].description == "cannot be used"
    with pytest.raises(UserFault, match="/fix cannot be used") as raised:
        prompts.listed[0].expand("")
    assert f"{raised.value.message} (not used)" == problem


def test_a_pipe_is_not_waited_for(prompts: OwnPrompts, own: Write) -> None:
    good = own("good.md", "Fine")
    os.mkfifo(good.with_name("pipe.md"))
    assert names(prompts) == ["good", "pipe"]
    assert "pipe.md: not a regular file" in problems(prompts)


@pytest.mark.parametrize(("cap", "most", "used"), [("FILES_AT_MOST", 3, 3), ("MAX_TOGETHER", 10, 2)])
def test_what_is_too_much_is_cut_and_that_is_said(
    prompts: OwnPrompts, own: Write, monkeypatch: pytest.MonkeyPatch, cap: str, most: int, used: int
) -> None:
    """Too many files, or five characters each of too much text."""
    monkeypatch.setattr(own_prompts, cap, most)
    for number in range(5):
        own(f"p{number}.md", "12345")
    assert names(prompts) == [f"p{number}" for number in range(used)]
    assert f"only the first {used} are used" in problems(prompts)


def test_a_folder_of_many_entries_is_cut_and_that_is_said(
    prompts: OwnPrompts, own: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_prompts, "ENTRIES_AT_MOST", 2)
    for number in range(3):
        own(f"p{number}.md", "Text")
    assert len(names(prompts)) == 2
    assert "only its first 2 files are read" in problems(prompts)


def test_links_of_the_user_count_and_lead_in_no_circle(prompts: OwnPrompts, own: Write, tmp_path: Path) -> None:
    elsewhere = tmp_path / "dotfiles.md"
    elsewhere.write_text("Text")
    own("a/fix.md", "Text").with_name("again").symlink_to(config_folder() / "prompts", target_is_directory=True)
    (config_folder() / "prompts" / "linked.md").symlink_to(elsewhere)
    assert names(prompts) == ["a:fix", "linked"]


def test_a_name_is_what_can_be_typed_and_seen() -> None:
    assert slash_name(("git", "commit")) == "git:commit"
    assert slash_name(("a b:c\u202e\x1b[m",)) == "a-b-c--[m"
    assert slash_name(("u\u0308ber",)) == "über"


def test_two_files_of_one_name_are_told(prompts: OwnPrompts, own: Write) -> None:
    own("a b.md", "One")
    own("a-b.md", "Two")
    assert names(prompts) == ["a-b"]
    assert "a-b.md: /a-b is taken by" in problems(prompts)


def test_a_prompt_of_the_project_needs_consent_for_its_text(
    prompts: OwnPrompts, project: Write, tmp_path: Path
) -> None:
    path = project("fix.md", "Fix it")
    prompts.look()
    (fix,) = prompts.listed
    assert fix.project == tmp_path
    assert not prompts.may_be_used(fix)
    prompts.agree(fix)
    assert prompts.may_be_used(fix)
    assert OwnPrompts(tmp_path).may_be_used(fix)
    path.write_text("Fix something else")
    prompts.look()
    assert not prompts.may_be_used(prompts.listed[0])


def test_that_it_is_sent_at_once_needs_consent_too(prompts: OwnPrompts, project: Write) -> None:
    project("fix.md", "---\nsend: false\n---\nFix it")
    prompts.look()
    prompts.agree(prompts.listed[0])
    project("fix.md", "Fix it")
    prompts.look()
    assert not prompts.may_be_used(prompts.listed[0])


def test_the_project_is_found_from_below(project: Write, tmp_path: Path) -> None:
    project("fix.md", "Fix it")
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)
    assert names(OwnPrompts(below)) == ["fix"]


def test_the_users_prompt_keeps_its_name(prompts: OwnPrompts, own: Write, project: Write) -> None:
    own("fix.md", "Mine")
    project("fix.md", "Theirs")
    project("quit.md", "Theirs")
    assert names(prompts) == ["fix", "project:fix", "quit"]
    assert prompts.listed[0].text == "Mine"


def test_no_link_of_a_project_is_followed(prompts: OwnPrompts, project: Write, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("Secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "other.md").write_text("Secret")
    folder = project("fix.md", "Fix it").parent
    (folder / "linked.md").symlink_to(secret)
    (folder / "below").symlink_to(tmp_path / "folder", target_is_directory=True)
    assert names(prompts) == ["fix", "linked"]
    assert "linked.md: a symlink (not used)" in problems(prompts)
    assert (prompts.listed[1].text, prompts.may_be_used(prompts.listed[1])) == ("", True)


def test_a_link_that_leads_nowhere_keeps_its_name(prompts: OwnPrompts, own: Write) -> None:
    own("fix.md", "Text").with_name("lost.md").symlink_to("nowhere.md")
    assert names(prompts) == ["fix", "lost"]
    assert "lost.md: a symlink (not used)" in problems(prompts)


def test_a_file_that_cannot_be_used_is_mended(prompts: OwnPrompts, own: Write) -> None:
    own("fix.md", "")
    prompts.look()
    own("fix.md", "Text")
    assert names(prompts) == ["fix"]
    assert (prompts.problems, prompts.listed[0].expand("")) == ((), "Text")


def test_a_project_folder_that_is_a_link_is_left_out(prompts: OwnPrompts, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "prompts"
    elsewhere.mkdir(parents=True)
    (elsewhere / "fix.md").write_text("Fix it")
    (tmp_path / ".acp-tui").symlink_to(elsewhere.parent, target_is_directory=True)
    assert names(prompts) == []
    assert ".acp-tui: a symlink" in problems(prompts)


def test_what_another_user_may_have_put_there_is_left_out(
    prompts: OwnPrompts, project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    project("fix.md", "Fix it")
    project("mine.md", "Mine")
    monkeypatch.setattr(own_prompts, "is_ours", lambda path, here: path.name != "fix.md")
    assert names(prompts) == ["mine"]
    assert "fix.md: belongs to another user" in problems(prompts)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_told(prompts: OwnPrompts, own: Write) -> None:
    own("fix.md", "Text").chmod(0)
    assert "fix.md: Permission denied" in problems(prompts)
