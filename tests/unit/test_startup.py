"""What waits for its first use is imported once, and nothing looks for garbage meanwhile."""

import gc
from collections.abc import Iterator
from types import ModuleType

import pytest

from acp_tui import startup


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, bool]]]:
    """What `late` imports, and whether garbage was looked for then."""
    done: list[tuple[str, bool]] = []

    def imports(name: str) -> ModuleType:
        done.append((name, gc.isenabled()))
        if name == "PIL.Image":
            raise ImportError(name)
        return ModuleType(name)

    monkeypatch.setattr(startup, "import_module", imports)
    startup.late.cache_clear()
    yield done
    startup.late.cache_clear()


def test_a_late_module_is_imported_once_and_garbage_not_looked_for_meanwhile(imported: list[tuple[str, bool]]) -> None:
    assert startup.late("pyperclip") is startup.late("pyperclip")
    assert imported == [("pyperclip", False)]
    assert gc.isenabled()


def test_a_module_that_is_not_there_leaves_things_as_they_were(imported: list[tuple[str, bool]]) -> None:
    with pytest.raises(ImportError):
        startup.late("PIL.Image")
    assert imported == [("PIL.Image", False)]
    assert gc.isenabled()


def test_what_is_not_named_there_is_not_imported(imported: list[tuple[str, bool]]) -> None:
    with pytest.raises(KeyError):
        startup.late("acp_tui.errors")
    assert imported == []
