"""The README's table of keys is the commands' own."""

from tests.house.readme_keys import PLACE, README, table


def test_the_table_is_generated() -> None:
    found = PLACE.search(README.read_text(encoding="utf-8"))
    assert found is not None, "README.md has no place for the table of keys"
    assert found[0] == table(), "run python -m tests.house.readme_keys"
