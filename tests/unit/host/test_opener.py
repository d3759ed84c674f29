"""Opening addresses: what the project's folder holds is not run by it."""

import sys
from pathlib import Path

import anyio
import pytest

from acp_tui.host.system.paths import own_program
from acp_tui.host.user_programs import open_address, open_file


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


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="xdg-open is of Linux")
def test_a_viewer_that_cannot_be_started_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "xdg-open").write_text("#!/no/such/interpreter\n")
    (tmp_path / "bin" / "xdg-open").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert own_program("xdg-open")
    assert not anyio.run(open_file, tmp_path / "picture.png")
