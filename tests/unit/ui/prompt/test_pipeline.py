"""The way of a prompt that is sent: order, waiting and ends; and why a line is held back that is no command."""

from collections.abc import Awaitable, Coroutine, Generator
from dataclasses import replace
from typing import Any

import pytest

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.prompt.draft import Draft, Stop
from acp_tui.ui.prompt.prompt_pipeline import PromptPipeline, Step, obstacle
from acp_tui.views.command_index import SlashCommands
from tests.rows import each_of

INDEX = SlashCommands(COMMANDS, [AvailableCommand(name="work"), AvailableCommand(name="my command")])
NOBODYS = "No such command."


@each_of(
    ("text", "told"),
    [
        ("/xyz", NOBODYS),
        ("/xyz and more", NOBODYS),
        ("/agent:quit", NOBODYS),
        ("/client:xyz", NOBODYS),
        ("/compact", "This agent has no /compact."),
        ("/help me with this", "/help takes no argument."),
        ("/help", ""),
        ("/model opus", ""),
        ("/work on it", ""),
        ("/my command", ""),
        ("/etc/hosts is wrong", ""),
        ("/ something", ""),
        ("/", ""),
        ("exit code 3, why?", ""),
    ],
)
def test_what_is_told_of_a_line(text: str, told: str) -> None:
    assert obstacle(Draft(text), INDEX) == told


@pytest.mark.parametrize(("text", "told"), [("/help", "/help takes no attachments."), ("/work", "")])
def test_ours_take_no_attachments(text: str, told: str) -> None:
    assert obstacle(Draft(text, attachments=(TextContent(text="x"),)), INDEX) == told


class Gate:
    """A step that waits with drafts that begin so."""

    def __init__(self, *signs: str) -> None:
        self._signs = signs

    def __call__(self, draft: Draft) -> Draft | Awaitable[Draft | Stop]:
        return self._wait(draft) if draft.text.startswith(self._signs) else draft

    async def _wait(self, draft: Draft) -> Draft | Stop:
        return await Reply(draft)


