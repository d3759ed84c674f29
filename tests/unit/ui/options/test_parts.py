"""Arithmetic and words of the parts around the transcript."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from acp_tui.host.client import Connection
from acp_tui.protocol.vocabulary.config_options import BooleanOption, ConfigOptionUpdate, ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.plans import Plan, PlanEntry
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.protocol.vocabulary.updates import Cost, MessageChunk, StateUpdate, Update, UsageUpdate
from acp_tui.session.facts import CancelRequested, Fact
from acp_tui.session.state import Session
from acp_tui.session.text import words
from acp_tui.session.text.words import option_name
from acp_tui.ui.commands.keys import spell, spell_out
from acp_tui.ui.export.copies import last_code
from acp_tui.ui.kit.key_guards import DoublePress, Strokes
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.options.choices import first_of, next_value, value_choices, value_name
from acp_tui.ui.options.selectors import GAP, Label, labels_of, place
from acp_tui.ui.options.usage import usage_text
from acp_tui.ui.prompt.completion import slash_query
from acp_tui.ui.prompt.draft import Chips, clean_paste
from acp_tui.ui.prompt.editor import Recall
from acp_tui.ui.status.line import Status, status_of
from acp_tui.ui.status.plan import plan_rows
from acp_tui.views import formatting
from acp_tui.views.formatting import money
from tests.pilot.fake_client import select
from tests.rows import each_of


@each_of(
    ("tell", "value", "told"),
    [
        (words.duration, 0.4, "0 s"),
        (words.duration, 75, "1 min 15 s"),
        (words.duration, 3725, "1 h 02 min"),
        (words.duration, -3, "0 s"),
        (formatting.tokens, 950, "950"),
        (formatting.tokens, 1300, "1.3k"),
        (formatting.tokens, 200_000, "200k"),
        (formatting.tokens, 1_000_000, "1M"),
        (formatting.byte_size, 12, "12 B"),
        (formatting.byte_size, 1_000_000, "1.0 MB"),
    ],
)
def test_figures(tell: Callable[[float], str], value: float, told: str) -> None:
    assert tell(value) == told


def test_usage() -> None:
    usage = UsageUpdate(used=68_000, size=200_000, cost=Cost(amount=0.05, currency="USD"))
    assert usage_text(usage) == "34% of 200k · $0.05"
    assert usage_text(usage, short=True) == "34% · $0.05"
    assert usage_text(UsageUpdate(used=1300, size=0)) == "1.3k tokens"
    assert usage_text(UsageUpdate(used=10**400, size=0)) == "1000000M tokens"
    assert usage_text(None) == ""


@pytest.mark.parametrize(
    ("used", "told", "short"),
    [
        (159_000, "80% of 200k", "80%"),
        (160_000, "△ 80% of 200k, filling up", "△ 80% filling up"),
        (189_999, "△ 95% of 200k, filling up", "△ 95% filling up"),
        (190_000, "▲ 95% of 200k, nearly full", "▲ 95% nearly full"),
        (400_000, "▲ 200% of 200k, nearly full", "▲ 200% nearly full"),
        (10**400, "▲ 1000% of 200k, nearly full", "▲ 1000% nearly full"),
    ],
)
def test_a_full_context_is_said_by_sign_and_word(used: int, told: str, short: str) -> None:
    usage = UsageUpdate(used=used, size=200_000)
    assert (usage_text(usage), usage_text(usage, short=True)) == (told, short)


@each_of(
    ("amount", "currency", "told"),
    [
        (0.05, "USD", "$0.05"),
        (1234.5, "EUR", "€1,234.50"),
        (1.2, "CHF", "1.20 CHF"),
        (12.3, "jpy", "¥12"),
        (0.0004, "USD", "<$0.01"),
        (0, "GBP", "£0.00"),
        (-0.5, "USD", "−$0.50"),
        (2, "credits", "2.00 credits"),
    ],
)
def test_money(amount: float, currency: str, told: str) -> None:
    assert money(amount, currency) == told


def test_keys_in_words() -> None:
    hints = {"ctrl+p": "^P", "alt+p": "alt+p", "shift+tab": "shift+tab", "question_mark": "?", "escape": "esc"}
    assert {key: spell(key) for key in hints} == hints
    written = {
        "ctrl+p": "Ctrl+P",
        "shift+tab": "Shift+Tab",
        "pageup": "PgUp",
        "left_curly_bracket": "{",
        "f1": "F1",
        "ctrl+x right": "Ctrl+X →",
        "alt+up": "Alt+↑",
        "ctrl+underscore": "Ctrl+_",
        "ctrl+percent_sign": "Ctrl+%",
        "nonsense": "Nonsense",
    }
    assert {key: spell_out(key) for key in written} == written


def test_the_next_value_goes_round() -> None:
    assert next_value(select("m", "M", None, ["a", "b"])) == "b"
    assert next_value(select("m", "M", None, ["a", "b"], "b")) == "a"
    assert next_value(select("m", "M", None, ["a", "b"], "gone")) == "a"
    assert next_value(select("m", "M", None, ["a"])) is None
    assert next_value(SelectOption(id="m", name="M", current_value="x")) is None
    assert next_value(BooleanOption(id="b", name="B", current_value=True)) is False


def test_what_has_a_blank_name_goes_by_its_id_so_that_it_is_seen() -> None:
    values = [ConfigValue(value="l", name=""), ConfigValue(value="s", name="Small")]
    option = SelectOption(id="size", name=" ", current_value="l", values=values)
    assert (option_name(option), value_name(option)) == ("size", "l")
    assert [choice.name for choice in value_choices([option])] == ["l", "Small"]
    session = Session("s", "/p")
    session.apply(ConfigOptionUpdate(config_options=[option]))
    assert [(label.name, label.value) for label in labels_of(session)] == [("size", "l")]


def test_an_option_without_values_still_has_a_row() -> None:
    option = SelectOption(id="m", name="M", current_value="x")
    assert [choice.name for choice in value_choices([option])] == ["x"]
    assert value_name(option) == "x"


labels = st.builds(Label, st.just("o"), st.text("ab漢", max_size=9), st.text("cd", max_size=20))


@given(st.lists(labels, max_size=12), st.integers(10, 200))
def test_the_bar_hides_nothing_that_fits(told: list[Label], width: int) -> None:
    placed = place(told, width)
    assert len(placed.labels) + placed.hidden == len(told)
    assert list(placed.labels) == told[: len(placed.labels)]
    widths = [label.words().cell_length for label in placed.labels]
    used = sum(widths) + GAP * max(0, len(widths) - 1)
    if placed.hidden:
        assert sum(label.words().cell_length for label in told) + GAP * (len(told) - 1) > width
        assert len(placed.labels) == 1 or used + GAP + 2 <= width
    else:
        assert used <= width or len(told) == 1


def test_a_bar_of_thousands_looks_at_each_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    words = Label.words

    def counted(label: Label) -> Content:
        nonlocal looked
        looked += 1
        return words(label)

    monkeypatch.setattr(Label, "words", counted)
    placed = place([Label(str(number), "name", "value") for number in range(500)], 100)
    assert (len(placed.labels), placed.hidden) == (7, 493)
    assert looked <= 3 * 500


@pytest.mark.parametrize(
    ("at_hand", "rows", "first"), [(0, 201, "○ 0"), (5_000, 202, "… 4,900"), (9_999, 201, "… 9,800")]
)
def test_of_a_plan_of_thousands_the_steps_around_the_one_at_hand_are_shown(at_hand: int, rows: int, first: str) -> None:
    entries = [PlanEntry(content=str(number)) for number in range(10_000)]
    if at_hand:
        entries[at_hand] = PlanEntry(content="now", status="in_progress")
    shown = [
        "".join(text for text, _ in row) for row in plan_rows(Plan(entries=entries), palette_for(DARK), titled=False)
    ]
    assert len(shown) == rows
    assert shown[0].startswith(first)
    assert not at_hand or "◐ now" in shown


@pytest.mark.parametrize(
    ("text", "told"), [("a", "1 line"), ("a\n", "1 line"), ("a\nb", "2 lines"), ("\n\n", "2 lines")]
)
def test_lines(text: str, told: str) -> None:
    assert formatting.lines_in(text) == told


def test_a_second_press_counts_within_two_seconds() -> None:
    press = DoublePress(Strokes())
    assert [press.again(t, ["ctrl+c"]) for t in (0.0, 1.9, 2.0, 4.1, 5.0)] == [False, True, False, False, True]


def presses(ways: list[str], *keys: str) -> list[bool]:
    """What `again` says after each key that is the last one of a way."""
    strokes = Strokes()
    press, said = DoublePress(strokes), []
    for key in keys:
        strokes.note(key)
        if key in [way.split()[-1] for way in ways]:
            said.append(press.again(0.0, ways))
    return said


@pytest.mark.parametrize(
    ("ways", "keys", "said"),
    [
        (["ctrl+c"], ["ctrl+c", "ctrl+c"], [False, True]),
        (["ctrl+c"], ["ctrl+c", "a", "ctrl+c"], [False, False]),
        (["ctrl+c"], ["ctrl+c", "a", "ctrl+c", "ctrl+c"], [False, False, True]),
        (["ctrl+c"], ["ctrl+c", *"abcdefghijkl", "ctrl+c"], [False, False]),
        (["ctrl+q", "ctrl+d"], ["ctrl+q", "ctrl+d"], [False, True]),
        (["ctrl+x r"], ["ctrl+x", "r", "ctrl+x", "r"], [False, True]),
        (["ctrl+x r"], ["ctrl+x", "r", "up", "ctrl+x", "r"], [False, False]),
    ],
)
def test_a_second_press_counts_only_without_another_key_in_between(
    ways: list[str], keys: list[str], said: list[bool]
) -> None:
    assert presses(ways, *keys) == said


@given(st.lists(st.text(st.characters(exclude_characters="\r", exclude_categories=["C"]), max_size=20), max_size=5))
def test_chips_give_back_what_they_folded(texts: list[str]) -> None:
    chips = Chips()
    folded = [chips.fold(text * 1000) for text in texts]
    assert chips.expand("|".join(folded)) == "|".join(text * 1000 for text in texts)


def test_a_paste_within_a_paste_is_not_expanded_twice() -> None:
    chips = Chips()
    first = chips.fold("x" * 20_000)
    second = chips.fold(first + "y" * 20_000)
    assert chips.expand(second) == first + "y" * 20_000


@given(st.text())
def test_a_clean_paste_has_no_controls(text: str) -> None:
    cleaned = clean_paste(text)
    assert not any(sign in cleaned for sign in "\x1b\x00\x07\x9b\r\u202e\x7f")
    assert clean_paste(cleaned) == cleaned


@given(st.lists(st.text(min_size=1), max_size=5), st.text())
def test_the_walk_through_the_history_ends_at_the_draft(prompts: list[str], draft: str) -> None:
    recall = Recall()
    seen: list[str] = []
    while (older := recall.older(prompts, draft)) is not None:
        seen.append(older)
    assert seen == prompts[::-1]
    back: list[str] = []
    while (newer := recall.newer()) is not None:
        back.append(newer)
    assert back == ([*prompts[1:], draft] if prompts else [])


def test_slash_query() -> None:
    assert [slash_query(text) for text in ("/", "/in", "/init x", "a/b", "")] == ["", "in", None, None, None]


def test_the_last_code_block() -> None:
    session = Session(id="s", cwd="/")
    text = "```py\na = 1\n\nb\n```\ntext\n~~~~\n```\nin it\n```\n~~~~\n"
    session.apply(MessageChunk(session_update="agent_message_chunk", message_id="m", content=TextContent(text=text)))
    assert last_code(session.entries) == "```\nin it\n```"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def status(*told: Update | Fact, later: float = 0.0) -> Status:
    clock = Clock()
    session = Session(id="s", cwd="/", clock=clock)
    for event in told:
        session.apply(event)
    clock.now += later
    return status_of(session, Connection(phase="ready"), clock.now)


def test_status_facts() -> None:
    running = StateUpdate(state="running")
    tool = ToolCallUpdate(tool_call_id="t", title="pytest\x1b[2J", status="in_progress")
    assert status() == Status()
    assert status(running, later=2).text == "Working · 2 s"
    silent = status(running, later=75)
    assert (silent.text, silent.hint) == ("No output for 1 min 15 s", "esc cancel · ^X D stderr")
    tooled = status(running, tool, later=40)
    assert (tooled.text, tooled.hint) == ("Running pytest · 40 s", "esc cancel")
    assert status(running, CancelRequested(), later=3).text == "Cancelling… · 3 s"
    assert status(running, StateUpdate(state="idle", stop_reason="end_turn")) == Status()
    assert status(running, StateUpdate(state="idle", stop_reason="max_tokens")).text.startswith("Stopped")
    assert status(running, StateUpdate(state="idle", stop_reason="refusal")).text == "The agent refused"


def test_connection_facts() -> None:
    session = Session(id="s", cwd="/")
    assert status_of(session, Connection(step="starting the agent", since=10), 14).text == "Starting the agent · 4 s"
    late = status_of(session, Connection(step="waiting for it", since=10, late=True), 17)
    assert (late.text, late.hint) == ("No reply for 7 s · waiting for it", "^X R restart · ^X D stderr")
    assert status_of(session, Connection(phase="closed", exit_code=3), 0).text == "✗ Agent exited (code 3)"
    assert status_of(session, Connection(phase="closed", exit_code=-9), 0).text == "✗ Agent killed by SIGKILL"
    unread = status_of(session, Connection(phase="ready"), 20, unsent_since=10)
    assert unread.text == "Agent is not reading its input · 10 s"


def an_option(category: str | None, option_id: str = "x", name: str = "Name") -> SelectOption:
    return SelectOption(id=option_id, name=name, category=category, current_value="a")


THINKING = [
    an_option("thinking"),
    an_option("_thinking"),
    an_option("reasoning_effort"),
    an_option("thoughtLevel"),
    an_option(None, name="Thinking"),
    an_option(None, name="Reasoning effort"),
    an_option(None, name="Thought Level"),
    an_option(None, "model_reasoning_effort"),
    an_option("model_config", "effort"),
    an_option("_other", "thinkingBudget"),
]
NOT_THINKING = [
    an_option("mode", name="Thinking"),
    an_option("model", name="Reasoning model"),
    an_option(None, name="Rethinking"),
    an_option(None, name="Show thinking"),
    an_option(None, name="Reasoning summary"),
    an_option(None, name="Best effort delivery"),
    an_option(None, name="Level"),
    an_option(None, name=""),
]


@each_of("option", THINKING)
def test_what_plainly_means_the_thinking_level_is_its_option_where_none_has_the_category(option: SelectOption) -> None:
    assert first_of([an_option(None), option, THINKING[0]], "thought_level") is option
    right = an_option("thought_level")
    assert first_of([option, right], "thought_level") is right
    assert first_of([option], "mode") is None


@each_of("option", NOT_THINKING)
def test_what_only_sounds_like_the_thinking_level_is_not(option: SelectOption) -> None:
    assert first_of([option], "thought_level") is None
