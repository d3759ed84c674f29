"""Whatever is typed and whenever: no answer that the rule does not give, and nothing lost but a lone early key."""

from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.ui.kit.answer_rule import PRINTABLE, AnswerRule
from tests.examples import THOROUGH
from tests.unit.ui.kit.hand import MEANINGS, PAINTED, Hand, Key, is_given, names

GAPS = st.sampled_from([0.0, 0.01, 0.029, 0.03, 0.08, 0.149, 0.16, 0.299, 0.3, 0.45, 0.5, 0.69, 0.7, 0.9, 1.0, 2.0])
NAMES = st.one_of(st.sampled_from(sorted(MEANINGS)), st.sampled_from(["y", "n", "enter", "down", "a"]))
BEGINS = st.sampled_from([-0.6, -0.1, 0.0, 0.2, 0.4, 0.61, 0.99, 1.0, 1.5])


@st.composite
def typed(draw: st.DrawFn) -> list[Key]:
    """Keys from some time around painting on; some of them read at once, as after half a second of standing still."""
    at = PAINTED + draw(BEGINS)
    found = []
    for _ in range(draw(st.integers(1, 12))):
        found.append(Key(at, draw(NAMES)))
        at = round(at + draw(GAPS), 4)
    if draw(st.booleans()):
        stopped = PAINTED + draw(BEGINS)
        found = [Key(stopped + 0.5, key.name) if stopped <= key.at < stopped + 0.5 else key for key in found]
    return found


AT_THE_END = [Key(PAINTED + 1.109, "1"), Key(PAINTED + 1.409, "1"), Key(PAINTED + 1.409, " ")]
"""The second key comes when the first one answers, to the millisecond."""


@THOROUGH
@given(pressed=typed(), by_key=st.booleans(), always=st.booleans())
@example(pressed=AT_THE_END, by_key=False, always=False)
def test_no_answer_but_those_that_the_rule_gives(pressed: list[Key], by_key: bool, always: bool) -> None:
    hand = Hand(AnswerRule(by_key=by_key), always=always).presses(pressed)
    for answer in hand.answered:
        places = [at for at, key in enumerate(pressed) if (key.at, key.name) == (answer.at, answer.key)]
        assert any(is_given(pressed, at, MEANINGS, by_key=by_key, onto_always=always) for at in places), names([answer])


@THOROUGH
@given(typed(), st.booleans())
def test_no_character_is_lost_but_an_early_one_that_is_told(pressed: list[Key], by_key: bool) -> None:
    """Nor one that Esc, an arrow or another key has taken back, or that Backspace deleted."""
    hand = Hand(AnswerRule(by_key=by_key)).presses(pressed)
    kept = [(press.at, press.key) for press in (*hand.to_prompt, *hand.to_reason)]
    told = [(press.at, press.key) for press in hand.early]
    answered = [press.key for press in hand.answered]
    for at, key in enumerate(pressed):
        meaning = MEANINGS[key.name]
        if meaning not in PRINTABLE or (key.at, key.name) in (*kept, *told) or key.name in answered:
            continue
        behind = pressed[at + 1 :]
        taken_back = any(MEANINGS[each.name] not in PRINTABLE for each in behind[:12])
        assert meaning in ("answer", "step"), key
        assert taken_back or meaning == "step", key


@THOROUGH
@given(typed())
def test_text_is_delivered_in_the_order_in_which_it_was_typed(pressed: list[Key]) -> None:
    hand = Hand().presses(pressed)
    kept = [(press.at, press.key) for press in (*hand.to_prompt, *hand.to_reason)]
    order = [place for place, key in enumerate(pressed) if (key.at, key.name) in kept]
    assert len(kept) == len(set(kept)) or len(pressed) > len({*pressed})
    assert sorted(order) == order


@THOROUGH
@given(typed(), BEGINS)
def test_blind_text_that_begins_with_no_answer_never_answers(pressed: list[Key], begins: float) -> None:
    """Whoever types on without a pause of 700 ms, from before the second is over."""
    begins = min(begins, 0.99)
    text = [Key(PAINTED + begins, "a")]
    for key in pressed:
        if key.name not in ("escape", "tab", "up", "down"):
            text.append(Key(text[-1].at + min(0.69, 0.03 + (key.at % 0.5)), key.name))
    assert Hand().presses(text).answered == []
