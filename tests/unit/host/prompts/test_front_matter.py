"""Front matter: what is read of it, and where it says what cannot be read."""

import pytest

from acp_tui.host.prompts.own_prompts import FrontMatter, Unreadable, split
from tests.rows import each_of


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


@each_of(
    "line",
    [
        "allowed-tools: [Bash(git add:*), Read]",
        "allowed-tools: [\n  Read,\nBash(git:*),\n]",
        "tools: { bash: true, write: false }",
        "tools:\n  bash: true\n  description: not ours",
        "tools: ['search', 'edit']\nmode: agent",
        "model: |2-\n   text\n   description: not ours",
        '"quoted": key',
        "? complex\n: key",
        "&anchor\n*alias\n<<: *alias",
        "just words",
        "[table]\nname = 1",
        "hooks:\n  Stop:\n    - command: x",
        "...",
        "\t",
    ],
)
def test_what_is_foreign_is_skipped_and_not_the_file(line: str) -> None:
    assert said("description: ours", *line.split("\n"), "send: false") == FrontMatter("ours", send=False)
    assert said(*line.split("\n"), "description: ours").description == "ours"


def test_the_front_matter_of_toml() -> None:
    assert split('+++\ndescription = "Fix it"\nsend = false\n+++\nText\n---') == (
        FrontMatter("Fix it", send=False),
        "Text\n---",
    )


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("---\ndescription: x\n", 1, "the front matter has no closing ---"),
        ("+++\nsend = true\n---\n", 1, r"the front matter has no closing \+\+\+"),
        ("---\nmodel: x\n\nsend false\n---\n", 4, '"send false" is not'),
        ("---\n\nsend: perhaps\n---\n", 3, "send must be true or false, not perhaps"),
        ("---\nsend:\n---\n", 2, "send must be true or false, not empty"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason) as caught:
        split(text)
    assert caught.value.line == line
