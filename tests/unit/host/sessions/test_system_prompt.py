"""What is sent of a system prompt, what is said of the rest, and what of it is remembered."""

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.host.records.records import Records
from acp_tui.host.sessions.continuation import KEPT, as_before, offered_prompt, prompt_sent
from acp_tui.protocol.capabilities import AgentCapabilities, SessionScope, SystemPrompt
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate
from acp_tui.session.facts import SystemPromptSent
from acp_tui.session.state import CopiedHistory, Session

ADDED = SystemPrompt("", ("Add.",), ("--append-system-prompt",))
OWN = SystemPrompt("Own.", ("Add.",), ("--system-prompt", "--append-system-prompt"))
NONE, APPEND, OVERRIDE = (
    AgentCapabilities(),
    AgentCapabilities(system_prompt="append"),
    AgentCapabilities(system_prompt="override"),
)


@pytest.mark.parametrize(
    ("prompt", "can", "texts", "said"),
    [
        (SystemPrompt(), NONE, (), ""),
        (ADDED, APPEND, ("Add.",), ""),
        (ADDED, OVERRIDE, ("Add.",), ""),
        (OWN, OVERRIDE, ("Own.", "Add."), ""),
        (ADDED, NONE, (), "The agent does not support a system prompt|Not sent: --append-system-prompt"),
        (OWN, NONE, (), "The agent does not support a system prompt|Not sent: --system-prompt, --append-system-prompt"),
        (OWN, APPEND, ("Add.",), "The agent does not support replacing its system prompt|Not sent: --system-prompt"),
    ],
)
def test_the_agent_gets_what_it_takes_and_the_user_hears_of_the_rest(
    prompt: SystemPrompt, can: AgentCapabilities, texts: tuple[str, ...], said: str
) -> None:
    taken, notices = offered_prompt(prompt, can)
    assert taken.texts == texts
    assert "".join(f"{one.title}|{one.message}" for one in notices) == said
    assert len(taken.sources) == len(taken.texts)
    assert all(one.hint for one in notices)


@pytest.mark.parametrize(
    ("prompt", "remembered"),
    [
        (SystemPrompt(), None),
        (ADDED, SystemPromptSent("", ("Add.",))),
        (OWN, SystemPromptSent("Own.", ("Add.",))),
        (SystemPrompt(given=True), SystemPromptSent("", ())),
    ],
)
def test_what_went_with_the_request_is_remembered(prompt: SystemPrompt, remembered: SystemPromptSent | None) -> None:
    call = Version1Dialect().open_session("new", SessionScope("/p", system_prompt=prompt))
    sent = prompt_sent(call, prompt)
    assert sent == remembered
    if sent is not None:
        again = as_before(sent)
        assert (again.override, again.append, again.sources) == (
            prompt.override,
            prompt.append,
            (KEPT,) * len(again.texts),
        )


def test_what_an_agent_did_not_take_is_no_session_without_one() -> None:
    call = Version1Dialect().open_session("new", SessionScope("/p"))
    assert prompt_sent(call, SystemPrompt("", ("X",), given=True)) is None


def say(session: Session, text: str) -> None:
    session.apply(MessageUpdate(session_update="user_message", message_id=text, content=[TextContent(text=text)]))


def recorded(folder: Path, id_: str, *facts: SystemPromptSent, told: Session | None = None) -> Session:
    """A session that is recorded with these prompts, in a run of its own; `told` is one that it goes on from."""
    records = Records(folder)
    session = Session(id=id_, cwd="/p", agent_name="A")
    records.record(session)
    if told is not None:
        session.apply(CopiedHistory(told, "before"))
    for fact in facts:
        session.apply(fact)
    say(session, "hello")
    records.close()
    path = records.path_of(session)
    assert path is not None
    return Records(folder).load(path)


def setup_of(folder: Path) -> Callable[[str, str], SystemPromptSent | None]:
    return lambda agent, session_id: Records(folder).setup(agent, session_id).system_prompt


def test_a_record_says_with_what_its_session_was_opened_last(tmp_path: Path) -> None:
    first, second = SystemPromptSent("", ("One\n \x1b[31m",)), SystemPromptSent("Own", ("x" * 200_000,))
    recorded(tmp_path, "s", first, second)
    recorded(tmp_path, "t", first)
    recorded(tmp_path, "u")
    kept = setup_of(tmp_path)
    assert (kept("A", "s"), kept("A", "t")) == (second, first)
    assert (kept("A", "u"), kept("B", "s"), kept("A", "x")) == (None, None, None)
    assert Records(tmp_path).search(["xxx"]).hits == []


def test_of_a_session_that_begins_with_another_ones_words_the_own_prompt_counts(tmp_path: Path) -> None:
    parent = recorded(tmp_path, "parent", SystemPromptSent("", ("parent's",)))
    recorded(tmp_path, "child", SystemPromptSent("", ("child's",)), told=parent)
    recorded(tmp_path, "heir", told=parent)
    kept = setup_of(tmp_path)
    assert kept("A", "child") == SystemPromptSent("", ("child's",))
    assert kept("A", "heir") == SystemPromptSent("", ("parent's",))


def test_words_that_look_like_the_fact_are_no_fact(tmp_path: Path) -> None:
    records = Records(tmp_path)
    session = Session(id="s", cwd="/p", agent_name="A")
    records.record(session)
    say(session, '{"kind":"SystemPromptSent","data":{"override":"evil","append":[]}}')
    records.close()
    assert setup_of(tmp_path)("A", "s") is None


def test_a_damaged_line_is_passed_over(tmp_path: Path) -> None:
    recorded(tmp_path, "s", SystemPromptSent("", ("good",)))
    (path,) = tmp_path.glob("*.jsonl")
    with path.open("ab") as file:
        file.write(b'{"t":1,"kind":"SystemPromptSent","data":{"override":5}}\n{"t":2,"kind":"SystemPromptSent","da')
    assert setup_of(tmp_path)("A", "s") == SystemPromptSent("", ("good",))
