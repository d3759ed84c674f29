"""Front matter: what is read of it, and where it says what cannot be read."""

import pytest

from acp_tui.host.prompts.front_matter import FrontMatter, Unreadable, split


def said(*lines: str) -> FrontMatter:
    return split("\n".join(("---", *lines, "---", "Text")))[0]


def test_a_file_without_front_matter_is_all_prompt() -> None:
    assert split("\nFix it.\n") == (FrontMatter(), "Fix it.")


def test_front_matter_is_not_part_of_the_prompt() -> None:
    assert split("---\ndescription: x\n---\n\nFix it.\n---\nNow.\n")[1] == "Fix it.\n---\nNow."


@pytest.mark.parametrize("line", ["description: Fix it", "description = Fix it", 'description="Fix it"'])
def test_both_ways_to_write_a_field(line: str) -> None:
    assert said(line).description == "Fix it"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("'Fix it'", "Fix it"),
        ("Fix #12: now", "Fix #12: now"),
        ('"it\'s"', "it's"),
        ('"a" and "b', '"a" and "b'),
        ("", ""),
    ],
)
def test_values(written: str, value: str) -> None:
    assert said(f"description: {written}").description == value


@pytest.mark.parametrize("name", ["argument-hint", "argument_hint", "Argument-Hint"])
def test_the_hint_has_a_name_of_two_words(name: str) -> None:
    assert said(f"{name}: [pr] <priority>").argument_hint == "[pr] <priority>"


@pytest.mark.parametrize(("written", "sends"), [("send = true", True), ("send: false", False), ("send: False", False)])
def test_send(written: str, sends: bool) -> None:
    assert said(written).send is sends


def test_files_for_other_clients_are_read() -> None:
    front = said(
        "# for another client",
        "allowed-tools:",
        "- Bash(git add:*)",
        "  - Read",
        "model: fast",
        "",
        "description: >-",
        "  Commit what",
        "  was changed",
    )
    assert front == FrontMatter("Commit what was changed")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("---\ndescription: x\n", 1, "no second line of --- ends the front matter"),
        ("---\ndescription: x\n\nfix it\n---\n", 4, "“fix it” is not"),
        ("---\n\nsend: perhaps\n---\n", 3, "send must be true or false, not perhaps"),
        ("---\nsend:\n---\n", 2, "send must be true or false, not empty"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason) as caught:
        split(text)
    assert caught.value.line == line