class Reply:
    """What a step waits for: the coroutine that awaits it is resumed with the outcome, or None for the draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def __await__(self) -> Generator[None, Draft | Stop | None, Draft | Stop]:
        return (yield) or self._draft


class Way:
    """A pipeline of which the test resumes what waits; `came` is what got to the end, `back` what was not sent."""

    def __init__(self, *stages: list[Step]) -> None:
        self.came, self.back, self.work = list[str](), list[str](), list[Coroutine[Any, Any, None]]()
        self.pipeline = PromptPipeline(self._begin, lambda draft: self.back.append(draft.text))
        self.pipeline.stages = [*stages[:-1], [*stages[-1], self._arrive]]

    def send(self, *texts: str) -> None:
        for text in texts:
            self.pipeline.send(Draft(text))

    def resume(self, outcome: Draft | Stop | None = None) -> None:
        """End the wait that began first."""
        with pytest.raises(StopIteration):
            self.work.pop(0).send(outcome)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        work.send(None)
        self.work.append(work)

    def _arrive(self, draft: Draft) -> Draft:
        self.came.append(draft.text)
        return draft


def shouted(draft: Draft) -> Draft:
    return replace(draft, text=f"{draft.text}!")


def test_where_nothing_waits_all_steps_are_done_at_once_and_in_their_order() -> None:
    way = Way([shouted], [lambda draft: replace(draft, text=f"<{draft.text}>")])
    way.send("one", "two")
    assert (way.came, way.work, way.pipeline.on_their_way) == (["<one!>", "<two!>"], [], 0)


def test_what_waits_lets_all_behind_it_wait() -> None:
    way = Way([Gate("slow")])
    way.send("one", "slow", "two", "slow too", "three")
    assert (way.came, len(way.work), way.pipeline.on_their_way) == (["one"], 1, 4)
    way.resume()
    assert (way.came, len(way.work), way.pipeline.on_their_way) == (["one", "slow", "two"], 1, 2)
    way.resume()
    assert (way.came[3:], way.work, way.pipeline.on_their_way) == (["slow too", "three"], [], 0)


def test_what_waits_lets_others_come_up_to_its_stage() -> None:
    seen = list[str]()

    def see(draft: Draft) -> Draft | Stop:
        seen.append(draft.text)
        return Stop.DONE if draft.text == "quit" else draft

    way = Way([see], [shouted, Gate("slow")])
    way.send("slow", "quit", "two")
    assert (seen, way.came, way.pipeline.on_their_way) == (["slow", "quit", "two"], [], 2)
    way.resume()
    assert way.came == ["slow!", "two!"]


def test_a_later_stage_keeps_the_order_of_two_that_wait_in_different_ones() -> None:
    way = Way([Gate("a", "b")], [Gate("a")])
    way.send("a", "b")
    way.resume()  # a is in the second stage now, b in the first
    assert (way.came, len(way.work)) == ([], 2)
    way.work.reverse()
    way.resume()
    assert way.came == [], "b has overtaken a"
    way.resume()
    assert way.came == ["a", "b"]


@pytest.mark.parametrize(("stop", "back"), [(Stop.DONE, []), (Stop.BACK, ["no!"])])
@pytest.mark.parametrize("waits", [False, True])
def test_what_is_stopped_goes_no_further_and_keeps_nobody(stop: Stop, back: list[str], waits: bool) -> None:
    way = Way([shouted, Gate("no") if waits else lambda draft: stop if draft.text == "no!" else draft])
    way.send("no", "yes")
    if waits:
        way.resume(stop)
    assert (way.came, way.back, way.pipeline.on_their_way) == (["yes!"], back, 0)


def test_what_is_sent_after_another_session_was_wished_for_goes_there() -> None:
    there, counted = list[Draft](), list[int]()

    def replaced(draft: Draft) -> Draft | Stop:
        if draft.text != "/new!":
            return draft
        counted.append(way.pipeline.on_their_way)
        way.pipeline.go_elsewhere(there.append)
        return Stop.DONE

    def goes(_blocks: object) -> None:
        """Of a draft that was meant for a branch."""

    way = Way(
        [lambda draft: replace(draft, goes=goes) if draft.text == "two" else draft], [shouted, Gate("/"), replaced]
    )
    way.send("one", "/new", "two", "three")
    way.resume()
    way.send("four")
    assert [(draft.text, draft.goes) for draft in there] == [("two", goes), ("three", None), ("four", None)]
    assert (way.came, counted, way.pipeline.on_their_way) == (["one!"], [0], 0)


def test_what_was_sent_before_another_session_was_wished_for_by_a_key_stays() -> None:
    there = list[Draft]()
    way = Way([Gate("slow")])
    way.send("slow", "two")
    assert way.pipeline.on_their_way == 2
    way.pipeline.go_elsewhere(there.append)
    way.send("three")
    way.resume()
    assert (way.came, [draft.text for draft in there]) == (["slow", "two"], ["three"])


def test_what_waits_itself_and_was_sent_elsewhere_meanwhile_does_not_come_here_too() -> None:
    there = list[Draft]()

    def replaced(draft: Draft) -> Draft:
        if draft.text == "branch!":
            way.pipeline.go_elsewhere(there.append)
        return draft

    way = Way([shouted, Gate("slow")], [Gate("branch"), replaced])
    way.send("branch", "slow")
    way.resume()
    way.resume(Stop.BACK)
    assert (way.came, way.back, [draft.text for draft in there]) == (["branch!"], [], ["slow"])


def test_a_step_that_sends_something_itself_does_not_overtake_itself() -> None:
    def also(draft: Draft) -> Draft:
        if draft.text == "one":
            way.send("one more")
        return draft

    way = Way([also])
    way.send("one", "two")
    assert way.came == ["one", "one more", "two"]
