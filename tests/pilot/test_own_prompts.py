"""Prompts of one's own, used by keys: what is sent, what is asked before, and what comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from acp_tui.host.config.choices import Consents
from acp_tui.host.config.state_files import config_folder
from acp_tui.host.prompts import own_prompt
from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.protocol.vocabulary.content import ImageContent
from acp_tui.session.text.mentions import mentions_in
from acp_tui.ui.agents.consent_dialog import OwnPromptActions, PromptConsent
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.prompt_pipeline import PromptPipeline
from tests.pilot.choosing import asked
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio


class Prompter(User):
    """Someone with prompts of their own."""

    prompts: OwnPromptActions
    sent: list[Draft]
    news: int = 0

    async def use(self, name: str, arguments: str = "", *, pasted: bool = False) -> None:
        """Use a prompt; the arguments were typed, or came as a paste."""
        await self.look(name)
        (prompt,) = (each for each in self.prompts.listed if each.name == name)
        typed = tuple(mentions_in(arguments)) if not pasted else ()
        draft = Draft(f"/{name} {arguments}".strip(), typed, (PICTURE,))
        self.hand_in(prompt, arguments, draft)

    def hand_in(self, prompt: OwnPrompt, arguments: str, draft: Draft) -> None:
        """Have a draft take the step of an own prompt."""
        editor = self.conversation.editor
        way = PromptPipeline(
            self.conversation.parts.view.run, lambda back: editor.give_back(back.text, back.attachments)
        )
        way.stages = [[partial(self.prompts.use, prompt, arguments), self._note]]
        way.send(draft)

    def _note(self, draft: Draft) -> Draft:
        self.sent.append(draft)
        return draft

    async def look(self, name: str) -> None:
        self.prompts.look()
        await self.wait_until(lambda: any(each.name == name for each in self.prompts.listed), f"the prompt {name}")

    async def sees_sent(self, *texts: str) -> None:
        await self.wait_until(lambda: [draft.text for draft in self.sent] == [*texts], f"{texts}, sent")


PICTURE = ImageContent(data="", mime_type="image/png")


@asynccontextmanager
async def prompter(folder: Path) -> AsyncIterator[Prompter]:
    async with user((80, 24), prepare=lambda session: setattr(session, "cwd", str(folder))) as plain:
        someone = Prompter(plain.app, plain.pilot, plain.client, plain.session)
        someone.sent = []

        def changed() -> None:
            someone.news += 1

        view = someone.conversation.parts.view
        someone.prompts = OwnPromptActions(view, someone.conversation.editor, changed)
        yield someone


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def own(name: str, text: str) -> Path:
    return write(config_folder() / "prompts", name, text)


def of_project(folder: Path, name: str, text: str) -> Path:
    return write(folder / ".acp-tui" / "prompts", name, text)


async def test_a_prompt_is_sent_with_its_arguments_and_what_is_attached(tmp_path: Path) -> None:
    own("fix", "Fix $1 as in @docs/style.md")
    async with prompter(tmp_path) as someone:
        await someone.use("fix", "@src/app.py")
        await someone.sees_sent("Fix @src/app.py as in @docs/style.md")
        (draft,) = someone.sent
        assert [mention.path for mention in draft.mentions] == ["src/app.py", "docs/style.md"]
        assert draft.attachments == (PICTURE,)


async def test_a_paste_mentions_no_file(tmp_path: Path) -> None:
    own("fix", "Fix this as in @docs/style.md: $ARGUMENTS")
    async with prompter(tmp_path) as someone:
        await someone.use("fix", "see @/etc/passwd", pasted=True)
        await someone.sees_sent("Fix this as in @docs/style.md: see @/etc/passwd")
        assert [mention.path for mention in someone.sent[0].mentions] == ["docs/style.md"]


async def test_a_prompt_that_is_not_sent_goes_into_the_editor(tmp_path: Path) -> None:
    own("fix", "---\nsend: false\n---\nFix $ARGUMENTS")
    async with prompter(tmp_path) as someone:
        await someone.use("fix", "it")
        await someone.wait_until(lambda: someone.draft == "Fix it", "the prompt in the editor")
        assert someone.sent == []


async def test_the_file_is_read_as_it_is_now(tmp_path: Path) -> None:
    path = own("fix", "One")
    async with prompter(tmp_path) as someone:
        await someone.look("fix")
        path.write_text("Another one")
        await someone.use("fix")
        await someone.sees_sent("Another one")


async def test_what_would_be_too_long_is_said_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_prompt, "MOST", 20)
    own("fix", "$1$1")
    async with prompter(tmp_path) as someone:
        await someone.use("fix", "x" * 15)
        await someone.wait_until(lambda: someone.draft == f"/fix {'x' * 15}", "the draft")
        assert "is too long" in someone.toasts()[0]
        assert someone.sent == []


async def test_a_prompt_that_cannot_be_used_keeps_its_name_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / ".acp-tui" / "prompts" / "fix.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nno end")
    async with prompter(tmp_path) as someone:
        await someone.use("fix", "it")
        await someone.wait_until(lambda: someone.draft == "/fix it", "the draft")
        assert any("/fix cannot be used" in toast and "fix.md, line 1" in toast for toast in someone.toasts())
        assert someone.sent == []


async def test_a_prompt_that_went_away_is_said_and_comes_back(tmp_path: Path) -> None:
    path = own("fix", "One")
    async with prompter(tmp_path) as someone:
        await someone.look("fix")
        (prompt,) = someone.prompts.listed
        path.unlink()
        someone.hand_in(prompt, "it", Draft("/fix it"))
        await someone.wait_until(lambda: someone.draft == "/fix it", "the draft")
        assert someone.toasts() == ["/fix no longer exists. Nothing was sent."]


async def test_a_projects_prompt_is_shown_before_it_is_used_and_asked_about_once(tmp_path: Path) -> None:
    of_project(tmp_path, "git/commit", "Commit\nall of it")
    async with prompter(tmp_path) as someone:
        await someone.use("git:commit")
        await asked(someone)
        assert someone.sees("Use the project's /git:commit?")
        assert someone.sees(".acp-tui/prompts/git/commit.md")
        assert someone.sees("all of it")
        await someone.press("y")
        await someone.sees_sent("Commit\nall of it")
        await someone.use("git:commit")
        await someone.sees_sent("Commit\nall of it", "Commit\nall of it")


async def test_who_does_not_agree_gets_the_draft_back_and_is_asked_again(tmp_path: Path) -> None:
    of_project(tmp_path, "fix", "Fix it")
    async with prompter(tmp_path) as someone:
        for _ in range(2):
            await someone.use("fix", "now")
            await asked(someone)
            await someone.press("enter")  # which is No
            await someone.wait_until(lambda: someone.draft == "/fix now", "the draft")
            someone.conversation.editor.set_draft("")
        assert someone.sent == []


async def test_another_text_is_asked_about_again(tmp_path: Path) -> None:
    path = of_project(tmp_path, "fix", "Fix it")
    async with prompter(tmp_path) as someone:
        await someone.use("fix")
        await asked(someone)
        await someone.press("y")
        await someone.sees_sent("Fix it")
        path.write_text("Delete everything")
        await someone.use("fix")
        await asked(someone)
        assert someone.sees("Delete everything")


async def test_a_consent_that_cannot_be_kept_holds_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_project(tmp_path, "fix", "Fix it")

    def add(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Consents, "add", add)
    async with prompter(tmp_path) as someone:
        await someone.use("fix")
        await asked(someone)
        await someone.press("y")
        await someone.sees_sent("Fix it")
        assert "No space left on device" in "".join(someone.toasts())


async def test_escapes_of_a_project_are_shown_and_do_nothing(tmp_path: Path) -> None:
    of_project(tmp_path, "fix", "[@click=app.quit]Fix[/]\x1b[2J it")
    async with prompter(tmp_path) as someone:
        await someone.use("fix")
        await asked(someone)
        assert isinstance(someone.app.screen, PromptConsent)
        assert someone.sees("[@click=app.quit]Fix[/]")
        assert not any("\x1b" in row for row in someone.rows())


async def test_nothing_that_a_project_wrote_is_masked_where_it_is_agreed_to(tmp_path: Path) -> None:
    text = "Run: BUILD_TOKEN=\"touch PWN\" \nsh -c 'eval $BUILD_TOKEN'\nAuthorization: Bearer abc123\x07\u200b"
    of_project(tmp_path, "build", text)
    async with prompter(tmp_path) as someone:
        await someone.use("build")
        await asked(someone)
        for told in ('BUILD_TOKEN="touch PWN"', "eval $BUILD_TOKEN", "Authorization: Bearer abc123", "⟨U+200B⟩"):
            assert someone.sees(told), told
        assert not someone.sees("•••")


async def test_a_prompt_of_very_many_lines_is_asked_about(tmp_path: Path) -> None:
    of_project(tmp_path, "fix", "a\n" * 120_000)
    async with prompter(tmp_path) as someone:
        await someone.use("fix")
        panel = await asked(someone)
        await someone.press("y")
        assert panel.rows_below > 100_000
        assert someone.sent == []


async def test_what_is_wrong_is_said_once(tmp_path: Path) -> None:
    path = own("broken", "---\nno end")
    async with prompter(tmp_path) as someone:
        for news in (1, 2):
            own(f"new{news}", "Text")
            someone.prompts.look()
            await someone.wait_until(lambda news=news: someone.news == news, "the list")  # type: ignore[misc]
        told = [toast for toast in someone.toasts() if "broken.md" in toast and "line 1" in toast]
        assert len(told) == 1
        assert told[0].startswith("Prompts")
        path.write_text("---\nno end at all")
        someone.prompts.look()
        await someone.wait_until(lambda: someone.news == 3, "the list")
