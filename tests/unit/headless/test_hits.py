"""What `acp-tui search` prints, to the byte."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from acp_tui.headless.lists import hits_table
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.search import Hit, SearchResult
from tests.rows import each_of

NOON = datetime(2026, 7, 12, 12).astimezone()


def hit(agent: str, cwd: str, title: str, snippet: str, subagent: str = "") -> Hit:
    return Hit(RecordInfo("/r", "id", agent, cwd, title, NOON, NOON, 1), snippet, subagent)


ONE = hit("OpenCode", "~/code/app", "Fix the login", "the fixture never awaits")
LONG = hit("An agent with a very long name", "/a/folder/that/is/longer/than/its/column", "", "here\nand there", "sub")


@each_of(
    ("found", "columns", "hidden", "lines"),
    [
        (
            SearchResult([ONE, LONG], 2),
            1_000,
            0,
            [
                "when              agent                 folder                          title",
                "2026-07-12 12:00  OpenCode              ~/code/app                      Fix the login",
                "    the fixture never awaits",
                "2026-07-12 12:00  An agent with a ver…  /a/folder/that/is/longer/than…",
                "    in subagent sub: here ⏎ and there",
            ],
        ),
        (
            SearchResult([ONE], 1, unsearched=1),
            50,
            2,
            [
                "when              agent     folder      title",
                "2026-07-12 12:00  OpenCode  ~/code/app  Fix the lo",
                "    the fixture never awaits",
                "(2 runs hidden; show with --runs)",
                "(1 older session was not searched)",
            ],
        ),
        (SearchResult([], 3), 80, 0, ["No matches in 3 recorded sessions."]),
    ],
)
def test_hits_are_a_table(found: SearchResult, columns: int, hidden: int, lines: list[str]) -> None:
    hits = [replace(hit, info=replace(hit.info, cwd=str(Path(hit.info.cwd).expanduser()))) for hit in found.hits]
    assert hits_table(replace(found, hits=hits), columns, hidden) == lines
