"""Files of variables."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.source_files import read_env_file


def test_names_and_values(tmp_path: Path) -> None:
    path = tmp_path / "x.env"
    path.write_text(
        "# words\n\nA=1\nexport B = two words # words\nC='a # b'\nD=\"q'q\" # words\nE=\nF=a#b\nG=$A\r\n  H=1\n"
    )
    assert read_env_file(path) == {
        "A": "1",
        "B": "two words",
        "C": "a # b",
        "D": "q'q",
        "E": "",
        "F": "a#b",
        "G": "$A",
        "H": "1",
    }


@pytest.mark.parametrize(("text", "line"), [("A=1\nnonsense\n", 2), ("1A=2\n", 1), ("A=\0\n", 1)])
def test_a_bad_line_is_told_without_what_it_says(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "x.env"
    path.write_text(text)
    with pytest.raises(UserFault) as raised:
        read_env_file(path)
    assert raised.value.message == f"{path}, line {line}: not NAME=value"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="No such file"):
        read_env_file(tmp_path / "none")
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserFault, match="not UTF-8"):
        read_env_file(tmp_path / "b")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.env").write_text("#" * 2_000_000)
    with pytest.raises(UserFault, match="larger than"):
        read_env_file(tmp_path / "x.env")
