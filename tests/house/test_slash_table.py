"""The table of slash commands that the pages show."""

from tests.house.pages import SlashRow, slash_table


def row(name: str) -> SlashRow:
    return next(row for row in slash_table() if row.name.split()[0] == name)


def test_a_row_has_the_argument_the_other_names_and_whose_it_is() -> None:
    assert row("/rename") == SlashRow("/rename <title>", "", "Rename the session", "agent")
    assert row("/model")[:2] == ("/model [model]", "/models")
    assert row("/model").owner == "client"
    assert row("/new").owner == "client (/clear: agent)"


def test_every_row_says_what_it_does() -> None:
    assert all(each.words for each in slash_table())
