import pytest
from rich.cells import cell_len

from acp_tui.ui.branches.handover import HandOverSize


def plain(size: HandOverSize) -> list[tuple[str, str]]:
    return [(words, keys.plain) for words, keys in size.forms()]


def test_it_says_how_much_from_whom_and_whether_tool_output_is_in_it() -> None:
    assert plain(HandOverSize("First", 1_000, 19_000)) == [
        (
            "Hand-over from First: 1,000 characters + transcript 19,000, ≈5k tokens · no tool output",
            "^X j add tool output",
        ),
        ("Hand-over: 20,000 characters, ≈5k tokens", "^X j add tool output"),
        ("20,000 characters, ≈5k tokens", "^X j + tool output"),
    ]
    assert plain(HandOverSize("", 1_000, 19_000, outputs=True))[::2] == [
        (
            "Hand-over from another agent: 1,000 characters + transcript 19,000, ≈5k tokens · with tool output",
            "^X j remove tool output",
        ),
        ("20,000 characters, ≈5k tokens", "^X j − tool output"),
    ]


def test_without_the_transcript_there_is_no_tool_output_to_add() -> None:
    assert plain(HandOverSize("First", 1_000))[0] == (
        "Hand-over from First: 1,000 characters, ≈250 tokens · no transcript",
        "",
    )


@pytest.mark.parametrize("agent", ["\x1b[31mred", "漢字" * 40, "[@click=app.quit]x[/]"])
def test_the_shortest_form_fits_in_60_columns(agent: str) -> None:
    forms = plain(HandOverSize(agent, 9_500, 200_000))
    words, keys = forms[-1]
    assert cell_len(f"{words}  {keys}") <= 54
    assert "\x1b" not in forms[0][0]
