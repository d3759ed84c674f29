"""A table that is one test tries all its rows and names each that is wrong; a law of the house names each file."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.house.sources import PACKAGE, hold
from tests.rows import each_of


def test_every_row_is_tried_and_each_that_is_wrong_is_told() -> None:
    tried = []

    @each_of(("number", "word"), [(1, "one"), (2, "two"), (3, "three")])
    def table(number: int, word: str) -> None:
        tried.append((number, word))
        assert number == 2, "is odd"
        {"two": 2}[word]

    with pytest.raises(AssertionError) as told:
        table()
    assert tried == [(1, "one"), (2, "two"), (3, "three")]
    first, *lines = str(told.value).splitlines()
    assert first == "2 of 3 rows are wrong:"
    assert [line for line in lines if line.startswith("- ")] == [
        "- number=1, word='one': is odd",
        "- number=3, word='three': is odd",
    ]


def test_every_pair_of_two_tables_is_tried_and_the_rest_are_fixtures() -> None:
    tried = []

    @each_of("word", ["a", "b"])
    @each_of("number", (number for number in (1, 2)))
    def table(word: str, number: int, place: str) -> None:
        tried.append((word, number, place))

    assert [*inspect.signature(table).parameters] == ["place"]
    table(place="here")
    table(place="there")  # once more, also of what can be gone through only once
    assert len(tried) == len(set(tried)) == 8


@each_of("ending", [pytest.fail, pytest.skip, int])
def test_whatever_ends_a_row_is_wrong(ending: object) -> None:
    @each_of("reason", ["so"])
    def table(reason: str) -> None:
        assert callable(ending)
        ending(reason)

    with pytest.raises(AssertionError, match="1 of 1 rows are wrong"):
        table()


def test_the_example_that_hypothesis_found_is_told() -> None:
    @each_of("limit", [5])
    def table(limit: int) -> None:
        @given(st.integers())
        def check(number: int) -> None:
            assert number < limit

        check()

    with pytest.raises(AssertionError, match="number=5"):
        table()


@each_of("rows", [[], [(1, 2, 3)], [(1,)]])
def test_a_table_without_rows_or_with_other_columns_is_none(rows: list[tuple[int, ...]]) -> None:
    with pytest.raises(AssertionError):
        each_of(("one", "other"), rows)


def test_a_law_names_files_and_what_is_wrong_in_them() -> None:
    def law(path: Path) -> Iterator[str]:
        yield from (f"{path.stem} is wrong" for _ in range(2 if path.stem == "cli" else 0))

    hold(law, [PACKAGE / "errors.py"])
    with pytest.raises(pytest.fail.Exception, match=r"2 problems in 2 files\ncli\.py: cli is wrong\ncli\.py: cli is"):
        hold(law, [PACKAGE / "errors.py", PACKAGE / "cli.py"])
    with pytest.raises(pytest.fail.Exception, match="0 problems in 0 files"):
        hold(law, [])
