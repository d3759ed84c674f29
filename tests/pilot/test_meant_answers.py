"""Answers that are meant, in every panel that asks, by keys on the test's clock.

Someone types, pastes and answers at random while the agent, the painting and the machine take their time. No answer is
sent that the rule does not give, and no character is lost but a lone answer key, which is told.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from textual import events
from textual.widgets import Input, TextArea

from acp_tui.host.revert.steps import Preview
from acp_tui.session import facts
from acp_tui.ui.agents.consent_dialog import ConsentDialog, ConsentQuestion
from acp_tui.ui.agents.consent_dialog import facts as told_facts
from acp_tui.ui.kit.answer_rule import ASKED_FOR, PASTED, PRINTABLE, Press, Ruling, Verdict
from acp_tui.ui.kit.key_routing import REFUSED, AnswerKeys, Asker
from acp_tui.ui.kit.picker import AnswerChoice as ChoicePanel
from acp_tui.ui.undo.undo_panel import TakeBackPanel
from acp_tui.views.row_search import PickerRow
from tests.answering import ManualClock
from tests.pilot.driver import CHARACTERS, User, user
from tests.pilot.fake_client import ask_permission
from tests.pilot.questions import ask_address, ask_form
from tests.pilot.test_login import want
from tests.still import until_still
from tests.unit.ui.kit.hand import PAINTED, Key, is_given
from tests.unit.views.test_undo import NEW

pytestmark = pytest.mark.anyio

SERIES = max(1, (settings.default or settings()).max_examples // 3)  # of random keys in each panel
COLOUR: dict[str, Any] = {"type": "string", "title": "Colour", "enum": ["red", "green", "blue"]}
TEXTS = ["change it back", "yes, but later", "no", "y", "n", "1", "2 files", "go on with the rest", "jk", "a", "d", "s"]
PAUSES = [0.0, 0.02, 0.06, 0.12, 0.2, 0.31, 0.45, 0.52, 0.71, 0.9, 1.1]


class Scene(NamedTuple):
    """A panel: how it comes up for the nth time, what was answered in it so far, how it goes."""

    ask: Callable[[User, int], object]
    answers: Callable[[User], int]
    settle: Callable[[User, int], object] = lambda _someone, _number: None
    to_prompt: bool = True


def overlay(make: Callable[[], Any]) -> Scene:
    answered: list[object] = []

    def ask(someone: User, _number: int) -> None:
        someone.app.push_screen(make(), lambda result: answered.append(result) if result not in (None, False) else None)

    def settle(someone: User, _number: int) -> None:
        if len(someone.app.screen_stack) > 1:
            someone.app.screen.dismiss(None)

    return Scene(ask, lambda _someone: len(answered), settle, to_prompt=False)


def preview() -> TakeBackPanel:
    return TakeBackPanel(Preview("Turn 1", NEW), lambda _step: None)


SCENES: dict[str, Scene] = {
    "permission": Scene(
        lambda someone, number: ask_permission(someone.session, number),
        lambda someone: len(someone.acts("answer")),
        lambda someone, number: someone.session.apply(facts.PermissionAnswered(number, None)),
    ),
    "choice": Scene(
        lambda someone, number: ask_form(someone.session, key=number, c=COLOUR),
        lambda someone: len(someone.acts("elicited")),
        lambda someone, number: someone.session.apply(facts.ElicitationAnswered(number, "cancel")),
    ),
    "form": Scene(
        lambda someone, number: ask_form(someone.session, key=number, a={"type": "string"}, b={"type": "boolean"}),
        lambda someone: len(someone.acts("elicited")),
        lambda someone, number: someone.session.apply(facts.ElicitationAnswered(number, "cancel")),
    ),
    "address": Scene(
        lambda someone, number: ask_address(someone.session, key=number),
        lambda someone: len(someone.acts("elicited")),
        lambda someone, number: someone.session.apply(facts.ElicitationAnswered(number, "cancel")),
    ),
    "login": Scene(
        lambda someone, number: want(someone.client, failed=f"the {number}. time"),
        lambda someone: len(someone.acts("log in")),
    ),
    "undo preview": overlay(preview),
    "consent": overlay(
        lambda: ConsentDialog(ConsentQuestion("Run it?", list(told_facts("command", "ls")), "No", "Yes", "Trust it?"))
    ),
    "quit": overlay(lambda: ChoicePanel("Working", [PickerRow(False, "Go back"), PickerRow(True, "Quit")])),
}


class Watched:
    """What the rule said of each key of one series, and when the answers had been painted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.judged: list[tuple[Verdict, float, bool, bool]] = []
        self.pressed: list[Key] = []
        judge, note = AnswerKeys._judged, AnswerKeys.note

        def judged(keys: AnswerKeys, asker: Asker, verdict: Verdict) -> Any:
            self.judged.append((verdict, asker.rule.painted, asker.rule.by_key, writes(asker)))
            return judge(keys, asker, verdict)

        def noted(keys: AnswerKeys, event: events.Event) -> float:
            gap = note(keys, event)
            self.pressed.append(Key(event.time, event.key if isinstance(event, events.Key) else "paste"))
            return gap

        monkeypatch.setattr(AnswerKeys, "_judged", judged)
        monkeypatch.setattr(AnswerKeys, "note", noted)

    def clear(self) -> None:
        self.judged.clear()
        self.pressed.clear()

    def answering(self) -> list[tuple[Press, float, bool, bool]]:
        """The keys that may have answered: when was painted, whether by one's own key, whether out of a field."""
        return [
            (press, painted, by_key, in_field)
            for verdict, painted, by_key, in_field in self.judged
            for press in verdict.presses
            if verdict.ruling is Ruling.PASS and press.meaning in ("answer", "enter")
        ]

    def unmeant(self) -> list[Press]:
        """Those of them that the rule does not give, told by all keys of the series."""
        wrong = []
        for press, painted, by_key, in_field in self.answering():
            if in_field:
                wrong += [press] if press.gap < PASTED or press.at < painted + ASKED_FOR else []
                continue
            shifted = [Key(key.at - painted + PAINTED, key.name) for key in self.pressed]
            meanings = {each.key: each.meaning for verdict, *_ in self.judged for each in verdict.presses}
            places = [at for at, key in enumerate(self.pressed) if (key.at, key.name) == (press.at, press.key)]
            if not any(is_given(shifted, at, meanings, by_key=by_key, onto_always=False) for at in places):
                wrong.append(press)
        return wrong

    def told(self) -> Counter[str]:
        """The characters that were told to be too early, or refused with a word."""
        found: Counter[str] = Counter()
        for verdict, *_ in self.judged:
            if verdict.ruling in (Ruling.EARLY, Ruling.PROMPT, Ruling.REASON):
                found.update(press.event.character for press in verdict.presses if press.meaning in PRINTABLE)
        return found


