"""UTF-8 for arguments, files and all that is written, whatever the locale says."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.agents.scripted import write_script
from tests.integration.runs import HEAD, Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locales of POSIX")
NOT_UTF8 = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C", "LANG": "C"}
"""As `LANG=en_US` on a server whose locales are of Latin 1; this one is there on every machine."""
BODY = """
    import os
    agent.say(prompt["params"]["prompt"][0]["text"] + " ◌ " + os.path.basename(os.getcwd()))
    agent.say(" " + str(os.environ.get("PYTHONUTF8")))
    agent.end_turn(prompt)
    agent.serve()
"""


@pytest.mark.parametrize(
    "environ", [NOT_UTF8, {"PYTHONIOENCODING": "latin-1:backslashreplace"}], ids=["locale", "streams"]
)
def test_what_comes_from_the_command_line_and_goes_to_the_terminal_is_utf8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    """The agent's own environment stays as the user has it."""
    agent = write_script(tmp_path, "".join(f"{dedent(part)}\n" for part in (HEAD, BODY)))
    folder = tmp_path / "日本"
    folder.mkdir()
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    ended = Run(["run", "Grüße 検索", "-C", str(folder), "--", *agent.argv], tmp_path).end()
    assert (ended.code, ended.out) == (0, f"Grüße 検索 ◌ 日本 {environ.get('PYTHONUTF8')}\n")


@pytest.mark.parametrize("environ", [NOT_UTF8, {"PYTHONIOENCODING": "latin-1:backslashreplace"}])
def test_a_fault_is_told_in_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    ended = Run(["run", "one", "--agent", "größer"], tmp_path).end()
    assert "größer" in ended.err
