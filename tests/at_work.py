"""Fixtures of tests that run the program, or parts of it that keep something; their folders' conftest.py takes them."""

from pathlib import Path

import pytest

__all__ = ["own_home", "patient_prompts"]

PATIENCE = 60.0  # seconds; far more than anything takes


@pytest.fixture(autouse=True)
def own_home(private_folders: Path) -> Path:
    """Each test has a home of its own."""
    return private_folders


@pytest.fixture(autouse=True)
def patient_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prompt waits for its snapshot as long as that takes: no machine is too slow for what a test's agent writes.

    A test of that wait sets it by itself.
    """
    monkeypatch.setattr("acp_tui.host.changes.moments.PATIENCE", PATIENCE)
