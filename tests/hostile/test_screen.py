"""Hostile text in every field that reaches the screen, through the whole program on a real pseudo-terminal.

Two-sided: not one byte of it reaches the terminal as it came and nothing of it is obeyed, and the user can
still read each of them in a safe form.
"""

import json
import sys
from pathlib import Path

import pytest

from acp_tui.host.config.config import own_file
from tests.agents.scripted import Script
from tests.driven_screen import DrivenScreen

# What is put behind each field's own name, and how its beginning must look on the screen.
HOSTILE = {
    "markup and links": (
        "[@click=app.quit]x[/][/][bold]y[link=file:///]z[$error]\x1b]8;;file:///etc/passwd\x07a\x1b]8;;\x07\x1b]8;id=1;ssh:",
        "[@click=app.quit]x[/]",
    ),
    "escapes": (
        "\x1b]52;c;cHduZWQ=\x07\x1b[2J\x1b]0;owned\x07\x1b[?1049l\x1bc\x1b[6n\x1bP$qm\x1b\\\x1b_G\x1b\\\x1b^x\x1bX\x1b",
        "␛]52;c;cHduZWQ=␇",
    ),
    "controls, C1, bidi, surrogates, marks, fillers, emoji": (
        "\x9b2J\x9d0;owned\x9c\x90q\x84\x07\x08\x7f\x0c\u202e\u2066\u200f\ufeff\udfff\ud800"
        + "\u0301" * 10_000
        + "\U000e0041\x00\u3164\uffa0\u115f\u2800👩\u200d💻👍🏽❤\ufe0f1\ufe0f\u20e3\U0001fffe\u0378\u2068",
        "\ufffd2J\ufffd0;owned",
    ),
}

AGENT = Path(__file__).parents[1] / "agents" / "hostile_text.py"

# Of these more than the name must be read; of the others a narrow column may show no more.
IN_FULL = (
    "agent-title",
    "session-title",
    "thought",
    "said2",
    "said4",
    "said12",
    "link-title",
    "link-uri",
    "image-uri",
    "resource-uri",
    "user-text",
    "input-key",
    "input-value",
    "output-key",
    "output-value",
    "location",
    "content-tool",
    "tool-text",
    "tool-link",
    "tool-uri",
    "content-type",
    "content-member",
    "diff-path",
    "old-text",
    "new-text",
    "raw-command",
    "own-terminal",
    "unknown-kind",
    "compaction-error",
    "compaction-summary",
    "asked-title",
    "asked-path",
    "asked-text",
    "option-name",
    "option-second",
    "form-message",
    "form-title",
    "form-description",
    "field-title",
    "field-description",
    "pick-title",
    "const-title",
    "item",
    "strange-title",
    "address-message",
    "stop-reason",
    "plan-entry",
    "plan-second",
    "group",
    "model-two-name",
    "listed-title",
    "failed",
    "failed-key",
    "failed-data",
    "last-words",
)


@pytest.mark.parametrize(("evil", "shown"), HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.usefixtures("private_folders")
def test_hostile_text_is_shown_and_never_obeyed(tmp_path: Path, evil: str, shown: str) -> None:
    own_file().parent.mkdir(parents=True)
    own_file().write_text('width = "full"\n')  # all of the selector bar is to be seen
    text, record = tmp_path / "evil.json", tmp_path / "received.jsonl"
    text.write_text(json.dumps(evil))
    argv = [sys.executable, "-E", str(AGENT), str(text), str(record)]
    with DrivenScreen("--", *argv, cwd=tmp_path, rows=150, columns=200) as screen:
        hold_the_conversation(screen, Script(AGENT, record), typable=evil.isprintable())
        assert [name for name in IN_FULL if not screen.recorded.has_shown(f"<{name}>{shown}")] == []
        screen.quit()
    assert screen.recorded.foreign == []
    assert [title for title in screen.recorded.titles if not title.endswith("acp-tui")] == []


def hold_the_conversation(screen: DrivenScreen, agent: Script, *, typable: bool) -> None:
    """Look at all that the agent says; its script is in `hostile_text`. Its command is listed if that is `typable`."""

    def answers() -> int:
        return sum("method" not in message for message in agent.received())

    def sees(*names: str) -> None:
        for name in names:
            screen.wait_for(f"<{name}>")

    def press(keys: str, *names: str) -> None:
        screen.press(keys)
        sees(*names)

    sees("agent-title", "agent-version", "mode", "mode-one-name", "model", "model-one-name")
    press("/", "command-description", "hint")
    screen.wait_for("<command>" if typable else "1 agent command hidden (unusable names)")
    screen.press("\t")
    screen.wait_until(lambda: sum("<<hint>" in row for row in screen.recorded.rows()) < 2, "one command, accepted")
    press("\x15/")
    press("\x7fgo\r", "option-name", "option-second", "option-kind", "asked-title", "asked-path", "asked-text")
    screen.press_until("v", lambda: screen.shows("esc back"))
    screen.escape_from("esc back")
    before = answers()
    screen.press_until("y", lambda: answers() > before)
    sees("form-message", "field-title", "field-description", "pick-title", "const-title", "many-title", "item")
    screen.press("\x1b[Z")
    screen.press_until("c", lambda: answers() > before + 1)
    sees("address", "address-message")
    screen.press_until("d", lambda: answers() > before + 2)
    sees("stop-reason")
    press("\x0f", "thought", "unknown-key", "unknown-value", "compaction-summary", "output-key")
    press("\x14\x18c", "other")
    screen.escape_from("esc close")
    press("\x1bp", "group", "model-two-name")
    screen.escape_from("esc close")
    press("\x1b[Z", "refused")
    press("\x13", "listed-title")
    screen.escape_from("<listed-title>")
    press("\x18b")
    press("again\r", "failed", "failed-key", "failed-data")
    press("bye\r", "last-words")
    press("\x1b[24~")
    screen.escape_from("esc close")
