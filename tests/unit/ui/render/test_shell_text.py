"""Commands of a shell as they are drawn: programs in one ink wherever they stand, parts in rows of their own."""

import pytest

from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.shell_text import command_rows, shell_lines
from acp_tui.ui.render.wrap import text_of

PALETTE = palette_for(DARK)


def programs(command: str) -> list[str]:
    return [text for line in shell_lines(tuple(command.split("\n"))) for text, key in line.tokens if key == "function"]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("make -C a test && rm -rf test", ["make", "rm"]),
        ("A=1 B=two make do test", ["make"]),
        ("ls | grep -v a || echo no; cd b & exit 1", ["ls", "grep", "echo", "cd", "exit"]),
        ("echo '&& rm' \"a; $(id -u; who) b\" && rm x", ["echo", "id", "who", "rm"]),
        ("make \\\n  test\nrm x", ["make", "rm"]),
        ("cat <<'E' > f\nrm -rf a && b\nE\nls", ["cat", "ls"]),
        ("for f in test echo; do rm $f; done", ["rm"]),
        ("if [ -f x ]; then (cd a; ls) fi", ["cd", "ls"]),
        ("make 2>&1 test", ["make"]),
        ("find . -exec rm {} \\;", ["find"]),
        ("(echo ${A} b; ls) && id # now; rm x", ["echo", "ls", "id"]),
        ("", []),
    ],
)
def test_only_a_word_in_the_place_of_a_program_is_one(command: str, found: list[str]) -> None:
    assert [each for each in programs(command) if each != "["] == found


def drawn(command: str, width: int = 40) -> list[str]:
    rows = command_rows(command.split("\n"), width, PALETTE, 1, in_parts=True)
    return [text_of(row).rstrip() for row in rows]


def test_each_part_of_a_list_begins_in_a_new_row() -> None:
    assert drawn("a && b|c; (d; e) || 'f && g'") == [" $ a &&", "   b|c;", "   (d; e) ||", "   'f && g'"]
    assert drawn("ls # a; b") == [" $ ls # a; b"]
    assert drawn("case x in x) a;; esac\nb") == [" $ case x in x) a;;", "   esac", "   b"]


def test_a_long_part_is_parted_at_its_pipes_and_what_is_still_long_hangs() -> None:
    rows = drawn("cat a-file | sort --unique | head && ls one-file another-file a-third-file", 30)
    assert rows == [
        " $ cat a-file |",
        "   sort --unique |",
        "   head &&",
        "   ls one-file another-file",
        "     a-third-file",
    ]


@pytest.mark.parametrize("in_parts", [True, False])
def test_every_sign_of_a_command_is_in_its_rows_at_its_own_place(in_parts: bool) -> None:
    command = "a  &&   bb;; c-long-word another word | d   e |& f &&g  "
    for width in (8, 14, 30, 90):
        for row in command_rows([command], width, PALETTE, 1, in_parts=in_parts):
            text = text_of(row)[row.gutter :]
            assert command[row.offset : row.offset + len(text)] == text
        shown = "".join(
            text_of(row)[row.gutter :] for row in command_rows([command], width, PALETTE, 1, in_parts=in_parts)
        )
        assert shown.replace(" ", "") == command.replace(" ", "")
