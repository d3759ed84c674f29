"""Opening addresses: what the project's folder holds is not run by it."""

from pathlib import Path

import anyio
import pytest

from acp_tui.host.desktop.opener import open_address


def test_a_module_in_the_project_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    (tmp_path / "webbrowser.py").write_text(f"open({str(trace)!r}, 'w')\ndef open(url): return True\n")
    (tmp_path / "browser").write_text(f"#!/bin/sh\necho \"$1\" > '{tmp_path}/opened'\n")
    (tmp_path / "browser").chmod(0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER", str(tmp_path / "browser"))
    assert anyio.run(open_address, "https://example.org/")
    assert not trace.exists()
    assert (tmp_path / "opened").read_text() == "https://example.org/\n"