def typed(chance: random.Random) -> list[tuple[float, str]]:
    """Some words, keys and pauses: the seconds before each key, and the key."""
    found: list[tuple[float, str]] = []
    for _ in range(chance.randint(1, 4)):
        pace = chance.choice([0.0, 0.06, 0.1, 0.35])
        word = chance.choice([*TEXTS, "enter", "down", "escape", "y", "1"])
        word_keys = [word] if word in ("enter", "down", "escape") else list(word)
        found += [(chance.choice(PAUSES) if at == 0 else pace, key) for at, key in enumerate(word_keys)]
        if chance.random() < 0.5:
            found.append((chance.choice(PAUSES), "enter"))
    return found


async def play(someone: User, keys: Sequence[tuple[float, str]], chance: random.Random) -> None:
    """Press the keys; now and then the machine stands still, and they come all at once half a second later."""
    clock = someone.app.answer_keys.clock
    assert isinstance(clock, ManualClock)
    stands = chance.random() < 0.3
    at = chance.randrange(len(keys))
    for number, (pause, key) in enumerate(keys):
        if stands and at <= number < at + 3:
            clock.stop(0.5 if number == at else 0.0)
        else:
            clock.advance(pause)
            if chance.random() < 0.8:
                await until_still(someone.app)
        name = next((name for name, sign in CHARACTERS.items() if sign == key), key)
        someone.app.post_message(events.Key("comma" if key == "," else name, key if len(key) == 1 else None))
    await until_still(someone.app)
    for _ in range(8):
        clock.advance(0.5)
        await until_still(someone.app)


@pytest.mark.parametrize("name", SCENES)
async def test_no_answer_is_sent_that_was_not_meant_and_no_character_is_lost(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SCENES[name]
    async with user() as someone:
        someone.app.answer_keys.clock = clock = ManualClock()
        watched = Watched(monkeypatch)
        for series in range(1, SERIES + 1):
            chance = random.Random(f"{name} {series}")
            watched.clear()
            before, sent = scene.answers(someone), len(someone.acts("submit"))
            scene.ask(someone, series)
            if chance.random() < 0.7:  # else it is typed before the panel is there
                await until_still(someone.app)
                clock.advance(chance.choice(PAUSES))
            keys = typed(chance)
            await play(someone, keys, chance)
            answers = scene.answers(someone) - before
            where = f"series {series}: {keys}"
            assert watched.unmeant() == [], where
            assert answers <= min(1, len(watched.answering())), where
            written = in_fields(someone) + "".join(str(act) for act in someone.acts("submit")[sent:])
            written += "".join(str(act) for act in someone.acts("answer")[-answers:]) if answers else ""
            characters = Counter(key for _, key in keys if len(key) == 1)
            kept = watched.told() + Counter(written)
            kept.update(press.event.character for press, *_ in watched.answering() if press.meaning == "answer")
            lost = {key: count - kept[key] for key, count in characters.items() if count > kept[key]}
            assert sum(lost.values()) <= taken_back(watched), (where, lost, written)
            if not scene.to_prompt and any(v.ruling is Ruling.PROMPT for v, *_ in watched.judged):
                assert any(REFUSED in toast for toast in someone.toasts()), where
            scene.settle(someone, series)
            someone.conversation.editor.set_draft("")
            someone.app.clear_notifications()
            await until_still(someone.app)
            clock.advance(5.0)
            await until_still(someone.app)


def in_fields(someone: User) -> str:
    """All that stands in the prompt and other fields."""
    screen = someone.conversation
    lines = [line.value for line in screen.query(Input)]
    return "".join([*lines, *(area.text for area in screen.query(TextArea))])


def writes(asker: Asker) -> bool:
    """Whether what is typed now is the text of a field."""
    return asker.meaning(events.Key("a", "a")) == "field"


def taken_back(watched: Watched) -> int:
    """How many characters moved the highlight, changed what was chosen, or were taken back by Esc or an arrow."""
    back = sum(verdict.ruling in (Ruling.MOVE, Ruling.DROP, Ruling.HOLD) for verdict, *_ in watched.judged)
    passed = [press for v, *_ in watched.judged if v.ruling is Ruling.PASS for press in v.presses]
    return back + sum(press.meaning in ("command", "escape", "other", "arrow") for press in passed)
