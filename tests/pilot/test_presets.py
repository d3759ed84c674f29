"""Presets by keys: picked, told in one line, and saved from the current options."""

import pytest

from acp_tui.host.config.config import own_file
from acp_tui.ui.kit.picker import AnswerChoice, AskLine, Picker
from tests.pilot.choosing import configure
from tests.pilot.driver import user
from tests.pilot.fake_client import tell_options

pytestmark = pytest.mark.anyio
PRESETS = """\
# mine
[presets.plan] # careful
mode = "plan"
model = "*opus*"
colour = "red"

[presets."[bold]now"]
mode = "ask"
thinking = "high"
"""
SET = [("mode", "Plan"), ("model", "opus")]


async def test_the_list_says_what_each_would_set_and_which_fits() -> None:
    configure(PRESETS)
    async with user(prepare=tell_options) as someone:
        await someone.press("ctrl+x", "p")
        await someone.opened(Picker)
        rows = [row.rstrip() for row in someone.picker_rows()]
        assert rows == [
            "  plan             Mode Plan · Model Opus 5 · not here: colour",
            "● [bold]now        Mode Ask · Thinking High",
            "  Save as preset…  the current options",
        ]
        await someone.press("up", "enter")
        assert sorted(someone.acts("choose")) == SET
        assert someone.sees("Preset plan: Model Opus 5 · Mode Plan · not set: colour (this agent has none)")


async def test_a_preset_that_is_named_is_applied_at_once() -> None:
    configure(PRESETS)
    async with user(prepare=tell_options) as someone:
        await someone.send("/preset pla")
        assert sorted(someone.acts("choose")) == SET
        await someone.send("/presets other")
        picker = await someone.opened(Picker)
        assert (picker.query_typed, picker.title) == ("", 'Presets · no match for "other"')


async def test_the_current_options_are_saved_under_a_name_and_another_one_is_asked_about() -> None:
    configure(PRESETS)
    async with user(prepare=tell_options) as someone:
        await someone.command("presets")
        await someone.opened(Picker)
        await someone.press("down", "enter")
        await someone.opened(AskLine)
        await someone.wait_for("Mode Ask · Model Sonnet")
        assert someone.sees("esc cancel")
        await someone.send("mine")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the end of the question")
        values = 'mode = "Ask"\nmodel = "sonnet"\nthinking = "High"\nmodel_config = false\n'
        assert own_file().read_text() == f"{PRESETS}\n[presets.mine]\n{values}"
        assert "Saved as preset mine" in someone.toasts()

        await someone.send("/preset")
        await someone.opened(Picker)
        await someone.type("save as")
        await someone.press("enter")
        await someone.opened(AskLine)
        await someone.send("plan")
        await someone.opened(AnswerChoice)
        assert someone.sees("Preset plan exists")
        before = own_file().read_text()
        await someone.press("escape")
        assert own_file().read_text() == before


async def test_a_preset_that_is_replaced_keeps_its_comment() -> None:
    configure(PRESETS)
    async with user(prepare=tell_options) as someone:
        await someone.send("/preset save")
        await someone.opened(Picker)
        await someone.press("enter")
        await someone.opened(AskLine)
        await someone.send("plan")
        await someone.opened(AnswerChoice)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: "Saved as preset plan" in someone.toasts(), "what came of it")
        text = own_file().read_text()
        assert text.startswith('# mine\n[presets.plan] # careful\nmode = "Ask"\nmodel = "sonnet"\n')
        assert "colour" not in text


async def test_a_thousand_presets_are_listed_and_found() -> None:
    configure("".join(f'[presets.p{n}]\nmode = "*{n}*"\nmodel = "opus"\n' for n in range(1_000)))
    async with user((60, 20), prepare=tell_options) as someone:
        await someone.press("ctrl+x", "p")
        await someone.opened(Picker)
        assert len(someone.picker_rows()) == 1_001
        await someone.send("p999")
        assert someone.acts("choose") == [("model", "opus")]
        await someone.wait_for("Preset p999: Model Opus 5")


async def test_without_an_agent_or_its_options_that_is_said() -> None:
    configure(PRESETS)
    async with user(phase="starting") as someone:
        await someone.press("ctrl+x", "p")
        assert someone.toasts() == ["The agent is not ready"]

    async with user(prepare=lambda session: tell_options(session, [])) as someone:
        await someone.send("/preset save")
        await someone.press("enter")
        await someone.wait_until(lambda: "This agent has no options to save" in someone.toasts(), "why not")
