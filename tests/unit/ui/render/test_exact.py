"""Text to which somebody agrees: nothing in it is out of sight, and nothing looks like something else."""

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.render.text import exact_lines, sanitise
from tests.rows import each_of


def told(text: str) -> str:
    return "\n".join("".join(part for part, _ in line) for line in exact_lines(text))


@each_of(
    ("text", "shown"),
    [
        ("", ""),
        ("sh -c x", "sh -c x"),
        ("a   b", "a   b"),
        ("a" + " " * 5000 + "b", "a⟨5,000 spaces⟩b"),
        ("a\n\nb", "a⏎\n⏎\nb"),
        ("a\tb", "a⟨tab⟩b"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\u3164" * 30, "⟨U+3164 30 times⟩"),
        ("a\u00a0b\u2028", "a⟨U+00A0⟩b⟨U+2028⟩"),
        ("\x1b[2J\x9b", "⟨U+001B⟩[2J⟨U+009B⟩"),
        ("\u202eevil\u2069", "⟨U+202E⟩evil⟨U+2069⟩"),
        ("#" * 39, "#" * 39),
        (";" * 5000 + "x", ";;;⟨5,000 times⟩x"),
        ("⟨5 spaces⟩⏎", "⟨U+27E8⟩5 spaces⟨U+27E9⟩⟨U+23CE⟩"),
        ("é 漢 🙂", "é 漢 🙂"),
    ],
)
def test_what_is_not_seen_as_itself_is_told(text: str, shown: str) -> None:
    assert told(text) == shown


nasty = st.text("a b\n\t\x1b\x7f\x9b\u200b\u202e\u3164\ufe0f\u0301⟨⟩⏎漢\ud800\U000e0041", max_size=60)


@given(nasty)
def test_what_is_shown_is_harmless_and_every_character_left_a_trace(text: str) -> None:
    shown = told(text)
    assert sanitise(shown) == shown
    if "\u0301" not in text:  # many marks on one letter are capped
        for character in set(text) - set(" \n"):
            number = "⟨tab" if character == "\t" else f"⟨U+{ord(character):04X}"
            assert number in shown or (character in shown and character not in "⟨⟩⏎")


@given(nasty, nasty)
def test_two_texts_never_look_the_same(one: str, other: str) -> None:
    if one != other and "\u0301" not in one + other:
        assert told(one) != told(other)
