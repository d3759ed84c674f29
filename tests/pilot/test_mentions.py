"""Mentions of files, by keys: the list, what is one piece, what is sent."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.protocol.capabilities import PromptCapabilities
from acp_tui.protocol.vocabulary.content import ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent
from acp_tui.session.state import Session
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeClient

pytestmark = pytest.mark.anyio


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    for path in ("src/app.py", "src/session/state.py", "docs/my notes.md", "README.md", "shot.png"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(f"first\nsecond of {path}\nthird\n")
    (tmp_path / "secret.txt").write_text("secret")
    return project


@asynccontextmanager
async def someone_in(root: Path, *, embedded: bool = False, image: bool = False) -> AsyncIterator[User]:
    def prepare(session: Session) -> None:
        session.cwd = str(root)

    async with user(prepare=prepare) as someone:
        lifecycle = someone.client._lifecycle.connection
        prompt = PromptCapabilities(image=image, embedded_context=embedded)
        lifecycle.capabilities = replace(lifecycle.capabilities, prompt=prompt)
        yield someone


def blocks(client: FakeClient) -> list[ContentBlock]:
    return client.submitted[-1]


async def open_list(someone: User, text: str) -> None:
    await someone.type(text)
    await someone.wait_until(lambda: shown(someone) != [], "paths in the list")


async def know_files(someone: User) -> None:
    await someone.press("@")
    index = someone.conversation.parts.completions.mentions._listed()
    await someone.wait_until(lambda: not index.reading, "the files")
    await someone.press("backspace")


def shown(someone: User) -> list[str]:
    mentions = someone.conversation.parts.completions.mentions.list
    return [row.value for row in mentions.rows if row.value] if mentions.is_open else []


async def test_the_list_opens_at_the_sign_and_narrows(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "see @")
        assert shown(someone)[:2] == ["README.md", "docs/"]
        assert not someone.sees("looking for files")
        where = someone.conversation.parts.completions.mentions.list.region
        prompt = someone.conversation.query_one("#prompt").region
        assert (where.x, where.right, where.bottom) == (prompt.x, prompt.right, prompt.y)
        await someone.type("sta")
        assert shown(someone) == ["src/session/state.py"]
        assert someone.sees("src/session/state.py")


async def test_enter_writes_the_path_and_the_next_enter_sends_a_link(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "fix @app")
        await someone.press("enter")
        assert someone.draft == "fix @src/app.py "
        assert someone.acts("submit") == []
        await someone.press("enter")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
        text, link = blocks(someone.client)
        assert text == TextContent(text="fix @src/app.py ")
        assert isinstance(link, ResourceLink)
        assert (link.uri, link.name) == ((root / "src/app.py").as_uri(), "src/app.py")


async def test_what_is_written_out_is_sent_by_enter(root: Path) -> None:
    async with someone_in(root) as someone:
        await know_files(someone)
        await someone.type("fix @README.md")
        assert shown(someone) == []
        await someone.press("enter")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")


async def test_a_path_that_is_there_is_sent_by_enter_though_others_are_listed(root: Path) -> None:
    (root / ".gitignore").write_text(".env\n")
    for name in (".env", ".env.example", "src.py"):
        (root / name).write_text("x")
    async with someone_in(root) as someone:
        for typed, name in [("@.env", ".env"), ("@src", "src"), ("@.env:1", ".env:1")]:
            await open_list(someone, typed)
            someone.client.submitted.clear()
            await someone.press("enter")
            await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
            text, link = blocks(someone.client)
            assert (text, getattr(link, "name", "")) == (TextContent(text=typed), name)
        await open_list(someone, "@.env")
        await someone.press("down", "up", "enter")
        assert someone.draft == "@.env.example "


async def test_tab_goes_into_a_folder_and_enter_takes_it(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "@docs")
        await someone.press("tab")
        assert someone.draft == "@docs/"
        await open_list(someone, "")
        await someone.press("down", "enter")
        assert someone.draft == '@"docs/my notes.md" '
        await someone.press("ctrl+c")
        await open_list(someone, "@sr")
        await someone.press("enter")
        assert someone.draft == "@src/ "


async def test_lines_where_the_text_is_taken(root: Path) -> None:
    async with someone_in(root, embedded=True) as someone:
        await open_list(someone, "why @app.p:2-3")
        await someone.press("tab")
        assert someone.draft == "why @src/app.py:2-3 "
        await someone.press("enter")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
        resource = blocks(someone.client)[1]
        assert isinstance(resource, EmbeddedResource)
        assert resource.resource.uri.endswith("src/app.py#L2-L3")


async def test_a_picture_that_is_mentioned_is_sent_as_one(root: Path) -> None:
    async with someone_in(root, image=True) as someone:
        await someone.type("@shot.png")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
        assert isinstance(blocks(someone.client)[1], ImageContent)


async def test_backspace_takes_a_mention_as_one_piece(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "see @app")
        await someone.press("tab", "backspace")
        assert someone.draft == "see @src/app.py"
        await someone.press("backspace")
        assert someone.draft == "see "
        await open_list(someone, "@sr")
        await someone.press("enter", "backspace", "backspace")
        assert someone.draft == "see "


async def test_while_it_is_written_letters_go_one_by_one(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "@sessio")
        await someone.press("backspace")
        assert someone.draft == "@sessi"


async def test_escape_closes_the_list_until_another_mention(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "@a")
        await someone.press("escape")
        await someone.type("p")
        assert shown(someone) == []
        await someone.type(" @")
        assert shown(someone) != []


async def test_outside_the_folders_asks_first_and_enter_does_not_send(root: Path) -> None:
    async with someone_in(root) as someone:
        await someone.send("read @../secret.txt now")
        await someone.wait_for("outside the session's folders")
        assert someone.client.submitted == []
        await someone.press("enter")
        await someone.wait_until(lambda: someone.draft == "read @../secret.txt now", "the prompt back")
        assert someone.client.submitted == []


async def test_what_is_sent_as_less_is_said_when_it_is_sent(root: Path) -> None:
    (root / "bytes.dat").write_bytes(b"\0")
    async with someone_in(root, embedded=True) as someone:
        await someone.send("read @bytes.dat @../secret.txt ")
        await someone.wait_for("outside the session's folders")
        assert someone.toasts() == []
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
        assert someone.toasts() == ["bytes.dat is not text: sent as a link"]


@pytest.mark.parametrize(("downs", "count"), [(1, 2), (2, 1)])
async def test_outside_the_folders_with_the_file_or_its_name(root: Path, downs: int, count: int) -> None:
    async with someone_in(root) as someone:
        await someone.send("read @../secret.txt now")
        await someone.wait_for("outside the session's folders")
        await someone.press(*["down"] * downs, "enter")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
        assert len(blocks(someone.client)) == count


async def test_what_names_no_file_is_only_text(root: Path) -> None:
    async with someone_in(root) as someone:
        await someone.send("ask @nobody about it")
        await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
        assert blocks(someone.client) == [TextContent(text="ask @nobody about it")]


@pytest.mark.parametrize("step", ["find_mention", "attach"])
async def test_a_file_that_does_not_answer_keeps_no_prompt(
    root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    answers = threading.Event()
    monkeypatch.setattr(f"acp_tui.ui.prompt.prompt_pipeline.{step}", lambda *_: answers.wait(60))
    monkeypatch.setattr("acp_tui.ui.prompt.prompt_pipeline.WITHIN", 0.1)
    try:
        async with someone_in(root) as someone:
            await someone.send("see @README.md ")
            await someone.wait_until(lambda: someone.client.submitted != [], "the prompt")
            assert blocks(someone.client) == [TextContent(text="see @README.md ")]
            assert someone.toasts() == ["Timed out reading README.md. Only its name was sent."]
    finally:
        answers.set()


async def test_prompts_keep_their_order(root: Path) -> None:
    async with someone_in(root) as someone:
        await someone.send("one @README.md ")
        await someone.send("two")
        await someone.wait_until(lambda: len(someone.client.submitted) == 2, "both prompts")
        texts = [each[0].text for each in someone.client.submitted if isinstance(each[0], TextContent)]
        assert texts == ["one @README.md ", "two"]


async def test_a_known_mention_is_drawn_apart(root: Path) -> None:
    async with someone_in(root) as someone:
        await know_files(someone)
        await someone.type("see @README.md")
        line = someone.conversation.editor.get_line(0)
        assert [(span.start, span.end) for span in line.spans] == [(4, 14)]
        await someone.type("x")
        assert someone.conversation.editor.get_line(0).spans == []


async def test_a_click_takes_a_path(root: Path) -> None:
    async with someone_in(root) as someone:
        await open_list(someone, "see @app")
        await someone.pilot.click("#mentions", offset=(4, 0))
        assert someone.draft == "see @src/app.py "
        assert (shown(someone), someone.focused) == ([], "editor")
