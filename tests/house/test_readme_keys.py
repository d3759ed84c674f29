"""The README's tables of keys are the commands' own."""

from pathlib import Path

from tests.house.readme_keys import FIRST_PLACE, PLACE, README, first_table, table, write


def test_the_table_is_generated() -> None:
    found = PLACE.search(README.read_text(encoding="utf-8"))
    assert found is not None, "README.md has no place for the table of keys"
    assert found[0] == table(), "run python -m tests.house.readme_keys"


def test_so_is_that_of_the_first_keys_where_there_is_one() -> None:
    found = FIRST_PLACE.search(README.read_text(encoding="utf-8"))
    assert found is None or found[0] == first_table(), "run python -m tests.house.readme_keys"


def test_both_are_written_into_their_places(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("a\n<!-- first keys -->\n<!-- /first keys -->\nb\n<!-- keys -->\nearlier rows\n<!-- /keys -->\nc\n")
    write(file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("a\n<!-- first keys -->\n| Key | Does |\n|---|---|\n| Enter | Send the prompt |\n")
    assert "earlier rows" not in text
    assert "\nb\n<!-- keys -->\n| Where | Key | Does |\n|---|---|---|\n| Prompt | Enter |" in text
    assert text.endswith("<!-- /keys -->\nc\n")
