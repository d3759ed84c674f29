"""Each mutant's code and tests are where its row says."""

from tests.mutants.mutant import Misplaced
from tests.mutants.rows import ROWS


def test_every_row_finds_its_code_and_its_tests() -> None:
    misplaced = []
    for row in ROWS:
        try:
            row.check()
        except Misplaced as error:
            misplaced.append(str(error))
    assert misplaced == []


def test_no_two_rows_are_the_same() -> None:
    assert len({(row.where, row.old, row.new) for row in ROWS}) == len(ROWS)
