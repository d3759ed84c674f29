"""Slash commands by keys: which one runs, with which argument, what waits, and what is never sent unasked."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual import events

from acp_tui.host.config.state_files import config_folder
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate
from acp_tui.session.entries import MessageEntry
from acp_tui.session.state import Session
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.text_panels import HelpScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say, tell_commands, tell_options

pytestmark = pytest.mark.anyio


def told(session: Session, *names: str) -> None:
    commands = [AvailableCommand(name=name, description=f"Theirs: {name}") for name in names]
    session.apply(AvailableCommandsUpdate(available_commands=commands))


async def line(someone: User, text: str) -> None:
    """Write a line and send it, whatever the list over it would complete, once own prompts are read for that list."""
    parts = someone.conversation.parts
    someone.conversation.editor.set_draft(text)
    await someone.wait_until(lambda: not parts.own_prompts._reading, "own prompts")
    parts.completions.commands.close()
    await someone.press("enter")


async def asked_about(someone: User, text: str, told: str) -> None:
    """The line stays, the user is told, and a second Enter sends it as it is."""
    await line(someone, text)
    assert someone.acts("submit") == []
    assert someone.draft == text
    assert f"{told} Press Enter again to send it as text." in someone.toasts()
    await someone.press("enter")
    assert someone.acts("submit") == [(text,)]
    assert someone.draft == ""


# Whose a line is


async def test_a_name_that_nobody_has_is_sent_as_text_by_a_second_enter() -> None:
    async with user(prepare=tell_commands) as someone:
        await asked_about(someone, "/xyz and more", "No such command.")


async def test_of_a_name_that_is_nearly_one_it_is_said_which() -> None:
    async with user(prepare=lambda session: told(session, "deploy")) as someone:
        for typed, meant in (("/exprot x.md", "export"), ("/deplyo", "deploy")):
            await line(someone, typed)
            toast = f"No such command. Press Enter again to send it as text. Did you mean /{meant}?"
            assert toast in someone.toasts()
        assert someone.acts("submit") == []


async def test_words_that_only_begin_so_are_a_prompt() -> None:
    async with user() as someone:
        await line(someone, "exit code 3, why?")
        assert someone.acts("submit") == [("exit code 3, why?",)]


async def test_an_unknown_name_is_asked_about_where_the_agent_has_sent_no_list_too() -> None:
    async with user() as someone:
        await asked_about(someone, "/xyz", "No such command.")


async def test_another_text_is_asked_about_again() -> None:
    async with user() as someone:
        await line(someone, "/xyz")
        await line(someone, "/xyzz")
        assert someone.acts("submit") == []
        await someone.press("enter")
        await line(someone, "/xyzz")
        assert someone.acts("submit") == [("/xyzz",)]


async def test_of_what_only_agents_can_do_it_is_said_that_this_one_cannot() -> None:
    async with user(prepare=lambda session: told(session, "init")) as someone:
        await someone.type("/com")
        await someone.wait_for("/compact           Not offered by this agent")
        await someone.press("down", "enter")
        assert someone.draft == "/com"
        someone.conversation.editor.set_draft("")
        await asked_about(someone, "/compact", "This agent has no /compact.")


async def test_a_complete_name_never_becomes_another_one() -> None:
    told = AvailableCommand(name="notice", description="Notices, memory and compact ones")
    update = AvailableCommandsUpdate(available_commands=[told])
    async with user(prepare=lambda session: session.apply(update)) as someone:
        for typed, words in (("/compact", "This agent has no /compact."), ("/memory", "No such command.")):
            await someone.type(typed)
            await someone.wait_for("/notice")
            await someone.press("enter")
            assert someone.draft == typed
            assert f"{words} Press Enter again to send it as text." in someone.toasts()
            await someone.press("ctrl+c")
        await someone.type("/compact")
        await someone.press("tab")
        assert someone.draft == "/compact"
        await someone.press("down", "enter")
        assert someone.acts("submit") == [("/notice",)]


async def test_what_is_no_name_is_just_a_prompt() -> None:
    async with user(prepare=tell_commands) as someone:
        await line(someone, "/etc/hosts is wrong")
        assert someone.acts("submit") == [("/etc/hosts is wrong",)]


async def test_an_argument_that_ours_does_not_take_is_asked_about() -> None:
    async with user() as someone:
        await asked_about(someone, "/help me with this", "/help takes no argument.")


async def test_ours_wins_by_these_names_and_theirs_is_sent_by_its_other_name() -> None:
    async with user(prepare=lambda session: told(session, "help", "copy")) as someone:
        await someone.type("/help")
        await someone.wait_for("/agent:help")
        await someone.press("enter")
        assert isinstance(someone.app.screen, HelpScreen)
        await someone.press("escape")
        await line(someone, "/agent:help")
        await line(someone, "/agent:copy that")
        assert [str(text) for (text,) in someone.acts("submit")] == ["/help", "/copy that"]


async def test_theirs_wins_by_other_names_and_ours_runs_by_its_other_name() -> None:
    async with user(prepare=lambda session: told(session, "rename")) as someone:
        await line(someone, "/rename it")
        await line(someone, "/client:rename Mine")
        assert someone.acts("submit") == [("/rename it",)]
        assert someone.session.title == "Mine"


async def test_the_list_says_whose_each_command_is() -> None:
    async with user((80, 24), prepare=lambda session: told(session, "quit", "work")) as someone:
        await someone.type("/qui")
        rows = [row for row in someone.rows() if "quit" in row]
        assert [row.split()[1:3] for row in rows[:2]] == [["/quit", "client"], ["/agent:quit", "agent"]]


async def test_in_few_columns_descriptions_follow_the_longest_of_the_names() -> None:
    async with user((60, 20), prepare=lambda session: told(session, "quit", "work")) as someone:
        await someone.type("/qui")
        rows = [row for row in someone.rows() if "quit" in row]
        assert [row.split()[1] for row in rows[:2]] == ["/quit", "/agent:quit"]
        assert "agent" not in rows[1].split()
        assert rows[0].index("Quit") == rows[1].index("/agent:quit") + len("/agent:quit") + 2


async def test_a_command_named_with_a_slash_is_sent_with_one() -> None:
    async with user(prepare=lambda session: told(session, "/work", "/quit")) as someone:
        await line(someone, "/work")
        await line(someone, "/agent:quit")
        assert someone.acts("submit") == [("/work",), ("/quit",)]


async def test_odd_names_do_no_harm_and_are_counted() -> None:
    names = ["", "\x1b]0;x\x07", "a\nb", "x" * 10_000, "my command"]
    async with user(prepare=lambda session: told(session, *names)) as someone:
        await someone.press("slash")
        await someone.press("enter")
        assert someone.draft == "/my command "
        await someone.press("enter")
        assert someone.acts("submit") == [("/my command",)]
        await someone.press("slash")
        await someone.wait_for("4 agent commands hidden (unusable names)")


async def test_of_five_thousand_commands_some_are_drawn_and_all_are_found() -> None:
    async with user(prepare=lambda session: told(session, *map("skill-{}".format, range(5_000)))) as someone:
        await someone.press("slash")
        rows = someone.conversation.parts.completions.commands.rows
        assert len(rows) < 300
        assert any("more commands (type to filter)" in str(row.draw(80)) for row in rows)
        await someone.type("4999")
        await someone.press("tab")
        assert someone.draft == "/skill-4999 "


# Arguments


async def test_enter_after_an_argument_runs_the_command_though_its_name_alone_matches() -> None:
    async with user(prepare=lambda session: told(session, "work")) as someone:
        await someone.send("/rename it")
        assert someone.session.title == "it"
        await someone.send("/work on it")
        assert someone.acts("submit") == [("/work on it",)]


BY_NAME = [
    ("/model opus", ("model", "opus")),
    ("/model Kimi K3", ("model", "k3")),
    ("/models kim", ("model", "k3")),
    ("/mode plan", ("mode", "Plan")),
    ("/effort low", ("thought", "Low")),
]


async def test_an_option_is_chosen_by_name() -> None:
    async with user(prepare=tell_options) as someone:
        for number, (text, chosen) in enumerate(BY_NAME):
            await line(someone, text)
            assert someone.acts("choose")[number:] == [chosen], text
            assert not isinstance(someone.app.screen, Picker), text


async def test_what_is_not_one_model_filters_the_list() -> None:
    async with user(prepare=tell_options) as someone:
        for text, words in (("/model 5", "5"), ("/model nothing", ""), ("/model", "")):
            await line(someone, text)
            picker = someone.app.screen
            assert isinstance(picker, Picker), text
            assert picker.rows.line.value == words
            assert ('no match for "nothing"' in str(picker.title)) is ("nothing" in text)
            rows = " ".join(someone.picker_rows())
            assert "Sonnet 5" in rows, text
            assert ("Kimi" in rows) is (not words), text
            assert someone.acts("choose") == []
            await someone.press("escape")


async def test_the_model_that_is_chosen_already_is_not_chosen_again() -> None:
    async with user(prepare=tell_options) as someone:
        await line(someone, "/model sonnet")
        assert someone.acts("choose") == []
        assert any("already Sonnet 5" in toast for toast in someone.toasts())


async def test_a_theme_is_chosen_by_name_or_from_the_list() -> None:
    async with user() as someone:
        await line(someone, "/theme acp-light")
        assert someone.app.theme == "acp-light"
        await line(someone, "/theme solarized")
        assert all("solarized" in row for row in someone.picker_rows() if row.strip())


async def test_sessions_open_filtered() -> None:
    async with user() as someone:
        await line(someone, "/resume fix it")
        await someone.opened(SessionBrowser)
        assert someone.sees("fix it")


async def test_find_opens_with_the_text() -> None:
    async with user(prepare=lambda session: say(session, "one door and two doors")) as someone:
        await line(someone, "/find door")
        await someone.wait_for("1 / 2")


async def test_rename_gives_the_title_or_asks_for_it() -> None:
    async with user() as someone:
        await line(someone, "/rename My own\ntitle")
        assert someone.session.title == "My own title"
        await line(someone, "/rename")
        await someone.wait_for("Rename session")


async def test_export_writes_the_file_that_is_named(tmp_path: Path) -> None:
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        say(someone.session, "Hello")
        for name, written, begins in (
            ("talk.md", "talk.md", "#"),
            ("talk.json", "talk.json", "{"),
            ("said", "said.md", "#"),
        ):
            await line(someone, f"/export {name}")
            await someone.wait_until(partial(heard, someone, f"/{written} ("), name)
            assert (tmp_path / written).read_text().startswith(begins), name


async def test_export_neither_overwrites_nor_writes_what_it_cannot(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("mine")
    async with user(prepare=lambda session: setattr(session, "cwd", str(tmp_path))) as someone:
        await line(someone, "/export there.md")
        await someone.wait_for("already exists")
        await line(someone, "/export sub/")
        await someone.wait_for("sub/ is a folder. Add the name of a file.")
        await line(someone, "/export there.pdf")
        assert any("Use a name that ends in .md or .json" in toast for toast in someone.toasts())
        assert not (tmp_path / "there.pdf").exists()
        assert (tmp_path / "there.md").read_text() == "mine"


# A fresh session in this tab


async def test_new_puts_another_session_in_the_place_of_this_one() -> None:
    async with user() as someone:
        await someone.press("ctrl+n", "ctrl+n", "ctrl+x", "2")
        await line(someone, "/new")
        tabs = someone.app.tabs
        await someone.wait_until(lambda: len(tabs.entries) == 3 and bool(someone.acts("close session")), "the exchange")
        assert [tab.session.id for tab in tabs.entries] == ["s1", "s4", "s3"]
        assert tabs.current is tabs.entries[1]
        assert someone.acts("close session") == [("s2",)]


async def test_what_was_written_goes_along_to_the_new_session() -> None:
    async with user() as someone:
        await someone.type("half a thought")
        await someone.command("new session here")
        await someone.wait_until(lambda: someone.conversation.session.id == "s2", "the new session")
        await someone.wait_until(lambda: someone.draft == "half a thought", "the draft")


async def test_what_is_typed_after_new_in_one_burst_is_the_new_sessions() -> None:
    async with user() as someone:
        for key in ["slash", *"new", "enter", *"go", "enter", *"on"]:
            someone.app.post_message(events.Key(key, "/" if key == "slash" else key if len(key) == 1 else None))
        await someone.wait_until(lambda: someone.conversation.session.id == "s2", "the new session")
        await someone.wait_until(lambda: someone.draft == "on", "the draft")
        await someone.wait_until(lambda: someone.acts("submit") == [("go",)], "the prompt")
        said = someone.conversation.session.entries
        assert [type(entry) for entry in said] == [MessageEntry]
        assert someone.session.entries == []


@pytest.mark.parametrize("queued", [False, True])
async def test_new_asks_first_while_the_agent_works_or_a_prompt_waits(*, queued: bool) -> None:
    async with user() as someone:
        await someone.send("work")
        if queued:
            await someone.send("more")
            end_turn(someone.session)
        await line(someone, "/clear")
        await someone.wait_for("A queued prompt has not been sent" if queued else "The agent is still working")
        assert someone.acts("close session") == []
        await someone.press("enter")  # go on here
        assert someone.conversation.session is someone.session
        await line(someone, "/clear")
        await someone.wait_for("Start a new session here")
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.acts("close session") == [("s1",)], "the old one closed")
        assert someone.conversation.session.id == "s2"


async def test_quit_asks_first_while_the_agent_works_and_then_leaves() -> None:
    async with user() as someone:
        await someone.send("work")
        for text in ("/quit", "/exit", "/q", "exit", "quit ", ":q", ":wq"):
            assert someone.app.screen is someone.conversation, text
            await line(someone, text)
            await someone.wait_for("The agent is still working")
            assert someone.acts("close") == [], text
            await someone.press("escape")
        await line(someone, "/quit")
        await someone.wait_for("The agent is still working")
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.acts("close") != [], "the end")


@pytest.mark.parametrize("words", ["close session", "restart agent"])
async def test_what_the_palette_ends_asks_first_without_a_key_to_press_again(words: str) -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.command(words)
        await someone.wait_for("Go back")
        assert (someone.acts("close session"), someone.acts("restart")) == ([], [])
        await someone.press("down", "enter")
        assert len(someone.acts("close session") + someone.acts("restart")) == 1


@pytest.mark.parametrize("text", ["/rename ", "/compact"])
async def test_escape_closes_what_cannot_be_chosen_before_it_cancels(text: str) -> None:
    async with user() as someone:
        await someone.send("work")
        await someone.type(text)
        await someone.press("escape")
        assert someone.acts("cancel") == []
        await someone.press("escape")
        assert someone.acts("cancel") == [()]


# Prompts of one's own


async def test_an_own_prompt_is_listed_and_sent_in_its_turn() -> None:
    folder = config_folder() / "prompts"
    folder.mkdir(parents=True)
    for name in ("look", "quit"):
        (folder / f"{name}.md").write_text("---\ndescription: Mine\n---\nLook at $ARGUMENTS")
    async with user(prepare=lambda session: told(session, "look")) as someone:
        prompts = someone.conversation.parts.own_prompts
        await someone.wait_until(lambda: len(prompts.listed) == 2, "the prompts")
        await someone.type("/look")
        assert [row.split()[1:3] for row in someone.rows() if row.startswith(" ▌ /")][:2] == [
            ["/look", "yours"],
            ["/agent:look", "agent"],
        ]
        await someone.send(" it")
        await line(someone, "then this")
        await line(someone, "/agent:look here")
        await someone.wait_until(lambda: len(someone.acts("submit")) == 3, "all of them")
        assert someone.acts("submit") == [("Look at it",), ("then this",), ("/look here",)]
        await line(someone, "/prompt:quit now")
        await someone.wait_until(lambda: len(someone.acts("submit")) == 4, "the hidden one")
        assert someone.acts("submit")[-1] == ("Look at now",)


# The agent's list has not come yet


async def test_a_name_that_may_be_the_agents_waits_for_its_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.views.command_index.WITHIN", 1e6)
    async with user(prepare=lambda session: setattr(session.index, "identified_at", session.clock())) as someone:
        await line(someone, "/rename it")
        await line(someone, "then this")
        await line(someone, "/nobody")
        assert someone.acts("submit") == []
        assert someone.toasts() == []
        told(someone.session, "rename")
        await someone.wait_until(lambda: bool(someone.session.queue), "the prompt after it")
        assert someone.acts("submit") == [("/rename it",), ("then this",)]
        assert someone.draft == "/nobody"
        assert any("No such command" in toast for toast in someone.toasts())


async def test_names_that_win_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.views.command_index.WITHIN", 1e6)
    async with user(prepare=lambda session: setattr(session.index, "identified_at", session.clock())) as someone:
        await line(someone, "/help")
        assert isinstance(someone.app.screen, HelpScreen)


async def test_where_no_list_comes_ours_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.views.command_index.WITHIN", 0.01)
    async with user(prepare=lambda session: setattr(session.index, "identified_at", session.clock())) as someone:
        await line(someone, "/rename it")
        await someone.wait_until(lambda: someone.session.title == "it", "the title")
        assert someone.acts("submit") == []


# Another folder


def heard(someone: User, text: str) -> bool:
    return any(text in toast for toast in someone.toasts())


async def add_folder(someone: User, name: str, *, takes: bool = False, loads: bool = False) -> None:
    connection = someone.client.connection
    connection.capabilities = replace(connection.capabilities, additional_directories=takes, load_session=loads)
    await line(someone, f"/add-dir {name}")


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    async with user() as someone:
        await add_folder(someone, str(tmp_path / "nowhere"))
        await someone.wait_for("No such folder")
        assert someone.client.roots() == (someone.client.cwd,)


async def test_a_folder_counts_here_where_the_agent_takes_none(tmp_path: Path) -> None:
    async with user() as someone:
        await add_folder(someone, str(tmp_path))
        await someone.wait_until(lambda: heard(someone, "does not support additional folders"), "what it gets")
        assert someone.client.roots(someone.session) == (someone.session.cwd, str(tmp_path))
        assert someone.client.roots() == (someone.client.cwd, str(tmp_path))
        await line(someone, f"/add-dir {tmp_path}")
        await someone.wait_until(lambda: heard(someone, "Already added"), "that it is one")


async def test_where_nothing_was_said_a_new_session_has_the_folder(tmp_path: Path) -> None:
    async with user() as someone:
        await add_folder(someone, str(tmp_path), takes=True)
        await someone.wait_until(lambda: someone.conversation.session.id == "s2", "a new session")
        assert str(tmp_path) in someone.client.roots(someone.conversation.session)


async def test_a_session_that_can_be_brought_back_gets_it_by_a_restart(tmp_path: Path) -> None:
    async with user(prepare=lambda session: say(session, "Hello")) as someone:
        await add_folder(someone, str(tmp_path), takes=True, loads=True)
        await someone.wait_for("Restart the agent to use it here?")
        await someone.press("down", "enter")
        assert someone.acts("restart") == [()]


async def test_a_session_that_cannot_be_brought_back_is_left_as_it_is(tmp_path: Path) -> None:
    async with user(prepare=lambda session: say(session, "Hello")) as someone:
        await add_folder(someone, str(tmp_path), takes=True)
        await someone.wait_until(lambda: heard(someone, "for new sessions"), "what it gets")
        assert someone.acts("restart") == []


async def test_without_a_name_the_folder_is_asked_for(tmp_path: Path) -> None:
    async with user() as someone:
        await someone.type("/add-dir")
        await someone.press("enter", "enter")
        await someone.wait_for("Add folder")
        await someone.type(str(tmp_path / "nowhere"))
        await someone.press("enter")
        await someone.wait_for("No such folder")
