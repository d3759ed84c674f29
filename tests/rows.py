"""A table that is one test: every row is tried, and the failure tells of each that is wrong.

`@each_of` stands where `@pytest.mark.parametrize` would make a case of each row. A case has its price (the folders and
fixtures of its own, the way to a worker and back), which is more than most rows cost; rows share all fixtures of the
test, so it is for what leaves nothing behind. A row that someone would run by its name is a case.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

WRONG = (Exception, pytest.fail.Exception, pytest.skip.Exception)  # a test of which a row is skipped would say nothing


def each_of(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As the first two arguments of `parametrize`; above another `each_of` it makes every pair of their rows."""
    named = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    table = [row if len(named) > 1 else (row,) for row in rows]
    assert table, "a test without rows tests nothing"
    assert {len(row) for row in table} == {len(named)}

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        others = [one for one in signature.parameters.values() if one.name not in named]
        assert len(others) + len(named) == len(signature.parameters)
        assert not inspect.iscoroutinefunction(test)

        @wraps(test)
        def all_rows(*args: Any, **fixtures: Any) -> None:
            wrong: list[tuple[str, BaseException]] = []
            for row in table:
                try:
                    test(*args, **fixtures, **dict(zip(named, row, strict=True)))
                except WRONG as error:
                    told = ", ".join(f"{name}={value!r}" for name, value in zip(named, row, strict=True))
                    wrong.append((f"{told}: {_said(error)}", error))
            if wrong:
                problems = "\n".join(f"- {problem}" for problem, _ in wrong)
                raise AssertionError(f"{len(wrong)} of {len(table)} rows are wrong:\n{problems}") from wrong[0][1]

        all_rows.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return all_rows

    return decorate


def _said(error: BaseException) -> str:
    said = str(error)
    first = said if isinstance(error, AssertionError) and said else f"{type(error).__name__}: {said}"
    return "\n".join([first, *getattr(error, "__notes__", ())])  # Hypothesis tells the example in a note
